// Ingests snapshots, one per line, in any number, age and order. Lines are gathered so that the
// snapshots of one product are recorded together. Recorded lines stay recorded, and the same input
// again changes nothing.
import { LINE_BYTES_MAX, readSnapshotLine } from '../catalog/read-snapshot.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { DatabaseAway } from '../database/failure.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { readLines } from '../foundation/read-lines.ts';
import { MINUTE_MS, SECOND_MS } from '../foundation/time.ts';
import { flushIngested } from './count-ingested.ts';
import { heldOfIngested } from './judge-ingest.ts';
import { type IsolatedRecording, recordIsolated } from './record-isolated.ts';

/** Lines per transaction (a product's lines are not divided), and concurrent transactions. */
const LINES_PER_TRANSACTION = 500;
const TRANSACTIONS_MAX = 2;
/** How long a part is repeated while the database is unavailable, and the longest wait between. */
const DATABASE_AWAY_MAX_MS = MINUTE_MS;
const RETRY_WAIT_MAX_MS = 5 * SECOND_MS;

export type ListedLine = { line: number; reason: string };

export type Ingested = {
  lines: number;
  accepted: number;
  unchanged: number;
  /**
   * Lines that empty a product as a failed crawl would: not recorded until a later one confirms.
   */
  held: number;
  /** The first held lines, with the reason. */
  heldLines: ListedLine[];
  /** The first refused lines, with the reason. */
  refused: ListedLine[];
  refusedCount: number;
};

export type IngestDeps = { db: Database; clock: Clock; log: Log };

/** Lines wait as bytes: as objects the same lines took 390 MB instead of 50. */
type Line = { number: number; bytes: Buffer };

/**
 * Reads the input to its end and records the valid lines. `onProgress` is called after each part
 * that is committed. When the input breaks off, the lines before are recorded and the error is
 * thrown.
 */
export async function ingest(
  deps: IngestDeps,
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (soFar: Ingested) => void = () => {},
): Promise<Ingested> {
  const result: Ingested = {
    lines: 0,
    accepted: 0,
    unchanged: 0,
    held: 0,
    heldLines: [],
    refused: [],
    refusedCount: 0,
  };
  let gathered: Line[] = [];
  let gatheredBytes = 0;
  let tooLong: ListedLine[] = [];
  let recording: Promise<void> = Promise.resolve();
  /** Records the gathered lines while the next ones are read. */
  const startRecording = async () => {
    const part = { lines: gathered, refused: tooLong };
    gathered = [];
    gatheredBytes = 0;
    tooLong = [];
    await recording;
    recording = recordPart(deps, part, result).then(() => onProgress(result));
    recording.catch(() => {}); // thrown where it is awaited
  };
  const isFull = () =>
    gathered.length >= bounds.ingestGatheredLinesMax ||
    gatheredBytes >= bounds.ingestGatheredBytesMax;
  const read = async () => {
    let number = 0;
    for await (const bytes of readLines(chunks, LINE_BYTES_MAX)) {
      number++;
      if (bytes === null) tooLong.push({ line: number, reason: TOO_LONG });
      else if (!isBlank(bytes)) {
        gathered.push({ number, bytes });
        gatheredBytes += bytes.length;
      }
      if (isFull()) await startRecording();
    }
  };
  try {
    await read();
  } finally {
    await startRecording();
    await recording;
  }
  // Tallies of lines sent one by one are written with later ones.
  if (result.lines > 1) await retryWhileAway(deps, result.lines, () => flushIngested(deps));
  return result;
}

const TOO_LONG = `the line is longer than ${LINE_BYTES_MAX} bytes`;

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x0d);

