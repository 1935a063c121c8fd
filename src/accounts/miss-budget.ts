// How many unknown secrets a subject may present before its next look-ups wait for a shared round.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { monotonicMs } from '../foundation/clock.ts';

export type MissBudget = ReturnType<typeof createMissBudget>;

/** Subjects kept. The one with the oldest miss is evicted first and regains its whole budget. */
const SUBJECTS_MAX = 20_000;

/** Counted per process, in real time. Only misses count. */
export function createMissBudget(
  { savedMax, perSecond }: { savedMax: number; perSecond: number },
  nowMs: () => number = monotonicMs,
) {
  const spent = boundedCache<string, { count: number; sinceMs: number }>(SUBJECTS_MAX);
  const spentNow = (subject: string): number => {
    const entry = spent.peek(subject);
    if (entry === undefined) return 0;
    return Math.max(0, entry.count - ((nowMs() - entry.sinceMs) * perSecond) / 1_000);
  };
  return {
    isSpent: (subject: string): boolean => spentNow(subject) > savedMax - 1,
    spend(subject: string): void {
      // Capped, so that a flood has no effect long after it ends.
      const count = Math.min(spentNow(subject) + 1, savedMax * 2);
      spent.set(subject, { count, sinceMs: nowMs() });
    },
  };
}
