// When a failed delivery is retried, and how far `Retry-After` can delay it.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../foundation/time.ts';

/** Delay after the first attempt, after the second, and so on. */
const STEPS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

export const ATTEMPTS_MAX = STEPS_MS.length + 1;

/** Jitter in both directions, so that deliveries that failed together do not return together. */
const SPREAD = 0.2;

export type FailedAttempt = {
  /** 1 for the first attempt. */
  attempt: number;
  failedAtMs: number;
  retryAfterSeconds: number | null;
  /** Business seconds per real second: `Retry-After` is in real seconds. */
  clockSpeed: number;
  /** In [0, 1). */
  random: number;
};

/** Returns the time of the next attempt on the same clock; null when all attempts are used up. */
export function nextAttemptAtMs(failed: FailedAttempt): number | null {
  const { attempt, failedAtMs, retryAfterSeconds, clockSpeed, random } = failed;
  const stepMs = STEPS_MS[attempt - 1];
  if (stepMs === undefined) return null;
  if (retryAfterSeconds === null) {
    return failedAtMs + Math.round(stepMs * (1 - SPREAD + 2 * SPREAD * random));
  }
  // A receiver can lengthen a step, but neither shorten it nor more than double it.
  const requestedMs = retryAfterSeconds * SECOND_MS * clockSpeed;
  return failedAtMs + Math.min(Math.max(requestedMs, stepMs), 2 * stepMs);
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Reads a `Retry-After` header as seconds from now; null when it is neither seconds nor a date. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const dateMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, Math.ceil((dateMs - nowMs) / SECOND_MS));
}
