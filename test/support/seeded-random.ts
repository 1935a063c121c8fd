// Random numbers for a test; the seed is printed when the test fails.
import { onTestFailed } from 'vitest';
import { createRandom, type Random } from './random.ts';

export type { Random } from './random.ts';

/** Call it inside a test. The printed seed repeats the same numbers. */
export function seededRandom(seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0): Random {
  onTestFailed(() => console.error(`seededRandom(${seed})`));
  return createRandom(seed);
}
