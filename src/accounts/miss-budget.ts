// How many look-ups of unknown secrets somebody may cause before the next ones have to wait for a shared round.
import { monotonicMs } from '../foundation/clock.ts';

export type MissBudget = {
  isSpent(subject: string): boolean;
  spend(subject: string): void;
};

/** Subjects remembered; the one that missed longest ago is forgotten first and has its whole budget again. */
const SUBJECTS_MAX = 20_000;

/** Counted by each process for itself, in real time. Only misses are counted: who is known spends nothing. */
export function createMissBudget(
  { savedMax, perSecond }: { savedMax: number; perSecond: number },
  nowMs: () => number = monotonicMs,
): MissBudget {
  const spent = new Map<string, { count: number; sinceMs: number }>();
  const spentNow = (subject: string): number => {
    const known = spent.get(subject);
    if (known === undefined) return 0;
    return Math.max(0, known.count - ((nowMs() - known.sinceMs) * perSecond) / 1_000);
  };
  return {
    isSpent: (subject) => spentNow(subject) > savedMax - 1,
    spend(subject) {
      // Capped: a flood must not be paid for long after it has ended.
      const count = Math.min(spentNow(subject) + 1, savedMax * 2);
      spent.delete(subject);
      if (spent.size >= SUBJECTS_MAX) spent.delete(spent.keys().next().value as string);
      spent.set(subject, { count, sinceMs: nowMs() });
    },
  };
}
