// Counts that stop at a number: whose greatest count is a cap behind which sales go unseen.

import { DAY_SECONDS } from '../foundation/time.ts';
import type { SellerTrack } from './seller-track.ts';

/** Counts that marketplaces stop at. */
const USUAL_CAPS = new Set([
  10, 20, 25, 30, 50, 99, 100, 200, 500, 999, 1_000, 9_999, 10_000, 99_999,
]);
/** Units that must have been expected while nothing was seen to sell, and the part of them that may have been. */
const HIDDEN_UNITS_MIN = 10;
const HIDDEN_PART_MAX = 0.35;
const RETURNS_MIN = 2;
/** Of the time at the greatest count, what lies below it when the seller is nearly always there. */
const BELOW_PART_MAX = 0.1;

/**
 * A cap is a usual one or shared by most of the sellers; it is come back to exactly, or hardly ever left; and next
 * to nothing seems to sell from it, although the seller sells below it, or the product by its rank sells more than
 * is counted. `rankUnits`: units a day by rank, null when there is no curve.
 */
export function capsOf(
  tracks: readonly SellerTrack[],
  rankUnits: number | null,
): Record<string, number> {
  const caps: [string, number][] = [];
  const greatest = tracks.map(({ units }) =>
    units.reduce((most, count) => Math.max(most, count), 0),
  );
  const around = tracks.map((track, number) => aroundCount(track, greatest[number] as number));
  const counted = around.reduce((sum, { at, below }) => {
    const days = at.days + below.days;
    return days > 0 ? sum + (at.units + below.units) / days : sum;
  }, 0);
  const unexplained = Math.max(0, (rankUnits ?? 0) - counted) / tracks.length;
  tracks.forEach(({ sellerName }, number) => {
    const count = greatest[number] as number;
    if (count === 0) return;
    const alike = greatest.filter((other) => other === count).length;
    if (!USUAL_CAPS.has(count) && (alike === 1 || alike * 2 < tracks.length)) return;
    const { returns, at, below } = around[number] as AroundCount;
    const seldomLeft = below.days < BELOW_PART_MAX * at.days;
    if (returns < RETURNS_MIN && !seldomLeft) return;
    const rate = below.days >= 1 ? below.units / below.days : 0;
    const expected = Math.max(rate, unexplained) * at.days;
    if (expected >= HIDDEN_UNITS_MIN && at.units < HIDDEN_PART_MAX * expected)
      caps.push([sellerName, count]);
  });
  return Object.fromEntries(caps);
}

type Counted = { units: number; days: number };
type AroundCount = { returns: number; at: Counted; below: Counted };

/** What was counted from a count, and from below it; and how often a restock came to it exactly. */
function aroundCount(track: SellerTrack, count: number): AroundCount {
  const at = { units: 0, days: 0 };
  const below = { units: 0, days: 0 };
  let returns = 0;
  for (let index = 1; index < track.at.length; index++) {
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    if (before < 0 || after < 0) continue;
    if (after > before) {
      if (after === count) returns++;
      continue;
    }
    const side = before === count ? at : below;
    side.units += before - after;
    side.days += ((track.at[index] as number) - (track.at[index - 1] as number)) / DAY_SECONDS;
  }
  return { returns, at, below };
}
