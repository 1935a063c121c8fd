// When a delivery that failed is tried again, and what a receiver may ask for instead.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../foundation/time.ts';

/** After the first attempt, after the second, and so on. */
const STEPS_MS: readonly number[] = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS],
];

export const ATTEMPTS_MAX = STEPS_MS.length + 1;

/** Either way, so that what failed together does not come back together. */
const SPREAD = 0.2;

export type FailedAttempt = {
  /** 1 for the first. */
  attempt: number;
  failedAtMs: number;
  retryAfterSeconds: number | null;
  /** How fast the clock goes: a receiver's seconds are real ones. */
  clockSpeed: number;
  /** From 0 to under 1. */
  random: number;
};

/** The time of the next attempt, in milliseconds of the same clock; null when all are used up. */
export function nextAttemptAtMs(failed: FailedAttempt): number | null {
  const { attempt, failedAtMs, retryAfterSeconds, clockSpeed, random } = failed;
  const stepMs = STEPS_MS[attempt - 1];
  if (stepMs === undefined) return null;
  if (retryAfterSeconds === null) {
    return failedAtMs + Math.round(stepMs * (1 - SPREAD + 2 * SPREAD * random));
  }
  // A receiver may ask for patience, not for haste, and not for so much that the last attempt is lost.
  const askedMs = retryAfterSeconds * SECOND_MS * clockSpeed;
  return failedAtMs + Math.min(Math.max(askedMs, stepMs), 2 * stepMs);
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** A Retry-After header in seconds from now; null when it is neither seconds nor a date. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const dateMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, Math.ceil((dateMs - nowMs) / SECOND_MS));
}
