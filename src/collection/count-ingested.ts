// Counting ingested observations for the guard. Sound ones alone wait in memory for up to a second, so that lines sent one by
// one do not each pay for a commit; a process that ends before has seen less that speaks for the crawl, and holds rather more.
import type { Database } from '../database/database.ts';
import { monotonicMs } from '../foundation/clock.ts';
import type { CrawlTally } from '../tracking/crawl-guard.ts';
import { readTallies } from '../tracking/crawl-tallies.ts';
import { addUnlessBusy, type JudgeDeps } from '../tracking/judge-snapshots.ts';

/** What the guard counts ingested observations under, beside those of the source. */
const INGESTED = 'ingest';
const WAITING_MAX_MS = 1_000;
const PENDING_BUCKETS_MAX = 400;

type Waiting = { tallies: CrawlTally[]; sinceMs: number };

const waitingOf = new WeakMap<Database, Waiting>();

/**
 * Counts them and, when something is to be judged, returns the tallies up to a stretch; null when another session keeps
 * them locked.
 */
export async function countIngested(
  deps: JudgeDeps,
  input: { tallies: readonly CrawlTally[]; readUntil: number | null },
): Promise<CrawlTally[] | null> {
  const { readUntil } = input;
  const waiting = waitingOf.get(deps.db) ?? { tallies: [], sinceMs: monotonicMs() };
  const tallies = summed([...waiting.tallies, ...input.tallies]);
  const mayWait =
    readUntil === null &&
    tallies.length <= PENDING_BUCKETS_MAX &&
    monotonicMs() - waiting.sinceMs < WAITING_MAX_MS;
  if (mayWait) {
    if (tallies.length > 0) waitingOf.set(deps.db, { tallies, sinceMs: waiting.sinceMs });
    return [];
  }
  waitingOf.delete(deps.db);
  if (tallies.length === 0) {
    return readUntil === null ? [] : readTallies(deps.db, { source: INGESTED, bucket: readUntil });
  }
  const counted = await addUnlessBusy(deps, { source: INGESTED, tallies });
  return counted?.filter(({ bucket }) => readUntil === null || bucket <= readUntil) ?? null;
}

/** What still waits, at the end of an input. */
export async function flushIngested(deps: JudgeDeps): Promise<void> {
  const tallies = waitingOf.get(deps.db)?.tallies ?? [];
  waitingOf.delete(deps.db);
  if (tallies.length > 0) await addUnlessBusy(deps, { source: INGESTED, tallies });
}

/** One of each stretch. */
function summed(tallies: readonly CrawlTally[]): CrawlTally[] {
  const sums = new Map<number, CrawlTally>();
  for (const { bucket, snapshots, losses } of tallies) {
    const sum = sums.get(bucket) ?? { bucket, snapshots: 0, losses: 0 };
    sums.set(bucket, {
      bucket,
      snapshots: sum.snapshots + snapshots,
      losses: sum.losses + losses,
    });
  }
  return [...sums.values()];
}
