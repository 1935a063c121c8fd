// Charges requests: gathers concurrent charges and books them together, each decided as if alone,
// durably and before the response is sent. book-entries.ts books them; refund-unresolved.ts refunds
// charges whose outcome stays unknown.
import { createGroupedBatch, Failed } from '../database/batch.ts';
import { createMarkerMemory } from '../database/markers.ts';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import {
  type Booking,
  type BookingDeps,
  bookTogether,
  type ChargeOutcome,
  Held,
} from './book-entries.ts';
import { createHeldBooking } from './book-held.ts';
import { chargeWith, type Sale, type SaleOutcome } from './charge-with.ts';
import { readBalances } from './ledger.ts';
import { createUnresolvedRefunds } from './refund-unresolved.ts';
import { type Balance, type LedgerEntry, remainingCredits } from './settlement.ts';
import type { UnresolvedJournal } from './unresolved-journal.ts';

export type Charging = ReturnType<typeof createCharging>;

export function createCharging(booking: BookingDeps, journal?: UnresolvedJournal) {
  const deps = { ...booking, markers: createMarkerMemory() };
  const remainingByAccount = boundedCache<string, number>(bounds.callersRememberedMax);
  const refunding = createUnresolvedRefunds(deps, journal);
  const onUnresolved = refunding.add;
  const held = createHeldBooking(deps, onUnresolved);

  const rememberOutcome = (entry: LedgerEntry, outcome: ChargeOutcome): ChargeOutcome => {
    if ('remaining' in outcome) remainingByAccount.set(entry.accountId, outcome.remaining);
    return outcome;
  };
  /** Queues behind charges of the same account that already wait. */
  const bookHeld = (entry: LedgerEntry, inDoubt: boolean): Promise<ChargeOutcome> => {
    const later = held.add(entry, inDoubt).then((outcome) => rememberOutcome(entry, outcome));
    later.catch(() => {}); // The caller gets the error when the batch is done.
    return later;
  };

  const bookBatch = async (
    all: readonly LedgerEntry[],
  ): Promise<(ChargeOutcome | Failed | Promise<ChargeOutcome>)[]> => {
    const preparing = deps.ledgerPartitions.ready(deps.clock.nowMs());
    if (preparing !== undefined) await preparing;
    // Charges of an account keep their order: it is never in two batches at once.
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
      const queued = later?.get(entry);
      if (queued !== undefined) return queued;
      const booking = bookings[next++] as Booking;
      if (booking instanceof Held) return bookHeld(entry, booking.inDoubt);
      return booking instanceof Failed ? booking : rememberOutcome(entry, booking);
    });
  };

  const charges = createGroupedBatch<LedgerEntry, ChargeOutcome>(deps.db, {
    name: 'charges',
    keyOf: ({ accountId }) => accountId,
    run: bookBatch,
    itemsMax: bounds.chargesPerBatchMax,
    waitingMax: bounds.chargesWaitingMax,
    waitMaxMs: bounds.chargeWaitMaxMs,
    // The next batch gathers while one waits for the disk. Two in flight made batches smaller and
    // the paid path 10 % slower, and charging itself no faster. A batch waits for no lock: accounts
    // with a locked balance are booked separately (book-held.ts).
    inFlightMax: 1,
  });

  const balances = createGroupedBatch<string, Balance | undefined>(deps.db, {
    name: 'balance-reads',
    keyOf: (accountId) => accountId,
    run: async (accountIds) => {
      const balanceById = await readBalances(deps.db, [...new Set(accountIds)]);
      return accountIds.map((accountId) => balanceById.get(accountId));
    },
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 1,
  });

  return {
    charge: (entry: LedgerEntry): Promise<ChargeOutcome> => charges.add(entry),
    /** Charges and writes what is bought in one transaction, unless it was bought already. */
    async chargeWith<Bought>(sale: Sale<Bought>): Promise<SaleOutcome<Bought>> {
      const outcome = await chargeWith(deps, sale, onUnresolved);
      return 'present' in outcome ? outcome : rememberOutcome(sale.entry, outcome);
    },
    /** The current balance, refreshed if its period has ended; undefined without a plan. */
    async freshBalance(accountId: string): Promise<Balance | undefined> {
      let balance = await balances.add(accountId);
      if (balance !== undefined && deps.clock.nowMs() >= balance.periodEndAtMs) {
        balance = await held.refresh(accountId);
      }
      if (balance !== undefined) remainingByAccount.set(accountId, remainingCredits(balance));
      return balance;
    },
    /** The last remaining credits seen. Good enough to admit a request, never to refuse one. */
    rememberedRemaining: (accountId: string): number | undefined =>
      remainingByAccount.get(accountId),
    waiting: (): number => charges.waiting(),
    oldestWaitMs: (): number => charges.oldestWaitMs(),
    /** Charges that wait for a locked balance. */
    held: (): number => held.waiting(),
    /** Batches of charges that got a 503 and are not refunded yet. */
    unresolved: refunding.inProgress,
    /** Resumes refunds that the journal holds from an earlier or a parallel process. */
    resumeUnresolved: refunding.resume,
    /** Books what was added, then stops refunding. */
    async close(): Promise<void> {
      await charges.drain();
      await held.drain();
      await refunding.close();
    },
  };
}
