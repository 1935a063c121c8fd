// Limits look-ups of products that do not exist, per account: they are free, and must not be used
// to flood the marketplace.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { SECOND_MS } from '../foundation/time.ts';

/** Misses that an account may save up, and how fast they refill. */
const SAVED_MAX = 200;
const REFILL_MS = SECOND_MS;

export type MissBudget = ReturnType<typeof createMissBudget>;

/** Each process counts on its own, in real time. */
export function createMissBudget(nowMs: () => number = monotonicMs) {
  const spentByAccount = boundedCache<string, { count: number; sinceMs: number }>(
    bounds.missBudgetAccountsMax,
  );

  /** The misses still spent after the refill. */
  const spentNow = (accountId: string): number => {
    const spent = spentByAccount.get(accountId);
    if (spent === undefined) return 0;
    return Math.max(0, spent.count - (nowMs() - spent.sinceMs) / REFILL_MS);
  };

  return {
    /** Throws for an account whose budget is spent. */
    refuseSpent(accountId: string): void {
      const excess = spentNow(accountId) - (SAVED_MAX - 1);
      if (excess <= 0) return;
      const waitMs = Math.ceil(excess * REFILL_MS);
      throw new Problem(
        'lookup_limit_reached',
        `Too many look-ups of products that do not exist; wait ${waitMs} ms. Products in the catalogue are served as before. Nothing was charged.`,
        { details: { retry_after_ms: waitMs } },
      );
    },
    spend(accountId: string): void {
      spentByAccount.set(accountId, { count: spentNow(accountId) + 1, sinceMs: nowMs() });
    },
  };
}
