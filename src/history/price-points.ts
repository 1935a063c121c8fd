// The buybox price history of a product as bytes of JSON: its box runs, rendered or from the cache of
// rendered runs, then its tail.
import type { ProductTail } from '../catalog/product-row.ts';
import type { Products } from '../catalog/products.ts';
import { createBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import { DamagedBlock } from './packed-block.ts';
import { type PointRange, PriceWriter } from './price-writer.ts';
import { createRenderedRuns } from './rendered-runs.ts';
import { checksumOf, isIntact, type Run, readRunsOf } from './runs.ts';

export type PricePoints = {
  /** Points with commas between them, in their frame. */
  json: Buffer;
  count: number;
};

/** What comes before and after the points in the answer. */
export type Frame = { before: string; after: string };

export type PriceHistories = {
  read(code: string, tail: ProductTail, asked: PointRange & Frame): Promise<PricePoints>;
};

type Deps = { db: Database; products: Products; log: Log };

export function createPriceHistories(
  deps: Deps,
  renderedBytesMax: number = bounds.renderedRunsBytesMax,
): PriceHistories {
  const rendered = createRenderedRuns(renderedBytesMax);
  const runs = createBatch<{ code: string; fromAtSeconds: number; toAtSeconds: number }, Run[]>({
    name: 'run-reads',
    itemsMax: bounds.runReadsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 2,
    run: (asked) => readRunsOf(deps.db, 'box', asked),
  });

  const addRun = (writer: PriceWriter, run: Run, range: PointRange): void => {
    const isWhole =
      range.fromAtSeconds <= run.firstAtSeconds &&
      run.lastAtSeconds < range.toAtSeconds &&
      !range.changesOnly;
    const known = isWhole ? rendered.get(run) : undefined;
    if (known !== undefined) {
      writer.addBytes(known.json, known.count);
      return;
    }
    const { length, count } = writer;
    addSound(deps.log, writer, run, range);
    if (isWhole) rendered.put(run, { json: writer.bytes(length), count: writer.count - count });
  };

  return {
    async read(code, tail, asked) {
      const { runsUntilSeconds } = tail;
      const older =
        runsUntilSeconds === null || asked.fromAtSeconds > runsUntilSeconds
          ? []
          : await runs.add({
              code,
              fromAtSeconds: asked.fromAtSeconds,
              toAtSeconds: asked.toAtSeconds,
            });
      const writer = writerFor(older, tail, asked);
      // The tail was read before the runs: moved into them meanwhile, its looks would be there as well.
      const untilTail = {
        ...asked,
        toAtSeconds: Math.min(asked.toAtSeconds, (runsUntilSeconds ?? -1) + 1),
      };
      for (const run of older) {
        if (runsUntilSeconds === null || run.firstAtSeconds > runsUntilSeconds) break;
        addRun(writer, run, run.lastAtSeconds <= runsUntilSeconds ? asked : untilTail);
      }
      addSoundTail(deps.log, writer, { code, tail }, asked);
      writer.dropComma();
      writer.addBytes(Buffer.from(asked.after));
      return { json: writer.bytes(), count: writer.count };
    },
  };
}

/**
 * All of an answer is written into one buffer, so that 2 MB of it are allocated and copied once. Every look takes a byte
 * of the tail at least.
 */
function writerFor(older: readonly Run[], tail: ProductTail, asked: PointRange & Frame) {
  const before = Buffer.from(asked.before);
  const observations = older.reduce((sum, run) => sum + run.observations, tail.bytes.length);
  const writer = new PriceWriter(
    asked.changesOnly ? 64 : observations,
    before.length + asked.after.length,
  );
  writer.addBytes(before);
  return writer;
}

function addSound(log: Log, writer: PriceWriter, run: Run, range: PointRange): void {
  const { code, stream, firstAtSeconds } = run;
  addBlock(
    log,
    writer,
    { key: { code, stream, firstAtSeconds }, bytes: run.packed, sound: isIntact(run) },
    range,
  );
}

function addSoundTail(
  log: Log,
  writer: PriceWriter,
  { code, tail }: { code: string; tail: ProductTail },
  range: PointRange,
): void {
  const sound = checksumOf(tail.bytes) === tail.checksum;
  addBlock(log, writer, { key: { code, stream: 'tail' }, bytes: tail.bytes, sound }, range);
}

/** Damage is reported and left out. */
function addBlock(
  log: Log,
  writer: PriceWriter,
  block: { key: object; bytes: Buffer; sound: boolean },
  range: PointRange,
): void {
  try {
    if (!block.sound) throw new DamagedBlock('its checksum differs');
    writer.addBlock(block.bytes, range);
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...block.key, reason: error.message }, 'packed history is damaged and left out');
  }
}
