// Changes an account's plan. A larger plan starts now, with a new period and anchor; a smaller plan
// starts at the next refresh.
import type { Database } from '../database/database.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import type { Clock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { periodAt } from './billing-period.ts';
import type { Plan, Plans } from './plans.ts';
import { type Balance, type LedgerEntry, startPeriod } from './settlement.ts';
import { withBalances } from './with-balances.ts';

type Deps = { db: Database; plans: Plans; ledgerPartitions: PartitionKeeper; clock: Clock };

export async function changePlan(
  deps: Deps,
  input: { accountId: string; plan: string },
): Promise<Balance> {
  const accountIds = [input.accountId];
  const plan = await deps.plans.named(input.plan);
  const monthlyCreditsOf = await deps.plans.monthlyCredits();
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  return deps.db.transaction((tx) =>
    withBalances(tx, { accountIds, monthlyCreditsOf }, async (locked) => {
      const balance = locked.balances.get(input.accountId);
      if (balance === undefined) {
        throw new Problem('plan_missing', 'This account has no plan to change.');
      }
      const nowMs = deps.clock.nowMs();
      // A refresh that is due comes first: it may start a smaller plan that was scheduled.
      const current = locked.settle(balance, [], { nowMs, alreadyBooked: new Map() });
      const next = withPlan(current.balance, plan, nowMs);
      locked.replace(next.balance, next.entries);
      return next.balance;
    }),
  );
}

function withPlan(
  balance: Balance,
  plan: Pick<Plan, 'name' | 'monthlyCredits'>,
  nowMs: number,
): { balance: Balance; entries: LedgerEntry[] } {
  if (plan.name === balance.plan) {
    return { balance: { ...balance, nextPlan: null }, entries: [] };
  }
  if (plan.monthlyCredits < balance.allocation) {
    return { balance: { ...balance, nextPlan: plan.name, updatedAtMs: nowMs }, entries: [] };
  }
  // Later than every entry of the old period, so that none of them counts in the new one.
  const startAtMs = Math.max(nowMs, balance.updatedAtMs + 1);
  const { endAtMs } = periodAt(startAtMs, startAtMs);
  const started = startPeriod(balance, { anchorAtMs: startAtMs, startAtMs, endAtMs }, plan);
  return { balance: started.balance, entries: [started.entry] };
}
