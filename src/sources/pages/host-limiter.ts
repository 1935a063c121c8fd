// Spaces out requests to one host, and refuses at once a request whose slot would come too late.
import { monotonicMs, sleepMs } from '../../foundation/clock.ts';
import { HOUR_MS } from '../../foundation/time.ts';
import type { SharedRate } from '../shared-rate.ts';

/** Machine time; tests replace it. */
export type Timer = {
  nowMs(): number;
  sleepMs(ms: number, signal: AbortSignal): Promise<void>;
};

export const machineTimer: Timer = { nowMs: monotonicMs, sleepMs };

export type Admission = { kind: 'go' } | { kind: 'later'; retryAfterMs: number };

export type HostLimiter = ReturnType<typeof createHostLimiter>;

/** A longer delay or pause is treated as a mistake of the host and cut to this. */
const PAUSE_MAX_MS = HOUR_MS;

export function createHostLimiter(options: {
  delayMs: number;
  waitingMax: number;
  timer: Timer;
  /** Kept together with other processes; without it this process is the host's only visitor. */
  rate?: SharedRate;
}) {
  const { timer, rate } = options;
  let { delayMs } = options;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let waiting = 0;

  return {
    /** Waits for the next slot, or returns how far away it is if that is more than `withinMs`. */
    async acquire(withinMs: number, signal: AbortSignal): Promise<Admission> {
      signal.throwIfAborted();
      const nowMs = timer.nowMs();
      const atMs = Math.max(nowMs, nextAtMs, pausedUntilMs);
      const waitMs = atMs - nowMs;
      if (waitMs > 0 && (waitMs > withinMs || waiting >= options.waitingMax)) {
        return { kind: 'later', retryAfterMs: Math.ceil(waitMs) };
      }
      nextAtMs = atMs + delayMs;
      const slot = { count: 1, everyMs: delayMs, burstMs: 0, withinMs };
      const shared = rate === undefined ? undefined : await rate.reserve(slot);
      if (shared?.isReserved === false) {
        return { kind: 'later', retryAfterMs: Math.ceil(shared.waitMs) };
      }
      const sleepMs = Math.max(waitMs, shared?.waitMs ?? 0);
      if (sleepMs <= 0) return { kind: 'go' };
      waiting++;
      await timer.sleepMs(sleepMs, signal).finally(() => waiting--);
      // The host may have requested a pause in the meantime.
      const pauseMs = pausedUntilMs - timer.nowMs();
      return pauseMs > 0 ? { kind: 'later', retryAfterMs: Math.ceil(pauseMs) } : { kind: 'go' };
    },
    /** Sets the delay that the host requests; never less than the initial delay. */
    setDelay(requestedMs: number): void {
      delayMs = Math.min(Math.max(options.delayMs, requestedMs), PAUSE_MAX_MS);
    },
    /** Stops all requests for a while, at the host's request. */
    pause(ms: number): void {
      const pauseMs = Math.min(ms, PAUSE_MAX_MS);
      pausedUntilMs = Math.max(pausedUntilMs, timer.nowMs() + pauseMs);
      void rate?.pause(pauseMs);
    },
  };
}
