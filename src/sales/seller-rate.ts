// The rate at which a seller sells around an instant: from its own counts, its usual sales, the
// other sellers or the rank.
import type { Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { droppedAt, GAP_SECONDS } from './counted-drop.ts';
import { DAY_WEIGHT, passedAt, type Timeline } from './hour-shape.ts';
import { type Fit, sellerHabitOf } from './product-habit.ts';
import { type Refill, refillIn } from './restock-reading.ts';
import type { SalesTrace } from './sales-trace.ts';
import type { SellerHabit } from './seller-habit.ts';
import { ABSENT, type SellerTrack } from './seller-track.ts';

/** A seller's rate at an instant comes from the counts within this time before and after it. */
export const RATE_SECONDS = 13 * DAY_SECONDS;

/** A jump was a miscount if the count was seen once, between two that agree, in this time. */
export const REVERTED_SECONDS = 1.3 * DAY_SECONDS;
const REVERTED_PART = 0.01;

/** The expected rate weighs as much as this many days of the seller's counts. */
const PRIOR_DAYS = 0.6;
/** A shelf that is refilled every night shows only a part of each day. */
const NIGHTLY_PRIOR_DAYS = 2.8;
/** An interval longer than this, and than three usual ones, may hide restocks. */
const LONG_SECONDS = 2.2 * DAY_SECONDS;
const LONG_USUAL = 3;
/** The expected rate of the whole product at an instant; null if nothing is known. */
export type Prior = (atSeconds: number) => { unitsPerDay: number; byRank: boolean } | null;

/** A track with its counted units and their weight, summed up from the first point. */
export type RatedTrack = SellerTrack & {
  line: Timeline;
  habit: SellerHabit;
  /** Intervals in which the shelf was refilled to a level, by index. */
  refills: Map<number, Refill>;
  countedUnits: Float64Array;
  countedWeight: Float64Array;
};

/** Rates the tracks in steps, one per seller. */
export function* rateSteps(
  tracks: readonly SellerTrack[],
  line: Timeline,
  { fit, trace }: { fit: Fit; trace: SalesTrace | null },
): Steps<RatedTrack[]> {
  const rated: RatedTrack[] = [];
  for (const track of tracks) {
    rated.push(rateOf(withoutMiscounts(track, fit, trace), line, fit));
    yield;
  }
  return rated;
}

export const longSeconds = ({ habit }: Fit) =>
  Math.max(LONG_SECONDS, LONG_USUAL * (habit?.usualSeconds ?? 0));

function rateOf(track: SellerTrack, line: Timeline, fit: Fit): RatedTrack {
  const { timesSeconds, units } = track;
  const habit = sellerHabitOf(fit.habit, track.sellerName);
  const countedUnits = new Float64Array(timesSeconds.length);
  const countedWeight = new Float64Array(timesSeconds.length);
  const refills = new Map<number, Refill>();
  const longest = longSeconds(fit);
  let sold = 0;
  let weight = 0;
  let passed = timesSeconds.length === 0 ? 0 : passedAt(line, timesSeconds[0] as number);
  for (let index = 1; index < timesSeconds.length; index++) {
    const passedBefore = passed;
    passed = passedAt(line, timesSeconds[index] as number);
    const after = units[index] as number;
    const seconds = (timesSeconds[index] as number) - (timesSeconds[index - 1] as number);
    if (after >= 0 && (units[index - 1] as number) >= 0 && seconds <= longest) {
      const dropped = droppedAt(track, index);
      const refill = refillIn(track, index, { habit, line, dropped });
      if (refill !== null) {
        refills.set(index, refill);
        sold += refill.soldAfter;
        weight += refill.weightAfter;
      } else if (dropped >= 0 || habit.pack !== null) {
        sold += dropped >= 0 ? dropped : soldBeside(-dropped, habit.pack as number);
        weight += passed - passedBefore;
      }
    }
    countedUnits[index] = sold;
    countedWeight[index] = weight;
  }
  return { ...track, line, habit, refills, countedUnits, countedWeight };
}

/** The fewest units sold beside a restock of packs. */
const soldBeside = (risen: number, pack: number) => Math.ceil(risen / pack) * pack - risen;

/**
 * Removes counts that were seen once, far from the equal counts before and after them. A shelf that
 * is refilled to the count after it needs no such explanation.
 */
function withoutMiscounts(
  track: SellerTrack,
  { habit }: Fit,
  trace: SalesTrace | null,
): SellerTrack {
  const limit = habit?.jumpUnits ?? null;
  if (limit === null) return track;
  const { timesSeconds, units } = track;
  const level = sellerHabitOf(habit, track.sellerName).level;
  const wrong = new Set<number>();
  for (let index = 1; index < units.length - 1; index++) {
    const before = units[index - 1] as number;
    const count = units[index] as number;
    const after = units[index + 1] as number;
    const jump = Math.abs(count - before);
    // An empty shelf may be restocked and sold out again.
    if (jump <= limit || before <= 0 || count < 0 || after <= 0) continue;
    if (Math.abs(after - before) > REVERTED_PART * jump) continue;
    const seconds = (timesSeconds[index + 1] as number) - (timesSeconds[index - 1] as number);
    if (seconds > REVERTED_SECONDS || (count < before && after === level)) continue;
    if (track.moved.has(index) || track.moved.has(index + 1)) continue;
    wrong.add(index);
    trace?.read({
      kind: 'miscount',
      sellerName: track.sellerName,
      fromAtSeconds: timesSeconds[index] as number,
      toAtSeconds: (timesSeconds[index] as number) + 1,
      before,
      after: count,
    });
  }
  if (wrong.size === 0) return track;
  const kept = units.map((_, index) => index).filter((index) => !wrong.has(index));
  return {
    ...track,
    timesSeconds: kept.map((index) => timesSeconds[index] as number),
    units: kept.map((index) => units[index] as number),
    moved: new Map(
      kept.flatMap((index, place) =>
        track.moved.has(index) ? [[place, track.moved.get(index) as number]] : [],
      ),
    ),
  };
}

export type Reading = { track: RatedTrack; shelf: ShelfRates; prior: Prior; fit: Fit };

/** Daily units of the present sellers that are counted; the number of these, and of others. */
type ShelfRate = { unitsPerDay: number; counted: number; uncounted: number };
export type ShelfRates = (atSeconds: number) => ShelfRate;

/** Cached by instant: sellers mostly share them, and each rate goes through all sellers. */
export function shelfRates(rates: readonly RatedTrack[]): ShelfRates {
  const cache = new Map<number, ShelfRate>();
  return (atSeconds) => {
    const cached = cache.get(atSeconds);
    if (cached !== undefined) return cached;
    const shelf = { unitsPerDay: 0, counted: 0, uncounted: 0 };
    for (const track of rates) {
      if (!isPresent(track, atSeconds)) continue;
      const { units, days } = countedAround(track, atSeconds);
      if (days < 1) shelf.uncounted++;
      else {
        shelf.counted++;
        shelf.unitsPerDay += units / days;
      }
    }
    cache.set(atSeconds, shelf);
    return shelf;
  };
}

/** isOwn: from counts of this seller, not of others. */
type Rate = { unitsPerDay: number; isOwn: boolean };

/** As counted around an instant, pulled towards the usual rate; null if nothing is known. */
export function knownRate(reading: Reading, atSeconds: number): Rate | null {
  const { track } = reading;
  const counted = countedAround(track, atSeconds);
  const { habit } = track;
  const usual = usualRate(reading, atSeconds, counted.days);
  if (usual === null && counted.days === 0) return null;
  const weight = usual === null ? 0 : habit.nightly ? NIGHTLY_PRIOR_DAYS : PRIOR_DAYS;
  return {
    unitsPerDay: (counted.units + weight * (usual ?? 0)) / (counted.days + weight),
    isOwn: habit.countedDays >= 1 || counted.days >= 1,
  };
}

/** Where the seller was not counted for weeks, the rank says more than its usual rate. */
function usualRate(reading: Reading, atSeconds: number, countedDays: number): number | null {
  const { habit } = reading.track;
  if (countedDays < 1 && reading.prior(atSeconds)?.byRank === true)
    return rankRate(reading, atSeconds);
  return habit.countedDays >= 1 ? habit.unitsPerDay : rateOfOthers(reading, atSeconds);
}

export const rateAt = (reading: Reading, atSeconds: number): Rate =>
  knownRate(reading, atSeconds) ?? { unitsPerDay: 0, isOwn: false };

export function rankRate({ prior, shelf }: Reading, atSeconds: number): number {
  const expected = prior(atSeconds);
  if (expected?.byRank !== true) return 0;
  const { unitsPerDay, uncounted } = shelf(atSeconds);
  return Math.max(0, expected.unitsPerDay - unitsPerDay) / Math.max(1, uncounted);
}

/** What is expected of a seller without counts: as much as of the others. */
function rateOfOthers({ prior, shelf }: Reading, atSeconds: number): number | null {
  const expected = prior(atSeconds);
  const rate = shelf(atSeconds);
  if (rate.counted > 0) return rate.unitsPerDay / rate.counted;
  return expected?.unitsPerDay ?? null;
}

function countedAround(track: RatedTrack, atSeconds: number): { units: number; days: number } {
  const first = firstFrom(track.timesSeconds, atSeconds - RATE_SECONDS);
  const last = firstFrom(track.timesSeconds, atSeconds + RATE_SECONDS + 1) - 1;
  if (last <= first) return { units: 0, days: 0 };
  return {
    units: (track.countedUnits[last] as number) - (track.countedUnits[first] as number),
    days:
      ((track.countedWeight[last] as number) - (track.countedWeight[first] as number)) / DAY_WEIGHT,
  };
}

/** Whether the seller had an offer at the last point, if that is recent enough. */
function isPresent(track: RatedTrack, atSeconds: number): boolean {
  const index = firstFrom(track.timesSeconds, atSeconds + 1) - 1;
  if (index < 0 || track.units[index] === ABSENT) return false;
  return atSeconds - (track.timesSeconds[index] as number) <= GAP_SECONDS;
}

/** The index of the first time that is not earlier; the length if there is none. */
function firstFrom(timesSeconds: readonly number[], atSeconds: number): number {
  let low = 0;
  let high = timesSeconds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesSeconds[middle] as number) < atSeconds) low = middle + 1;
    else high = middle;
  }
  return low;
}
