// The market model: what is common to all products. When the market sells, how sales depend on
// rank, how many orders make up a day, and how sellers restock. Computed from market-sums; the
// table is `market_models`.

import type { HourShape } from './hour-shape.ts';
import { shapeFrom, weekProfile } from './hour-sums.ts';
import {
  emptyMarketSums,
  LEFT_BINS,
  type MarketSums,
  ORDER_BINS,
  RESTOCK_HOURS,
} from './market-sums.ts';
import { curveOf, type RankCurve } from './rank-curve.ts';

export type CategoryModel = { profile: readonly number[] | null; curve: RankCurve | null };

/** Survives JSON unchanged: it is stored as JSON. */
export type MarketModel = {
  version: number;
  shape: HourShape;
  categories: Readonly<Record<string, CategoryModel>>;
  /** By bin: the effective number of orders on a day with 2^bin units or more, less than double. */
  orders: readonly number[];
  /** Most products have jumps: a jump is a big order, not a mistake. */
  lumpy: boolean;
  /**
   * Shares of restocks by units left on the shelf; null if shelves are not nearly empty by then.
   */
  left: readonly number[] | null;
  /** By interval of RESTOCK_HOURS: sales around an observed restock, relative to the usual rate. */
  restockPull: readonly number[];
};

/** Computes the model from the sums over all products. */
export function fitMarketModel(sums: MarketSums, version: number): MarketModel {
  const shape = shapeFrom(sums.hours);
  const categories = Object.fromEntries(
    Array.from(sums.categories, ([name, { week, curve }]): [string, CategoryModel] => [
      name,
      { profile: weekProfile(week, shape.profile), curve: curveOf(curve) },
    ]),
  );
  const { withJumps, withoutJumps } = sums;
  return {
    version,
    shape,
    categories,
    orders: ordersFrom(sums.orders),
    lumpy: withoutJumps + withJumps >= 20 && withJumps > withoutJumps,
    left: leftFrom(sums),
    restockPull: restockPullFrom(sums),
  };
}

/** The model before any product was observed. */
export const EMPTY_MODEL: MarketModel = fitMarketModel(emptyMarketSums(), 0);

/** A bin with few days is pulled towards √2 times the orders of the bin below it. */
function ordersFrom(orders: Float64Array): number[] {
  let before = 1;
  return Array.from({ length: ORDER_BINS }, (_, bin) => {
    const usual = Math.min(1, 1 / (before * 2 ** 0.5));
    const days = orders[bin + ORDER_BINS] as number;
    const concentration = ((orders[bin] as number) + 20 * usual) / (days + 20);
    before = 1 / concentration;
    return Number(before.toPrecision(4));
  });
}

function leftFrom({ left, restocks }: MarketSums): number[] | null {
  if (restocks.seen < 50 || restocks.empty < 0.9 * restocks.seen) return null;
  const all = restocks.seen + LEFT_BINS * 0.05;
  return Array.from(left, (count) => Number(((count + 0.05) / all).toPrecision(4)));
}

function restockPullFrom({ thinned, restocks }: MarketSums): number[] {
  const emptied = restocks.seen >= 50 && restocks.empty >= 0.9 * restocks.seen;
  return RESTOCK_HOURS.map((_, number) => {
    const [sold, counted, expected, before] = thinned.slice(
      number * 4,
      number * 4 + 4,
    ) as unknown as [number, number, number, number];
    if (restocks.seen < 50 || expected === 0) return 1;
    const pull = emptied ? (sold - counted - before) / (expected / 2) : (sold - counted) / expected;
    return Number(Math.min(2, Math.max(0.5, pull)).toPrecision(3));
  });
}
