// What the looks of many products have shown so far, as sums: products are passed once, in any order, and the sums of
// parts can be merged. What follows from them is market-model's.

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
import { addToCurve, type CurveSums, mergeCurves, rankBin } from './rank-curve.ts';
import { type SellerTrack, tracksOf } from './seller-track.ts';
import { capsOf } from './stock-cap.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

export const ORDER_BINS = 20;
const CATEGORIES_MAX = 2_000;
export const LEFT_BINS = 64;
export const RESTOCK_HOURS = [6, 12, 24] as const;

export type MarketSums = {
  products: number;
  hours: HourSums;
  categories: Map<string, { week: Float64Array; curve: CurveSums }>;
  /** Sum of concentrations, then number of days. */
  orders: Float64Array;
  /** Products without days that stand out, and with. */
  standing: [number, number];
  /** Restocks by units left, and how many of the shelves were nearly empty. */
  left: Float64Array;
  restocks: { seen: number; empty: number };
  /** By interval: units seen finely, counted coarsely, expected around restocks, surely sold before them. */
  thinned: Float64Array;
};

export function emptyMarketSums(): MarketSums {
  return {
    products: 0,
    hours: emptyHourSums(),
    categories: new Map(),
    orders: new Float64Array(ORDER_BINS * 2),
    standing: [0, 0],
    left: new Float64Array(LEFT_BINS),
    restocks: { seen: 0, empty: 0 },
    thinned: new Float64Array(RESTOCK_HOURS.length * 4),
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
  into.standing[0] += other.standing[0];
  into.standing[1] += other.standing[1];
  addAll(into.left, other.left);
  into.restocks.seen += other.restocks.seen;
  into.restocks.empty += other.restocks.empty;
  addAll(into.thinned, other.thinned);
}

function categoryOf(learning: MarketSums, name: string) {
  let category = learning.categories.get(name);
  if (category === undefined) {
    if (learning.categories.size >= CATEGORIES_MAX) return null;
    category = { week: emptyWeek(), curve: new Map() };
    learning.categories.set(name, category);
  }
  return category;
}

/** All looks of one product, ascending. */
export function addProduct(learning: MarketSums, observations: readonly StockObservation[]): void {
  const tracks = tracksOf(observations);
  const name = lastCategory(observations);
  const category = name === null ? null : categoryOf(learning, name);
  learning.products++;
  for (const track of tracks) {
    addHours(learning.hours, track, category?.week ?? null);
    addRestocks(learning, track);
    addThinned(learning, track);
  }
  addOrders(learning, tracks);
  const sold = [...soldByDay(tracks).values()];
  if (sold.length >= 20) {
    const limit = jumpLimitOf(sold);
    learning.standing[sold.some((units) => units > limit) ? 1 : 0]++;
  }
  // A capped count would say that best sellers hardly sell.
  if (category !== null && Object.keys(capsOf(tracks, null)).length === 0)
    addRanks(category.curve, observations, tracks);
}

function addRestocks(learning: MarketSums, { at, units }: SellerTrack): void {
  let top = 0;
  for (let index = 1; index < at.length; index++) {
    const before = units[index - 1] as number;
    const after = units[index] as number;
    if (before < 0) top = 0;
    if (before < 0 || after <= before) continue;
    const fine = (at[index] as number) - (at[index - 1] as number) <= FINE_SECONDS;
    if (fine && top >= 20) {
      const bin = Math.min(LEFT_BINS - 1, before);
      learning.left[bin] = (learning.left[bin] as number) + 1;
      learning.restocks.seen++;
      if (before <= Math.max(5, 0.1 * top)) learning.restocks.empty++;
    }
    top = after;
  }
}

/**
 * What would have been missed of a finely seen track by looking at it less often. Restocks that are seen come in busy
 * times, and some hide in a net decrease: the rate of the days around them is too little.
 */
function addThinned(learning: MarketSums, track: SellerTrack): void {
  const { at, units } = track;
  const last = at.length - 1;
  if (last < 1 || units.some((count) => count < 0)) return;
  const span = (at[last] as number) - (at[0] as number);
  if (span < 20 * DAY_SECONDS || span / last > FINE_SECONDS) return;
  const rate = fineRate(track);
  RESTOCK_HOURS.forEach((hours, number) => {
    const sums = { sold: 0, counted: 0, weight: 0, restocked: 0, before: 0 };
    let from = 0;
    let sold = 0;
    for (let index = 1; index <= last; index++) {
      const fineDrop = (units[index - 1] as number) - (units[index] as number);
      // Fine looks miss a little themselves.
      const missed = rate * ((at[index] as number) - (at[index - 1] as number));
      sold += fineDrop >= 0 ? fineDrop : missed;
      const seconds = (at[index] as number) - (at[from] as number);
      if (seconds < hours * HOUR_SECONDS - 600) continue;
      const before = units[from] as number;
      const drop = before - (units[index] as number);
      sums.sold += sold;
      if (drop >= 0) {
        sums.counted += drop;
        sums.weight += seconds;
      } else {
        sums.restocked += seconds;
        if (before > 5) sums.before += before - 2.5;
      }
      sold = 0;
      from = index;
    }
    if (sums.weight === 0) return;
    const expected = (sums.counted / sums.weight) * sums.restocked;
    [sums.sold, sums.counted, expected, sums.before].forEach((value, part) => {
      learning.thinned[number * 4 + part] = (learning.thinned[number * 4 + part] as number) + value;
    });
  });
}

/** Units a second, where they were counted. */
function fineRate(track: SellerTrack): number {
  let units = 0;
  let seconds = 0;
  for (const drop of dropsOf(track)) {
    units += drop.units;
    seconds += drop.toAtSeconds - drop.fromAtSeconds;
  }
  return seconds > 0 ? units / seconds : 0;
}

/** How concentrated the sales of a finely seen day were: Σ units² / (Σ units)². */
function addOrders(learning: MarketSums, tracks: readonly SellerTrack[]): void {
  const days = new Map<number, { sum: number; squares: number; seconds: number }>();
  for (const track of tracks) {
    for (const { fromAtSeconds, toAtSeconds, units } of dropsOf(track)) {
      if (toAtSeconds - fromAtSeconds > FINE_SECONDS) continue;
      const day = dayOf(toAtSeconds);
      const sums = days.get(day) ?? { sum: 0, squares: 0, seconds: 0 };
      sums.sum += units;
      sums.squares += units * units;
      sums.seconds += toAtSeconds - fromAtSeconds;
      days.set(day, sums);
    }
  }
  for (const { sum, squares, seconds } of days.values()) {
    if (sum < 2 || seconds < 0.9 * DAY_SECONDS) continue;
    const bin = Math.min(ORDER_BINS - 1, Math.floor(Math.log2(sum)));
    learning.orders[bin] = (learning.orders[bin] as number) + squares / (sum * sum);
    learning.orders[bin + ORDER_BINS] = (learning.orders[bin + ORDER_BINS] as number) + 1;
  }
}

/** Mean daily units of the product at each of the ranks it had, where it was seen for three days or more. */
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
    const sums = byBin.get(bin) ?? { units: 0, days: 0 };
    sums.units += sold.get(day) ?? 0;
    sums.days++;
    byBin.set(bin, sums);
  }
  for (const [bin, { units, days }] of byBin) if (days >= 3) addToCurve(curve, bin, units / days);
}

export function lastCategory(observations: readonly StockObservation[]): string | null {
  for (let index = observations.length - 1; index >= 0; index--) {
    const { rankCategory } = observations[index] as StockObservation;
    if (rankCategory !== null) return rankCategory;
  }
  return null;
}
