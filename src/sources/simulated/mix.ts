// Stateless randomness: the same inputs always give the same draw, so any moment can be computed
// alone.

/** An integer in [0, 2^32) that depends on every bit of both inputs (MurmurHash3's finalizer). */
export function mix(key: number, about: number): number {
  let mixed = Math.imul(key ^ 0x3c6ef372, 0x85ebca77) + Math.imul(about + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The same as a number strictly between 0 and 1. */
export function share(key: number, about: number): number {
  return (mix(key, about) + 0.5) / 4_294_967_296;
}

/** An integer from `low` to `high`, both inclusive. */
export function between(key: number, about: number, [low, high]: readonly [number, number]) {
  return low + Math.floor(share(key, about) * (high - low + 1));
}

/** A factor around 1, spread like a bell on a logarithmic scale; `deviation` is its width there. */
export function bell(key: number, about: number, deviation: number): number {
  const sum =
    share(key, about) + share(key, about + 1) + share(key, about + 2) + share(key, about + 3);
  return Math.exp((sum - 2) * Math.sqrt(3) * deviation);
}

/** One element of a list. */
export function pick<T>(key: number, about: number, list: readonly T[]): T {
  return list[mix(key, about) % list.length] as T;
}
