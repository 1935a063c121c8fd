// Units sold as bars: one per UTC day, or per group of days when a day is too narrow to be seen.
import { DAY_MS } from '../app/server-clock.ts';

export type DayBars = {
  /** The number of the first day since 1970. */
  firstDay: number;
  /** NaN: no estimate. */
  units: Float64Array;
  low: Float64Array;
  high: Float64Array;
};

export type SalesDay = {
  date: string;
  units_sold: number | null;
  low: number | null;
  high: number | null;
};

export type Bar = { fromAtMs: number; toAtMs: number; units: number; low: number; high: number };

/** A wrong date must not use up the memory. */
const DAYS_MAX = 20_000;

export function dayBars(days: readonly SalesDay[]): DayBars {
  const numbers = days.map(({ date }) => Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS));
  const firstDay = numbers[0] ?? 0;
  const size = Math.min(DAYS_MAX, Math.max(0, (numbers.at(-1) ?? firstDay - 1) - firstDay + 1));
  const column = (pick: (day: SalesDay) => number | null) => {
    const values = new Float64Array(size).fill(Number.NaN);
    days.forEach((day, index) => {
      values[(numbers[index] as number) - firstDay] = pick(day) ?? Number.NaN;
    });
    return values;
  };
  return {
    firstDay,
    units: column(({ units_sold }) => units_sold),
    low: column(({ low }) => low),
    high: column(({ high }) => high),
  };
}

/** How many days one bar has: a day, a week, four weeks, or multiples of them. */
export function daysPerBar(dayPixels: number, pixelsMin: number): number {
  const steps = [1, 7, 28];
  let days = steps.find((count) => count * dayPixels >= pixelsMin);
  if (days !== undefined) return days;
  days = 28;
  while (days * dayPixels < pixelsMin && days < DAYS_MAX) days *= 2;
  return days;
}

/** The bar of a group of days; its values are the average of its days that have one. */
export function barAt(bars: DayBars, atMs: number, days: number): Bar {
  const group = Math.floor(atMs / DAY_MS / days);
  const fromDay = Math.max(group * days, bars.firstDay);
  const toDay = Math.min((group + 1) * days, bars.firstDay + bars.units.length);
  let [units, low, high, count] = [0, 0, 0, 0];
  for (let day = fromDay; day < toDay; day += 1) {
    const index = day - bars.firstDay;
    if (Number.isNaN(bars.units[index])) continue;
    units += bars.units[index] as number;
    low += bars.low[index] as number;
    high += bars.high[index] as number;
    count += 1;
  }
  const mean = (sum: number) => (count === 0 ? Number.NaN : sum / count);
  return {
    fromAtMs: fromDay * DAY_MS,
    toAtMs: Math.max(fromDay, toDay) * DAY_MS,
    units: mean(units),
    low: mean(low),
    high: mean(high),
  };
}
