// Randomness for a test, whose seed is printed when the test fails.
import { onTestFailed } from 'vitest';

export type Random = {
  /** A whole number from 0 up to, and without, the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  shuffled<T>(items: readonly T[]): T[];
};

/** To be called inside a test. Given the printed seed it decides the same again. */
export function seededRandom(seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0): Random {
  onTestFailed(() => console.error(`seededRandom(${seed})`));
  let state = seed;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0] as (typeof items)[number]);
    },
  };
}
