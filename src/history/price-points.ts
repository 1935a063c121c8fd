// The buybox price history of a product as JSON bytes: its box runs, rendered now or taken from the
// cache, then its tail.
import type { ProductTail } from '../catalog/product-row.ts';
import type { Products } from '../catalog/read-batched.ts';
import { createGroupedBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import { DamagedBlock } from './packed-block.ts';
import { type PointRange, PriceWriter } from './price-writer.ts';
import { createRenderedRuns } from './rendered-runs.ts';
import { isIntact, isTailIntact, type Run, readRunsOf } from './runs.ts';
import type { Span } from './walk-observations.ts';

export type PricePoints = {
  /** The frame with the points in it, separated by commas. */
  json: Buffer;
  count: number;
};

/** The text of the response before and after the points. */
export type Frame = { before: string; after: string };

export type PriceHistories = ReturnType<typeof createPriceHistories>;

type Deps = { db: Database; products: Products; log: Log };

export function createPriceHistories(
  deps: Deps,
  renderedBytesMax: number = bounds.renderedRunsBytesMax,
) {
  const rendered = createRenderedRuns(renderedBytesMax);
  const runReads = createGroupedBatch<Span & { code: string }, Run[]>(deps.db, {
    keyOf: ({ code }) => code,
    name: 'run-reads',
    itemsMax: bounds.runReadsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 2,
    run: (spans) => readRunsOf(deps.db, 'box', spans),
  });

  const addRun = (writer: PriceWriter, run: Run, range: PointRange): void => {
    const isWhole =
      range.fromAtSeconds <= run.firstAtSeconds &&
      run.lastAtSeconds < range.toAtSeconds &&
      !range.changesOnly;
    const cached = isWhole ? rendered.get(run) : undefined;
    if (cached !== undefined) {
      writer.addBytes(cached.json, cached.count);
      return;
    }
    const { length, count } = writer;
    addIntactRun(deps.log, writer, run, range);
    if (isWhole) rendered.put(run, { json: writer.bytes(length), count: writer.count - count });
  };

  return {
    /** Reads the points of a range. `tail` is the product's tail, which the caller has read. */
    async read(code: string, tail: ProductTail, request: PointRange & Frame): Promise<PricePoints> {
      const { runsUntilSeconds } = tail;
      const { fromAtSeconds, toAtSeconds } = request;
      const runs =
        runsUntilSeconds === null || fromAtSeconds > runsUntilSeconds
          ? []
          : await runReads.add({ code, fromAtSeconds, toAtSeconds });
      const writer = writerFor(runs, tail, request);
      // If the tail was moved into runs after it was read, both contain its observations.
      const beforeTail = {
        ...request,
        toAtSeconds: Math.min(toAtSeconds, (runsUntilSeconds ?? -1) + 1),
      };
      for (const run of runs) {
        if (runsUntilSeconds === null || run.firstAtSeconds > runsUntilSeconds) break;
        addRun(writer, run, run.lastAtSeconds <= runsUntilSeconds ? request : beforeTail);
      }
      addIntactTail(deps.log, writer, { code, tail }, request);
      writer.dropComma();
      writer.addBytes(Buffer.from(request.after));
      return { json: writer.bytes(), count: writer.count };
    },
  };
}

/**
 * A writer whose buffer has room for the whole response, so that 2 MB are allocated and copied
 * once. An observation of the tail takes at least one byte, so its length bounds their number.
 */
function writerFor(runs: readonly Run[], tail: ProductTail, request: PointRange & Frame) {
  const before = Buffer.from(request.before);
  const observations = runs.reduce((sum, run) => sum + run.observations, tail.bytes.length);
  const writer = new PriceWriter(
    request.changesOnly ? 64 : observations,
    before.length + request.after.length,
  );
  writer.addBytes(before);
  return writer;
}

function addIntactRun(log: Log, writer: PriceWriter, run: Run, range: PointRange): void {
  const { code, stream, firstAtSeconds } = run;
  const key = { code, stream, firstAtSeconds };
  addBlock(log, writer, { key, bytes: run.packed, isIntact: isIntact(run) }, range);
}

function addIntactTail(
  log: Log,
  writer: PriceWriter,
  { code, tail }: { code: string; tail: ProductTail },
  range: PointRange,
): void {
  const key = { code, stream: 'tail' };
  addBlock(log, writer, { key, bytes: tail.bytes, isIntact: isTailIntact(tail) }, range);
}

/** Adds the points of a block. A damaged block is logged and skipped. */
function addBlock(
  log: Log,
  writer: PriceWriter,
  block: { key: object; bytes: Buffer; isIntact: boolean },
  range: PointRange,
): void {
  try {
    if (!block.isIntact) throw new DamagedBlock('its checksum differs');
    writer.addBlock(block.bytes, range);
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...block.key, reason: error.message }, 'damaged history block skipped');
  }
}
