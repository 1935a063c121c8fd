// Books ledger entries: together if all fit, otherwise one by one under locks. If a connection is
// lost around a commit, it finds out what was booked, so that nothing is booked twice or guessed.
import { Failed } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { databaseAway, isConflict, isLockTimeout, isOutcomeUnknown } from '../database/failure.ts';
import type { MarkerMemory } from '../database/markers.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { isChargeKind } from './entry-kind.ts';
import { chargeWhatFits, findEntries } from './ledger.ts';
import type { Plans } from './plans.ts';
import { type Balance, entryId, type LedgerEntry, type Outcome } from './settlement.ts';
import { type LockedBalances, type LockMode, withBalances } from './with-balances.ts';

/** An account without a plan has no balance to book against. */
export type ChargeOutcome = Outcome | { booked: false; noPlan: true };

export type BookingDeps = {
  db: Database;
  plans: Plans;
  ledgerPartitions: PartitionKeeper;
  clock: Clock;
  log: Log;
  /** Markers among the charges of this process. Without it, every batch has its own. */
  markers?: MarkerMemory;
  /** How long to resolve an unknown outcome. Default: bounds.chargeUnknownMaxMs. */
  unknownMaxMs?: number;
  /** How long a charge waits for a locked balance. Default: bounds.chargeWaitMaxMs. */
  heldMaxMs?: number;
};

/**
 * Another session has locked the account's balance. The entry was not booked; if `inDoubt`, an
 * earlier attempt may have booked it.
 */
export class Held {
  readonly inDoubt: boolean;
  constructor(inDoubt: boolean) {
    this.inDoubt = inDoubt;
  }
}

export type Booking = ChargeOutcome | Failed | Held;

/**
 * Takes over entries whose outcome stays unknown. Resolves once they are safe from a crash of this
 * process; only then may their requests be refused.
 */
export type OnUnresolved = (entries: readonly LedgerEntry[]) => Promise<void>;

export type BookingContext = {
  onUnresolved: OnUnresolved;
  /** How long to wait for locked balances. Without it, they are skipped. */
  waitMs?: number;
};

/** Tries the fast path first. Entries that it leaves are booked one by one under locks. */
export async function bookTogether(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Booking[]> {
  const charges = entries.filter(isCharge);
  let remaining = new Map<string, number | null>();
  if (charges.length > 0) {
    try {
      remaining = await chargeWhatFits(deps.db, charges, {
        nowMs: deps.clock.nowMs(),
        waitMs: context.waitMs,
        markers: deps.markers,
      });
    } catch (error) {
      return bookInDoubt(deps, entries, { error, ...context });
    }
  }
  const outcomes = new Array<Booking>(entries.length);
  const unbooked: number[] = [];
  // The statement returns what remains after an account's last charge. Counting backwards gives
  // what remained after each charge.
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as LedgerEntry;
    const after = isCharge(entry) ? remaining.get(entry.accountId) : null;
    if (typeof after === 'number') {
      outcomes[index] = { booked: true, remaining: after };
      remaining.set(entry.accountId, after - entry.credits);
    } else if (after === undefined && context.waitMs === undefined) {
      outcomes[index] = new Held(false);
    } else unbooked.unshift(index);
  }
  if (unbooked.length > 0) {
    const slow = unbooked.map((index) => entries[index] as LedgerEntry);
    const bookings = await bookOneByOne(deps, slow, { lock: lockModeOf(context) }).then(
      (result) => bookingsOf(slow, result, false),
      (error) => bookInDoubt(deps, slow, { error, ...context }),
    );
    unbooked.forEach((index, position) => {
      outcomes[index] = bookings[position] as Booking;
    });
  }
  return outcomes;
}

const lockModeOf = ({ waitMs }: Pick<BookingContext, 'waitMs'>): LockMode =>
  waitMs === undefined ? 'skip' : { waitMs };

function bookingsOf(
  entries: readonly LedgerEntry[],
  { outcomes, held }: Pick<BookedOneByOne, 'outcomes' | 'held'>,
  inDoubt: boolean,
): Booking[] {
  return entries.map(({ accountId }, index) =>
    held.has(accountId) ? new Held(inDoubt) : (outcomes[index] as ChargeOutcome),
  );
}

/** Grants and refunds need no funds; the fast path does not handle them. */
const isCharge = (entry: LedgerEntry): boolean => isChargeKind(entry.kind);

type Doubt = BookingContext & { error: unknown };

/** Handles an error: resolves an unknown outcome, or books each entry alone. */
async function bookInDoubt(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  { error, ...context }: Doubt,
): Promise<Booking[]> {
  const facts = { reason: String(error), entries: entries.length };
  if (!isOutcomeUnknown(error)) {
    if (isLockTimeout(error)) return entries.map(() => new Held(false));
    // The database could not be reached; nothing was sent.
    if (error instanceof Problem && !isConflict(error)) return entries.map(() => new Failed(error));
    deps.log.error(facts, 'batch of charges failed; booking each charge alone');
    return bookEachAlone(deps, entries, context);
  }
  deps.log.warn(facts, 'charge outcome unknown');
  return resolveDoubt(deps, entries, context);
}