async function recordPart(
  deps: IngestDeps,
  part: { lines: Line[]; refused: ListedLine[] },
  result: Ingested,
): Promise<void> {
  const refused = part.refused;
  const heldLines: ListedLine[] = [];
  result.lines += part.lines.length + refused.length;
  const batches = batchByProduct(deps.db, part.lines);
  const worker = async () => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const lineOf = readBatch(batch, deps.clock.nowMs(), refused);
      const held = await retryWhileAway(deps, lineOf.size, () =>
        heldOfIngested(deps, [...lineOf.keys()]),
      );
      for (const [snapshot, reason] of held) {
        heldLines.push({ line: lineOf.get(snapshot) as number, reason });
      }
      const believed = [...lineOf.keys()].filter((snapshot) => !held.has(snapshot));
      const { recorded, ...failed } = await recordPatiently(deps, believed);
      for (const { accepted, unchanged } of recorded) {
        result.accepted += accepted;
        result.unchanged += unchanged;
      }
      const refuse = (snapshot: Snapshot, reason: string) =>
        refused.push({ line: lineOf.get(snapshot) as number, reason });
      for (const { snapshot, reason } of failed.refused) {
        refuse(snapshot, `cannot be stored: ${reason}`);
      }
      for (const snapshot of failed.left) refuse(snapshot, LOCKED);
    }
  };
  await Promise.all(Array.from({ length: TRANSACTIONS_MAX }, worker));
  result.refusedCount += refused.length;
  result.held += heldLines.length;
  listFirst(result.refused, refused);
  listFirst(result.heldLines, heldLines);
}

function listFirst(listed: ListedLine[], more: ListedLine[]): void {
  more.sort((a, b) => a.line - b.line);
  listed.push(...more.slice(0, bounds.ingestListedLinesMax - listed.length));
}

/**
 * Repeats an act while the database is unavailable, so that an input that may have run for hours
 * does not fail. Recording is idempotent, so a commit with an unknown outcome is simply repeated.
 */
async function retryWhileAway<T>(
  deps: IngestDeps,
  lines: number,
  act: () => Promise<T>,
): Promise<T> {
  const giveUpMs = monotonicMs() + DATABASE_AWAY_MAX_MS;
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, RETRY_WAIT_MAX_MS)) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof DatabaseAway) || monotonicMs() + waitMs > giveUpMs) throw error;
      deps.log.warn({ reason: String(error), lines }, 'ingest repeats a part');
      await sleepMs(waitMs);
    }
  }
}

const recordOnce = (deps: IngestDeps, snapshots: readonly Snapshot[]) =>
  retryWhileAway(deps, snapshots.length, () => recordIsolated(deps, snapshots, { loop: 'ingest' }));

const LOCKED = 'the product is locked by another session at the moment; send the line again';

/** Records locked products once more after all others. */
async function recordPatiently(
  deps: IngestDeps,
  snapshots: readonly Snapshot[],
): Promise<IsolatedRecording> {
  const first = await recordOnce(deps, snapshots);
  if (first.left.length === 0) return first;
  const second = await recordOnce(deps, first.left);
  return {
    recorded: [...first.recorded, ...second.recorded],
    refused: [...first.refused, ...second.refused],
    left: second.left,
  };
}

/** Returns the valid snapshots, each with its line number; adds the others to `refused`. */
function readBatch(
  batch: readonly Line[],
  nowMs: number,
  refused: ListedLine[],
): Map<Snapshot, number> {
  const snapshots = new Map<Snapshot, number>();
  for (const { number, bytes } of batch) {
    const read = readSnapshotLine(bytes, nowMs);
    if ('refused' in read) refused.push({ line: number, reason: read.refused });
    else snapshots.set(read.snapshot, number);
  }
  return snapshots;
}

/**
 * Keeps the lines of one product together, so that its row is written once. A batch is judged as a
 * whole and recorded with one transaction for each lane group.
 */
function batchByProduct({ groups }: Database, lines: readonly Line[]): Line[][] {
  const linesMax = LINES_PER_TRANSACTION * groups.count();
  const batches: Line[][] = [];
  for (const ofProduct of Map.groupBy(lines, likelyCode).values()) {
    const last = batches.at(-1);
    if (last !== undefined && last.length < linesMax) last.push(...ofProduct);
    else batches.push(ofProduct);
  }
  return batches;
}

const CODE_MEMBER = Buffer.from('"retailer_product_code":"');

/** Guesses the code without parsing the line. A wrong guess only costs time. */
function likelyCode({ bytes }: Line): string {
  const from = bytes.indexOf(CODE_MEMBER) + CODE_MEMBER.length;
  return bytes.toString('latin1', from, bytes.indexOf(0x22, from));
}
