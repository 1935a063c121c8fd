// When a billing period begins and ends: monthly from an anchor, at the anchor's time of day, on the
// anchor's day or, in a shorter month, on its last (31 January → 28 February → 31 March).
import { DAY_MS } from '../foundation/time.ts';

export type BillingPeriod = { startAt: number; endAt: number };

/** The anchor moved by whole months; always counted from the anchor, so that the day comes back. */
export function monthsAfter(anchorAt: number, months: number): number {
  const anchor = new Date(anchorAt);
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchorAt - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs;
}

/** The period that holds this instant. Before the anchor there is none: the first one is answered. */
export function periodAt(anchorAt: number, at: number): BillingPeriod {
  const anchor = new Date(anchorAt);
  const date = new Date(at);
  let months =
    (date.getUTCFullYear() - anchor.getUTCFullYear()) * 12 +
    (date.getUTCMonth() - anchor.getUTCMonth());
  if (monthsAfter(anchorAt, months) > at) months -= 1;
  months = Math.max(0, months);
  return { startAt: monthsAfter(anchorAt, months), endAt: monthsAfter(anchorAt, months + 1) };
}

/** Whole days until the refresh, rounded up, never negative. */
export function daysUntil(endAt: number, now: number): number {
  return Math.max(0, Math.ceil((endAt - now) / DAY_MS));
}
