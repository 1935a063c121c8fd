// The buybox price history of a product as JSON bytes: its box runs, rendered now or taken from the
// cache, then its tail.
import type { ProductTail } from '../catalog/product-row.ts';
import type { Products } from '../catalog/read-batched.ts';
import { createGroupedBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import {
  type EncodedPart,
  encodePart,
  joinParts,
  type PartEncoding,
} from '../foundation/compression.ts';
import type { Log } from '../foundation/log.ts';
import { createEncodedRuns, type EncodedRun } from './encoded-runs.ts';
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

/** The same, compressed. */
export type EncodedPoints = {
  bytes: Buffer;
  count: number;
  /** What the points were read from: the same bytes give the same points. */
  version: Buffer;
};

/** The text of the response before and after the points. */
export type Frame = { before: string; after: string };

export type PriceHistories = ReturnType<typeof createPriceHistories>;

type Deps = { db: Database; products: Products; log: Log };

export function createPriceHistories(
  deps: Deps,
  renderedBytesMax: number = bounds.renderedRunsBytesMax,
  encodedBytesMax: number = Math.min(renderedBytesMax, bounds.encodedRunsBytesMax),
) {
  const rendered = createRenderedRuns(renderedBytesMax);
  const encodedRuns = createEncodedRuns(encodedBytesMax);
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
    const isKept = isWhole(run, range) && !range.changesOnly;
    const cached = isKept ? rendered.get(run) : undefined;
    if (cached !== undefined) {
      writer.addBytes(cached.json, cached.count);
      return;
    }
    const { length, count } = writer;
    addIntactRun(deps.log, writer, run, range);
    if (isKept) rendered.put(run, { json: writer.bytes(length), count: writer.count - count });
  };

  const readRuns = (code: string, tail: ProductTail, request: PointRange) => {
    const { runsUntilSeconds } = tail;
    const { fromAtSeconds, toAtSeconds } = request;
    if (runsUntilSeconds === null || fromAtSeconds > runsUntilSeconds) return [];
    return runReads.add({ code, fromAtSeconds, toAtSeconds });
  };

  /** The points of a run, after a comma if others precede them. */
  const encodeRun = (
    run: Run,
    range: PointRange,
    { encoding, isFirst }: { encoding: PartEncoding; isFirst: boolean },
  ): EncodedRun => {
    const render = () => {
      const writer = new PriceWriter(run.observations, 1);
      addIntactRun(deps.log, writer, run, range);
      return withComma(writer, isFirst);
    };
    if (isWhole(run, range)) {
      return encodedRuns.get({ run, encoding, variant: isFirst ? 'first' : 'later' }, render);
    }
    const { json, count } = render();
    return { ...encodePart(json, encoding), count };
  };

  return {
    /**
     * Reads the points of a range, compressed. Parts of the runs are taken from the cache, so that
     * only the tail is compressed. Null if there are no runs: then the response is short.
     */
    async readEncoded(
      code: string,
      tail: ProductTail,
      request: PointRange & Frame & { encoding: PartEncoding },
    ): Promise<EncodedPoints | null> {
      // A run may begin with the price that the one before ends with.
      if (request.changesOnly) return null;
      const { encoding } = request;
      const runs = (await readRuns(code, tail, request)).filter(
        (run) => run.firstAtSeconds <= (tail.runsUntilSeconds ?? -1),
      );
      if (runs.length === 0) return null;
      const parts: EncodedPart[] = [encodePart(Buffer.from(request.before), encoding)];
      let count = 0;
      for (const run of runs) {
        const isFirst = count === 0;
        const part = encodeRun(run, rangeOfRun(run, tail, request), { encoding, isFirst });
        if (part.count > 0) parts.push(part);
        count += part.count;
      }
      const writer = new PriceWriter(tail.bytes.length, request.after.length + 1);
      addIntactTail(deps.log, writer, { code, tail }, request);
      const last = withComma(writer, count === 0);
      parts.push(encodePart(Buffer.concat([last.json, Buffer.from(request.after)]), encoding));
      const { fromAtSeconds, toAtSeconds, before, after } = request;
      const text = Buffer.from(`${fromAtSeconds} ${toAtSeconds} ${before} ${after} `);
      return {
        bytes: joinParts(parts, encoding),
        count: count + last.count,
        version: Buffer.concat([text, ...runs.map((run) => run.packed), tail.bytes]),
      };
    },

    /** Reads the points of a range. `tail` is the product's tail, which the caller has read. */
    async read(code: string, tail: ProductTail, request: PointRange & Frame): Promise<PricePoints> {
      const runs = await readRuns(code, tail, request);
      const writer = writerFor(runs, tail, request);
      for (const run of runs) {
        if (run.firstAtSeconds > (tail.runsUntilSeconds ?? -1)) break;
        addRun(writer, run, rangeOfRun(run, tail, request));
      }
      addIntactTail(deps.log, writer, { code, tail }, request);
      writer.dropComma();
      writer.addBytes(Buffer.from(request.after));
      return { json: writer.bytes(), count: writer.count };
    },
  };
}

const isWhole = (run: Run, range: PointRange) =>
  range.fromAtSeconds <= run.firstAtSeconds && run.lastAtSeconds < range.toAtSeconds;

/** If the tail was moved into runs after it was read, both contain its observations. */
function rangeOfRun(run: Run, tail: ProductTail, range: PointRange): PointRange {
  const untilSeconds = tail.runsUntilSeconds ?? -1;
  if (run.lastAtSeconds <= untilSeconds) return range;
  return { ...range, toAtSeconds: Math.min(range.toAtSeconds, untilSeconds + 1) };
}

/** The points of a writer, after a comma unless they are the first. */
function withComma(writer: PriceWriter, isFirst: boolean): { json: Buffer; count: number } {
  const { count } = writer;
  writer.dropComma();
  const json = writer.bytes();
  return { json: isFirst || count === 0 ? json : Buffer.concat([COMMA, json]), count };
}

const COMMA = Buffer.from(',');

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
