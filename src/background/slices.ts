// Runs long work next to short requests: in slices that yield to the event loop, and only so many
// at once.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';

const SLICE_MS = 5;

/** Await after every step of the work; yields when the slice is used up. */
export type Pause = () => Promise<void> | undefined;

export function createPause(): Pause {
  let endMs = monotonicMs() + SLICE_MS;
  return () => {
    if (monotonicMs() < endMs) return undefined;
    return yieldToOthers().then(() => {
      endMs = monotonicMs() + SLICE_MS;
    });
  };
}

/** A computation that can pause after each step. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps at once, where nothing else waits. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs all steps, yielding between slices. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const pause = createPause();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** Runs work while fewer than `atOnceMax` run; up to `waitingMax` more wait in order. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(atOnceMax: number, waitingMax: number): Gate {
  const waiting: (() => void)[] = [];
  let free = atOnceMax;
  return async (work) => {
    if (free > 0) free -= 1;
    else if (waiting.length >= waitingMax) {
      throw new Problem('overloaded', 'The server is busy. Try again in a few seconds.');
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
