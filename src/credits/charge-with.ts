// Charges a request and writes what it bought in one transaction: a crash leaves both or neither.
// The lock of the balance lets one purchase of an account after the other decide, in all processes.
import type { Transaction } from '../database/database.ts';
import { databaseAway, isLockTimeout, isOutcomeUnknown } from '../database/failure.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { BookingDeps, ChargeOutcome, OnUnresolved } from './book-entries.ts';
import { accountHeld } from './book-held.ts';
import { findEntries } from './ledger.ts';
import type { LedgerEntry, Outcome } from './settlement.ts';
import { withBalances } from './with-balances.ts';

export type Sale<Bought> = {
  entry: LedgerEntry;
  /** Returns what the account has bought already, which makes the charge unnecessary. */
  find(tx: Transaction): Promise<Bought | undefined>;
  /** Writes what the charge pays for. */
  store(tx: Transaction): Promise<void>;
};

export type SaleOutcome<Bought> = ChargeOutcome | { present: Bought };

/**
 * If the connection breaks around the commit, the same transaction runs again and finds the entry
 * in the ledger if it was committed. If that stays unknown, the charge is refunded later.
 */
export async function chargeWith<Bought>(
  deps: BookingDeps,
  sale: Sale<Bought>,
  onUnresolved: OnUnresolved,
): Promise<SaleOutcome<Bought>> {
  const deadlineMs = monotonicMs() + (deps.unknownMaxMs ?? bounds.chargeUnknownMaxMs);
  let isInDoubt = false;
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
    try {
      return await sellOnce(deps, sale);
    } catch (error) {
      isInDoubt ||= isOutcomeUnknown(error);
      if (!isInDoubt) throw isLockTimeout(error) ? accountHeld() : error;
      if (monotonicMs() + waitMs > deadlineMs) {
        await onUnresolved([sale.entry]);
        throw databaseAway(error);
      }
      deps.log.warn({ reason: String(error), entries: 1 }, 'charge outcome unknown');
      await sleepMs(waitMs);
    }
  }
}

async function sellOnce<Bought>(
  deps: BookingDeps,
  { entry, find, store }: Sale<Bought>,
): Promise<SaleOutcome<Bought>> {
  const { accountId } = entry;
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  const monthlyCreditsOf = await deps.plans.monthlyCredits();
  const lock = { waitMs: deps.heldMaxMs ?? bounds.chargeWaitMaxMs };
  return deps.db.transaction((tx) =>
    withBalances(tx, { accountIds: [accountId], monthlyCreditsOf, lock }, async (locked) => {
      const balance = locked.balances.get(accountId);
      if (balance === undefined) return { booked: false, noPlan: true };
      const alreadyBooked = await findEntries(tx, [entry]);
      const isBooked = alreadyBooked.has(entry.id);
      const present = isBooked ? undefined : await find(tx);
      if (present !== undefined) return { present };
      const context = { nowMs: deps.clock.nowMs(), alreadyBooked };
      const [outcome] = locked.settle(balance, [entry], context).outcomes as [Outcome];
      if (outcome.booked && !isBooked) await store(tx);
      return outcome;
    }),
  );
}
