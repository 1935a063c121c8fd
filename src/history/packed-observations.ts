// Packs observations into blocks and runs, and unpacks them. packed-block describes the format.
import { DAY_SECONDS } from '../foundation/time.ts';
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

/** Packs ascending observations into one block. */
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

/**
 * Packs ascending observations into blocks of at most `bytesMax`, unless a single one is larger.
 */
export function packRuns(observations: readonly Observation[], bytesMax: number): PackedRun[] {
  const runs: PackedRun[] = [];
  const stepSeconds = usualStepSeconds(observations);
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
 * Packs like packRuns, but spreads the observations evenly, so that late observations that arrive
 * one by one do not leave a nearly empty run each.
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
 * The bytes to append to a block so that it also holds these newer observations. `end` is a cursor
 * at the end of the block. An empty block uses the expected step unless the observations show
 * another.
 */
export function packAppended(
  end: PackedCursor,
  observations: readonly Observation[],
  expectedStepSeconds: number,
): Buffer {
  const firstAtSeconds = observations[0]?.atSeconds ?? 0;
  const stepSeconds =
    usualStepSeconds(observations) || Math.max(0, Math.min(expectedStepSeconds, STEP_SECONDS_MAX));
  const writer = new PackedWriter(
    end.state,
    end.count > 0 ? null : { firstAtSeconds, stepSeconds },
  );
  for (const observation of observations) writer.add(observation);
  return writer.bytes();
}

const STEP_SECONDS_MAX = 400 * DAY_SECONDS;

/**
 * The median of the first steps, which most steps are close to; 0 with fewer than two observations.
 */
function usualStepSeconds(observations: readonly Observation[]): number {
  const steps: number[] = [];
  for (let index = 1; index < observations.length && index < 64; index++) {
    steps.push(
      (observations[index] as Observation).atSeconds -
        (observations[index - 1] as Observation).atSeconds,
    );
  }
  steps.sort((a, b) => a - b);
  return Math.min(steps[steps.length >> 1] ?? 0, STEP_SECONDS_MAX);
}
