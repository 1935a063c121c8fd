// What one seller sold between each two looks: counted, or filled in where a count says nothing.
import type { Steps } from '../background/slices.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { GAP_SECONDS } from './counted-drop.ts';
import { addCounted, addSpan, addUnseen, type DaySums, type Method } from './day-sums.ts';
import { DAY_WEIGHT, passedAt, type Timeline, weightBetween } from './hour-shape.ts';
import type { MarketModel } from './market-model.ts';
import type { ProductHabit } from './product-habit.ts';
import { ABSENT, CAPPED, type SellerTrack } from './seller-track.ts';

/** What was counted so far before and after an instant makes a seller's rate there. */
export const RATE_SECONDS = 14 * DAY_SECONDS;

/** A drop that is taken back within this time, to within a fiftieth, was a miscount. */
export const TAKEN_BACK_SECONDS = DAY_SECONDS;
const TAKEN_BACK_PART = 0.01;

/** What may be expected counts like this many days of the seller's own; alone, only without any. */
const PRIOR_DAYS = 0.5;
/** While the count is capped, what can be counted is the seller's worst time, and says little. */
const CAPPED_PRIOR_DAYS = 14;

export type Expected = { unitsPerDay: number; method: Method };
/** Of the whole product at an instant; null when nothing is known. */
export type Prior = (atSeconds: number) => Expected | null;

/** A track with its counted units and their weight, summed up from the first point to each. */
export type RatedTrack = SellerTrack & {
  line: Timeline;
  countedUnits: Float64Array;
  countedWeight: Float64Array;
  /** Drops that are no sales. */
  mistaken: Set<number>;
};

type Fit = { model: MarketModel; habit: ProductHabit | null };

