// The sums over all products that a market model is fitted from. Products are added once, in any
// order, and sums of parts can be merged. market-model computes the model from them.
import { bounds } from '../foundation/bounds.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { dropsOf, jumpLimitOf, soldByDay } from './counted-drop.ts';
import {
  addAll,
  addHours,
  emptyHourSums,
  emptyWeek,
  FINE_SECONDS,
  type HourSums,
  mergeHourSums,
} from './hour-sums.ts';
import { noteMoves } from './moved-stock.ts';
import { addToCurve, type CurveSums, mergeCurves, rankBin } from './rank-curve.ts';
import { type Pace, paceOf } from './seller-pace.ts';
import { type SellerTrack, tracksOf } from './seller-track.ts';
import {
  ANY_HOUR,
  hourParts,
  isFine,
  RETURN_UNITS_MAX,
  risesOf,
  type ShelfHabit,
  shelfHabitOf,
} from './shelf-habit.ts';
import { capsOf } from './stock-cap.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

export const ORDER_BINS = 20;
/** Units left: single up to 31, then bins whose width doubles every second time. */
export const LEFT_BINS = 48;
const LEFT_SINGLE = 32;
/** Daily units of a seller, in powers of two from one half on. */
export const LEFT_RATES = 8;

export function leftBin(units: number): number {
  if (units < LEFT_SINGLE) return Math.max(0, units);
  const octave = Math.floor(Math.log2(units / LEFT_SINGLE));
  const half = units >= LEFT_SINGLE * 1.5 * 2 ** octave ? 1 : 0;
  return Math.min(LEFT_BINS - 1, LEFT_SINGLE + 2 * octave + half);
}

/** The number of units in a bin. */
export const leftWidth = (bin: number): number =>
  bin < LEFT_SINGLE ? 1 : (LEFT_SINGLE / 2) * 2 ** Math.floor((bin - LEFT_SINGLE) / 2);

export const leftRate = (unitsPerDay: number): number =>
  Math.min(LEFT_RATES - 1, Math.max(0, Math.floor(Math.log2(Math.max(0.01, unitsPerDay))) + 2));
/** Tracks of fewer days say little about restocks. */
const FINE_DAYS_MIN = 18;
const TRIMMED_PART = 0.04;
const DAY_HOURS = 24;
/** Intervals for which missed sales around restocks are measured. */
export const RESTOCK_HOURS = [6, 12, 24] as const;
const MISSED_MEMBERS = ['hidden', 'decreased', 'after', 'around', 'restocks'] as const;
export const MISSED_SUMS = MISSED_MEMBERS.length;
/** Units in stock compared with what is expected to sell in the interval. */
const COVERS = [0.6, 1.5, 3.2, 6.4] as const;
export const COVER_BINS = COVERS.length + 1;

export function coverBin(cover: number): number {
  let bin = 0;
  while (bin < COVERS.length && cover >= (COVERS[bin] as number)) bin++;
  return bin;
}

export type MarketSums = {
  products: number;
  hours: HourSums;
  categories: Map<string, { week: Float64Array; curve: CurveSums }>;
  /** By bin: the sum of concentrations; then by bin: the number of days. */
  orders: Float64Array;
  /** Products with and without jumps. */
  withJumps: number;
  withoutJumps: number;
  /** By rate and bin: restocks of frequently observed shelves by units left on them. */
  left: Float64Array;
  /** The same restocks by hour of the day. */
  restockHours: Float64Array;
  /** Frequently observed shelves; of those refilled every night, daily units and levels. */
  nightly: { shelves: number; nightly: number; unitsPerDay: number; levels: number };
  /** Units that came back to frequently observed shelves. */
  returns: { units: number; days: number };
  /**
   * By interval and cover: units hidden in decreases and the expected ones, units sold after
   * visible restocks, the expected ones and their number.
   */
  missed: Float64Array;
};

export function emptyMarketSums(): MarketSums {
  return {
    products: 0,
    hours: emptyHourSums(),
    categories: new Map(),
    orders: new Float64Array(ORDER_BINS * 2),
    withJumps: 0,
    withoutJumps: 0,
    left: new Float64Array(LEFT_BINS * LEFT_RATES),
    restockHours: new Float64Array(DAY_HOURS),
    nightly: { shelves: 0, nightly: 0, unitsPerDay: 0, levels: 0 },
    returns: { units: 0, days: 0 },
    missed: new Float64Array(RESTOCK_HOURS.length * COVER_BINS * MISSED_SUMS),
  };
}

