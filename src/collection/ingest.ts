// Taking in snapshots written one to a line, in any number, age and order. Lines are gathered, so that the
// looks of one product are recorded together; what is recorded stays, and the same file again changes
// nothing.
import { LINE_BYTES_MAX, readSnapshotLine } from '../catalog/read-snapshot.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { DatabaseAway } from '../database/failure.ts';
import { type Clock, monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { readLines } from '../foundation/read-lines.ts';
import { flushIngested } from './count-ingested.ts';
import { heldOfIngested } from './judge-ingest.ts';
import { type IsolatedRecording, recordIsolated } from './record-isolated.ts';

/**
 * Lines gathered before they are recorded. They wait as bytes: as objects the same lines took 390 MB where
 * these take 50.
 */
const GATHERED_LINES_MAX = 40_000;
const GATHERED_BYTES_MAX = 16_000_000;
/** Lines recorded in one transaction (a product's are not divided), and how many transactions at once. */
const LINES_PER_TRANSACTION = 500;
const TRANSACTIONS_AT_ONCE = 2;
/** How long a part is repeated while the database is away. */
const DATABASE_AWAY_MAX_MS = 60_000;
/** Refusals named one by one; beyond, they are only counted. */
export const REFUSALS_NAMED_MAX = 1_000;

export type Refused = { line: number; reason: string };

export type Ingested = {
  lines: number;
  accepted: number;
  unchanged: number;
  /** Lines that empty a product as a failed crawl would: not recorded until a later one confirms it. */
  held: number;
  /** The first of them, with the reason. */
  heldLines: Refused[];
  /** The first of them. */
  refused: Refused[];
  refusedCount: number;
};

export type IngestDeps = { db: Database; clock: Clock; log: Log };

type Line = { number: number; bytes: Buffer };

/**
 * Reads to the end of the input and records what is sound. `onProgress` is called after each part that is
 * recorded for good. When the input breaks off, what came before is recorded and the error thrown.
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
  let tooLong: Refused[] = [];
  let recording: Promise<void> = Promise.resolve();
  /** One part is recorded while the next is read. */
  const hand = async () => {
    const part = { lines: gathered, refused: tooLong };
    gathered = [];
    gatheredBytes = 0;
    tooLong = [];
    await recording;
    recording = recordPart(deps, part, result).then(() => onProgress(result));
    recording.catch(() => {}); // thrown where it is awaited
  };
  const read = async () => {
    let number = 0;
    for await (const bytes of readLines(chunks, LINE_BYTES_MAX)) {
      number++;
      if (bytes === null) tooLong.push({ line: number, reason: TOO_LONG });
      else if (!isBlank(bytes)) {
        gathered.push({ number, bytes });
        gatheredBytes += bytes.length;
      }
      if (gathered.length >= GATHERED_LINES_MAX || gatheredBytes >= GATHERED_BYTES_MAX) {
        await hand();
      }
    }
  };
  try {
    await read();
  } finally {
    await hand();
    await recording;
  }
  // Of lines sent one by one they are counted with the next.
  if (result.lines > 1) await whenThere(deps, result.lines, () => flushIngested(deps));
  return result;
}

const TOO_LONG = `the line is longer than ${LINE_BYTES_MAX} bytes`;

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x0d);

async function recordPart(
  deps: IngestDeps,
  part: { lines: Line[]; refused: Refused[] },
  result: Ingested,
): Promise<void> {
  const refused = part.refused;
  const heldLines: Refused[] = [];
  result.lines += part.lines.length + refused.length;
  const cuts = cutByProduct(part.lines);
  const worker = async () => {
    for (let cut = cuts.pop(); cut !== undefined; cut = cuts.pop()) {
      const lineOf = readCut(cut, deps.clock.nowMs(), refused);
      const held = await whenThere(deps, lineOf.size, () =>
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
      for (const one of failed.refused) refuse(one.snapshot, `cannot be stored: ${one.reason}`);
      for (const snapshot of failed.left) refuse(snapshot, LOCKED);
    }
  };
  await Promise.all(Array.from({ length: TRANSACTIONS_AT_ONCE }, worker));
  result.refusedCount += refused.length;
  result.held += heldLines.length;
  nameFirst(result.refused, refused);
  nameFirst(result.heldLines, heldLines);
}

function nameFirst(named: Refused[], more: Refused[]): void {
  more.sort((a, b) => a.line - b.line);
  named.push(...more.slice(0, REFUSALS_NAMED_MAX - named.length));
}

/**
 * A database that is away for a while does not end what may have run for hours. Recording the same again changes
 * nothing, so that also a commit whose outcome is not known is simply repeated.
 */
async function whenThere<T>(deps: IngestDeps, lines: number, act: () => Promise<T>): Promise<T> {
  const giveUpMs = monotonicMs() + DATABASE_AWAY_MAX_MS;
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof DatabaseAway) || monotonicMs() + waitMs > giveUpMs) throw error;
      deps.log.warn({ reason: String(error), lines }, 'ingest repeats a part');
      await sleepMs(waitMs);
    }
  }
}

const recordWhenThere = (deps: IngestDeps, snapshots: readonly Snapshot[]) =>
  whenThere(deps, snapshots.length, () => recordIsolated(deps, snapshots, { loop: 'ingest' }));

const LOCKED = 'the product is locked by another session at the moment; send the line again';

/** Products that somebody keeps locked are tried once more after all others. */
async function recordPatiently(
  deps: IngestDeps,
  snapshots: readonly Snapshot[],
): Promise<IsolatedRecording> {
  const first = await recordWhenThere(deps, snapshots);
  if (first.left.length === 0) return first;
  const again = await recordWhenThere(deps, first.left);
  return {
    recorded: [...first.recorded, ...again.recorded],
    refused: [...first.refused, ...again.refused],
    left: again.left,
  };
}

/** The sound ones, each with the number of its line. */
function readCut(cut: readonly Line[], now: number, refused: Refused[]): Map<Snapshot, number> {
  const snapshots = new Map<Snapshot, number>();
  for (const { number, bytes } of cut) {
    const read = readSnapshotLine(bytes, now);
    if ('refused' in read) refused.push({ line: number, reason: read.refused });
    else snapshots.set(read.snapshot, number);
  }
  return snapshots;
}

/** Lines of one product together, so that its row is written once for all of them. */
function cutByProduct(lines: readonly Line[]): Line[][] {
  const cuts: Line[][] = [];
  for (const ofOne of Map.groupBy(lines, likelyCode).values()) {
    const last = cuts.at(-1);
    if (last !== undefined && last.length < LINES_PER_TRANSACTION) last.push(...ofOne);
    else cuts.push(ofOne);
  }
  return cuts;
}

const CODE_MEMBER = Buffer.from('"retailer_product_code":"');

/** The code as most write it, without reading the line. Where this is wrong, only time is lost. */
function likelyCode({ bytes }: Line): string {
  const from = bytes.indexOf(CODE_MEMBER) + CODE_MEMBER.length;
  return bytes.toString('latin1', from, bytes.indexOf(0x22, from));
}
