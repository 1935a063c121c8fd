// Finds sellers whose stock is displayed only up to a cap, such as 999: sales above it are
// invisible.
import { DAY_SECONDS } from '../foundation/time.ts';
import type { SellerTrack } from './seller-track.ts';

/** Numbers that marketplaces use as caps. */
const USUAL_CAPS = new Set([
  10, 20, 25, 30, 50, 99, 100, 200, 500, 999, 1_000, 9_999, 10_000, 99_999,
]);
/**
 * A count is a cap if at least this many units were expected to sell from it, and less than this
 * part of them was observed.
 */
const HIDDEN_UNITS_MIN = 10;
const HIDDEN_PART_MAX = 0.35;
/** Restocks to exactly the greatest count. */
const RETURNS_MIN = 2;
/**
 * Instead of returns: the time below the greatest count is less than this part of the time at it.
 */
const BELOW_PART_MAX = 0.1;

/**
 * The caps by seller. A seller's greatest count is a cap if all of these hold:
 * - It is a usual cap, or most sellers share it.
 * - Restocks return to exactly this count, or the stock is hardly ever below it.
 * - Hardly anything seems to sell from it, although the seller sells below it, or the product sells
 *   more by its rank than is counted.
 * `rankUnits`: units a day by rank; null without a rank curve.
 */
export function capsOf(
  tracks: readonly SellerTrack[],
  rankUnits: number | null,
): Record<string, number> {
  const caps: [string, number][] = [];
  const greatest = tracks.map(({ units }) =>
    units.reduce((most, count) => Math.max(most, count), 0),
  );
  const around = tracks.map((track, index) => aroundCount(track, greatest[index] as number));
  const counted = around.reduce((sum, { at, below }) => {
    const days = at.days + below.days;
    return days > 0 ? sum + (at.units + below.units) / days : sum;
  }, 0);
  const unexplained = Math.max(0, (rankUnits ?? 0) - counted) / tracks.length;
  tracks.forEach(({ sellerName }, index) => {
    const count = greatest[index] as number;
    if (count === 0) return;
    const sharedBy = greatest.filter((other) => other === count).length;
    if (!USUAL_CAPS.has(count) && (sharedBy === 1 || sharedBy * 2 < tracks.length)) return;
    const { returns, at, below } = around[index] as AroundCount;
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

/** Units sold and days passed at a count and below it, and the restocks to exactly that count. */
function aroundCount(track: SellerTrack, count: number): AroundCount {
  const at = { units: 0, days: 0 };
  const below = { units: 0, days: 0 };
  let returns = 0;
  for (let index = 1; index < track.timesSeconds.length; index++) {
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    if (before < 0 || after < 0) continue;
    if (after > before) {
      if (after === count) returns++;
      continue;
    }
    const side = before === count ? at : below;
    side.units += before - after;
    side.days +=
      ((track.timesSeconds[index] as number) - (track.timesSeconds[index - 1] as number)) /
      DAY_SECONDS;
  }
  return { returns, at, below };
}
