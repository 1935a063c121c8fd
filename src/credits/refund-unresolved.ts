// Gives back charges whose request was refused with 503 because nobody knew whether they had been made. They lie in
// the journal until that is done: neither a kill nor a stop forgets them.
import { isolate } from '../background/isolate.ts';
import { sleepMs } from '../foundation/clock.ts';
import { type BookingDeps, bookOneByOne } from './book-entries.ts';
import type { LedgerEntry } from './settlement.ts';
import type { UnresolvedBatch, UnresolvedJournal } from './unresolved-journal.ts';

export type GivingBack = {
  /** Takes entries over. Returns when they are in the journal: only then may their requests be refused. */
  add(entries: readonly LedgerEntry[]): Promise<void>;
  /** Takes over what was left in the journal, by this program before or by one beside it. */
  resume(): Promise<void>;
  /** Batches that are not given back yet. */
  underWay(): number;
  /** Ends the trying; what is left stays in the journal. */
  close(): Promise<void>;
};

const TRY_AGAIN_MS = { first: 500, max: 10_000 };

export function createGivingBack(deps: BookingDeps, journal?: UnresolvedJournal): GivingBack {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  const start = (entries: readonly LedgerEntry[], batch: UnresolvedBatch | null) => {
    const work = giveBack(deps, entries, { isKept: batch !== null, signal: stopping.signal })
      .then((isDone) => (isDone && batch !== null ? journal?.remove(batch) : undefined))
      // It is given back again at the next start, which changes nothing.
      .catch((error) => deps.log.error({ reason: String(error) }, 'journal file not removed'))
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };

  return {
    async add(entries) {
      start(entries, journal === undefined ? null : await keep(deps, journal, entries));
    },
    async resume() {
      for (const batch of (await journal?.list()) ?? []) start(batch.entries, batch);
    },
    underWay: () => underWay.size,
    async close() {
      stopping.abort(new Error('the service stops'));
      await Promise.allSettled(underWay);
    },
  };
}

/** Null when the disk is full or away: as long as this process lives it knows what it owes. */
async function keep(
  { log }: BookingDeps,
  journal: UnresolvedJournal,
  entries: readonly LedgerEntry[],
): Promise<UnresolvedBatch | null> {
  try {
    return await journal.write(entries);
  } catch (error) {
    const facts = { reason: String(error), references: entries.map(({ reference }) => reference) };
    log.error(facts, 'unresolved charges could not be written into the journal');
    return null;
  }
}

/**
 * Each is booked, if it is not already, and given back in the same transaction. The reference is taken then: a
 * statement that still is on its way to the server meets it and fails as a whole, instead of charging for a request
 * that nobody will look into again. Tried until it is done (true) or the service stops (false).
 */
async function giveBack(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  { isKept, signal }: { isKept: boolean; signal: AbortSignal },
): Promise<boolean> {
  let left = entries;
  for (let waitMs = TRY_AGAIN_MS.first; ; waitMs = Math.min(waitMs * 2, TRY_AGAIN_MS.max)) {
    left = await giveBackSome(deps, left);
    if (left.length === 0) {
      deps.log.warn({ entries: entries.length }, 'unresolved charges were given back');
      return true;
    }
    try {
      await sleepMs(waitMs, signal);
    } catch {
      const facts = { references: left.map((entry) => entry.reference), inJournal: isKept };
      deps.log.error(facts, 'stopped before unresolved charges were given back');
      return false;
    }
  }
}

/** One try; returns those that are still owed. */
async function giveBackSome(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
): Promise<readonly LedgerEntry[]> {
  const stillOwed: LedgerEntry[] = [];
  try {
    const { left, quarantined } = await isolate(entries, {
      ...{ loop: 'give-back', log: deps.log, keyOf: (entry) => entry.reference },
      run: async (batch) => {
        // Without waiting: an account that somebody else holds must not keep the others from their credits.
        const { held } = await bookOneByOne(deps, batch, { giveBack: true, lock: 'free' });
        stillOwed.push(...batch.filter(({ accountId }) => held.has(accountId)));
      },
      // Owed is owed, however often it fails: it stays here and in the journal, which doctor reads.
      setAside: async () => {},
    });
    return [...stillOwed, ...left, ...quarantined.map(({ item }) => item)];
  } catch {
    return entries; // the database is away, which says so elsewhere
  }
}
