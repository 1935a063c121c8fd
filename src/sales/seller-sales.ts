// The sales of one seller between each two observations. A decrease is counted. A rise is read by
// the seller's habits: units that came back, a restock to a level, by packs, or a free one. Time
// without counts is filled in by the rate, or may hide sales.
import type { Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { droppedAt, GAP_SECONDS } from './counted-drop.ts';
import { addCounted, addSpan, addUncertainTime, type DaySums, noteRisk } from './day-sums.ts';
import { DAY_WEIGHT, passedAt, type Timeline, weightBetween } from './hour-shape.ts';
import { type Fit, sellerHabitOf } from './product-habit.ts';
import {
  beforeRestock,
  longIntervalUnits,
  missedParts,
  packReading,
  type Refill,
  refillIn,
  returnOdds,
  returnsOf,
} from './restock-reading.ts';
import { meanUpTo } from './sales-chance.ts';
import type { SellerHabit } from './seller-habit.ts';
import { ABSENT, CAPPED, type SellerTrack } from './seller-track.ts';

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
/** Shorter intervals hardly hide restocks. */
const HIDING_DAYS_MIN = 0.17;
/** The part of the restocks that hide in a decrease. */
const HIDING_PART = 0.22;

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
  fit: Fit,
): Steps<RatedTrack[]> {
  const rated: RatedTrack[] = [];
  for (const track of tracks) {
    rated.push(rateOf(withoutMiscounts(track, fit), line, fit));
    yield;
  }
  return rated;
}

const longSeconds = ({ habit }: Fit) =>
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
      } else if (dropped >= 0) {
        sold += dropped;
        weight += passed - passedBefore;
      }
    }
    countedUnits[index] = sold;
    countedWeight[index] = weight;
  }
  return { ...track, line, habit, refills, countedUnits, countedWeight };
}

/**
 * Removes counts that were seen once, far from the equal counts before and after them. A shelf that
 * is refilled to the count after it needs no such explanation.
 */
function withoutMiscounts(track: SellerTrack, { habit }: Fit): SellerTrack {
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

type Reading = { track: RatedTrack; shelf: ShelfRates; prior: Prior; fit: Fit };

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

/** Adds the sales of a seller to the days, in steps, one per uncounted interval. */
export function* addTrack(sums: DaySums, reading: Reading): Steps<void> {
  const { track, fit } = reading;
  const { timesSeconds, units } = track;
  const sumsFromAtSeconds = sums.firstDay * DAY_SECONDS;
  const sumsToAtSeconds = sumsFromAtSeconds + sums.days * DAY_SECONDS;
  const longest = longSeconds(fit);
  for (let index = 1; index < timesSeconds.length; index++) {
    const fromAtSeconds = timesSeconds[index - 1] as number;
    const toAtSeconds = timesSeconds[index] as number;
    if (toAtSeconds <= sumsFromAtSeconds || fromAtSeconds >= sumsToAtSeconds) continue;
    if (toAtSeconds - fromAtSeconds > GAP_SECONDS) continue;
    const before = units[index - 1] as number;
    const after = units[index] as number;
    const span = { fromAtSeconds, toAtSeconds };
    if (before >= 0 && after >= 0) {
      if (toAtSeconds - fromAtSeconds > longest) addLong(sums, reading, index);
      else if (track.refills.has(index)) addRefill(sums, reading, index);
      else {
        const dropped = droppedAt(track, index);
        if (dropped < 0) addRise(sums, reading, index);
        else {
          if (dropped > 0) addCounted(sums, { ...span, units: dropped });
          addHiddenSales(sums, reading, index);
          continue;
        }
      }
      yield;
    } else if (before === ABSENT || after === ABSENT) {
      if (before !== after) addPresence(sums, reading, index);
    } else addUnknown(sums, reading, index);
  }
}

/** A decrease may hide a restock, and units that came back. */
function addHiddenSales(sums: DaySums, reading: Reading, index: number): void {
  const { track, fit } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const days = (toAtSeconds - fromAtSeconds) / DAY_SECONDS;
  const returns =
    droppedAt(track, index) === 0 ? 0 : days * returnsOf(track.habit, fit.model.returnsPerDay);
  let units = returns;
  if (days >= HIDING_DAYS_MIN) {
    noteRisk(sums, toAtSeconds, track.habit.restocksPerDay * days * HIDING_PART);
    const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
    const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
    const cover = (track.units[index - 1] as number) / Math.max(mean, 1e-6);
    units += mean * missedParts(fit.model, { days, cover }).hidden;
  }
  if (units < 1e-3) return;
  const { spread } = track.habit;
  addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'inferred', spread, lean: null });
}

