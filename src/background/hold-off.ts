// Keys that are left alone for a while by this process, so that what is locked or broken is not claimed in every round.
import { monotonicMs } from '../foundation/clock.ts';

export type HoldOff = {
  add(keys: Iterable<string>): void;
  /** Those whose time is not over. */
  keys(): string[];
};

/** Beyond so many the oldest are forgotten: they are only tried sooner. */
const KEYS_MAX = 10_000;

export function createHoldOff(forMs: number, nowMs: () => number = monotonicMs): HoldOff {
  const untilMs = new Map<string, number>();
  return {
    add(keys) {
      for (const key of keys) {
        untilMs.delete(key);
        untilMs.set(key, nowMs() + forMs);
      }
      for (const key of untilMs.keys()) {
        if (untilMs.size <= KEYS_MAX) break;
        untilMs.delete(key);
      }
    },
    keys() {
      const now = nowMs();
      for (const [key, until] of untilMs) if (until <= now) untilMs.delete(key);
      return [...untilMs.keys()];
    },
  };
}
