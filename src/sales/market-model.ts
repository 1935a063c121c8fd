// What the looks of many products teach about any one of them: when the market sells, how sales follow rank, how many
// orders make up a day, and how sellers restock.

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

/** As JSON it is what it was. */
export type MarketModel = {
  version: number;
  shape: HourShape;
  categories: Readonly<Record<string, CategoryModel>>;
  /** As many equal orders would vary as the orders of a day with 2^place units or more, less than double. */
  orders: readonly number[];
  /** Most products have days that stand out: such a day is an order, not a mistake. */
  lumpy: boolean;
  /** How often so many units are left on a shelf when it is restocked; null where shelves are not nearly empty then. */
  left: readonly number[] | null;
  /** By interval of RESTOCK_HOURS: how much more than usual is sold around a restock that is seen. */
  restockPull: readonly number[];
};

export function fitMarketModel(learning: MarketSums, version: number): MarketModel {
  const shape = shapeFrom(learning.hours);
  const categories = Object.fromEntries(
    Array.from(learning.categories, ([name, { week, curve }]): [string, CategoryModel] => [
      name,
      { profile: weekProfile(week, shape.profile), curve: curveOf(curve) },
    ]),
  );
  const [without, withJumps] = learning.standing;
  return {
    version,
    shape,
    categories,
    orders: ordersFrom(learning.orders),
    lumpy: without + withJumps >= 20 && withJumps > without,
    left: leftFrom(learning),
    restockPull: restockPullFrom(learning),
  };
}

/** What holds before anything was seen. */
export const EMPTY_MODEL: MarketModel = fitMarketModel(emptyMarketSums(), 0);

/** Where little was seen: as from one bin to the next below, a little more orders for twice the units. */
function ordersFrom(sums: Float64Array): number[] {
  let before = 1;
  return Array.from({ length: ORDER_BINS }, (_, bin) => {
    const usual = Math.min(1, 1 / (before * 2 ** 0.5));
    const days = sums[bin + ORDER_BINS] as number;
    const concentration = ((sums[bin] as number) + 20 * usual) / (days + 20);
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