/** Finds out what became of entries whose statement was sent but not acknowledged. */
export async function resolveDoubt(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Booking[]> {
  try {
    return bookingsOf(entries, await resolveUnknown(deps, entries, context), true);
  } catch (failure) {
    await context.onUnresolved(entries);
    // Returned, not thrown: entries of the same batch that were booked must get their data.
    return entries.map(() => new Failed(failure));
  }
}

/** Books entries one at a time, so that a bad entry fails alone and a repeated one is found. */
async function bookEachAlone(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Booking[]> {
  const outcomes: Booking[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      const result = await bookOneByOne(deps, [entry], { lock: lockModeOf(context) });
      outcomes.push(...bookingsOf([entry], result, false));
    } catch (error) {
      if (isOutcomeUnknown(error) || error instanceof Problem) {
        // The database is unreachable; the other entries must not each wait for it.
        const rest = entries.slice(index);
        return [...outcomes, ...(await bookInDoubt(deps, rest, { error, ...context }))];
      }
      outcomes.push(new Failed(error));
    }
  }
  return outcomes;
}

export type BookedOneByOne = {
  /** One per entry, except for entries of `held` accounts. */
  outcomes: ChargeOutcome[];
  balances: ReadonlyMap<string, Balance>;
  /** Accounts that were skipped because another session has locked their balance. */
  held: ReadonlySet<string>;
};

export type OneByOneOptions = {
  lock?: LockMode;
  /** Accounts to lock and refresh. Default: the accounts of the entries. */
  accountIds?: readonly string[];
  /** Refunds each entry in the transaction that books or finds it. */
  refund?: boolean;
  /** How long to wait for a connection. Default: bounds.readRetryMs. */
  connectMaxMs?: number;
};

/** Books entries under locks, in order. Entries that the ledger has count as booked. */
export async function bookOneByOne(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  options: OneByOneOptions = {},
): Promise<BookedOneByOne> {
  const accountIds = options.accountIds ?? [...new Set(entries.map((entry) => entry.accountId))];
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  const monthlyCreditsOf = await deps.plans.monthlyCredits();
  return deps.db.transaction(
    (tx) =>
      withBalances(tx, { accountIds, monthlyCreditsOf, lock: options.lock }, async (locked) => {
        const refunds = options.refund ? entries.map(reversalOf) : [];
        const alreadyBooked = await findEntries(tx, [...entries, ...refunds]);
        const context = { nowMs: deps.clock.nowMs(), alreadyBooked };
        const outcomes = new Array<ChargeOutcome>(entries.length);
        for (const accountId of accountIds) {
          if (locked.held.has(accountId)) continue;
          const items = entries.flatMap((entry, index) =>
            entry.accountId === accountId ? [{ entry, index }] : [],
          );
          const results = settleAccount(
            locked,
            { accountId, entries: items.map(({ entry }) => entry) },
            { ...context, refund: options.refund ?? false },
          );
          items.forEach(({ index }, position) => {
            outcomes[index] = results[position] as ChargeOutcome;
          });
        }
        return { outcomes, balances: locked.balances, held: locked.held };
      }),
    { waitMaxMs: options.connectMaxMs ?? bounds.readRetryMs },
  );
}

/** Settles the entries of one account; returns one outcome per entry. */
function settleAccount(
  locked: LockedBalances,
  { accountId, entries }: { accountId: string; entries: readonly LedgerEntry[] },
  context: { nowMs: number; alreadyBooked: ReadonlyMap<string, number>; refund: boolean },
): ChargeOutcome[] {
  const balance = locked.balances.get(accountId);
  if (balance === undefined) return entries.map(() => ({ booked: false, noPlan: true }));
  const settled = locked.settle(balance, entries, context);
  if (context.refund) {
    const bookedAtMs = new Map(settled.newEntries.map((entry) => [entry.id, entry.atMs]));
    const refunds = entries.flatMap((entry, position) => {
      if (!settled.outcomes[position]?.booked) return [];
      const { id } = entry;
      const atMs = bookedAtMs.get(id) ?? context.alreadyBooked.get(id) ?? entry.atMs;
      return [reversalOf({ ...entry, atMs })];
    });
    locked.settle(settled.balance, refunds, context);
  }
  return settled.outcomes;
}

/** Retries the same entries on new connections until the ledger shows what became of them. */
async function resolveUnknown(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Pick<BookedOneByOne, 'outcomes' | 'held'>> {
  const deadlineMs = monotonicMs() + (deps.unknownMaxMs ?? bounds.chargeUnknownMaxMs);
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
    try {
      const connectMaxMs = Math.max(0, deadlineMs - monotonicMs());
      return await bookOneByOne(deps, entries, { lock: lockModeOf(context), connectMaxMs });
    } catch (error) {
      if (isLockTimeout(error)) {
        return { outcomes: [], held: new Set(entries.map(({ accountId }) => accountId)) };
      }
      // A read inside gives up before this deadline and throws a Problem.
      if (!isOutcomeUnknown(error) && !(error instanceof Problem)) throw error;
      if (monotonicMs() + waitMs > deadlineMs) throw databaseAway(error);
      await sleepMs(waitMs);
    }
  }
}

/** The refund of an entry. Its reference derives from the entry's, so it is booked once. */
function reversalOf(entry: LedgerEntry): LedgerEntry {
  const reference = `reversal:${entry.reference}`;
  return {
    ...entry,
    id: entryId(entry.accountId, reference),
    kind: 'refund',
    credits: -entry.credits,
    reference,
  };
}