export function mergeMarketSums(into: MarketSums, other: MarketSums): void {
  into.products += other.products;
  mergeHourSums(into.hours, other.hours);
  for (const [name, { week, curve }] of other.categories) {
    const category = categoryOf(into, name);
    if (category === null) continue;
    addAll(category.week, week);
    mergeCurves(category.curve, curve);
  }
  addAll(into.orders, other.orders);
  into.withJumps += other.withJumps;
  into.withoutJumps += other.withoutJumps;
  addAll(into.left, other.left);
  addAll(into.restockHours, other.restockHours);
  into.nightly.shelves += other.nightly.shelves;
  into.nightly.nightly += other.nightly.nightly;
  into.nightly.unitsPerDay += other.nightly.unitsPerDay;
  into.nightly.levels += other.nightly.levels;
  into.returns.units += other.returns.units;
  into.returns.days += other.returns.days;
  addAll(into.missed, other.missed);
}

function categoryOf(sums: MarketSums, name: string) {
  let category = sums.categories.get(name);
  if (category === undefined) {
    if (sums.categories.size >= bounds.modelCategoriesMax) return null;
    category = { week: emptyWeek(), curve: new Map() };
    sums.categories.set(name, category);
  }
  return category;
}

/** Adds one product, with all its observations, ascending. */
export function addProduct(sums: MarketSums, observations: readonly StockObservation[]): void {
  const tracks = tracksOf(observations);
  const name = lastCategory(observations);
  const category = name === null ? null : categoryOf(sums, name);
  sums.products++;
  const habits = new Map(
    tracks.map((track) => [track, { ...shelfHabitOf(track), ...paceOf(track, TRIMMED_PART) }]),
  );
  noteMoves(tracks, (track) => habits.get(track) as ShelfHabit & Pace);
  for (const track of tracks) {
    const habit = habits.get(track) as ShelfHabit & Pace;
    addHours(sums.hours, track, category?.week ?? null);
    addRestocks(sums, track, habit);
    if (!habit.nightly) addMissedSales(sums, track);
  }
  addOrders(sums, tracks);
  const sold = [...soldByDay(tracks).values()];
  if (sold.length >= 20) {
    const limit = jumpLimitOf(sold);
    if (sold.some((units) => units > limit)) sums.withJumps++;
    else sums.withoutJumps++;
  }
  // With capped counts, best sellers would seem to sell hardly anything.
  if (category !== null && Object.keys(capsOf(tracks, null)).length === 0)
    addRanks(category.curve, observations, tracks);
}

function isFrequent(track: SellerTrack): boolean {
  const span = (track.timesSeconds.at(-1) ?? 0) - (track.timesSeconds[0] ?? 0);
  return span >= FINE_DAYS_MIN * DAY_SECONDS && isFine(track);
}

function addRestocks(sums: MarketSums, track: SellerTrack, habit: ShelfHabit & Pace): void {
  if (!isFrequent(track)) return;
  const { timesSeconds, units } = track;
  const span = (timesSeconds.at(-1) as number) - (timesSeconds[0] as number);
  sums.returns.units += ((habit.returnsPerDay ?? 0) * span) / DAY_SECONDS;
  sums.returns.days += span / DAY_SECONDS;
  sums.nightly.shelves++;
  if (habit.nightly) {
    sums.nightly.nightly++;
    sums.nightly.unitsPerDay += habit.unitsPerDay;
    sums.nightly.levels += habit.level ?? 0;
  }
  const rate = leftRate(habit.unitsPerDay);
  for (const { index, units: risen } of risesOf(track)) {
    const fromAtSeconds = timesSeconds[index - 1] as number;
    const toAtSeconds = timesSeconds[index] as number;
    if (toAtSeconds - fromAtSeconds > FINE_SECONDS) continue;
    if (risen <= RETURN_UNITS_MAX && habit.level === null) continue;
    for (const { hour, weight } of hourParts(fromAtSeconds, toAtSeconds, ANY_HOUR))
      sums.restockHours[hour] = (sums.restockHours[hour] as number) + weight * DAY_HOURS;
    // Filled at a fixed time: what is left then says nothing about other shelves.
    if (habit.level !== null) continue;
    const bin = rate * LEFT_BINS + leftBin(units[index - 1] as number);
    sums.left[bin] = (sums.left[bin] as number) + 1;
  }
}

/**
 * Measures what sparse observations of a frequently observed track would miss. Restocks come at
 * busy times, and some hide in a net decrease, so the rate of the days around them is too low.
 */
