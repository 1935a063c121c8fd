// Values as text: on the axis as short as the grid allows, in the readout in full.
import { numberFormat } from '../design/locale.ts';
import { countText, moneyText, signedPercentText } from '../design/money.tsx';
import type { ShownValue } from './line-plan.ts';
import type { ScaleKind, ValueScale } from './value-scale.ts';

const wholeDollars = numberFormat({ style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const compact = numberFormat({ notation: 'compact', maximumFractionDigits: 1 });
const oneDecimal = numberFormat({ maximumFractionDigits: 1 });

/** `isExact`: a value that need not lie on the grid. */
export function tickText(
  kind: ScaleKind,
  value: number,
  { ticks }: ValueScale,
  isExact = false,
): string {
  if (kind === 'percent') return signedPercentText(value / 100);
  if (kind === 'rank') return `#${shortCount(value)}`;
  if (kind === 'count') return shortCount(value);
  const isWhole = ticks.every((tick) => Number.isInteger(tick));
  return isWhole && !isExact ? wholeDollars.format(value) : moneyText(value);
}

const shortCount = (value: number) =>
  Math.abs(value) < 10_000 ? countText(Math.round(value)) : compact.format(value);

export function valueText(kind: ScaleKind, value: number, isAverage = false): string {
  if (kind === 'percent') return signedPercentText(value / 100);
  if (kind === 'price') return moneyText(value);
  const text = isAverage && value < 100 ? oneDecimal.format(value) : countText(Math.round(value));
  return kind === 'rank' ? `#${countText(Math.round(value))}` : text;
}

/** "$31.20 ($29.10 to $35.00)": the range if there is one. */
export function shownText(kind: ScaleKind, { value, low, high, isAverage }: ShownValue): string {
  if (Number.isNaN(value)) return '–';
  const text = valueText(kind, value, isAverage);
  const [from, to] = [valueText(kind, low), valueText(kind, high)];
  return from === to ? text : `${text} (${from} to ${to})`;
}
