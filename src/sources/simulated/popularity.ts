// The position of a product in its leaf on a day. The order comes first and sales follow from it by
// the rank curve, so a position is computed without the other products.
import { mix } from './mix.ts';

/** The slope of sales over position on a log-log scale. */
const CURVE_SLOPE = 0.87;

/** The number of products, and so of positions, per leaf. */
export const POSITIONS = 2_000;

const CURVE = Float64Array.from(
  { length: POSITIONS },
  (_, position) => (position + 1) ** -CURVE_SLOPE,
);

/**
 * Positions change by swaps of neighbouring blocks of 1, 4, 16 … positions. Every swap is its own
 * inverse, so each day's positions are a permutation. Each pair of blocks is drawn again after 4 to
 * 19 days, on its own days. Blocks are small compared with their position, so low-ranked products
 * move by many positions and top ones by few.
 */
export function positionOn(leafKey: number, baseRank: number, day: number): number {
  let position = baseRank;
  for (let block = 1, layer = 0; block * 2 <= POSITIONS; block *= 4, layer += 2) {
    for (let offset = 0; offset <= block; offset += block) {
      const moved = position - offset;
      const first = moved & -(block * 2);
      if (moved < 0 || first + offset + block * 2 > POSITIONS) continue;
      // Except for the first positions, a pair spans at most half of the positions before it.
      if (block > 1 && first < block * 4) continue;
      const pair = mix(leafKey + layer + (offset === 0 ? 0 : 1), first);
      const drawn = ((day + (pair & 63)) / (4 + ((pair >>> 6) & 15))) | 0;
      if ((mix(pair, drawn) & 1) === 1) position = (moved ^ block) + offset;
    }
  }
  return position;
}

/** Units per day that a position sells in the long run. */
export function unitsAtIndex(topUnits: number, position: number): number {
  return topUnits * (CURVE[position] as number);
}
