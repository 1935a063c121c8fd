// Visits the observations of one stream of a product, ascending, on the packed bytes: no object is
// built, so that three years of hourly observations take milliseconds.
import { createPause } from '../background/slices.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { bounds } from '../foundation/bounds.ts';
import { DamagedBlock } from './packed-block.ts';
import { PackedCursor } from './packed-cursor.ts';
import { isIntact, isTailIntact, type Run, readRunsPage, type Stream } from './runs.ts';
import type { Span, WalkDeps } from './walk-observations.ts';

/** The product, its stream, and its tail, which the caller has read before. */
export type StreamOf = { code: string; stream: Stream; tail: ProductTail };

/**
 * Calls `visit` with a cursor that stands on each observation of the span. Damaged blocks are
 * logged and skipped. If the tail is moved into runs meanwhile, its observations are visited once.
 */
export async function visitStream(
  deps: WalkDeps,
  { code, stream, tail }: StreamOf,
  { fromAtSeconds, toAtSeconds }: Span,
  visit: (cursor: PackedCursor) => void,
): Promise<void> {
  let nextAtSeconds = fromAtSeconds;
  const visitBlock = (where: string, bytes: Buffer | null) => {
    try {
      if (bytes === null) throw new DamagedBlock('its checksum differs');
      const cursor = new PackedCursor(bytes);
      while (cursor.next()) {
        const { atSeconds } = cursor.state;
        if (atSeconds < nextAtSeconds || atSeconds >= toAtSeconds) continue;
        nextAtSeconds = atSeconds + 1;
        visit(cursor);
      }
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      deps.log.error({ code, where, reason: error.message }, 'damaged history block skipped');
    }
  };
  await visitRuns(deps, { code, stream, tail }, { fromAtSeconds, toAtSeconds }, (run) =>
    visitBlock(`${stream} ${run.firstAtSeconds}`, isIntact(run) ? run.packed : null),
  );
  visitBlock('tail', isTailIntact(tail) ? tail.bytes : null);
}

async function visitRuns(
  { db, takeTurn = (part) => part() }: WalkDeps,
  { code, stream, tail }: StreamOf,
  { fromAtSeconds, toAtSeconds }: Span,
  visit: (run: Run) => void,
): Promise<void> {
  const pause = createPause();
  const limit = bounds.runsPerPage;
  const endAtSeconds = Math.min(toAtSeconds, (tail.runsUntilSeconds ?? -1) + 1);
  for (let pageAtSeconds = fromAtSeconds; pageAtSeconds < endAtSeconds; ) {
    const page = {
      code,
      stream,
      fromAtSeconds: pageAtSeconds,
      toAtSeconds: endAtSeconds,
      limit,
    };
    const runs = await takeTurn(() => readRunsPage(db, page));
    for (const run of runs) {
      visit(run);
      pageAtSeconds = run.lastAtSeconds + 1;
      await pause();
    }
    if (runs.length < limit) return;
  }
}

/** When the product was first observed, by its first run or its tail; null without any. */
export async function firstObservedAtSeconds(
  deps: WalkDeps,
  code: string,
  tail: ProductTail,
): Promise<number | null> {
  if (tail.runsUntilSeconds !== null) {
    const toAtSeconds = tail.runsUntilSeconds + 1;
    const page = { code, fromAtSeconds: 0, toAtSeconds, limit: 1 };
    const [box] = await readRunsPage(deps.db, { ...page, stream: 'box' });
    const [shelf] = await readRunsPage(deps.db, { ...page, stream: 'shelf' });
    const firsts = [box, shelf].flatMap((run) => (run === undefined ? [] : [run.firstAtSeconds]));
    if (firsts.length > 0) return Math.min(...firsts);
  }
  if (!isTailIntact(tail)) return null;
  const cursor = new PackedCursor(tail.bytes);
  return cursor.next() ? cursor.state.atSeconds : null;
}
