// Packs looks into blocks and runs of blocks, and back; how a block is written is packed-block's.
import type { Observation } from './observation.ts';
import { startState } from './packed-block.ts';
import { PackedCursor } from './packed-cursor.ts';
import { PackedWriter } from './packed-writer.ts';

export function unpackObservations(bytes: Uint8Array): Observation[] {
  const cursor = new PackedCursor(bytes);
  const observations: Observation[] = [];
  while (cursor.next()) observations.push(cursor.observation());
  return observations;
}

/** One block of looks, ascending by time. */
export function packObservations(observations: readonly Observation[]): Buffer {
  const [packed] = packRuns(observations, Number.POSITIVE_INFINITY);
  return packed?.bytes ?? Buffer.alloc(0);
}

export type PackedRun = {
  bytes: Buffer;
  firstAtSeconds: number;
  lastAtSeconds: number;
  count: number;
};

/** Blocks of at most so many bytes each (more only where a single look is larger). */
export function packRuns(observations: readonly Observation[], bytesMax: number): PackedRun[] {
  const runs: PackedRun[] = [];
  const stepSeconds = usualStep(observations);
  let writer: PackedWriter | undefined;
  let firstAtSeconds = 0;
  let count = 0;
  let lastAtSeconds = 0;
  const close = () => {
    if (writer !== undefined)
      runs.push({ bytes: writer.bytes(), firstAtSeconds, lastAtSeconds, count });
  };
  for (const observation of observations) {
    if (writer === undefined || !writer.addWithin(bytesMax, observation)) {
      close();
      writer = new PackedWriter(startState(), {
        firstAtSeconds: observation.atSeconds,
        stepSeconds,
      });
      firstAtSeconds = observation.atSeconds;
      count = 0;
      writer.add(observation);
    }
    count++;
    lastAtSeconds = observation.atSeconds;
  }
  close();
  return runs;
}

/**
 * The same where looks were put in between: no run is left nearly empty, so that late looks that come one
 * by one do not leave a run each.
 */
export function packEvenRuns(observations: readonly Observation[], bytesMax: number): PackedRun[] {
  const greedy = packRuns(observations, bytesMax);
  const perRun = Math.ceil(observations.length / greedy.length);
  if (greedy.length < 2) return greedy;
  return greedy.flatMap((_, index) =>
    packRuns(observations.slice(index * perRun, (index + 1) * perRun), bytesMax),
  );
}

/**
 * What to write behind a block, given a cursor at its end, so that it holds these looks as well; they are
 * newer than all in it. A block that begins with them takes the expected step, if there is one.
 */
export function packAppended(
  end: PackedCursor,
  observations: readonly Observation[],
  expectedStepSeconds: number,
): Buffer {
  const firstAtSeconds = observations[0]?.atSeconds ?? 0;
  const stepSeconds =
    usualStep(observations) || Math.max(0, Math.min(expectedStepSeconds, STEP_MAX));
  const writer = new PackedWriter(
    end.state,
    end.count > 0 ? null : { firstAtSeconds, stepSeconds },
  );
  for (const observation of observations) writer.add(observation);
  return writer.bytes();
}

const STEP_MAX = 400 * 86_400;

/** The middle one of the first differences: what most looks will be near to. */
function usualStep(observations: readonly Observation[]): number {
  const steps: number[] = [];
  for (let index = 1; index < observations.length && index < 64; index++) {
    steps.push(
      (observations[index] as Observation).atSeconds -
        (observations[index - 1] as Observation).atSeconds,
    );
  }
  steps.sort((a, b) => a - b);
  return Math.min(steps[steps.length >> 1] ?? 0, STEP_MAX);
}
