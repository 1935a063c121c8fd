// The vertical axis of a panel: round ticks, and where a value lies between 0 (top) and 1 (bottom).

export type ValueScale = 'padded' | 'from-zero' | 'rank';

export type ValueAxis = {
  ticks: readonly number[];
  /** The step between ticks; null where ticks grow by factors. */
  step: number | null;
  /** 0 at the top of the panel, 1 at its bottom. */
  position(value: number): number;
};

/** Above this ratio ranks are drawn on a logarithmic scale: top ranks would be one line. */
const LOGARITHMIC_FROM = 12;
const PADDING = 0.08;

export function valueAxis(
  range: { min: number; max: number },
  { scale, ticksMax }: { scale: ValueScale; ticksMax: number },
): ValueAxis {
  if (scale === 'rank') return rankAxis(range, ticksMax);
  const spread = range.max - range.min;
  // A constant price gets a line in the middle, not along an edge.
  const padding = spread > 0 ? spread * PADDING : Math.max(Math.abs(range.max) * 0.1, 1);
  const low = scale === 'from-zero' ? 0 : Math.max(0, range.min - padding);
  const high = range.max + padding;
  const { ticks, step } = roundTicks(low, high, ticksMax);
  return { ticks, step, position: (value) => (high - value) / (high - low) };
}

/** Rank 1 is at the top. */
function rankAxis(range: { min: number; max: number }, ticksMax: number): ValueAxis {
  const [min, max] = [Math.max(1, range.min), Math.max(1, range.max)];
  if (max / min >= LOGARITHMIC_FROM) return logarithmicRanks(min, max, ticksMax);
  const padding = max > min ? (max - min) * PADDING : Math.max(1, max * 0.1);
  const low = min - padding;
  const high = max + padding;
  const { ticks, step } = roundTicks(low, high, ticksMax);
  return {
    ticks: ticks.filter((tick) => tick >= 1),
    step,
    position: (value) => (Math.max(1, value) - low) / (high - low),
  };
}

function logarithmicRanks(min: number, max: number, ticksMax: number): ValueAxis {
  const [low, high] = [Math.log10(min) - 0.06, Math.log10(max) + 0.06];
  const powers = [];
  for (let power = Math.ceil(low); power <= high; power++) powers.push(10 ** power);
  const every = Math.max(1, Math.ceil(powers.length / ticksMax));
  return {
    ticks: powers.filter((_, index) => index % every === 0),
    step: null,
    position: (value) => (Math.log10(Math.max(1, value)) - low) / (high - low),
  };
}

/** Multiples of 1, 2, 2.5 or 5 times a power of ten, at most so many; values are whole numbers. */
function roundTicks(
  low: number,
  high: number,
  ticksMax: number,
): { ticks: number[]; step: number } {
  const leastStep = (high - low) / Math.max(1, ticksMax);
  const power = 10 ** Math.floor(Math.log10(leastStep));
  const round = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= leastStep) ?? 10) * power;
  const step = Math.max(1, round === 2.5 ? 5 : round);
  const ticks: number[] = [];
  for (let index = Math.ceil(low / step); index * step <= high; index++) {
    ticks.push(index * step);
  }
  return { ticks, step };
}
