// Charging: concurrent charges are gathered and booked together, each decided as if alone, durably,
// before the answer is sent. When the outcome of a commit is unknown it is found out, never guessed.
import { createBatch, Failed } from '../database/batch.ts';
import { type Database, databaseAway, isOutcomeUnknown } from '../database/database.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import {
  chargeWhatFits,
  findEntries,
  insertEntries,
  lockBalances,
  readBalances,
  updateBalance,
} from './ledger.ts';
import type { Plans } from './plans.ts';
import {
  type Balance,
  entryId,
  type LedgerEntry,
  type Outcome,
  remainingCredits,
  settle,
} from './settlement.ts';

/** An account without a plan can neither pay nor be asked to. */
export type ChargeOutcome = Outcome | { booked: false; noPlan: true };

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

type Deps = { db: Database; plans: Plans; months: PartitionKeeper; clock: Clock; log: Log };

type Booking = ChargeOutcome | Failed;

export function createCharging(deps: Deps): Charging {
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
      const reversal = reverseIfBooked(deps, unresolved, stopping.signal);
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
    // While one batch waits for the disk the next is gathered; more at once only made batches smaller.
    inFlightMax: 2,
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
    inFlightMax: 2,
  });

  return {
    charge: (entry) => charges.add(entry),
    async freshBalance(accountId) {
      let balance = await balances.add(accountId);
      if (balance !== undefined && deps.clock.nowMs() >= balance.periodEndAt) {
        balance = (await bookOneByOne(deps, [], [accountId])).balances.get(accountId);
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

/** Fast path first; what it leaves, and what is in doubt, goes entry by entry under the locks. */
async function bookTogether(
  deps: Deps,
  entries: readonly LedgerEntry[],
  onUnresolved: (entries: readonly LedgerEntry[]) => void,
): Promise<Booking[]> {
  const charges = entries.filter(isCharge);
  let remaining = new Map<string, number>();
  if (charges.length > 0) {
    try {
      remaining = await chargeWhatFits(deps.db, charges, deps.clock.nowMs());
    } catch (error) {
      return bookInDoubt(deps, entries, { error, onUnresolved });
    }
  }
  const outcomes = new Array<Booking>(entries.length);
  const left: number[] = [];
  // The statement tells what remains after an account's last charge; counted backwards from there,
  // each charge gets what remained after itself.
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as LedgerEntry;
    const after = isCharge(entry) ? remaining.get(entry.accountId) : undefined;
    if (after === undefined) left.unshift(index);
    else {
      outcomes[index] = { booked: true, remaining: after };
      remaining.set(entry.accountId, after - entry.credits);
    }
  }
  if (left.length > 0) {
    const slow = left.map((index) => entries[index] as LedgerEntry);
    const settled = await bookOneByOne(deps, slow).then(
      (done) => done.outcomes,
      (error) => bookInDoubt(deps, slow, { error, onUnresolved }),
    );
    left.forEach((index, position) => {
      outcomes[index] = settled[position] as Booking;
    });
  }
  return outcomes;
}

/** Grants and returns need no funds; they go the slow way. */
function isCharge(entry: LedgerEntry): boolean {
  return entry.kind === 'request' || entry.kind === 'tracking';
}

/** After an error: finds out what became of the entries, or keeps one bad entry from failing all. */
async function bookInDoubt(
  deps: Deps,
  entries: readonly LedgerEntry[],
  doubt: { error: unknown; onUnresolved: (entries: readonly LedgerEntry[]) => void },
): Promise<Booking[]> {
  const facts = { reason: String(doubt.error), entries: entries.length };
  if (!isOutcomeUnknown(doubt.error)) {
    deps.log.error(facts, 'charges failed together and are tried each alone');
    return bookEachAlone(deps, entries);
  }
  deps.log.warn(facts, 'charge outcome unknown');
  try {
    return await resolveUnknown(deps, entries);
  } catch (failure) {
    doubt.onUnresolved(entries);
    throw failure;
  }
}

/** A bad entry fails alone, not its batch; a repeated one is found in the ledger. */
async function bookEachAlone(deps: Deps, entries: readonly LedgerEntry[]): Promise<Booking[]> {
  const outcomes: Booking[] = [];
  for (const entry of entries) {
    try {
      outcomes.push((await bookOneByOne(deps, [entry])).outcomes[0] as ChargeOutcome);
    } catch (failure) {
      outcomes.push(new Failed(failure));
    }
  }
  return outcomes;
}

/**
 * Books under explicit locks, in two steps: the first statement locks the balances, the second reads
 * which entries exist. In one statement, READ COMMITTED would show the new balance but not the new
 * entry of a commit that came in between, and a charge that was made would be answered 402.
 */
async function bookOneByOne(
  deps: Deps,
  entries: readonly LedgerEntry[],
  accountIds: readonly string[] = [...new Set(entries.map((entry) => entry.accountId))],
): Promise<{ outcomes: ChargeOutcome[]; balances: Map<string, Balance> }> {
  await deps.months.ready(deps.clock.nowMs());
  const plans = new Map((await deps.plans.list()).map((plan) => [plan.name, plan.monthlyCredits]));
  return deps.db.transaction(async (tx) => {
    const balances = await lockBalances(tx, accountIds);
    const alreadyBooked = await findEntries(tx, entries);
    const now = deps.clock.nowMs();
    const outcomes = new Array<ChargeOutcome>(entries.length);
    const newEntries: LedgerEntry[] = [];
    for (const accountId of accountIds) {
      const own = entries.flatMap((entry, index) =>
        entry.accountId === accountId ? [{ entry, index }] : [],
      );
      const balance = balances.get(accountId);
      if (balance === undefined) {
        for (const { index } of own) outcomes[index] = { booked: false, noPlan: true };
        continue;
      }
      const settled = settle(
        balance,
        own.map(({ entry }) => entry),
        { now, alreadyBooked, monthlyCreditsOf: (plan) => plans.get(plan) ?? 0 },
      );
      own.forEach(({ index }, position) => {
        outcomes[index] = settled.outcomes[position] as ChargeOutcome;
      });
      if (settled.newEntries.length > 0) {
        await updateBalance(tx, settled.balance);
        newEntries.push(...settled.newEntries);
      }
      balances.set(accountId, settled.balance);
    }
    await insertEntries(tx, newEntries);
    return { outcomes, balances };
  });
}

/** Tries the same entries again on new connections until the ledger tells what became of them. */
async function resolveUnknown(
  deps: Deps,
  entries: readonly LedgerEntry[],
): Promise<ChargeOutcome[]> {
  const giveUpMs = monotonicMs() + bounds.chargeUnknownMaxMs;
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
    try {
      return (await bookOneByOne(deps, entries)).outcomes;
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      if (monotonicMs() + waitMs > giveUpMs) throw databaseAway(error);
      await sleepMs(waitMs);
    }
  }
}

/** For requests that were answered 503: whatever of them turns out to be booked is given back. */
async function reverseIfBooked(
  deps: Deps,
  entries: readonly LedgerEntry[],
  signal: AbortSignal,
): Promise<void> {
  const accountIds = [...new Set(entries.map((entry) => entry.accountId))];
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 10_000)) {
    try {
      const booked = await deps.db.transaction(async (tx) => {
        // The locks wait for a commit that may still be under way.
        await lockBalances(tx, accountIds);
        return findEntries(tx, entries);
      });
      const returns = entries.filter((entry) => booked.has(entry.id)).map(reversalOf);
      if (returns.length > 0) await bookOneByOne(deps, returns);
      deps.log.warn(
        { entries: entries.length, reversed: returns.length },
        'unresolved charges settled',
      );
      return;
    } catch (error) {
      if (!isOutcomeUnknown(error) && !(error instanceof Problem)) {
        deps.log.error({ reason: String(error) }, 'unresolved charges could not be looked into');
      }
      try {
        await sleepMs(waitMs, signal);
      } catch {
        deps.log.error(
          { references: entries.map((entry) => entry.reference) },
          'stopped before unresolved charges could be looked into',
        );
        return;
      }
    }
  }
}

function reversalOf(entry: LedgerEntry): LedgerEntry {
  const reference = `reversal:${entry.reference}`;
  return {
    ...entry,
    id: entryId(entry.accountId, reference),
    kind: 'return',
    credits: -entry.credits,
    reference,
  };
}
