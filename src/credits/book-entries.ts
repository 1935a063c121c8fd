// Booking entries in the ledger: together when all fit, else one by one under locks; and what is
// done when the connection is lost around a commit, so that nothing is booked twice and nothing
// guessed.
import { Failed } from '../database/batch.ts';
import type { Database, Transaction } from '../database/database.ts';
import { databaseAway, isConflict, isLockTimeout, isOutcomeUnknown } from '../database/failure.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import {
  chargeWhatFits,
  findEntries,
  insertEntries,
  limitLockWait,
  lockBalances,
  lockFreeBalances,
  updateBalances,
} from './ledger.ts';
import type { Plans } from './plans.ts';
import { type Balance, entryId, type LedgerEntry, type Outcome, settle } from './settlement.ts';

/** An account without a plan can neither pay nor be asked to. */
export type ChargeOutcome = Outcome | { booked: false; noPlan: true };

export type BookingDeps = {
  db: Database;
  plans: Plans;
  ledgerPartitions: PartitionKeeper;
  clock: Clock;
  log: Log;
  /** How long an unknown outcome is looked into; bounds.chargeUnknownMaxMs unless said. */
  unknownMaxMs?: number;
  /**
   * How long a charge waits for a balance that somebody else holds; bounds.chargeWaitMaxMs unless
   * said.
   */
  heldMaxMs?: number;
};

/**
 * Somebody else holds the account's balance: the entry was not booked, or in doubt that is not
 * known yet.
 */
export class Held {
  readonly inDoubt: boolean;
  constructor(inDoubt: boolean) {
    this.inDoubt = inDoubt;
  }
}

export type Booking = ChargeOutcome | Failed | Held;

export type BookingContext = {
  onUnresolved: OnUnresolved;
  /** How long balances that somebody else holds are waited for; without, they are passed over. */
  waitMs?: number;
};

/** Fast path first; what it leaves, and what is in doubt, goes entry by entry under the locks. */
export async function bookTogether(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Booking[]> {
  const charges = entries.filter(isCharge);
  let remaining = new Map<string, number | null>();
  if (charges.length > 0) {
    try {
      const now = deps.clock.nowMs();
      remaining = await chargeWhatFits(deps.db, charges, { now, waitMs: context.waitMs });
    } catch (error) {
      return bookInDoubt(deps, entries, { error, ...context });
    }
  }
  const outcomes = new Array<Booking>(entries.length);
  const left: number[] = [];
  // The statement tells what remains after an account's last charge; counted backwards from there,
  // each charge gets what remained after itself.
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as LedgerEntry;
    const after = isCharge(entry) ? remaining.get(entry.accountId) : null;
    if (typeof after === 'number') {
      outcomes[index] = { booked: true, remaining: after };
      remaining.set(entry.accountId, after - entry.credits);
    } else if (after === undefined && context.waitMs === undefined) {
      outcomes[index] = new Held(false);
    } else left.unshift(index);
  }
  if (left.length > 0) {
    const slow = left.map((index) => entries[index] as LedgerEntry);
    const settled = await bookOneByOne(deps, slow, { lock: lockOf(context) }).then(
      (done) => bookingsOf(slow, done, false),
      (error) => bookInDoubt(deps, slow, { error, ...context }),
    );
    left.forEach((index, position) => {
      outcomes[index] = settled[position] as Booking;
    });
  }
  return outcomes;
}

const lockOf = ({ waitMs }: Pick<BookingContext, 'waitMs'>): LockMode =>
  waitMs === undefined ? 'free' : { waitMs };

function bookingsOf(
  entries: readonly LedgerEntry[],
  { outcomes, held }: Pick<BookedOneByOne, 'outcomes' | 'held'>,
  inDoubt: boolean,
): Booking[] {
  return entries.map(({ accountId }, index) =>
    held.has(accountId) ? new Held(inDoubt) : (outcomes[index] as ChargeOutcome),
  );
}

/** Grants and returns need no funds; they go the slow way. */
function isCharge(entry: LedgerEntry): boolean {
  return entry.kind === 'request' || entry.kind === 'tracking';
}

/**
 * Returns when it would outlive the process that these entries must be looked into: their requests
 * may be refused then.
 */
export type OnUnresolved = (entries: readonly LedgerEntry[]) => Promise<void>;

type Doubt = BookingContext & { error: unknown };

/**
 * After an error: finds out what became of the entries, or keeps one bad entry from failing all.
 */
async function bookInDoubt(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  { error, ...context }: Doubt,
): Promise<Booking[]> {
  const facts = { reason: String(error), entries: entries.length };
  if (!isOutcomeUnknown(error)) {
    if (isLockTimeout(error)) return entries.map(() => new Held(false));
    // The database could not be reached for long: nothing was tried.
    if (error instanceof Problem && !isConflict(error)) return entries.map(() => new Failed(error));
    deps.log.error(facts, 'charges failed together and are tried each alone');
    return bookEachAlone(deps, entries, context);
  }
  deps.log.warn(facts, 'charge outcome unknown');
  return resolveDoubt(deps, entries, context);
}

/**
 * For entries whose statement was sent and not answered: what became of them, or that it will be
 * looked into.
 */
