// The rule of the rate limit: decides one request against the log of an account's last second. The
// same rule runs in Redis (sliding-log-script.ts); a test compares the two.
import type { Admission } from './rate-limiter.ts';

export const WINDOW_MS = 1_000;
/**
 * A request this early is held until its time, so that jitter does not cost a well-paced client.
 */
export const HOLD_MAX_MS = 50;
/** Requests of one account and bucket that may be held at once. */
export const HELD_MAX = 10;
/**
 * Limits up to this are counted by exact times, larger ones by slots, which bounds the log's
 * length.
 */
export const EXACT_PER_SECOND_MAX = 100;
/** An admission counts from the end of its slot: up to 1 % too strict, never too lax. */
export const SLOT_MS = 10;

// Copied for each new log. A plain array of fractions stays unboxed and on the heap: a new account
// costs 2.5 µs, against 5.0 µs and longer collections with a Float64Array.
const EMPTY_RING: readonly number[] = Array.from({ length: 32 }, () => 0.5);

/**
 * A queue of entries, each a time and how many were admitted with it, times ascending.
 *
 * Invariant: a request is recorded at or after the time it is handled. Hence whatever was admitted
 * in a window is still in the log when the last request of that window is decided, whether entries
 * are exact times, slots, or both because the limit has just crossed from one to the other.
 */
export type SlidingLog = {
  /** Time and count alternate; the number of pairs is a power of two. */
  ring: number[];
  first: number;
  length: number;
  /** The sum of all counts. */
  total: number;
};

export function emptyLog(): SlidingLog {
  return { ring: EMPTY_RING.slice(), first: 0, length: 0, total: 0 };
}

/** Decides a request that arrives at `nowMs`, which must not be earlier than at the last call. */
export function takeFrom(log: SlidingLog, nowMs: number, perSecond: number): Admission {
  forgetUntil(log, nowMs - WINDOW_MS);
  if (log.total < perSecond) {
    record(log, perSecond > EXACT_PER_SECOND_MAX ? Math.ceil(nowMs / SLOT_MS) * SLOT_MS : nowMs);
    return { admitted: true, holdMs: 0, left: perSecond - log.total };
  }
  if (perSecond < 1) return { admitted: false, retryAfterMs: WINDOW_MS, left: 0 };
  const freeAtMs = timeOfNth(log, log.total - perSecond + 1) + WINDOW_MS;
  const waitMs = freeAtMs - nowMs;
  if (waitMs <= HOLD_MAX_MS && countAfter(log, nowMs) < HELD_MAX) {
    record(log, freeAtMs);
    return { admitted: true, holdMs: waitMs, left: 0 };
  }
  return { admitted: false, retryAfterMs: Math.ceil(waitMs), left: 0 };
}

/** Index of an entry's pair in the ring. */
function pairOf(log: SlidingLog, index: number): number {
  return ((log.first + index) * 2) & (log.ring.length - 1);
}

function timeAt(log: SlidingLog, index: number): number {
  return log.ring[pairOf(log, index)] as number;
}

function countAt(log: SlidingLog, index: number): number {
  return log.ring[pairOf(log, index) + 1] as number;
}

function forgetUntil(log: SlidingLog, endMs: number): void {
  while (log.length > 0 && timeAt(log, 0) <= endMs) {
    log.total -= countAt(log, 0);
    log.first = (log.first + 1) & (log.ring.length / 2 - 1);
    log.length -= 1;
  }
}

/** The time of the n-th oldest admission. When it leaves the window, there is room again. */
function timeOfNth(log: SlidingLog, n: number): number {
  let index = 0;
  let passed = countAt(log, 0);
  while (passed < n) {
    index += 1;
    passed += countAt(log, index);
  }
  return timeAt(log, index);
}

/** How many are held; with slots, also those admitted in the current slot. */
function countAfter(log: SlidingLog, nowMs: number): number {
  let count = 0;
  for (let index = log.length - 1; index >= 0 && timeAt(log, index) > nowMs; index--) {
    count += countAt(log, index);
  }
  return count;
}

function record(log: SlidingLog, atMs: number): void {
  log.total += 1;
  const last = log.length - 1;
  // After a limit was raised, a request may overtake one that is held. It is recorded with that
  // one, later than it is handled, which keeps the times ascending and the invariant true.
  if (last >= 0 && timeAt(log, last) >= atMs) {
    log.ring[pairOf(log, last) + 1] = countAt(log, last) + 1;
    return;
  }
  if (log.length * 2 === log.ring.length) grow(log);
  const pair = pairOf(log, log.length);
  log.ring[pair] = atMs;
  log.ring[pair + 1] = 1;
  log.length += 1;
}

function grow(log: SlidingLog): void {
  const inOrder = [...log.ring.slice(2 * log.first), ...log.ring.slice(0, 2 * log.first)];
  log.ring = [...inOrder, ...inOrder];
  log.first = 0;
}
