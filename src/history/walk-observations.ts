// Walks over the observations of a product, ascending, one page of runs at a time. Only a page is
// in memory, however long the history, and other work runs between pages.
import { createPause } from '../background/slices.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { readTails } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import type { Observation } from './observation.ts';
import { DamagedBlock } from './packed-block.ts';
import { unpackObservations } from './packed-observations.ts';
import { isIntact, isTailIntact, type Run, readRunsPage, type Stream } from './runs.ts';

/** From inclusive, to exclusive. */
export type Span = { fromAtSeconds: number; toAtSeconds: number };

/** Up to the end of the year 9999. */
export const ALL_TIME: Span = { fromAtSeconds: 0, toAtSeconds: 253_402_300_799 };

export type WalkDeps = {
  db: Database;
  log: Log;
  /** Runs the read of each page in the queue of an account; without it, pages are read at once. */
  takeTurn?: <T>(part: () => Promise<T>) => Promise<T>;
};

/**
 * The observations of a product within a span. Damaged blocks are logged and skipped. The tail is
 * read first: if it is moved into runs meanwhile, its observations are read twice and returned
 * once.
 */
export async function* walkObservations(
  deps: WalkDeps,
  code: string,
  span: Span = ALL_TIME,
): AsyncGenerator<Observation, void, undefined> {
  yield* walkWithTail(deps, { code, span }, (before) => walkRuns(deps, code, before));
}

/** The same with the buybox alone: the runs of the shelf, which are far larger, are not read. */
export async function* walkBuybox(
  deps: WalkDeps,
  code: string,
  span: Span = ALL_TIME,
): AsyncGenerator<Observation, void, undefined> {
  yield* walkWithTail(deps, { code, span }, (before) =>
    walkStream(deps, { code, stream: 'box' }, before),
  );
}

async function* walkWithTail(
  deps: WalkDeps,
  { code, span }: { code: string; span: Span },
  walkBefore: (span: Span) => AsyncGenerator<Observation, void, undefined>,
): AsyncGenerator<Observation, void, undefined> {
  const recent = await readTail(deps, code);
  if (recent === undefined) return;
  const { fromAtSeconds } = span;
  const tailAtSeconds = recent[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
  const toAtSeconds = Math.min(span.toAtSeconds, tailAtSeconds);
  if (fromAtSeconds < toAtSeconds) yield* walkBefore({ fromAtSeconds, toAtSeconds });
  for (const observation of recent) {
    const { atSeconds } = observation;
    if (atSeconds >= fromAtSeconds && atSeconds < span.toAtSeconds) yield observation;
  }
}

/** The observations in the product's row; undefined if there is no such product. */
export async function readTail(deps: WalkDeps, code: string): Promise<Observation[] | undefined> {
  const tail = (await readTails(deps.db, [code])).get(code);
  return tail === undefined ? undefined : unpackTail(deps.log, code, tail);
}

/** Both streams of the runs, joined by time. */
async function* walkRuns(deps: WalkDeps, code: string, span: Span) {
  const pause = createPause();
  const boxes = walkStream(deps, { code, stream: 'box' }, span);
  const shelves = walkStream(deps, { code, stream: 'shelf' }, span);
  let [box, shelf] = [await boxes.next(), await shelves.next()];
  while (!box.done || !shelf.done) {
    const boxAtSeconds = box.done ? Number.POSITIVE_INFINITY : box.value.atSeconds;
    const shelfAtSeconds = shelf.done ? Number.POSITIVE_INFINITY : shelf.value.atSeconds;
    const first = (shelfAtSeconds <= boxAtSeconds ? shelf.value : box.value) as Observation;
    yield boxAtSeconds === shelfAtSeconds
      ? { ...first, buybox: (box.value as Observation).buybox }
      : first;
    if (boxAtSeconds <= shelfAtSeconds) box = await boxes.next();
    if (shelfAtSeconds <= boxAtSeconds) shelf = await shelves.next();
    await pause();
  }
}

/**
 * The observations of one stream of runs. Runs may be rewritten with other borders between two
 * pages, so the next page starts after the last observation returned, not after the last run.
 */
export async function* walkStream(
  deps: WalkDeps,
  { code, stream }: { code: string; stream: Stream },
  { fromAtSeconds, toAtSeconds }: Span,
): AsyncGenerator<Observation, void, undefined> {
  const { takeTurn = (part) => part() } = deps;
  const pause = createPause();
  const limit = bounds.runsPerPage;
  for (let nextAtSeconds = fromAtSeconds; nextAtSeconds < toAtSeconds; ) {
    const page = { code, stream, fromAtSeconds: nextAtSeconds, toAtSeconds, limit };
    const runs: Run[] = await takeTurn(() => readRunsPage(deps.db, page));
    for (const run of runs) {
      const key = { code, where: `${stream} ${run.firstAtSeconds}` };
      for (const observation of openBlock(deps.log, key, isIntact(run) ? run.packed : null)) {
        const { atSeconds } = observation;
        if (atSeconds < nextAtSeconds || atSeconds >= toAtSeconds) continue;
        nextAtSeconds = atSeconds + 1;
        yield observation;
      }
      // A damaged run returns no observation to continue after.
      nextAtSeconds = Math.max(nextAtSeconds, run.lastAtSeconds + 1);
      await pause();
    }
    if (runs.length < limit) return;
  }
}

/** The observations of a tail; a damaged one is logged and has none. */
export function unpackTail(log: Log, code: string, tail: ProductTail): Observation[] {
  return openBlock(log, { code, where: 'tail' }, isTailIntact(tail) ? tail.bytes : null);
}

/**
 * The observations of a block. Pass null for a wrong checksum: damage is logged and returns none.
 */
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
    log.error({ ...key, reason: error.message }, 'damaged history block skipped');
    return [];
  }
}