/** Refilled to a level: what is missing from it was sold since, and some units before. */
function addRefill(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const { refillAtSeconds, soldAfter } = track.refills.get(index) as Refill;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  if (soldAfter > 0)
    addCounted(sums, { fromAtSeconds: refillAtSeconds, toAtSeconds, units: soldAfter });
  if (refillAtSeconds <= fromAtSeconds) return;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean =
    (unitsPerDay * weightBetween(track.line, fromAtSeconds, refillAtSeconds)) / DAY_WEIGHT;
  const { spread } = track.habit;
  const before = { fromAtSeconds, toAtSeconds: refillAtSeconds };
  const units = meanUpTo(track.units[index - 1] as number, mean, spread);
  addSpan(sums, { ...before, units, method: 'inferred', spread, lean: null });
}

function addRise(sums: DaySums, reading: Reading, index: number): void {
  const { track, fit } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const days = (toAtSeconds - fromAtSeconds) / DAY_SECONDS;
  const { habit } = track;
  const span = { fromAtSeconds, toAtSeconds, method: 'inferred' as const, spread: habit.spread };
  const risen = -droppedAt(track, index);
  const before = track.units[index - 1] as number;
  const returned = returnOdds({ risen, before, mean, days, habit, model: fit.model });
  const packed = packReading(habit, { risen, mean });
  const kept = 1 - returned;
  addSpan(sums, { ...span, units: packed.units * packed.part * kept, lean: null });
  const free = kept * (1 - packed.part);
  const early = beforeRestock(before, mean / 2, {
    model: fit.model,
    habit,
    jumpUnits: fit.habit?.jumpUnits ?? null,
  });
  addSpan(sums, { ...span, units: early * free, lean: 'early' });
  const { after } = missedParts(fit.model, { days, cover: before / Math.max(mean, 1e-6) });
  addSpan(sums, { ...span, units: (mean / 2) * after * free, lean: 'late' });
}

/** Nobody observed for days: the decrease, or the usual sales if a restock may hide in it. */
function addLong(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const days = (toAtSeconds - fromAtSeconds) / DAY_SECONDS;
  const dropped = droppedAt(track, index);
  const units = longIntervalUnits({ dropped, mean, days, habit: track.habit });
  const { spread } = track.habit;
  addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'typical', spread, lean: null });
}

/** The seller was present for a part of the time. Units left at the departure were not sold. */
function addPresence(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const before = track.units[index - 1] as number;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const units = before >= 0 ? Math.min(before, mean / 2) : mean / 2;
  const lean = track.units[index] === ABSENT ? ('early' as const) : ('late' as const);
  const { spread } = track.habit;
  addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'inferred', spread, lean });
}

/** A count is unknown or at its cap: sales are typical if the seller has a rate, else hidden. */
function addUnknown(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const span = { fromAtSeconds, toAtSeconds };
  const before = track.units[index - 1] as number;
  const after = track.units[index] as number;
  const capped = before === CAPPED || after === CAPPED;
  // At least what is missing from the cap was sold.
  if (before === CAPPED && after >= 0 && after < track.cap)
    addCounted(sums, { ...span, units: track.cap - after });
  const rate = knownRate(reading, (fromAtSeconds + toAtSeconds) / 2);
  if (rate === null) {
    addUncertainTime(sums, 'blind', span);
    return;
  }
  const { isOwn } = rate;
  // A rank may say more than the slow time below a cap.
  const byRank = capped ? rankRate(reading, (fromAtSeconds + toAtSeconds) / 2) : 0;
  const unitsPerDay = Math.max(rate.unitsPerDay, byRank);
  const units = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const { spread } = track.habit;
  if (isOwn && !capped) addSpan(sums, { ...span, units, method: 'typical', spread, lean: null });
  else {
    addUncertainTime(sums, 'hiddenPart', span);
    addSpan(sums, { ...span, units: Math.max(units, 1e-2), method: 'at_least', lean: null });
  }
}

/** isOwn: from counts of this seller, not of others. */
type Rate = { unitsPerDay: number; isOwn: boolean };

/** As counted around an instant, pulled towards the usual rate; null if nothing is known. */
function knownRate(reading: Reading, atSeconds: number): Rate | null {
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

const rateAt = (reading: Reading, atSeconds: number): Rate =>
  knownRate(reading, atSeconds) ?? { unitsPerDay: 0, isOwn: false };

function rankRate({ prior, shelf }: Reading, atSeconds: number): number {
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
