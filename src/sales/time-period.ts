// The five periods of the units-sold history and their days.
import { DAY_MS } from '../foundation/time.ts';

export const TIME_PERIODS = ['1month', '6months', '1year', '3years', 'alltime'] as const;
export type TimePeriod = (typeof TIME_PERIODS)[number];

const MONTHS: Readonly<Record<TimePeriod, number | null>> = {
  '1month': 1,
  '6months': 6,
  '1year': 12,
  '3years': 36,
  alltime: null,
};

/** Days since 1970-01-01, UTC: from inclusive, to exclusive. Today is incomplete and excluded. */
export function daysOf(period: TimePeriod, nowMs: number): { fromDay: number; toDay: number } {
  const toDay = Math.floor(nowMs / DAY_MS);
  const months = MONTHS[period];
  return { fromDay: months === null ? 0 : monthsBefore(toDay, months), toDay };
}

/** The same day of an earlier month, or the last day of that month if it is shorter. */
function monthsBefore(day: number, months: number): number {
  const today = new Date(day * DAY_MS);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth() - months];
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(today.getUTCDate(), lastOfMonth)) / DAY_MS;
}
