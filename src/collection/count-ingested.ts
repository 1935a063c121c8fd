// Counts ingested snapshots for the crawl guard. Tallies without losses wait in memory for up to a
// second, so that lines sent one by one do not each need a commit. A process that ends before loses
// some evidence of a healthy crawl, and so holds rather more.
import type { Database } from '../database/database.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { SECOND_MS } from '../foundation/time.ts';
import type { CrawlTally } from '../tracking/crawl-guard.ts';
import { readTallies } from '../tracking/crawl-tallies.ts';
import { addTalliesUnlessBusy, type JudgeDeps } from '../tracking/judge-snapshots.ts';

/** The source name under which ingested snapshots are counted. */
const INGESTED = 'ingest';
const WAIT_MAX_MS = SECOND_MS;
const WAITING_BUCKETS_MAX = 400;

type Waiting = { tallies: CrawlTally[]; sinceMs: number };

const waitingOf = new WeakMap<Database, Waiting>();

/**
 * Counts tallies. With `readUpToBucket`, returns the tallies up to that bucket, or null when
 * another session has locked them.
 */
export async function countIngested(
  deps: JudgeDeps,
  input: { tallies: readonly CrawlTally[]; readUpToBucket: number | null },
): Promise<CrawlTally[] | null> {
  const { readUpToBucket } = input;
  const waiting = waitingOf.get(deps.db) ?? { tallies: [], sinceMs: monotonicMs() };
  const tallies = sumByBucket([...waiting.tallies, ...input.tallies]);
  const mayWait =
    readUpToBucket === null &&
    tallies.length <= WAITING_BUCKETS_MAX &&
    monotonicMs() - waiting.sinceMs < WAIT_MAX_MS;
  if (mayWait) {
    if (tallies.length > 0) waitingOf.set(deps.db, { tallies, sinceMs: waiting.sinceMs });
    return [];
  }
  waitingOf.delete(deps.db);
  if (tallies.length === 0) {
    if (readUpToBucket === null) return [];
    return readTallies(deps.db, { source: INGESTED, bucket: readUpToBucket });
  }
  const counted = await addTalliesUnlessBusy(deps, { source: INGESTED, tallies });
  return (
    counted?.filter(({ bucket }) => readUpToBucket === null || bucket <= readUpToBucket) ?? null
  );
}

/** Writes the waiting tallies at the end of an input. */
export async function flushIngested(deps: JudgeDeps): Promise<void> {
  const tallies = waitingOf.get(deps.db)?.tallies ?? [];
  waitingOf.delete(deps.db);
  if (tallies.length > 0) await addTalliesUnlessBusy(deps, { source: INGESTED, tallies });
}

/** One tally per bucket. */
function sumByBucket(tallies: readonly CrawlTally[]): CrawlTally[] {
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