export async function resolveDoubt(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Booking[]> {
  try {
    return bookingsOf(entries, await resolveUnknown(deps, entries, context), true);
  } catch (failure) {
    await context.onUnresolved(entries);
    // As results: what the same batch booked before this is paid and must be answered with data.
    return entries.map(() => new Failed(failure));
  }
}

/** A bad entry fails alone, not its batch; a repeated one is found in the ledger. */
async function bookEachAlone(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Booking[]> {
  const outcomes: Booking[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      const done = await bookOneByOne(deps, [entry], { lock: lockOf(context) });
      outcomes.push(...bookingsOf([entry], done, false));
    } catch (error) {
      if (isOutcomeUnknown(error) || error instanceof Problem) {
        // The database went away; the others need not wait for it one after the other.
        const rest = entries.slice(index);
        return [...outcomes, ...(await bookInDoubt(deps, rest, { error, ...context }))];
      }
      outcomes.push(new Failed(error));
    }
  }
  return outcomes;
}

/** Whether a balance that somebody else holds is passed over, or waited for, and how long. */
export type LockMode = 'free' | { waitMs: number };

export type BookedOneByOne = {
  /** One for each entry, but for those of `held`. */
  outcomes: ChargeOutcome[];
  balances: Map<string, Balance>;
  /** Accounts whose balance somebody else holds: nothing was done for them. */
  held: ReadonlySet<string>;
};

/**
 * Books under explicit locks, in two steps: the first statement locks the balances, the second
 * reads which entries exist. In one statement, READ COMMITTED would show the new balance but not
 * the new entry of a commit that came in between, and a charge that was made would be answered 402.
 */
export async function bookOneByOne(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  options: {
    /** Waits as long as any statement may, unless said. */
    lock?: LockMode;
    /** Accounts to bring up to date, when not only those of the entries. */
    accountIds?: readonly string[];
    /** Gives each entry back as soon as it is booked or found. */
    giveBack?: boolean;
    /** How long a connection is waited for. */
    connectMaxMs?: number;
  } = {},
): Promise<BookedOneByOne> {
  const all = options.accountIds ?? [...new Set(entries.map((entry) => entry.accountId))];
  await deps.ledgerPartitions.ready(deps.clock.nowMs());
  const plans = new Map((await deps.plans.list()).map((plan) => [plan.name, plan.monthlyCredits]));
  const monthlyCreditsOf = (plan: string) => plans.get(plan) ?? 0;
  const work = async (tx: Transaction): Promise<BookedOneByOne> => {
    const { balances, held } = await lock(tx, all, options.lock);
    const accountIds = all.filter((accountId) => !held.has(accountId));
    const sought = options.giveBack ? [...entries, ...entries.map(reversalOf)] : entries;
    const alreadyBooked = await findEntries(tx, sought);
    const now = deps.clock.nowMs();
    const outcomes = new Array<ChargeOutcome>(entries.length);
    const newEntries: LedgerEntry[] = [];
    const changed: Balance[] = [];
    for (const accountId of accountIds) {
      const own = entries.flatMap((entry, index) =>
        entry.accountId === accountId ? [{ entry, index }] : [],
      );
      const balance = balances.get(accountId);
      if (balance === undefined) {
        for (const { index } of own) outcomes[index] = { booked: false, noPlan: true };
        continue;
      }
      const context = { now, alreadyBooked, monthlyCreditsOf };
      const settled = settle(
        balance,
        own.map(({ entry }) => entry),
        context,
      );
      if (options.giveBack) {
        const bookedAt = new Map(settled.newEntries.map((entry) => [entry.id, entry.atMs]));
        const returns = own.flatMap(({ entry }, position) => {
          if (!settled.outcomes[position]?.booked) return [];
          const at = bookedAt.get(entry.id) ?? alreadyBooked.get(entry.id) ?? entry.atMs;
          return [reversalOf({ ...entry, atMs: at })];
        });
        const back = settle(settled.balance, returns, context);
        settled.balance = back.balance;
        settled.newEntries.push(...back.newEntries);
      }
      own.forEach(({ index }, position) => {
        outcomes[index] = settled.outcomes[position] as ChargeOutcome;
      });
      if (settled.newEntries.length > 0) changed.push(settled.balance);
      newEntries.push(...settled.newEntries);
      balances.set(accountId, settled.balance);
    }
    await updateBalances(tx, changed);
    await insertEntries(tx, newEntries);
    return { outcomes, balances, held };
  };
  const connectMaxMs = options.connectMaxMs ?? bounds.readRetryMs;
  return deps.db.transaction(work, { waitMaxMs: connectMaxMs });
}

async function lock(
  tx: Transaction,
  accountIds: readonly string[],
  mode: LockMode | undefined,
): Promise<{ balances: Map<string, Balance>; held: ReadonlySet<string> }> {
  if (mode === 'free') return lockFreeBalances(tx, accountIds);
  if (mode !== undefined) await limitLockWait(tx, mode.waitMs);
  return { balances: await lockBalances(tx, accountIds), held: new Set() };
}

/** Tries the same entries again on new connections until the ledger tells what became of them. */
async function resolveUnknown(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  context: BookingContext,
): Promise<Pick<BookedOneByOne, 'outcomes' | 'held'>> {
  const giveUpMs = monotonicMs() + (deps.unknownMaxMs ?? bounds.chargeUnknownMaxMs);
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
    try {
      const connectMaxMs = Math.max(0, giveUpMs - monotonicMs());
      return await bookOneByOne(deps, entries, { lock: lockOf(context), connectMaxMs });
    } catch (error) {
      if (isLockTimeout(error)) {
        return { outcomes: [], held: new Set(entries.map(({ accountId }) => accountId)) };
      }
      // A read within gives up sooner than we do, and says so by a Problem.
      if (!isOutcomeUnknown(error) && !(error instanceof Problem)) throw error;
      if (monotonicMs() + waitMs > giveUpMs) throw databaseAway(error);
      await sleepMs(waitMs);
    }
  }
}

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
