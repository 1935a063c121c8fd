// Randomness for a test, whose seed is printed when the test fails.
import { onTestFailed } from 'vitest';
import { createRandom, type Random } from './random.ts';

export type { Random } from './random.ts';

/** To be called inside a test. With the printed seed it decides the same again. */
export function seededRandom(seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0): Random {
  onTestFailed(() => console.error(`seededRandom(${seed})`));
  return createRandom(seed);
}
