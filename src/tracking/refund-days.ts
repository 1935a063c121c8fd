// Ending charged days for good, on the account's side: those that kept their promise stay paid, the others are refunded,
// and either is written in one transaction with the day's own row.
import type { BookingDeps } from '../credits/book-entries.ts';
import { findEntries, insertEntries, lockBalances, updateBalances } from '../credits/ledger.ts';
import { type Balance, entryId, type LedgerEntry, settle } from '../credits/settlement.ts';
import type { Transaction } from '../database/database.ts';
import { DAY_MS } from '../foundation/time.ts';
import { creditsPerDay, TIERS } from './tier.ts';
import { type DayKey, dayKey, lockDays, settleForGood } from './tracked-days.ts';

export type Verdict = DayKey & { isKept: boolean };

type Refund = DayKey & { evenFinal?: boolean };

/** The same again changes nothing. Returns the credits that were refunded. */
export async function endDays(
  deps: BookingDeps,
  verdicts: readonly (Verdict & Refund)[],
): Promise<number> {
  await deps.months.ready(deps.clock.nowMs());
  const broken = verdicts.filter(({ isKept }) => !isKept);
  return deps.db.transaction(async (tx) => {
    const refunded = await refund(deps, tx, broken);
    await settleForGood(
      tx,
      verdicts.map((verdict) => ({ ...verdict, isRefunded: !verdict.isKept })),
    );
    return refunded;
  });
}

/**
 * Refunds a day that an earlier version judged: its row is final, or gone already; then the ledger says what was charged
 * for it.
 */
export const refundDay = (deps: BookingDeps, { accountId, code, day }: DayKey) =>
  endDays(deps, [{ accountId, code, day, isKept: false, evenFinal: true }]);

async function refund(
  deps: BookingDeps,
  tx: Transaction,
  keys: readonly Refund[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const plans = new Map((await deps.plans.list()).map((plan) => [plan.name, plan.monthlyCredits]));
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))].sort();
  const balances = await lockBalances(tx, accountIds);
  const charged = await lockDays(tx, keys);
  const now = deps.clock.nowMs();
  const changed: Balance[] = [];
  const newEntries: LedgerEntry[] = [];
  let refunded = 0;
  for (const [accountId, balance] of balances) {
    const entries: LedgerEntry[] = [];
    for (const key of keys.filter((one) => one.accountId === accountId)) {
      const day = charged.get(dayKey(key));
      if (day?.isReturned || (day?.isFinal && !key.evenFinal)) continue;
      // What was charged in an earlier period lapsed with it; the ledger says when that was.
      const periodStart = now >= balance.periodEndAt ? balance.periodEndAt : balance.periodStartAt;
      const isWithin = key.day * DAY_MS >= periodStart;
      const credits =
        day !== undefined && isWithin
          ? day.creditsCharged
          : await chargedByLedger(tx, key, periodStart);
      if (credits > 0) entries.push(refundEntry(key, credits, now));
    }
    const settled = settle(balance, entries, {
      now,
      alreadyBooked: await findEntries(
        tx,
        entries.map((entry) => ({ ...entry, at: 0 })),
      ),
      monthlyCreditsOf: (plan) => plans.get(plan) ?? 0,
    });
    if (settled.newEntries.length > 0) changed.push(settled.balance);
    newEntries.push(...settled.newEntries);
    const own = new Set(entries.map(({ id }) => id));
    for (const { id, credits } of settled.newEntries) if (own.has(id)) refunded += credits;
  }
  await updateBalances(tx, changed);
  await insertEntries(tx, newEntries);
  return refunded;
}

const refundEntry = (key: DayKey, credits: number, now: number): LedgerEntry => {
  const reference = `promise:${key.code}:${key.day}`;
  return {
    ...{ accountId: key.accountId, id: entryId(key.accountId, reference), at: now },
    ...{ kind: 'refund', credits, reference, productCode: key.code },
    operation: 'fewer than half of the day’s collections were made',
  };
};

/** Since a time. An entry is named by the step from what was paid to what its tier costs: there are few of them, all are looked for. */
async function chargedByLedger(
  tx: Transaction,
  { accountId, code, day }: DayKey,
  sinceAt: number,
): Promise<number> {
  const prices = TIERS.map(creditsPerDay);
  const steps = [0, ...prices].flatMap((from) =>
    prices.filter((to) => to > from).map((to) => ({ from, to })),
  );
  const entries = steps.map(({ from, to }): LedgerEntry => {
    const reference = `tracking:${code}:${day}:${from}-${to}`;
    return {
      ...{ accountId, id: entryId(accountId, reference), at: day * DAY_MS, reference },
      ...{ kind: 'tracking', credits: from - to, operation: null, productCode: code },
    };
  });
  const booked = await findEntries(tx, entries);
  return entries.reduce(
    (sum, { id, credits }) => ((booked.get(id) ?? 0) >= sinceAt ? sum - credits : sum),
    0,
  );
}
