// The sales of one seller between each two observations: counted, or filled in where counts say
// nothing.
import type { Steps } from '../background/slices.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { GAP_SECONDS } from './counted-drop.ts';
import { addCounted, addSpan, addUnobserved, type DaySums, type Method } from './day-sums.ts';
import { DAY_WEIGHT, passedAt, type Timeline, weightBetween } from './hour-shape.ts';
import type { Fit } from './product-habit.ts';
import { ABSENT, CAPPED, type SellerTrack } from './seller-track.ts';

/** A seller's rate at an instant comes from the counts within this time before and after it. */
export const RATE_SECONDS = 14 * DAY_SECONDS;

/** A jump was a miscount if the count returns within this time to within 1 % of the drop. */
export const REVERTED_SECONDS = DAY_SECONDS;
const REVERTED_PART = 0.01;

/** The expected rate weighs as much as this many days of the seller's counts. */
const PRIOR_DAYS = 0.5;
/** For capped counts, which show only the seller's slowest time, it weighs more. */
const CAPPED_PRIOR_DAYS = 14;

export type Expected = { unitsPerDay: number; method: Method };
/** The expected rate of the whole product at an instant; null if nothing is known. */
export type Prior = (atSeconds: number) => Expected | null;

/** A track with its counted units and their weight, summed up from the first point. */
export type RatedTrack = SellerTrack & {
  line: Timeline;
  countedUnits: Float64Array;
  countedWeight: Float64Array;
  /** Indexes of drops that are not sales. */
  mistaken: Set<number>;
};

/** Rates the tracks in steps, one per seller. */
export function* rateSteps(
  tracks: readonly SellerTrack[],
  line: Timeline,
  fit: Fit,
): Steps<RatedTrack[]> {
  const rated: RatedTrack[] = [];
  for (const track of tracks) {
    rated.push(rateOf(track, line, fit));
    yield;
  }
  return rated;
}

function rateOf(track: SellerTrack, line: Timeline, fit: Fit): RatedTrack {
  const countedUnits = new Float64Array(track.timesSeconds.length);
  const countedWeight = new Float64Array(track.timesSeconds.length);
  const mistaken = new Set<number>();
  let units = 0;
  let weight = 0;
  let passed =
    track.timesSeconds.length === 0 ? 0 : passedAt(line, track.timesSeconds[0] as number);
  for (let index = 1; index < track.timesSeconds.length; index++) {
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    const fromAtSeconds = track.timesSeconds[index - 1] as number;
    const toAtSeconds = track.timesSeconds[index] as number;
    const passedBefore = passed;
    passed = passedAt(line, toAtSeconds);
    if (after >= 0 && before >= after && toAtSeconds - fromAtSeconds <= GAP_SECONDS) {
      if (isMistaken(track, index, fit)) mistaken.add(index);
      else {
        units += before - after;
        weight += passed - passedBefore;
      }
    }
    countedUnits[index] = units;
    countedWeight[index] = weight;
  }
  return { ...track, line, countedUnits, countedWeight, mistaken };
}

/**
 * Whether a drop is a jump that is not a sale: jumps are rare for the product, or the count soon
 * returns. Where most products have jumps, they are orders: on real sales, 39 % of all units are
 * sold on such days.
 */
function isMistaken(track: SellerTrack, index: number, { habit }: Fit): boolean {
  if (habit === null || habit.jumpUnits === null) return false;
  const before = track.units[index - 1] as number;
  const drop = before - (track.units[index] as number);
  const days = Math.max(
    1,
    ((track.timesSeconds[index] as number) - (track.timesSeconds[index - 1] as number)) /
      DAY_SECONDS,
  );
  if (drop <= habit.jumpUnits * days) return false;
  if (!habit.lumpy) return true;
  const latestAtSeconds = (track.timesSeconds[index] as number) + REVERTED_SECONDS;
  for (let next = index + 1; next < track.timesSeconds.length; next++) {
    if ((track.timesSeconds[next] as number) > latestAtSeconds) return false;
    const units = track.units[next] as number;
    if (units >= 0 && Math.abs(units - before) <= REVERTED_PART * drop) return true;
  }
  return false;
}

type Reading = { track: RatedTrack; shelf: ShelfRates; prior: Prior; fit: Fit };

/**
 * The daily units of all present sellers, as far as counted, and the number of uncounted sellers.
 */
type ShelfRate = { unitsPerDay: number; uncounted: number };
export type ShelfRates = (atSeconds: number) => ShelfRate;

/**
 * Cached by instant: sellers mostly share the same instants, and each rate goes through all
 * sellers.
 */
export function shelfRates(rates: readonly RatedTrack[]): ShelfRates {
  const cache = new Map<number, ShelfRate>();
  return (atSeconds) => {
    const cached = cache.get(atSeconds);
    if (cached !== undefined) return cached;
    const shelf = { unitsPerDay: 0, uncounted: 0 };
    for (const track of rates) {
      const rate = presentRate(track, atSeconds);
      if (rate === null) shelf.uncounted += 1;
      else shelf.unitsPerDay += rate;
    }
    cache.set(atSeconds, shelf);
    return shelf;
  };
}

