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
import { checksumOf, isSound, type Run, readRunsOf } from './runs.ts';

export type PricePoints = {
  /** Points with commas between them, without the brackets around. */
  json: Buffer;
  count: number;
};

export type PriceHistories = {
  read(code: string, tail: ProductTail, range: PointRange): Promise<PricePoints>;
};

type Deps = { db: Database; products: Products; log: Log };

type Part = { json: Buffer; count: number };

export function createPriceHistories(
  deps: Deps,
  renderedBytesMax: number = bounds.renderedRunsBytesMax,
): PriceHistories {
  const rendered = createRenderedRuns(renderedBytesMax);
  const runs = createBatch<{ code: string; fromAt: number; toAt: number }, Run[]>({
    name: 'run reads',
    itemsMax: bounds.runReadsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 2,
    run: (asked) => readRunsOf(deps.db, 'box', asked),
  });

  const renderRun = (run: Run, range: PointRange): Part => {
    const isWhole = range.fromAt <= run.firstAt && run.lastAt < range.toAt && !range.changesOnly;
    const known = isWhole ? rendered.get(run) : undefined;
    if (known !== undefined) return known;
    const writer = new PriceWriter(run.looks);
    addSound(deps.log, writer, run, range);
    const part = { json: writer.bytes(), count: writer.count };
    if (isWhole) rendered.put(run, part);
    return part;
  };

  return {
    async read(code, tail, range) {
      const older =
        tail.runsUntil === null || range.fromAt > tail.runsUntil
          ? []
          : await runs.add({ code, fromAt: range.fromAt, toAt: range.toAt });
      if (range.changesOnly) return changesOf(deps.log, { code, older, tail }, range);
      // Read before the runs: moved into them meanwhile, its looks would be there as well.
      const parts = older
        .filter((run) => tail.runsUntil !== null && run.firstAt <= tail.runsUntil)
        .map((run) =>
          run.lastAt <= (tail.runsUntil as number)
            ? renderRun(run, range)
            : renderRun(run, {
                ...range,
                toAt: Math.min(range.toAt, (tail.runsUntil as number) + 1),
              }),
        );
      parts.push(renderTail(deps.log, { code, tail }, range));
      return joined(parts);
    },
  };
}

/** One behind the other: a price is compared with the last one before, in whichever block that was. */
function changesOf(
  log: Log,
  { code, older, tail }: { code: string; older: readonly Run[]; tail: ProductTail },
  range: PointRange,
): PricePoints {
  const writer = new PriceWriter(64);
  const untilTail = { ...range, toAt: Math.min(range.toAt, (tail.runsUntil ?? -1) + 1) };
  for (const run of older) addSound(log, writer, run, untilTail);
  addSoundTail(log, writer, { code, tail }, range);
  return joined([{ json: writer.bytes(), count: writer.count }]);
}

function renderTail(log: Log, own: { code: string; tail: ProductTail }, range: PointRange): Part {
  const writer = new PriceWriter(own.tail.bytes.length === 0 ? 0 : 64);
  addSoundTail(log, writer, own, range);
  return { json: writer.bytes(), count: writer.count };
}

function addSound(log: Log, writer: PriceWriter, run: Run, range: PointRange): void {
  const { code, stream, firstAt } = run;
  addBlock(
    log,
    writer,
    { key: { code, stream, firstAt }, bytes: run.packed, sound: isSound(run) },
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

/** Every point ends with a comma: the last one's goes. */
function joined(parts: readonly Part[]): PricePoints {
  let [count, bytes] = [0, 0];
  for (const part of parts) {
    count += part.count;
    bytes += part.json.length;
  }
  const json = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const part of parts) at += part.json.copy(json, at);
  return { json: json.subarray(0, Math.max(0, bytes - 1)), count };
}
