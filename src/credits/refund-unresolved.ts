// Refunds charges whose request got a 503 because their outcome was unknown. They stay in the
// journal until they are refunded, so that a crash or a stop does not lose them.
import { isolateByGroup } from '../background/isolate.ts';
import { sleepMs } from '../foundation/clock.ts';
import { type BookingDeps, bookOneByOne } from './book-entries.ts';
import type { LedgerEntry } from './settlement.ts';
import type { UnresolvedBatch, UnresolvedJournal } from './unresolved-journal.ts';

const RETRY_MS = { first: 500, max: 10_000 };

export function createUnresolvedRefunds(deps: BookingDeps, journal?: UnresolvedJournal) {
  const stopping = new AbortController();
  const inProgress = new Set<Promise<void>>();

  const start = (entries: readonly LedgerEntry[], batch: UnresolvedBatch | null) => {
    const work = refund(deps, entries, { inJournal: batch !== null, signal: stopping.signal })
      .then((isDone) => (isDone && batch !== null ? journal?.remove(batch) : undefined))
      // It is refunded again at the next start, which changes nothing.
      .catch((error) => deps.log.error({ reason: String(error) }, 'journal file not removed'))
      .finally(() => inProgress.delete(work));
    inProgress.add(work);
  };

  return {
    /** Resolves once the entries are in the journal; only then may their requests be refused. */
    async add(entries: readonly LedgerEntry[]): Promise<void> {
      start(entries, journal === undefined ? null : await writeToJournal(deps, journal, entries));
    },
    /** Resumes what the journal holds, from an earlier run of this process or another one. */
    async resume(): Promise<void> {
      for (const batch of (await journal?.list()) ?? []) start(batch.entries, batch);
    },
    /** Batches that are not refunded yet. */
    inProgress: (): number => inProgress.size,
    /** Stops retrying. Unfinished batches stay in the journal. */
    async close(): Promise<void> {
      stopping.abort(new Error('the service stops'));
      await Promise.allSettled(inProgress);
    },
  };
}

/** Returns null if the disk is full or missing; then only this process knows what it owes. */
async function writeToJournal(
  { log }: BookingDeps,
  journal: UnresolvedJournal,
  entries: readonly LedgerEntry[],
): Promise<UnresolvedBatch | null> {
  try {
    return await journal.write(entries);
  } catch (error) {
    const facts = { reason: String(error), references: entries.map(({ reference }) => reference) };
    log.error(facts, 'unresolved charges could not be written to the journal');
    return null;
  }
}

/**
 * Books each entry, if the ledger does not have it, and refunds it in the same transaction. That
 * takes the entry's reference: a charging statement still on its way to the server then fails,
 * instead of charging a request that was refused. Retries until done (true) or stopped (false).
 */
async function refund(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
  { inJournal, signal }: { inJournal: boolean; signal: AbortSignal },
): Promise<boolean> {
  let owed = entries;
  for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.max)) {
    owed = await refundOnce(deps, owed);
    if (owed.length === 0) {
      deps.log.warn({ entries: entries.length }, 'unresolved charges refunded');
      return true;
    }
    try {
      await sleepMs(waitMs, signal);
    } catch {
      const facts = { references: owed.map((entry) => entry.reference), inJournal };
      deps.log.error(facts, 'stopped before unresolved charges were refunded');
      return false;
    }
  }
}

/** One attempt. Returns the entries that are still owed. */
async function refundOnce(
  deps: BookingDeps,
  entries: readonly LedgerEntry[],
): Promise<readonly LedgerEntry[]> {
  const stillOwed: LedgerEntry[] = [];
  try {
    const { left, quarantined } = await isolateByGroup(deps.db, entries, {
      loop: 'refund-unresolved',
      ownerOf: ({ accountId }) => accountId,
      log: deps.log,
      keyOf: (entry) => entry.reference,
      run: async (batch) => {
        // Skips locked balances, so that one account does not delay the refunds of the others.
        const { held } = await bookOneByOne(deps, batch, { refund: true, lock: 'skip' });
        stillOwed.push(...batch.filter(({ accountId }) => held.has(accountId)));
      },
      // The debt remains, however often a refund fails; `doctor` reads it in the journal.
      setAside: async () => {},
    });
    return [...stillOwed, ...left, ...quarantined.map(({ item }) => item)];
  } catch {
    return entries; // The database is unreachable, which is logged elsewhere.
  }
}
