// Keys that this process skips for a while, so that a locked or broken item is not claimed in every
// round.
import { monotonicMs } from '../foundation/clock.ts';

export type HoldOff = ReturnType<typeof createHoldOff>;

/** Beyond this, the oldest keys are dropped and merely tried sooner. */
const KEYS_MAX = 10_000;

export function createHoldOff(forMs: number, nowMs: () => number = monotonicMs) {
  const untilMs = new Map<string, number>();
  return {
    add(keys: Iterable<string>): void {
      for (const key of keys) {
        untilMs.delete(key);
        untilMs.set(key, nowMs() + forMs);
      }
      for (const key of untilMs.keys()) {
        if (untilMs.size <= KEYS_MAX) break;
        untilMs.delete(key);
      }
    },
    /** Keys that are still held off. */
    keys(): string[] {
      const now = nowMs();
      for (const [key, until] of untilMs) if (until <= now) untilMs.delete(key);
      return [...untilMs.keys()];
    },
  };
}
