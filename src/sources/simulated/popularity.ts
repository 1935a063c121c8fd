// Which place a product has among those of its leaf on a day. The order comes first and sales follow from it
// by the rank curve, so that a place is found without looking at the other products.
import { mix } from './mix.ts';

/** Sales against place on a double logarithmic scale fall with this slope. */
const CURVE_SLOPE = 0.87;

/** Products, and so places, of each leaf. */
export const POSITIONS = 2_000;

const CURVE = Float64Array.from(
  { length: POSITIONS },
  (_, position) => (position + 1) ** -CURVE_SLOPE,
);

/**
 * Places of one leaf change by swaps of neighbouring blocks of 1, 4, 16 … places. Every swap is undone by
 * itself, so that the whole is a permutation of the places on each day. A pair of blocks is drawn anew after
 * 4 to 19 days, each pair on its own days; blocks are small against their place, so that a
 * product far down moves by many places and one at the top by few.
 */
export function positionOn(leafKey: number, standing: number, day: number): number {
  let position = standing;
  for (let block = 1, layer = 0; block * 2 <= POSITIONS; block *= 4, layer += 2) {
    for (let offset = 0; offset <= block; offset += block) {
      const moved = position - offset;
      const first = moved & -(block * 2);
      if (moved < 0 || first + offset + block * 2 > POSITIONS) continue;
      // A pair reaches over at most half of the places before it, but for the very first ones.
      if (block > 1 && first < block * 4) continue;
      const pair = mix(leafKey + layer + (offset === 0 ? 0 : 1), first);
      const drawn = ((day + (pair & 63)) / (4 + ((pair >>> 6) & 15))) | 0;
      if ((mix(pair, drawn) & 1) === 1) position = (moved ^ block) + offset;
    }
  }
  return position;
}

/** Units a day that a place sells in the long run. */
export function unitsAtIndex(topUnits: number, position: number): number {
  return topUnits * (CURVE[position] as number);
}
