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
import { addToCurve, type CurveSums, mergeCurves, rankBin } from './rank-curve.ts';
import { type SellerTrack, tracksOf } from './seller-track.ts';
import { capsOf } from './stock-cap.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

export const ORDER_BINS = 20;
export const LEFT_BINS = 64;
/** Intervals for which missed sales around restocks are measured. */
export const RESTOCK_HOURS = [6, 12, 24] as const;

export type MarketSums = {
  products: number;
  hours: HourSums;
  categories: Map<string, { week: Float64Array; curve: CurveSums }>;
  /** By bin: the sum of concentrations; then by bin: the number of days. */
  orders: Float64Array;
  /** Products with and without jumps. */
  withJumps: number;
  withoutJumps: number;
  /** Restocks by units left on the shelf; and all restocks, and those of nearly empty shelves. */
  left: Float64Array;
  restocks: { seen: number; empty: number };
  /**
   * By interval, four sums of units: sold by frequent observations, counted by sparse ones,
   * expected around restocks, certainly sold before restocks.
   */
  thinned: Float64Array;
};

export function emptyMarketSums(): MarketSums {
  return {
    products: 0,
    hours: emptyHourSums(),
    categories: new Map(),
    orders: new Float64Array(ORDER_BINS * 2),
    withJumps: 0,
    withoutJumps: 0,
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
  into.withJumps += other.withJumps;
  into.withoutJumps += other.withoutJumps;
  addAll(into.left, other.left);
  into.restocks.seen += other.restocks.seen;
  into.restocks.empty += other.restocks.empty;
  addAll(into.thinned, other.thinned);
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
  for (const track of tracks) {
    addHours(sums.hours, track, category?.week ?? null);
    addRestocks(sums, track);
    addMissedSales(sums, track);
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

function addRestocks(sums: MarketSums, { timesSeconds, units }: SellerTrack): void {
  let top = 0;
  for (let index = 1; index < timesSeconds.length; index++) {
    const before = units[index - 1] as number;
    const after = units[index] as number;
    if (before < 0) top = 0;
    if (before < 0 || after <= before) continue;
    const fine =
      (timesSeconds[index] as number) - (timesSeconds[index - 1] as number) <= FINE_SECONDS;
    if (fine && top >= 20) {
      const bin = Math.min(LEFT_BINS - 1, before);
      sums.left[bin] = (sums.left[bin] as number) + 1;
      sums.restocks.seen++;
      if (before <= Math.max(5, 0.1 * top)) sums.restocks.empty++;
    }
    top = after;
  }
}

/**
 * Measures what sparse observations of a frequently observed track would miss. Restocks come at
 * busy times, and some hide in a net decrease, so the rate of the days around them is too low.
 */
function addMissedSales(sums: MarketSums, track: SellerTrack): void {
  const { timesSeconds, units } = track;
  const last = timesSeconds.length - 1;
  if (last < 1 || units.some((count) => count < 0)) return;
  const span = (timesSeconds[last] as number) - (timesSeconds[0] as number);
  if (span < 20 * DAY_SECONDS || span / last > FINE_SECONDS) return;
  const rate = fineRate(track);
  RESTOCK_HOURS.forEach((hours, interval) => {
    const sparse = { sold: 0, counted: 0, weight: 0, restocked: 0, before: 0 };
    let from = 0;
    let sold = 0;
    for (let index = 1; index <= last; index++) {
      const fineDrop = (units[index - 1] as number) - (units[index] as number);
      // Frequent observations miss a little, too.
      const missed = rate * ((timesSeconds[index] as number) - (timesSeconds[index - 1] as number));
      sold += fineDrop >= 0 ? fineDrop : missed;
      const seconds = (timesSeconds[index] as number) - (timesSeconds[from] as number);
      if (seconds < hours * HOUR_SECONDS - 600) continue;
      const before = units[from] as number;
      const drop = before - (units[index] as number);
      sparse.sold += sold;
      if (drop >= 0) {
        sparse.counted += drop;
        sparse.weight += seconds;
      } else {
        sparse.restocked += seconds;
        if (before > 5) sparse.before += before - 2.5;
      }
      sold = 0;
      from = index;
    }
    if (sparse.weight === 0) return;
    const expected = (sparse.counted / sparse.weight) * sparse.restocked;
    [sparse.sold, sparse.counted, expected, sparse.before].forEach((value, part) => {
      const index = interval * 4 + part;
      sums.thinned[index] = (sums.thinned[index] as number) + value;
    });
  });
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
