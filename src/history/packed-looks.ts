// Packs looks into blocks and runs of blocks, and back; how a block is written is packed-block's.
import type { Look } from './look.ts';
import { startState } from './packed-block.ts';
import { PackedCursor } from './packed-cursor.ts';
import { PackedWriter } from './packed-writer.ts';

export function unpackLooks(bytes: Uint8Array): Look[] {
  const cursor = new PackedCursor(bytes);
  const looks: Look[] = [];
  while (cursor.next()) looks.push(cursor.look());
  return looks;
}

/** One block of looks, ascending by time. */
export function packLooks(looks: readonly Look[]): Buffer {
  const [packed] = packRuns(looks, Number.POSITIVE_INFINITY);
  return packed?.bytes ?? Buffer.alloc(0);
}

export type PackedRun = { bytes: Buffer; firstAt: number; lastAt: number; count: number };

/** Blocks of at most so many bytes each (more only where a single look is larger). */
export function packRuns(looks: readonly Look[], bytesMax: number): PackedRun[] {
  const runs: PackedRun[] = [];
  const stepSeconds = usualStep(looks);
  let writer: PackedWriter | undefined;
  let firstAt = 0;
  let count = 0;
  let lastAt = 0;
  const close = () => {
    if (writer !== undefined) runs.push({ bytes: writer.bytes(), firstAt, lastAt, count });
  };
  for (const look of looks) {
    if (writer === undefined || !writer.addWithin(bytesMax, look)) {
      close();
      writer = new PackedWriter(startState(), { firstAt: look.atSeconds, stepSeconds });
      firstAt = look.atSeconds;
      count = 0;
      writer.add(look);
    }
    count++;
    lastAt = look.atSeconds;
  }
  close();
  return runs;
}

/**
 * The same where looks were put in between: no run is left nearly empty, so that late looks that come one
 * by one do not leave a run each.
 */
export function packEvenRuns(looks: readonly Look[], bytesMax: number): PackedRun[] {
  const greedy = packRuns(looks, bytesMax);
  const perRun = Math.ceil(looks.length / greedy.length);
  if (greedy.length < 2) return greedy;
  return greedy.flatMap((_, index) =>
    packRuns(looks.slice(index * perRun, (index + 1) * perRun), bytesMax),
  );
}

/**
 * What to write behind a block, given a cursor at its end, so that it holds these looks as well; they are
 * newer than all in it. A block that begins with them takes the expected step, if there is one.
 */
export function packBehind(
  end: PackedCursor,
  looks: readonly Look[],
  expectedStepSeconds: number,
): Buffer {
  const firstAt = looks[0]?.atSeconds ?? 0;
  const stepSeconds = usualStep(looks) || Math.max(0, Math.min(expectedStepSeconds, STEP_MAX));
  const writer = new PackedWriter(end.state, end.count > 0 ? null : { firstAt, stepSeconds });
  for (const look of looks) writer.add(look);
  return writer.bytes();
}

const STEP_MAX = 400 * 86_400;

/** The middle one of the first differences: what most looks will be near to. */
function usualStep(looks: readonly Look[]): number {
  const steps: number[] = [];
  for (let index = 1; index < looks.length && index < 64; index++) {
    steps.push((looks[index] as Look).atSeconds - (looks[index - 1] as Look).atSeconds);
  }
  steps.sort((a, b) => a - b);
  return Math.min(steps[steps.length >> 1] ?? 0, STEP_MAX);
}