function addMissedSales(sums: MarketSums, track: SellerTrack): void {
  if (!isFrequent(track) || track.units.some((count) => count < 0) || track.moved.size > 0) return;
  const fine = fineRate(track);
  RESTOCK_HOURS.forEach((hours, interval) => {
    const sparse = sparseIntervals(track, { hours, rate: fine });
    let counted = 0;
    let seconds = 0;
    for (const { net, length } of sparse) {
      if (net < 0) continue;
      counted += net;
      seconds += length;
    }
    if (seconds === 0) return;
    for (const { before, net, length, sold, soldAfter } of sparse) {
      const expected = (counted / seconds) * length;
      const bin = coverBin(before / Math.max(expected, 1e-6));
      const values =
        net >= 0
          ? [sold - net, expected]
          : net < -RETURN_UNITS_MAX
            ? [0, 0, soldAfter, expected, 1]
            : [];
      values.forEach((value, part) => {
        const index = (interval * COVER_BINS + bin) * MISSED_SUMS + part;
        sums.missed[index] = (sums.missed[index] as number) + value;
      });
    }
  });
}

type SparseInterval = {
  before: number;
  /** The decrease that sparse observations would see. */
  net: number;
  length: number;
  sold: number;
  /** Sold after the last restock. */
  soldAfter: number;
};

/** `rate`: units a second, because frequent observations miss a little, too. */
function sparseIntervals(
  { timesSeconds, units }: SellerTrack,
  { hours, rate }: { hours: number; rate: number },
): SparseInterval[] {
  const intervals: SparseInterval[] = [];
  let from = 0;
  let sold = 0;
  let soldAfter = 0;
  for (let index = 1; index < units.length; index++) {
    const drop = (units[index - 1] as number) - (units[index] as number);
    const fineLength = (timesSeconds[index] as number) - (timesSeconds[index - 1] as number);
    sold += drop >= 0 ? drop : rate * fineLength;
    if (drop < -RETURN_UNITS_MAX) soldAfter = (rate * fineLength) / 2;
    else soldAfter += Math.max(0, drop);
    const length = (timesSeconds[index] as number) - (timesSeconds[from] as number);
    if (length < hours * HOUR_SECONDS - 600) continue;
    const before = units[from] as number;
    intervals.push({ before, net: before - (units[index] as number), length, sold, soldAfter });
    sold = 0;
    soldAfter = 0;
    from = index;
  }
  return intervals;
}

/** Counted units per second. */
function fineRate(track: SellerTrack): number {
  let units = 0;
  let seconds = 0;
  for (const drop of dropsOf(track)) {
    units += drop.units;
    seconds += drop.toAtSeconds - drop.fromAtSeconds;
  }
  return seconds > 0 ? units / seconds : 0;
}

/** Adds how concentrated the sales of frequently observed days were: Σ units² / (Σ units)². */
function addOrders(sums: MarketSums, tracks: readonly SellerTrack[]): void {
  const days = new Map<number, { sum: number; squares: number; seconds: number }>();
  for (const track of tracks) {
    for (const { fromAtSeconds, toAtSeconds, units } of dropsOf(track)) {
      if (toAtSeconds - fromAtSeconds > FINE_SECONDS) continue;
      const day = dayOf(toAtSeconds);
      const daySums = days.get(day) ?? { sum: 0, squares: 0, seconds: 0 };
      daySums.sum += units;
      daySums.squares += units * units;
      daySums.seconds += toAtSeconds - fromAtSeconds;
      days.set(day, daySums);
    }
  }
  for (const { sum, squares, seconds } of days.values()) {
    if (sum < 2 || seconds < 0.9 * DAY_SECONDS) continue;
    const bin = Math.min(ORDER_BINS - 1, Math.floor(Math.log2(sum)));
    sums.orders[bin] = (sums.orders[bin] as number) + squares / (sum * sum);
    sums.orders[bin + ORDER_BINS] = (sums.orders[bin + ORDER_BINS] as number) + 1;
  }
}

/** Adds the mean daily units of the product at each rank it had for at least three days. */
function addRanks(
  curve: CurveSums,
  observations: readonly StockObservation[],
  tracks: readonly SellerTrack[],
): void {
  const binOfDay = new Map<number, number>();
  for (const { atSeconds, rankPosition } of observations)
    if (rankPosition !== null) binOfDay.set(dayOf(atSeconds), rankBin(rankPosition));
  const sold = soldByDay(tracks);
  const byBin = new Map<number, { units: number; days: number }>();
  for (const [day, bin] of binOfDay) {
    const binSums = byBin.get(bin) ?? { units: 0, days: 0 };
    binSums.units += sold.get(day) ?? 0;
    binSums.days++;
    byBin.set(bin, binSums);
  }
  for (const [bin, { units, days }] of byBin) if (days >= 3) addToCurve(curve, bin, units / days);
}

/** The newest rank category; null if no rank was observed. */
export function lastCategory(observations: readonly StockObservation[]): string | null {
  for (let index = observations.length - 1; index >= 0; index--) {
    const { rankCategory } = observations[index] as StockObservation;
    if (rankCategory !== null) return rankCategory;
  }
  return null;
}
