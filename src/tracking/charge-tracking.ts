// Charges the days of tracked products: once per account, product and UTC day, at the price of the
// finest tier of that day.
import { closedAmong } from '../accounts/accounts.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { entryId, type LedgerEntry, remainingCredits } from '../credits/settlement.ts';
import { type LockedBalances, withBalances } from '../credits/with-balances.ts';
import type { Transaction } from '../database/database.ts';
import { Problem } from '../foundation/problem.ts';
import { creditsPerDay, type Tier } from './tier.ts';
import { type ChargedDay, type DayKey, dayKey, readDays, writeDays } from './tracked-days.ts';

/**
 * The row in `tracked_days`, written with the entry under the balance's lock, records what was
 * booked. The ledger is not searched: finding an entry by id would read everything that the account
 * booked since the day began.
 */
const NOTHING_BOOKED: ReadonlyMap<string, number> = new Map();

export type DayCharge = DayKey & { tier: Tier };

export type DayOutcome =
  | {
      paid: true;
      charged: number;
      /** The balance after the charge. */
      remaining: number;
    }
  | {
      paid: false;
      required: number;
      remaining: number;
      refreshAtMs: number | null;
      /** The account is closed: nothing is charged, whatever its balance. */
      isClosed?: true;
    };

/**
 * Charges some days. A day already paid at this tier or a finer one costs nothing. `alongside` runs
 * in the same transaction as the charges; `alsoLocked` names further accounts to lock for it.
 */
export async function chargeDays(
  deps: BookingDeps,
  charges: readonly DayCharge[],
  alongside: (
    tx: Transaction,
    outcomes: readonly DayOutcome[],
    closedIds: ReadonlySet<string>,
  ) => Promise<void> = async () => {},
  alsoLocked: readonly string[] = [],
): Promise<DayOutcome[]> {
  // One charge per day: two tiers of one day would each be charged in full.
  const distinct = [...finestByDay(charges).values()];
  const accountIds = [
    ...new Set([...distinct.map(({ accountId }) => accountId), ...alsoLocked]),
  ].sort();
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  const monthlyCreditsOf = await deps.plans.monthlyCredits();
  return deps.db.transaction(async (tx) => {
    const lockedAccounts = { accountIds, monthlyCreditsOf };
    const { requests, outcomes, closedIds } = await withBalances(
      tx,
      lockedAccounts,
      async (locked) => {
        // Closing an account locks its balance too, so an account closed before this point is seen.
        const closed = await closedAmong(tx, accountIds);
        const chargedDays = await readDays(tx, distinct);
        const nowMs = deps.clock.nowMs();
        const all = distinct.map((charge) => ({
          charge,
          entry: entryFor(charge, chargedDays.get(dayKey(charge)), nowMs),
        }));
        const results = accountIds.flatMap((accountId) => [
          ...settleAccount(
            locked,
            all.filter(({ charge }) => charge.accountId === accountId),
            { accountId, isClosed: closed.has(accountId), nowMs },
          ),
        ]);
        return { requests: all, outcomes: new Map(results), closedIds: closed };
      },
    );
    const paid = requests.filter(
      ({ charge, entry }) => entry !== null && outcomes.get(charge)?.paid,
    );
    await writeDays(
      tx,
      paid.map(({ charge }) => ({ ...charge, creditsCharged: creditsPerDay(charge.tier) })),
    );
    const byDay = new Map([...outcomes].map(([charge, outcome]) => [dayKey(charge), outcome]));
    const results = charges.map((charge) => byDay.get(dayKey(charge)) as DayOutcome);
    await alongside(tx, results, closedIds);
    return results;
  });
}

type ChargeRequest = {
  charge: DayCharge;
  /** null when the day is paid already. */
  entry: LedgerEntry | null;
};

/** Settles the charges of one account against its locked balance. */
function settleAccount(
  locked: LockedBalances,
  requests: readonly ChargeRequest[],
  { accountId, isClosed, nowMs }: { accountId: string; isClosed: boolean; nowMs: number },
): Map<DayCharge, DayOutcome> {
  const outcomes = new Map<DayCharge, DayOutcome>();
  if (isClosed) {
    for (const { charge } of requests) outcomes.set(charge, CLOSED);
    return outcomes;
  }
  const balance = locked.balances.get(accountId);
  if (balance === undefined) {
    for (const { charge, entry } of requests) {
      outcomes.set(charge, entry === null ? paidFor(0, 0) : unpaid(entry));
    }
    return outcomes;
  }
  const due = requests.flatMap(({ charge, entry }) => (entry === null ? [] : [{ charge, entry }]));
  const settled = locked.settle(
    balance,
    due.map(({ entry }) => entry),
    { nowMs, alreadyBooked: NOTHING_BOOKED },
  );
  const remaining = remainingCredits(settled.balance);
  for (const { charge } of requests) outcomes.set(charge, paidFor(0, remaining));
  for (const [index, { charge, entry }] of due.entries()) {
    const outcome = settled.outcomes[index];
    if (outcome?.booked) outcomes.set(charge, paidFor(-entry.credits, remaining));
    else outcomes.set(charge, { ...unpaid(entry), ...outcome, paid: false });
  }
  return outcomes;
}

const CLOSED: DayOutcome = {
  paid: false,
  required: 0,
  remaining: 0,
  refreshAtMs: null,
  isClosed: true,
};

const paidFor = (charged: number, remaining: number): DayOutcome => ({
  paid: true,
  charged,
  remaining,
});

const unpaid = (entry: LedgerEntry) =>
  ({ paid: false, required: -entry.credits, remaining: 0, refreshAtMs: null }) as const;

/** Refuses a request that was admitted just before its account was closed. */
export function refuseClosed(outcome: DayOutcome | undefined): void {
  if (outcome === undefined || outcome.paid || !outcome.isClosed) return;
  throw new Problem('account_closed', 'This account is closed.');
}

/**
 * Returns null when the day is paid. The reference names the step from the credits paid to the
 * credits owed, so that a retry books once.
 */
function entryFor(
  charge: DayCharge,
  chargedDay: ChargedDay | undefined,
  nowMs: number,
): LedgerEntry | null {
  if (chargedDay?.isReturned) return null;
  const paidCredits = chargedDay?.creditsCharged ?? 0;
  const price = creditsPerDay(charge.tier);
  if (price <= paidCredits) return null;
  const reference = `tracking:${charge.code}:${charge.day}:${paidCredits}-${price}`;
  return {
    accountId: charge.accountId,
    id: entryId(charge.accountId, reference),
    atMs: nowMs,
    kind: 'tracking',
    credits: paidCredits - price,
    operation: `tracking tier ${charge.tier}`,
    productCode: charge.code,
    reference,
  };
}

/** Of several charges for one day, the one with the finest tier. */
function finestByDay(charges: readonly DayCharge[]): Map<string, DayCharge> {
  const finest = new Map<string, DayCharge>();
  for (const charge of charges) {
    const finestSoFar = finest.get(dayKey(charge));
    if (finestSoFar === undefined || charge.tier < finestSoFar.tier) {
      finest.set(dayKey(charge), charge);
    }
  }
  return finest;
}
