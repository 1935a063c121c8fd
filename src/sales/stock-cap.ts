// Finds sellers whose stock is displayed only up to a cap, such as 999: sales above it are
// invisible. Where that is not certain, the greatest count may be a cap.
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import type { SellerTrack } from './seller-track.ts';

/** Numbers that marketplaces use as caps. */
const USUAL_CAPS = new Set([
  10, 20, 25, 30, 50, 99, 100, 200, 500, 999, 1_000, 9_999, 10_000, 99_999,
]);
/**
 * A count is a cap if at least this many units were expected to sell from it, and less than this
 * part of them was observed.
 */
const HIDDEN_UNITS_MIN = 1.5;
const HIDDEN_PART_MAX = 0.75;
/** A usual cap that is never left for this long is one. */
const STUCK_DAYS_MIN = 2.5;
/** A count that rests shorter may be a shelf that is filled to it. */
const REST_SECONDS_MIN = 22 * HOUR_SECONDS;
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
  daysBetween: DaysBetween = clockDays,
): Record<string, number> {
  const caps: [string, number][] = [];
  const greatest = tracks.map(({ units }) =>
    units.reduce((most, count) => Math.max(most, count), 0),
  );
  const around = tracks.map((track, index) =>
    aroundCount(track, greatest[index] as number, daysBetween),
  );
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
    // A usual cap that was never left: nothing says whether anything sells.
    if (USUAL_CAPS.has(count) && below.days === 0 && at.units === 0 && at.days >= STUCK_DAYS_MIN) {
      caps.push([sellerName, count]);
      return;
    }
    const seldomLeft = below.days < BELOW_PART_MAX * at.days;
    if (USUAL_CAPS.has(count) && seldomLeft && below.days < 1 && at.days >= STUCK_DAYS_MIN) {
      caps.push([sellerName, count]);
      return;
    }
    const returnsMin = USUAL_CAPS.has(count) ? 1 : RETURNS_MIN;
    if (returns < returnsMin && !seldomLeft) return;
    const rate = below.days >= 1 ? below.units / below.days : 0;
    const expected = Math.max(rate, unexplained) * at.days;
    if (expected >= HIDDEN_UNITS_MIN && at.units < HIDDEN_PART_MAX * expected)
      caps.push([sellerName, count]);
  });
  return Object.fromEntries(caps);
}

/**
 * A greatest count is no cap if it is left this often, compared with lower counts, and rests for
 * this part of the time below it: stock above a cap would rest longer.
 */
const LEFT_PART_MIN = 0.79;
const LEAVES_EXPECTED_MIN = 6;
const AT_PART_MAX = 0.22;

/**
 * Sellers without a cap whose greatest count may be one: it is a usual cap or shared by most
 * sellers, and decreases from it, or from the same count of another seller, are not seen as often
 * as from lower counts.
 */
export function possibleCapsOf(
  tracks: readonly SellerTrack[],
  caps: Readonly<Record<string, number>>,
  daysBetween: DaysBetween = clockDays,
): Record<string, number> {
  const greatest = tracks.map(({ units }) =>
    units.reduce((most, count) => Math.max(most, count), 0),
  );
  // Marketplaces cap all sellers alike.
  const counts = new Set(Object.values(caps));
  const candidates: { sellerName: string; count: number }[] = [];
  tracks.forEach((track, index) => {
    const count = greatest[index] as number;
    if (count === 0 || Object.hasOwn(caps, track.sellerName)) return;
    const sharedBy = greatest.filter((other) => other === count).length;
    if (!USUAL_CAPS.has(count) && (sharedBy === 1 || sharedBy * 2 < tracks.length)) return;
    candidates.push({ sellerName: track.sellerName, count });
    if (!isLeftAsUsual(track, count, daysBetween)) counts.add(count);
  });
  return Object.fromEntries(
    candidates
      .filter(({ count }) => counts.has(count))
      .map(({ sellerName, count }) => [sellerName, count]),
  );
}

/** Whether decreases from a count are about as frequent as from lower counts. */
function isLeftAsUsual(track: SellerTrack, count: number, daysBetween: DaysBetween): boolean {
  const at = { drops: 0, days: 0 };
  const below = { drops: 0, days: 0 };
  for (let index = 1; index < track.timesSeconds.length; index++) {
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    if (before <= 0 || after < 0 || after > before) continue;
    const sums = before === count ? at : below;
    if (after < before) sums.drops++;
    sums.days += daysBetween(
      track.timesSeconds[index - 1] as number,
      track.timesSeconds[index] as number,
    );
  }
  if (below.days < 1 || at.days > AT_PART_MAX * below.days) return false;
  const expected = (below.drops / below.days) * at.days;
  return expected >= LEAVES_EXPECTED_MIN && at.drops >= LEFT_PART_MIN * expected;
}

/** Days between two instants, as the market sells: nights and closed days count little. */
export type DaysBetween = (fromAtSeconds: number, toAtSeconds: number) => number;
const clockDays: DaysBetween = (fromAtSeconds, toAtSeconds) =>
  (toAtSeconds - fromAtSeconds) / DAY_SECONDS;

type Counted = { units: number; days: number };
type AroundCount = { returns: number; at: Counted; below: Counted };

/**
 * Units sold and days passed at a count and below it, and the restocks to exactly that count. Time
 * at the count is only counted where it rested there: a shelf that is filled to a level every night
 * is at it every morning.
 */
function aroundCount(track: SellerTrack, count: number, daysBetween: DaysBetween): AroundCount {
  const at = { units: 0, days: 0 };
  const below = { units: 0, days: 0 };
  let returns = 0;
  let restSeconds = 0;
  let restDays = 0;
  for (let index = 1; index < track.timesSeconds.length; index++) {
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    if (before < 0 || after < 0) continue;
    const fromAtSeconds = track.timesSeconds[index - 1] as number;
    const toAtSeconds = track.timesSeconds[index] as number;
    const days = daysBetween(fromAtSeconds, toAtSeconds);
    if (before === count) {
      restSeconds += toAtSeconds - fromAtSeconds;
      restDays += days;
      if (after === count && index < track.timesSeconds.length - 1) continue;
    }
    if (restSeconds >= REST_SECONDS_MIN) {
      at.days += restDays;
      at.units += before - after;
    }
    restSeconds = 0;
    restDays = 0;
    if (after > before) {
      if (after === count) returns++;
    } else if (before !== count) {
      below.units += before - after;
      below.days += days;
    }
  }
  return { returns, at, below };
}
