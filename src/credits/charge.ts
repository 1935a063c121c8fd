// Charging: concurrent charges are gathered and booked together, each decided as if alone, durably,
// before the answer is sent. How entries are booked, and doubts resolved, is book-entries.ts's.
import { createBatch } from '../database/batch.ts';
import { bounds } from '../foundation/bounds.ts';
import {
  type Booking,
  type BookingDeps,
  bookOneByOne,
  bookTogether,
  type ChargeOutcome,
  reverse,
} from './book-entries.ts';
import { readBalances } from './ledger.ts';
import { type Balance, type LedgerEntry, remainingCredits } from './settlement.ts';

export type Charging = {
  charge(entry: LedgerEntry): Promise<ChargeOutcome>;
  /** The balance as it is now, refreshed when its period has ended; undefined without a plan. */
  freshBalance(accountId: string): Promise<Balance | undefined>;
  /** What remained when last heard of. May admit a request, never refuse one. */
  rememberedRemaining(accountId: string): number | undefined;
  waiting(): number;
  oldestWaitMs(): number;
  /** Charges whose outcome is still being looked into after their request was answered 503. */
  unresolved(): number;
  /** Books what was added so far, and ends the looking into. */
  close(): Promise<void>;
};

export function createCharging(deps: BookingDeps): Charging {
  const remembered = new Map<string, number>();
  const remember = (accountId: string, remaining: number) => {
    if (remembered.size >= bounds.callersRememberedMax) remembered.clear();
    remembered.set(accountId, remaining);
  };
  const stopping = new AbortController();
  const reversals = new Set<Promise<void>>();

  const bookBatch = async (entries: readonly LedgerEntry[]): Promise<Booking[]> => {
    const preparing = deps.months.ready(deps.clock.nowMs());
    if (preparing !== undefined) await preparing;
    const outcomes = await bookTogether(deps, entries, (unresolved) => {
      const reversal = reverse(deps, unresolved, stopping.signal);
      reversals.add(reversal);
      void reversal.finally(() => reversals.delete(reversal));
    });
    entries.forEach((entry, index) => {
      const outcome = outcomes[index];
      if (outcome !== undefined && 'remaining' in outcome)
        remember(entry.accountId, outcome.remaining);
    });
    return outcomes;
  };

  const charges = createBatch<LedgerEntry, ChargeOutcome>({
    name: 'charges',
    run: bookBatch,
    itemsMax: bounds.chargesPerBatchMax,
    waitingMax: bounds.chargesWaitingMax,
    waitMaxMs: bounds.chargeWaitMaxMs,
    // While one batch waits for the disk the next is gathered. Two at once made batches smaller and the
    // paid path 10 % slower, and charged no faster by themselves.
    inFlightMax: 1,
  });

  const balances = createBatch<string, Balance | undefined>({
    name: 'balance reads',
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
      if (balance !== undefined && deps.clock.nowMs() >= balance.periodEndAt) {
        balance = (await bookOneByOne(deps, [], { accountIds: [accountId] })).balances.get(
          accountId,
        );
      }
      if (balance !== undefined) remember(accountId, remainingCredits(balance));
      return balance;
    },
    rememberedRemaining: (accountId) => remembered.get(accountId),
    waiting: () => charges.waiting(),
    oldestWaitMs: () => charges.oldestWaitMs(),
    unresolved: () => reversals.size,
    async close() {
      await charges.drain();
      stopping.abort(new Error('the service stops'));
      await Promise.allSettled(reversals);
    },
  };
}
