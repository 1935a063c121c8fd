// Scores estimates against true sales: error by day and by month, bias, and coverage of the band.
import { DAY_MS } from '../foundation/time.ts';

/** Items that sold on fewer days are not scored: their error is mostly random. */
export const SOLD_DAYS_MIN = 100;

export type ScoredEstimate = { day: number; units: number; low: number; high: number };

export type ScoreSums = {
  items: number;
  days: number;
  trueUnits: number;
  estimatedUnits: number;
  dayError: number;
  monthError: number;
  daysInside: number;
  /** Number of days by width of the band. */
  widths: Map<number, number>;
};

export type Score = {
  items: number;
  days: number;
  trueUnits: number;
  /** Σ|true − estimate| / Σ true, over days and over calendar months. */
  dayWape: number;
  monthWape: number;
  /** Σ(estimate − true) / Σ true. */
  bias: number;
  /** Share of days whose true units are between low and high. */
  coverage: number;
  widthMedian: number;
  /** Mean width of the band relative to the mean true units of a day. */
  widthRelative: number;
};

export function emptyScore(): ScoreSums {
  return {
    items: 0,
    days: 0,
    trueUnits: 0,
    estimatedUnits: 0,
    dayError: 0,
    monthError: 0,
    daysInside: 0,
    widths: new Map(),
  };
}

/** Adds an item, from its first to its last day of sales. A day without an estimate counts as 0. */
export function addToScore(
  sums: ScoreSums,
  truth: { firstDay: number; units: readonly number[] },
  estimates: readonly ScoredEstimate[],
): void {
  const byDay = new Map(estimates.map((estimate) => [estimate.day, estimate]));
  const months = new Map<string, number>();
  truth.units.forEach((units, index) => {
    const day = truth.firstDay + index;
    const estimate = byDay.get(day) ?? { day, units: 0, low: 0, high: 0 };
    const error = estimate.units - units;
    sums.days++;
    sums.trueUnits += units;
    sums.estimatedUnits += estimate.units;
    sums.dayError += Math.abs(error);
    if (estimate.low <= units && units <= estimate.high) sums.daysInside++;
    const width = estimate.high - estimate.low;
    sums.widths.set(width, (sums.widths.get(width) ?? 0) + 1);
    const month = new Date(day * DAY_MS).toISOString().slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + error);
  });
  for (const error of months.values()) sums.monthError += Math.abs(error);
  sums.items++;
}

export function soldOnEnoughDays(units: readonly number[], daysMin = SOLD_DAYS_MIN): boolean {
  let soldDays = 0;
  for (const sold of units) if (sold > 0) soldDays++;
  return soldDays >= daysMin;
}

/** null if nothing was sold. */
export function scoreOf(sums: ScoreSums): Score | null {
  const { items, days, trueUnits } = sums;
  if (trueUnits === 0) return null;
  let widthSum = 0;
  for (const [width, count] of sums.widths) widthSum += width * count;
  return {
    items,
    days,
    trueUnits,
    dayWape: sums.dayError / trueUnits,
    monthWape: sums.monthError / trueUnits,
    bias: (sums.estimatedUnits - trueUnits) / trueUnits,
    coverage: sums.daysInside / days,
    widthMedian: medianWidth(sums.widths, days),
    widthRelative: widthSum / trueUnits,
  };
}

function medianWidth(widths: ReadonlyMap<number, number>, days: number): number {
  let passed = 0;
  for (const [width, count] of [...widths].sort(([one], [other]) => one - other)) {
    passed += count;
    if (passed * 2 >= days) return width;
  }
  return 0;
}
