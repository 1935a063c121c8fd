// How many look-ups in vain an account may cause: they are free, and must not serve to hammer the marketplace.
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';

/** Look-ups in vain that an account may save up, and how fast they come back. */
const SAVED_MAX = 200;
const REFILL_MS = 1_000;
/** Accounts remembered; one that is forgotten has its whole budget again. */
const ACCOUNTS_MAX = 10_000;

export type MissBudget = {
  /** Refuses an account that has used its budget up. */
  refuseSpent(accountId: string): void;
  spend(accountId: string): void;
};

/** Counted by each process for itself, in real time. */
export function createMissBudget(nowMs: () => number = monotonicMs): MissBudget {
  const spent = new Map<string, { count: number; sinceMs: number }>();

  /** What is still spent after what has come back. */
  const spentNow = (accountId: string): number => {
    const known = spent.get(accountId);
    if (known === undefined) return 0;
    return Math.max(0, known.count - (nowMs() - known.sinceMs) / REFILL_MS);
  };

  return {
    refuseSpent(accountId) {
      const over = spentNow(accountId) - (SAVED_MAX - 1);
      if (over <= 0) return;
      const waitMs = Math.ceil(over * REFILL_MS);
      throw new Problem(
        'lookup_limit_reached',
        `Too many look-ups of products that do not exist. Products that are known are answered as before; for others wait ${waitMs} ms. Nothing was charged.`,
        { details: { retry_after_ms: waitMs } },
      );
    },
    spend(accountId) {
      const count = spentNow(accountId) + 1;
      if (spent.size >= ACCOUNTS_MAX) spent.clear();
      spent.set(accountId, { count, sinceMs: nowMs() });
    },
  };
}
