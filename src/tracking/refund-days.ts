// Ends charged days on the account's side: a kept day stays paid, a broken one is refunded. The
// ledger entry and the day's row are written in one transaction.
import type { BookingDeps } from '../credits/book-entries.ts';
import { findEntries } from '../credits/ledger.ts';
import { type Balance, entryId, type LedgerEntry } from '../credits/settlement.ts';
import { withBalances } from '../credits/with-balances.ts';
import type { Transaction } from '../database/database.ts';
import { DAY_MS } from '../foundation/time.ts';
import { creditsPerDay, TIERS } from './tier.ts';
import { type ChargedDay, type DayKey, dayKey, lockDays, markSettled } from './tracked-days.ts';

export type DayVerdict = DayKey & { isKept: boolean };

/** `evenFinal`: refund the day even if its row is final. */
type Refund = DayKey & { evenFinal?: boolean };

/** Settles or refunds days. Idempotent. Returns the credits refunded. */
export async function settleOrRefund(
  deps: BookingDeps,
  verdicts: readonly (DayVerdict & Refund)[],
): Promise<number> {
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  const broken = verdicts.filter(({ isKept }) => !isKept);
  return deps.db.transaction(async (tx) => {
    const refunded = await refund(deps, tx, broken);
    await markSettled(
      tx,
      verdicts.map((verdict) => ({ ...verdict, isRefunded: !verdict.isKept })),
    );
    return refunded;
  });
}

/**
 * Refunds a day that an earlier version judged. Its row is final or deleted; if it is deleted, the
 * ledger has the charge.
 */
export const refundDay = (deps: BookingDeps, { accountId, code, day }: DayKey) =>
  settleOrRefund(deps, [{ accountId, code, day, isKept: false, evenFinal: true }]);

async function refund(
  deps: BookingDeps,
  tx: Transaction,
  refunds: readonly Refund[],
): Promise<number> {
  if (refunds.length === 0) return 0;
  const monthlyCreditsOf = await deps.plans.monthlyCredits();
  const accountIds = [...new Set(refunds.map(({ accountId }) => accountId))].sort();
  return withBalances(tx, { accountIds, monthlyCreditsOf }, async (locked) => {
    const chargedDays = await lockDays(tx, refunds);
    const nowMs = deps.clock.nowMs();
    let refunded = 0;
    for (const [accountId, balance] of locked.balances) {
      const entries: LedgerEntry[] = [];
      for (const key of refunds.filter((one) => one.accountId === accountId)) {
        const day = chargedDays.get(dayKey(key));
        if (day?.isReturned || (day?.isFinal && !key.evenFinal)) continue;
        const credits = await creditsToRefund(tx, key, { day, balance, nowMs });
        if (credits > 0) entries.push(refundEntry(key, credits, nowMs));
      }
      const settled = locked.settle(balance, entries, {
        nowMs,
        alreadyBooked: await findEntries(
          tx,
          entries.map((entry) => ({ ...entry, atMs: 0 })),
        ),
      });
      const refundIds = new Set(entries.map(({ id }) => id));
      for (const { id, credits } of settled.newEntries) if (refundIds.has(id)) refunded += credits;
    }
    return refunded;
  });
}

/** Credits charged in an earlier period expired with it; the ledger has the time of each charge. */
async function creditsToRefund(
  tx: Transaction,
  key: DayKey,
  { day, balance, nowMs }: { day: ChargedDay | undefined; balance: Balance; nowMs: number },
): Promise<number> {
  const hasEnded = nowMs >= balance.periodEndAtMs;
  const periodStartMs = hasEnded ? balance.periodEndAtMs : balance.periodStartAtMs;
  if (day !== undefined && key.day * DAY_MS >= periodStartMs) return day.creditsCharged;
  return chargedByLedger(tx, key, periodStartMs);
}

const refundEntry = (key: DayKey, credits: number, nowMs: number): LedgerEntry => {
  const reference = `promise:${key.code}:${key.day}`;
  return {
    accountId: key.accountId,
    id: entryId(key.accountId, reference),
    atMs: nowMs,
    kind: 'refund',
    credits,
    reference,
    productCode: key.code,
    operation: 'fewer than half of the day’s collections were made',
  };
};

/**
 * Returns the credits charged for a day since an instant, from the ledger. An entry's id follows
 * from the step between two prices; there are few steps, so all are looked up.
 */
async function chargedByLedger(
  tx: Transaction,
  { accountId, code, day }: DayKey,
  sinceAtMs: number,
): Promise<number> {
  const prices = TIERS.map(creditsPerDay);
  const steps = [0, ...prices].flatMap((from) =>
    prices.filter((to) => to > from).map((to) => ({ from, to })),
  );
  const entries = steps.map(({ from, to }): LedgerEntry => {
    const reference = `tracking:${code}:${day}:${from}-${to}`;
    return {
      accountId,
      id: entryId(accountId, reference),
      atMs: day * DAY_MS,
      kind: 'tracking',
      credits: from - to,
      reference,
      productCode: code,
      operation: null,
    };
  });
  const bookedAt = await findEntries(tx, entries);
  return entries.reduce(
    (sum, { id, credits }) => ((bookedAt.get(id) ?? 0) >= sinceAtMs ? sum - credits : sum),
    0,
  );
}
