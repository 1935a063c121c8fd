// Walking over the looks of a product, ascending, a page of runs at a time: however long the history and however many the
// sellers, only a page is in memory, and others get their turn in between.
import { createPause } from '../background/slices.ts';
import { readTails } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Observation } from './observation.ts';
import { DamagedBlock } from './packed-block.ts';
import { unpackObservations } from './packed-observations.ts';
import { checksumOf, isIntact, type Run, readRunsPage, type Stream } from './runs.ts';

/** From inclusive, to exclusive, in seconds. */
export type Span = { fromAtSeconds: number; toAtSeconds: number };

export const ALL_TIME: Span = { fromAtSeconds: 0, toAtSeconds: 253_402_300_799 };

export type WalkDeps = {
  db: Database;
  log: Log;
  /** Each page is read in a turn of its account, where there are such. */
  takeTurn?: <T>(part: () => Promise<T>) => Promise<T>;
};

/** A run is a page of the database, or one look of hundreds of sellers: some hundred KB together. */
const RUNS_PER_PAGE = 64;

/**
 * The looks of a product inside a span. What is damaged is reported and left out. The tail is read first: should it be moved
 * into runs meanwhile, its looks are met twice and taken once.
 */
export async function* walkObservations(
  deps: WalkDeps,
  code: string,
  span: Span = ALL_TIME,
): AsyncGenerator<Observation, void, undefined> {
  const recent = await readTail(deps, code);
  if (recent === undefined) return;
  const toAtSeconds = Math.min(span.toAtSeconds, recent[0]?.atSeconds ?? Number.POSITIVE_INFINITY);
  if (span.fromAtSeconds < toAtSeconds)
    yield* walkRuns(deps, code, { fromAtSeconds: span.fromAtSeconds, toAtSeconds });
  for (const observation of recent)
    if (observation.atSeconds >= span.fromAtSeconds && observation.atSeconds < span.toAtSeconds)
      yield observation;
}

/** The looks in a product's own row; undefined where there is no such product. */
export async function readTail(deps: WalkDeps, code: string): Promise<Observation[] | undefined> {
  const tail = (await readTails(deps.db, [code])).get(code);
  if (tail === undefined) return undefined;
  const intact = checksumOf(tail.bytes) === tail.checksum;
  return openBlock(deps.log, { code, where: 'tail' }, intact ? tail.bytes : null);
}

/** Both streams of the runs as whole looks. */
async function* walkRuns(deps: WalkDeps, code: string, span: Span) {
  const pause = createPause();
  const boxes = walkStream(deps, { code, stream: 'box' }, span);
  const shelves = walkStream(deps, { code, stream: 'shelf' }, span);
  let [box, shelf] = [await boxes.next(), await shelves.next()];
  while (!box.done || !shelf.done) {
    const boxAt = box.done ? Number.POSITIVE_INFINITY : box.value.atSeconds;
    const shelfAt = shelf.done ? Number.POSITIVE_INFINITY : shelf.value.atSeconds;
    const part = (shelfAt <= boxAt ? shelf.value : box.value) as Observation;
    yield boxAt === shelfAt ? { ...part, buybox: (box.value as Observation).buybox } : part;
    if (boxAt <= shelfAt) box = await boxes.next();
    if (shelfAt <= boxAt) shelf = await shelves.next();
    await pause();
  }
}

/**
 * Runs may be written anew between two pages, with other borders: the next page goes on behind the last look that was
 * given, not behind the last run.
 */
export async function* walkStream(
  deps: WalkDeps,
  key: { code: string; stream: Stream },
  { fromAtSeconds, toAtSeconds }: Span,
): AsyncGenerator<Observation, void, undefined> {
  const { takeTurn = (part) => part() } = deps;
  const pause = createPause();
  for (let nextAt = fromAtSeconds; nextAt < toAtSeconds; ) {
    const page = { ...key, fromAtSeconds: nextAt, toAtSeconds, limit: RUNS_PER_PAGE };
    const runs: Run[] = await takeTurn(() => readRunsPage(deps.db, page));
    for (const run of runs) {
      const where = `${key.stream} ${run.firstAtSeconds}`;
      const observations = openBlock(
        deps.log,
        { code: key.code, where },
        isIntact(run) ? run.packed : null,
      );
      for (const observation of observations) {
        if (observation.atSeconds < nextAt || observation.atSeconds >= toAtSeconds) continue;
        nextAt = observation.atSeconds + 1;
        yield observation;
      }
      // A damaged run has no looks to go on behind.
      nextAt = Math.max(nextAt, run.lastAtSeconds + 1);
      await pause();
    }
    if (runs.length < RUNS_PER_PAGE) return;
  }
}

/** The looks of a block; none, and a line in the log, where it is damaged (null). */
export function openBlock(
  log: Log,
  key: { code: string; where: string },
  bytes: Buffer | null,
): Observation[] {
  try {
    if (bytes === null) throw new DamagedBlock('its checksum differs');
    return unpackObservations(bytes);
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...key, reason: error.message }, 'packed history is damaged and left out');
    return [];
  }
}
