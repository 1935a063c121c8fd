// Charging the days of tracked products: once for an account, product and day, by the finest tier of that day.
import { closedAmong } from '../accounts/accounts.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { insertEntries, lockBalances, updateBalances } from '../credits/ledger.ts';
import {
  type Balance,
  entryId,
  type LedgerEntry,
  remainingCredits,
  settle,
} from '../credits/settlement.ts';
import type { Transaction } from '../database/database.ts';
import { Problem } from '../foundation/problem.ts';
import { creditsPerDay, type Tier } from './tier.ts';
import { type ChargedDay, type DayKey, dayKey, readDays, writeDays } from './tracked-days.ts';

/**
 * The day's own row, written with the entry under the balance's lock, says what was booked. The ledger is not asked:
 * an entry's id is found only by reading all that the account booked since the day began.
 */
const NONE: ReadonlyMap<string, number> = new Map();

export type DayAsk = DayKey & { tier: Tier };

export type DayOutcome =
  | { paid: true; charged: number /** What is left afterwards. */; remaining: number }
  | {
      paid: false;
      required: number;
      remaining: number;
      refreshAt: number | null;
      /** The account is closed: nothing is charged, whatever it has. */
      isClosed?: true;
    };

/**
 * Charges some days; a day that is paid already at this tier or a finer one costs nothing. `alongside` is
 * committed with the charges.
 */
export async function chargeDays(
  deps: BookingDeps,
  all: readonly DayAsk[],
  alongside: (
    tx: Transaction,
    outcomes: readonly DayOutcome[],
    closed: ReadonlySet<string>,
  ) => Promise<void> = async () => {},
  /** Further accounts to be locked, for what is done alongside. */
  alsoLocked: readonly string[] = [],
): Promise<DayOutcome[]> {
  // One ask for each day: with two of different tiers each would be charged as if it were the first.
  const asks = [...finestOf(all).values()];
  const accountIds = [...new Set([...asks.map((ask) => ask.accountId), ...alsoLocked])].sort();
  await deps.months.ready(deps.clock.nowMs());
  const plans = new Map((await deps.plans.list()).map((plan) => [plan.name, plan.monthlyCredits]));
  return deps.db.transaction(async (tx) => {
    const balances = await lockBalances(tx, accountIds);
    // Whoever closes an account holds its balance too: what is charged after it was closed is seen here.
    const closed = await closedAmong(tx, accountIds);
    const charged = await readDays(tx, asks);
    const now = deps.clock.nowMs();
    const entries = asks.map((ask) => entryFor(ask, charged.get(dayKey(ask)), now));
    const outcomes = new Array<DayOutcome>(asks.length);
    const newEntries: LedgerEntry[] = [];
    const changed: Balance[] = [];
    for (const accountId of accountIds) {
      const own = asks.flatMap((ask, index) => (ask.accountId === accountId ? [index] : []));
      const balance = balances.get(accountId);
      const due = own.filter((index) => entries[index] !== null);
      if (closed.has(accountId)) {
        for (const index of own) outcomes[index] = CLOSED;
        continue;
      }
      if (balance === undefined) {
        for (const index of own) outcomes[index] = { paid: true, charged: 0, remaining: 0 };
        for (const index of due) outcomes[index] = unpaid(entries[index] as LedgerEntry);
        continue;
      }
      const settled = settle(
        balance,
        due.map((index) => entries[index] as LedgerEntry),
        { now, alreadyBooked: NONE, monthlyCreditsOf: (plan) => plans.get(plan) ?? 0 },
      );
      const remaining = remainingCredits(settled.balance);
      for (const index of own) outcomes[index] = { paid: true, charged: 0, remaining };
      due.forEach((index, position) => {
        const outcome = settled.outcomes[position];
        const entry = entries[index] as LedgerEntry;
        if (outcome?.booked) outcomes[index] = { paid: true, charged: -entry.credits, remaining };
        else outcomes[index] = { ...unpaid(entry), ...outcome, paid: false };
      });
      if (settled.newEntries.length > 0) changed.push(settled.balance);
      newEntries.push(...settled.newEntries);
    }
    await updateBalances(tx, changed);
    await insertEntries(tx, newEntries);
    const paid = asks.filter((_, index) => outcomes[index]?.paid && entries[index] !== null);
    await writeDays(
      tx,
      paid.map((ask) => ({ ...ask, creditsCharged: creditsPerDay(ask.tier) })),
    );
    const byDay = new Map(asks.map((ask, index) => [dayKey(ask), outcomes[index] as DayOutcome]));
    const responses = all.map((ask) => byDay.get(dayKey(ask)) as DayOutcome);
    await alongside(tx, responses, closed);
    return responses;
  });
}

const CLOSED: DayOutcome = {
  ...{ paid: false, required: 0, remaining: 0, refreshAt: null },
  isClosed: true,
};

/** For who comes with a request that was admitted a moment before the account was closed. */
export function refuseClosed(outcome: DayOutcome | undefined): void {
  if (outcome === undefined || outcome.paid || !outcome.isClosed) return;
  throw new Problem('account_closed', 'This account is closed.');
}

const unpaid = (entry: LedgerEntry) =>
  ({ paid: false, required: -entry.credits, remaining: 0, refreshAt: null }) as const;

/** null when the day is paid. Named by the step from what was paid to what it costs, so that a retry books once. */
function entryFor(ask: DayAsk, charged: ChargedDay | undefined, now: number): LedgerEntry | null {
  if (charged?.isReturned) return null;
  const paidCredits = charged?.creditsCharged ?? 0;
  const owed = creditsPerDay(ask.tier) - paidCredits;
  if (owed <= 0) return null;
  const reference = `tracking:${ask.code}:${ask.day}:${paidCredits}-${creditsPerDay(ask.tier)}`;
  return {
    accountId: ask.accountId,
    id: entryId(ask.accountId, reference),
    at: now,
    kind: 'tracking',
    credits: -owed,
    operation: `tracking tier ${ask.tier}`,
    productCode: ask.code,
    reference,
  };
}

/** Of several asks for one day, the finest. */
function finestOf(asks: readonly DayAsk[]): Map<string, DayAsk> {
  const finest = new Map<string, DayAsk>();
  for (const ask of asks) {
    const known = finest.get(dayKey(ask));
    if (known === undefined || ask.tier < known.tier) finest.set(dayKey(ask), ask);
  }
  return finest;
}
