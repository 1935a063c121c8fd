// Keeps requests to one host apart, and says at once when a turn would come too late to be of use.
import { monotonicMs, sleepMs } from '../../foundation/clock.ts';

/** Machine time, which tests replace. */
export type Timer = {
  nowMs(): number;
  sleepMs(ms: number, signal: AbortSignal): Promise<void>;
};

export const machineTimer: Timer = { nowMs: monotonicMs, sleepMs };

export type Turn = { kind: 'go' } | { kind: 'later'; retryAfterMs: number };

export type HostLimiter = {
  /** Waits for the next turn, or answers how far away it is when that is further than `withinMs`. */
  turn(withinMs: number, signal: AbortSignal): Promise<Turn>;
  /** What the host itself asks for; never less than the delay set at the start. */
  setDelay(delayMs: number): void;
  /** The host asked to be left alone for a while. */
  pause(ms: number): void;
};

/** A longer rest than this is taken for a mistake, whoever asks for it. */
const REST_MAX_MS = 3_600_000;

export function createHostLimiter(options: {
  delayMs: number;
  waitingMax: number;
  timer: Timer;
}): HostLimiter {
  const { timer } = options;
  let { delayMs } = options;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let waiting = 0;

  return {
    async turn(withinMs, signal) {
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
      // The host may have asked for a rest while this one waited.
      const restMs = pausedUntilMs - timer.nowMs();
      return restMs > 0 ? { kind: 'later', retryAfterMs: Math.ceil(restMs) } : { kind: 'go' };
    },
    setDelay(askedMs) {
      delayMs = Math.min(Math.max(options.delayMs, askedMs), REST_MAX_MS);
    },
    pause(ms) {
      pausedUntilMs = Math.max(pausedUntilMs, timer.nowMs() + Math.min(ms, REST_MAX_MS));
    },
  };
}