/** A seller's daily units around an instant: 0 if absent, null if less than a day was counted. */
function presentRate(track: RatedTrack, atSeconds: number): number | null {
  if (!isPresent(track, atSeconds)) return 0;
  const { units, days } = countedAround(track, atSeconds);
  return days >= 1 ? units / days : null;
}

/** Adds the sales of a seller to the days, in steps, one per uncounted interval. */
export function* addTrack(sums: DaySums, reading: Reading): Steps<void> {
  const { track } = reading;
  const sumsFromAtSeconds = sums.firstDay * DAY_SECONDS;
  const sumsToAtSeconds = sumsFromAtSeconds + sums.days * DAY_SECONDS;
  for (let index = 1; index < track.timesSeconds.length; index++) {
    const fromAtSeconds = track.timesSeconds[index - 1] as number;
    const toAtSeconds = track.timesSeconds[index] as number;
    if (toAtSeconds <= sumsFromAtSeconds || fromAtSeconds >= sumsToAtSeconds) continue;
    if (toAtSeconds - fromAtSeconds > GAP_SECONDS) continue;
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    if (after >= 0 && before >= after && !track.mistaken.has(index)) {
      if (before > after) addCounted(sums, { fromAtSeconds, toAtSeconds, units: before - after });
    } else if (before !== ABSENT || after !== ABSENT) {
      addUncounted(sums, reading, index);
      yield;
    }
  }
}

/**
 * Adds an interval with a restock, an arrival, a departure, an unknown count or a mistaken drop.
 */
function addUncounted(sums: DaySums, reading: Reading, index: number): void {
  const { track, fit } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const before = track.units[index - 1] as number;
  const after = track.units[index] as number;
  const capped = before === CAPPED || after === CAPPED;
  const { unitsPerDay, method } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2, capped);
  const expected =
    (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const span = { fromAtSeconds, toAtSeconds, method };
  const half = expected / 2;
  if (before === ABSENT || after === ABSENT) {
    // The seller was present for a part of the time. Units left at the departure were not sold.
    const lean = after === ABSENT ? 'early' : 'late';
    addSpan(sums, { ...span, units: before >= 0 ? Math.min(before, half) : half, lean });
    return;
  }
  if (before < 0 || after < 0 || track.mistaken.has(index)) {
    addSpan(sums, { ...span, units: expected, lean: null });
    addUnobserved(sums, fromAtSeconds, toAtSeconds);
    return;
  }
  const restock = { ...span, method: 'restock' as const };
  addSpan(sums, { ...restock, units: beforeRestock(before, half, fit), lean: 'early' });
  const hours = (toAtSeconds - fromAtSeconds) / HOUR_SECONDS;
  const pull =
    hours < 4 ? 1 : (fit.model.restockPull[hours < 9 ? 0 : hours < 18 ? 1 : 2] as number);
  addSpan(sums, { ...restock, units: half * pull, lean: 'late' });
}

/**
 * The units sold before a restock, at most those that were in stock. Where shelves are nearly empty
 * when restocked, either nothing was sold, or everything but the few units that usually remain.
 */
function beforeRestock(before: number, half: number, { model, habit }: Fit): number {
  const { left } = model;
  if (left === null || habit === null) return Math.min(before, half);
  const perOrder = Math.max(1, habit.unitsPerDrop);
  const chance = 1 - Math.exp(-half / perOrder);
  const nothing = (1 - chance) * (left[Math.min(before, left.length - 1)] as number);
  let something = 0;
  let units = 0;
  for (let rest = 0; rest < Math.min(before, left.length); rest++) {
    const sold = before - rest;
    const likely = (left[rest] as number) / (1 + sold / perOrder) ** 2;
    something += likely;
    units += likely * sold;
  }
  const orders = chance / perOrder;
  const total = nothing + something * orders;
  const sold = total > 0 ? (units * orders) / total : 0;
  const isJump = habit.jumpUnits !== null && sold > habit.jumpUnits;
  return isJump && !habit.lumpy ? half : sold;
}

/** The rate of the seller at an instant: as counted around it, pulled towards the expected rate. */
function rateAt(reading: Reading, atSeconds: number, capped: boolean): Expected {
  const counted = countedAround(reading.track, atSeconds);
  const prior = reading.prior(atSeconds);
  if (prior === null)
    return counted.days > 0
      ? { unitsPerDay: counted.units / counted.days, method: 'typical' }
      : { unitsPerDay: 0, method: 'unknown' };
  const shelf = reading.shelf(atSeconds);
  const sellerRate = presentRate(reading.track, atSeconds);
  const others = Math.max(0, shelf.unitsPerDay - (sellerRate ?? 0));
  const uncounted = 1 + shelf.uncounted - (sellerRate === null ? 1 : 0);
  const expected = Math.max(0, prior.unitsPerDay - others) / uncounted;
  const priorDays = capped ? CAPPED_PRIOR_DAYS : PRIOR_DAYS;
  return {
    unitsPerDay: (counted.units + priorDays * expected) / (counted.days + priorDays),
    method: counted.days < priorDays ? prior.method : 'typical',
  };
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
