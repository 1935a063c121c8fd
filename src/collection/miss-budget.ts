// Limits look-ups of products that do not exist, per account: they are free, and must not be used
// to flood the marketplace.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { SECOND_MS } from '../foundation/time.ts';
import type { SharedRates } from '../limits/shared-rates.ts';

/** Misses that an account may save up, and how fast they refill. */
const SAVED_MAX = 200;
const REFILL_MS = SECOND_MS;

export type MissBudget = ReturnType<typeof createMissBudget>;

/**
 * Counts in real time. With `rates` all processes count together: each learns of the others' misses
 * when it reports its own, so an account gains at most one miss per process.
 */
export function createMissBudget(nowMs: () => number = monotonicMs, rates?: SharedRates) {
  const spentByAccount = boundedCache<string, { count: number; sinceMs: number }>(
    bounds.missBudgetAccountsMax,
  );

  /** The misses still spent after the refill. */
  const spentNow = (accountId: string): number => {
    const spent = spentByAccount.get(accountId);
    if (spent === undefined) return 0;
    return Math.max(0, spent.count - (nowMs() - spent.sinceMs) / REFILL_MS);
  };

  const report = async (accountId: string) => {
    const shared = await rates?.reserve(`misses/${accountId}`, {
      count: 1,
      everyMs: REFILL_MS,
      burstMs: 0,
      withinMs: 2 * SAVED_MAX * REFILL_MS,
    });
    const count = (shared?.waitMs ?? 0) / REFILL_MS + 1;
    if (count <= spentNow(accountId)) return;
    spentByAccount.set(accountId, { count, sinceMs: nowMs() });
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
      void report(accountId);
    },
  };
}
