// Start and end of a billing period: monthly from an anchor, at the anchor's time of day, on the
// anchor's day or, in a shorter month, on the last day (31 January → 28 February → 31 March).
import { DAY_MS } from '../foundation/time.ts';

export type BillingPeriod = { startAtMs: number; endAtMs: number };

/**
 * Adds whole months to the anchor. Counting from the anchor restores its day after a short month.
 */
export function monthsAfter(anchorAtMs: number, months: number): number {
  const anchor = new Date(anchorAtMs);
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchorAtMs - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs;
}

/** Returns the period that contains an instant; for an instant before the anchor, the first one. */
export function periodAt(anchorAtMs: number, atMs: number): BillingPeriod {
  const anchor = new Date(anchorAtMs);
  const date = new Date(atMs);
  let months =
    (date.getUTCFullYear() - anchor.getUTCFullYear()) * 12 +
    (date.getUTCMonth() - anchor.getUTCMonth());
  if (monthsAfter(anchorAtMs, months) > atMs) months -= 1;
  months = Math.max(0, months);
  return {
    startAtMs: monthsAfter(anchorAtMs, months),
    endAtMs: monthsAfter(anchorAtMs, months + 1),
  };
}

/** Returns whole days until the refresh, rounded up, at least 0. */
export function daysUntil(endAtMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endAtMs - nowMs) / DAY_MS));
}
