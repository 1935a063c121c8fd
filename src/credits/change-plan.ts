// Changing an account's plan: a larger one begins at once with a new period and a new anchor, a
// smaller one with the next refresh.
import type { Database } from '../database/database.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import type { Clock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { periodAt } from './billing-period.ts';
import { insertEntries, lockBalances, updateBalances } from './ledger.ts';
import type { Plans } from './plans.ts';
import { type Balance, settle, startPeriod } from './settlement.ts';

type Deps = { db: Database; plans: Plans; ledgerPartitions: PartitionKeeper; clock: Clock };

export async function changePlan(
  deps: Deps,
  input: { accountId: string; plan: string },
): Promise<Balance> {
  const plans = await deps.plans.list();
  const wanted = await deps.plans.named(input.plan);
  const creditsOf = new Map(plans.map((plan) => [plan.name, plan.monthlyCredits]));
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  return deps.db.transaction(async (tx) => {
    const balance = (await lockBalances(tx, [input.accountId])).get(input.accountId);
    if (balance === undefined)
      throw new Problem('plan_missing', 'This account has no plan to change.');
    const now = deps.clock.nowMs();
    // A refresh that is due comes first: it may bring a smaller plan that was waiting.
    const current = settle(balance, [], {
      now,
      alreadyBooked: new Set(),
      monthlyCreditsOf: (plan) => creditsOf.get(plan) ?? 0,
    });
    const next = withPlan(current.balance, wanted, now);
    await updateBalances(tx, [next.balance]);
    await insertEntries(tx, [...current.newEntries, ...next.entries]);
    return next.balance;
  });
}

function withPlan(
  balance: Balance,
  wanted: { name: string; monthlyCredits: number },
  now: number,
): { balance: Balance; entries: ReturnType<typeof startPeriod>['entry'][] } {
  if (wanted.name === balance.plan) {
    return { balance: { ...balance, nextPlan: null }, entries: [] };
  }
  if (wanted.monthlyCredits < balance.allocation) {
    return { balance: { ...balance, nextPlan: wanted.name, updatedAtMs: now }, entries: [] };
  }
  // After every entry of the old period, so that "since its start" never counts one of them.
  const startAtMs = Math.max(now, balance.updatedAtMs + 1);
  const { endAtMs } = periodAt(startAtMs, startAtMs);
  const started = startPeriod(balance, { anchorAtMs: startAtMs, startAtMs, endAtMs }, wanted);
  return { balance: started.balance, entries: [started.entry] };
}
