// Spaces out requests to one host, and refuses at once a request whose slot would come too late.
import { monotonicMs, sleepMs } from '../../foundation/clock.ts';
import { HOUR_MS } from '../../foundation/time.ts';

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

export function createHostLimiter(options: { delayMs: number; waitingMax: number; timer: Timer }) {
  const { timer } = options;
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
      if (waitMs === 0) return { kind: 'go' };
      waiting++;
      await timer.sleepMs(waitMs, signal).finally(() => waiting--);
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
      pausedUntilMs = Math.max(pausedUntilMs, timer.nowMs() + Math.min(ms, PAUSE_MAX_MS));
    },
  };
}
