// Charging: concurrent charges are gathered and booked together, each decided as if alone, durably,
// before the answer is sent. How entries are booked, and doubts resolved, is book-entries.ts's; how
// what stays unknown is given back is refund-unresolved.ts's.
import { createBatch, Failed } from '../database/batch.ts';
import { bounds } from '../foundation/bounds.ts';
import {
  type Booking,
  type BookingDeps,
  bookTogether,
  type ChargeOutcome,
  Held,
} from './book-entries.ts';
import { createHeldBooking } from './book-held.ts';
import { readBalances } from './ledger.ts';
import { createGivingBack } from './refund-unresolved.ts';
import { type Balance, type LedgerEntry, remainingCredits } from './settlement.ts';
import type { UnresolvedJournal } from './unresolved-journal.ts';

export type Charging = {
  charge(entry: LedgerEntry): Promise<ChargeOutcome>;
  /** The balance as it is now, refreshed when its period has ended; undefined without a plan. */
  freshBalance(accountId: string): Promise<Balance | undefined>;
  /** What remained when last heard of. May admit a request, never refuse one. */
  rememberedRemaining(accountId: string): number | undefined;
  waiting(): number;
  oldestWaitMs(): number;
  /** Charges that wait for a balance that somebody else holds. */
  held(): number;
  /** Charges whose outcome is still being looked into after their request was answered 503. */
  unresolved(): number;
  /** Takes over what a process that was killed or stopped still owed: the journal has it. */
  resumeUnresolved(): Promise<void>;
  /** Books what was added so far, and ends the looking into. */
  close(): Promise<void>;
};

export function createCharging(deps: BookingDeps, journal?: UnresolvedJournal): Charging {
  const remembered = new Map<string, number>();
  const remember = (accountId: string, remaining: number) => {
    if (remembered.size >= bounds.callersRememberedMax) remembered.clear();
    remembered.set(accountId, remaining);
  };
  const givingBack = createGivingBack(deps, journal);
  const onUnresolved = givingBack.add;
  const held = createHeldBooking(deps, onUnresolved);

  /** Behind those of the same account that wait already. */
  const bookHeld = (entry: LedgerEntry, inDoubt: boolean): Promise<ChargeOutcome> => {
    const later = held.add(entry, inDoubt).then((outcome) => rememberOutcome(entry, outcome));
    later.catch(() => {}); // its caller gets it when the batch is done
    return later;
  };
  const rememberOutcome = (entry: LedgerEntry, outcome: ChargeOutcome): ChargeOutcome => {
    if ('remaining' in outcome) remember(entry.accountId, outcome.remaining);
    return outcome;
  };

  const bookBatch = async (
    all: readonly LedgerEntry[],
  ): Promise<(ChargeOutcome | Failed | Promise<ChargeOutcome>)[]> => {
    const preparing = deps.ledgerPartitions.ready(deps.clock.nowMs());
    if (preparing !== undefined) await preparing;
    // An account is never in two batches at once: its charges keep their order.
    const entries = held.isEmpty() ? all : all.filter(({ accountId }) => !held.has(accountId));
    const later =
      entries.length === all.length
        ? undefined
        : new Map(
            all
              .filter(({ accountId }) => held.has(accountId))
              .map((entry) => [entry, bookHeld(entry, false)]),
          );
    const bookings =
      entries.length === 0 ? [] : await bookTogether(deps, entries, { onUnresolved });
    let next = 0;
    return all.map((entry) => {
      const waits = later?.get(entry);
      if (waits !== undefined) return waits;
      const booking = bookings[next++] as Booking;
      if (booking instanceof Held) return bookHeld(entry, booking.inDoubt);
      return booking instanceof Failed ? booking : rememberOutcome(entry, booking);
    });
  };

  const charges = createBatch<LedgerEntry, ChargeOutcome>({
    name: 'charges',
    run: bookBatch,
    itemsMax: bounds.chargesPerBatchMax,
    waitingMax: bounds.chargesWaitingMax,
    waitMaxMs: bounds.chargeWaitMaxMs,
    // While one batch waits for the disk the next is gathered. Two at once made batches smaller and
    // the paid path 10 % slower, and charged no faster by themselves. It waits for no lock:
    // accounts whose balance somebody else holds go by themselves (book-held.ts).
    inFlightMax: 1,
  });

  const balances = createBatch<string, Balance | undefined>({
    name: 'balance-reads',
    run: async (accountIds) => {
      const found = await readBalances(deps.db, [...new Set(accountIds)]);
      return accountIds.map((accountId) => found.get(accountId));
    },
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 1,
  });

  return {
    charge: (entry) => charges.add(entry),
    async freshBalance(accountId) {
      let balance = await balances.add(accountId);
      if (balance !== undefined && deps.clock.nowMs() >= balance.periodEndAtMs) {
        balance = await held.refresh(accountId);
      }
      if (balance !== undefined) remember(accountId, remainingCredits(balance));
      return balance;
    },
    rememberedRemaining: (accountId) => remembered.get(accountId),
    waiting: () => charges.waiting(),
    oldestWaitMs: () => charges.oldestWaitMs(),
    held: () => held.waiting(),
    unresolved: givingBack.underWay,
    resumeUnresolved: givingBack.resume,
    async close() {
      await charges.drain();
      await held.drain();
      await givingBack.close();
    },
  };
}