/** A step for each seller. */
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
  const countedUnits = new Float64Array(track.at.length);
  const countedWeight = new Float64Array(track.at.length);
  const mistaken = new Set<number>();
  let units = 0;
  let weight = 0;
  let passed = track.at.length === 0 ? 0 : passedAt(line, track.at[0] as number);
  for (let index = 1; index < track.at.length; index++) {
    const before = track.units[index - 1] as number;
    const after = track.units[index] as number;
    const from = track.at[index - 1] as number;
    const to = track.at[index] as number;
    const passedBefore = passed;
    passed = passedAt(line, to);
    if (after >= 0 && before >= after && to - from <= GAP_SECONDS) {
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
 * Stands out, and is either taken back soon or the only kind of its sort. Where most products have days that stand
 * out, they are orders: on real sales 39 % of all units are sold on such days.
 */
function isMistaken(track: SellerTrack, index: number, { habit }: Fit): boolean {
  if (habit === null || habit.jumpUnits === null) return false;
  const before = track.units[index - 1] as number;
  const drop = before - (track.units[index] as number);
  const days = Math.max(
    1,
    ((track.at[index] as number) - (track.at[index - 1] as number)) / DAY_SECONDS,
  );
  if (drop <= habit.jumpUnits * days) return false;
  if (!habit.lumpy) return true;
  const latest = (track.at[index] as number) + TAKEN_BACK_SECONDS;
  for (let next = index + 1; next < track.at.length; next++) {
    if ((track.at[next] as number) > latest) return false;
    const units = track.units[next] as number;
    if (units >= 0 && Math.abs(units - before) <= TAKEN_BACK_PART * drop) return true;
  }
  return false;
}

type Reading = { track: RatedTrack; shelf: ShelfRates; prior: Prior; fit: Fit };

/** Of all sellers that were there: what they sold a day, as far as it was counted, and how many were not counted. */
type ShelfRate = { unitsPerDay: number; uncounted: number };
export type ShelfRates = (atSeconds: number) => ShelfRate;

/** Remembered by instant: most sellers are asked for at the same ones, and each time all of them had to be gone through. */
export function shelfRates(rates: readonly RatedTrack[]): ShelfRates {
  const remembered = new Map<number, ShelfRate>();
  return (atSeconds) => {
    const known = remembered.get(atSeconds);
    if (known !== undefined) return known;
    const shelf = { unitsPerDay: 0, uncounted: 0 };
    for (const track of rates) {
      const rate = rateThere(track, atSeconds);
      if (rate === null) shelf.uncounted += 1;
      else shelf.unitsPerDay += rate;
    }
    remembered.set(atSeconds, shelf);
    return shelf;
  };
}

/** What a seller sold a day around an instant: 0 who was not there, null where less than a day was counted. */
function rateThere(track: RatedTrack, atSeconds: number): number | null {
  if (!isThere(track, atSeconds)) return 0;
  const { units, days } = countedAround(track, atSeconds);
  return days >= 1 ? units / days : null;
}

/** A step for each interval that nothing was counted in. */
export function* addTrack(sums: DaySums, reading: Reading): Steps<void> {
  const { track } = reading;
  const sumsFrom = sums.firstDay * DAY_SECONDS;
  const sumsTo = sumsFrom + sums.days * DAY_SECONDS;
  for (let index = 1; index < track.at.length; index++) {
    const fromAtSeconds = track.at[index - 1] as number;
    const toAtSeconds = track.at[index] as number;
    if (toAtSeconds <= sumsFrom || fromAtSeconds >= sumsTo) continue;
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

/** Restocks, comings, goings, unknown counts and mistaken drops. */
function addUncounted(sums: DaySums, reading: Reading, index: number): void {
  const { track, fit } = reading;
  const fromAtSeconds = track.at[index - 1] as number;
  const toAtSeconds = track.at[index] as number;
  const before = track.units[index - 1] as number;
  const after = track.units[index] as number;
  const capped = before === CAPPED || after === CAPPED;
  const { unitsPerDay, method } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2, capped);
  const expected =
    (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const span = { fromAtSeconds, toAtSeconds, method };
  const half = expected / 2;
  if (before === ABSENT || after === ABSENT) {
    // The seller was there for some of the time; what was left when the seller went is not sold.
    const lean = after === ABSENT ? 'early' : 'late';
    addSpan(sums, { ...span, units: before >= 0 ? Math.min(before, half) : half, lean });
    return;
  }
  if (before < 0 || after < 0 || track.mistaken.has(index)) {
    addSpan(sums, { ...span, units: expected, lean: null });
    addUnseen(sums, fromAtSeconds, toAtSeconds);
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
 * What was sold of the units that were there before the goods came: no more than them. Where shelves are restocked
 * nearly empty, either nothing was sold and all of them were left, or all but the few that usually are left.
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
  const standsOut = habit.jumpUnits !== null && sold > habit.jumpUnits;
  return standsOut && !habit.lumpy ? half : sold;
}

/** Of the seller, from what was counted around an instant; without any, a part of what the product should sell. */
function rateAt(reading: Reading, atSeconds: number, capped: boolean): Expected {
  const own = countedAround(reading.track, atSeconds);
  const prior = reading.prior(atSeconds);
  if (prior === null)
    return own.days > 0
      ? { unitsPerDay: own.units / own.days, method: 'typical' }
      : { unitsPerDay: 0, method: 'unknown' };
  const shelf = reading.shelf(atSeconds);
  const ownRate = rateThere(reading.track, atSeconds);
  const others = Math.max(0, shelf.unitsPerDay - (ownRate ?? 0));
  const uncounted = 1 + shelf.uncounted - (ownRate === null ? 1 : 0);
  const expected = Math.max(0, prior.unitsPerDay - others) / uncounted;
  const priorDays = capped ? CAPPED_PRIOR_DAYS : PRIOR_DAYS;
  return {
    unitsPerDay: (own.units + priorDays * expected) / (own.days + priorDays),
    method: own.days < priorDays ? prior.method : 'typical',
  };
}

function countedAround(track: RatedTrack, atSeconds: number): { units: number; days: number } {
  const first = firstFrom(track.at, atSeconds - RATE_SECONDS);
  const last = firstFrom(track.at, atSeconds + RATE_SECONDS + 1) - 1;
  if (last <= first) return { units: 0, days: 0 };
  return {
    units: (track.countedUnits[last] as number) - (track.countedUnits[first] as number),
    days:
      ((track.countedWeight[last] as number) - (track.countedWeight[first] as number)) / DAY_WEIGHT,
  };
}

/** Whether the seller had an offer, as far as it was seen not too long ago. */
function isThere(track: RatedTrack, atSeconds: number): boolean {
  const index = firstFrom(track.at, atSeconds + 1) - 1;
  if (index < 0 || track.units[index] === ABSENT) return false;
  return atSeconds - (track.at[index] as number) <= GAP_SECONDS;
}

/** The place of the first time that is not before; the length when there is none. */
function firstFrom(at: readonly number[], seconds: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] as number) < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}
