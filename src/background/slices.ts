// Long work beside short requests: done in slices, with a turn for everybody else between them, and only so many such
// works at once.
import { setImmediate as othersTurn } from 'node:timers/promises';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';

const SLICE_MS = 5;

/** To be awaited after every step of the work: gives way when its slice is over. */
export type Pause = () => Promise<void> | undefined;

export function createPause(): Pause {
  let endMs = monotonicMs() + SLICE_MS;
  return () => {
    if (monotonicMs() < endMs) return undefined;
    return othersTurn().then(() => {
      endMs = monotonicMs() + SLICE_MS;
    });
  };
}

/** A computation that can be left after each of its steps. */
export type Steps<T> = Generator<void, T, void>;

/** All steps in one go: where nobody waits. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, with a turn for others between slices. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const pause = createPause();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** Does a work when fewer than so many are under way; some more wait in the order in which they came. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(atOnceMax: number, waitingMax: number): Gate {
  const waiting: (() => void)[] = [];
  let free = atOnceMax;
  return async (work) => {
    if (free > 0) free -= 1;
    else if (waiting.length >= waitingMax) {
      throw new Problem('overloaded', 'Too many wait for this already.');
    } else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
