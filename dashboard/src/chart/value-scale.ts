// The scale of a pane: its range and the values of its grid lines.

export type ScaleKind = 'price' | 'rank' | 'count' | 'percent';
export type ValueScale = { low: number; high: number; ticks: readonly number[] };

/** `low` and `high` are the extremes of what is shown; not finite if nothing is. */
export function scaleOf(
  kind: ScaleKind,
  { low, high }: { low: number; high: number },
  ticksMax: number,
): ValueScale {
  if (!(low <= high)) return { low: 0, high: 1, ticks: [] };
  const range = rangeOf(kind, low, high);
  const stepMin = kind === 'rank' || kind === 'count' ? 1 : kind === 'price' ? 0.01 : 0.1;
  const step = Math.max(stepMin, niceStep((range.high - range.low) / Math.max(1, ticksMax)));
  const ticks: number[] = [];
  for (let tick = Math.ceil(range.low / step); tick * step <= range.high; tick += 1)
    ticks.push(Number((tick * step).toPrecision(12)));
  return { ...range, ticks };
}

function rangeOf(kind: ScaleKind, low: number, high: number) {
  // A number of units is compared with none.
  if (kind === 'count') return { low: 0, high: Math.max(1, high * 1.08) };
  // A flat line gets space above and below.
  const spread = Math.max(high - low, kind === 'price' ? high * 0.04 : 1, 0.04);
  const middle = (low + high) / 2;
  const half = spread / 2 + spread * 0.08;
  const bottom = middle - half;
  const isAboveZero = kind === 'price' || kind === 'rank';
  return { low: isAboveZero ? Math.max(0, bottom) : bottom, high: middle + half };
}

const NICE = [1, 2, 2.5, 5, 10];

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
export function niceStep(size: number): number {
  if (!(size > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  const factor = NICE.find((one) => one * power >= size * 0.999) ?? 10;
  return factor * power;
}
