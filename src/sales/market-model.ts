// The market model: what is common to all products. When the market sells, how sales depend on
// rank, how many orders make up a day, and how sellers restock. Computed from market-sums; the
// table is `market_models`.

import type { HourShape } from './hour-shape.ts';
import { shapeFrom, weekProfile } from './hour-sums.ts';
import {
  COVER_BINS,
  emptyMarketSums,
  LEFT_BINS,
  LEFT_RATES,
  type MarketSums,
  MISSED_SUMS,
  ORDER_BINS,
  RESTOCK_HOURS,
} from './market-sums.ts';
import { curveOf, type RankCurve } from './rank-curve.ts';

export type CategoryModel = { profile: readonly number[] | null; curve: RankCurve | null };

/** Raised when stored models of earlier releases cannot be used as they are. */
export const MODEL_FORMAT = 2;

/** Survives JSON unchanged: it is stored as JSON. */
export type MarketModel = {
  /** MODEL_FORMAT; a model of another format is fitted again. */
  format: number;
  version: number;
  shape: HourShape;
  categories: Readonly<Record<string, CategoryModel>>;
  /** By bin: the effective number of orders on a day with 2^bin units or more, less than double. */
  orders: readonly number[];
  /** Most products have jumps: a jump is a big order, not a mistake. */
  lumpy: boolean;
  /** By rate of the seller, then by bin: shares of restocks by units left on the shelf. */
  leftByRate: readonly (readonly number[])[];
  /** Weights of the hours of the day at which shelves are restocked; their sum is 1. */
  restockHours: readonly number[];
  /** The part of the shelves that are refilled every night; their daily units by level. */
  nightlyPart: number;
  unitsPerLevel: number;
  /** Units that come back, by seller and day. */
  returnsPerDay: number;
  /** By interval of RESTOCK_HOURS and cover: what sparse observations miss; see restock-reading. */
  missed: readonly { after: number; hidden: number }[];
};

/** Little is not filled in: it would blur every day for a few. */
const HIDDEN_PART_MIN = 0.3;
const hiddenPart = (part: number) => (part < HIDDEN_PART_MIN ? 0 : Number(part.toPrecision(3)));

/** How many restocks the priors weigh as. */
const ANY_LEFT = 3;
const LEFT_PRIOR = 25;
const HOURS_PRIOR = 6;
const RETURN_PRIOR_DAYS = 90;
const MISSED_RESTOCKS_MIN = 60;
const MISSED_PRIOR = 30;
const AFTER_MAX = 4;
const SHELVES_PRIOR = 4;

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
    format: MODEL_FORMAT,
    version,
    shape,
    categories,
    orders: ordersFrom(sums.orders),
    lumpy: withoutJumps + withJumps >= 20 && withJumps > withoutJumps,
    leftByRate: leftFrom(sums.left),
    restockHours: restockHoursFrom(sums.restockHours),
    ...nightlyFrom(sums.nightly),
    returnsPerDay: returnsFrom(sums.returns),
    missed: missedFrom(sums.missed),
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

/** A rate with few restocks is pulled towards all rates, and these towards any number of units. */
function leftFrom(left: Float64Array): number[][] {
  const all = Array.from({ length: LEFT_BINS }, (_, bin) => {
    let sum = 0;
    for (let rate = 0; rate < LEFT_RATES; rate++) sum += left[rate * LEFT_BINS + bin] as number;
    return sum;
  });
  const restocks = all.reduce((sum, count) => sum + count, 0);
  const any = all.map((count) => (count + ANY_LEFT / LEFT_BINS) / (restocks + ANY_LEFT));
  return Array.from({ length: LEFT_RATES }, (_, rate) => {
    const counts = left.subarray(rate * LEFT_BINS, (rate + 1) * LEFT_BINS);
    const sum = counts.reduce((total, count) => total + count, 0);
    return any.map((share, bin) =>
      Number((((counts[bin] as number) + LEFT_PRIOR * share) / (sum + LEFT_PRIOR)).toPrecision(4)),
    );
  });
}

function restockHoursFrom(hours: Float64Array): number[] {
  const restocks = hours.reduce((sum, count) => sum + count, 0);
  return Array.from(hours, (count) =>
    Number(((count + HOURS_PRIOR / hours.length) / (restocks + HOURS_PRIOR)).toPrecision(4)),
  );
}

function nightlyFrom({ shelves, nightly, unitsPerDay, levels }: MarketSums['nightly']) {
  return {
    nightlyPart: Number((nightly / (shelves + SHELVES_PRIOR)).toPrecision(4)),
    unitsPerLevel: levels === 0 ? 0 : Number((unitsPerDay / levels).toPrecision(4)),
  };
}

function returnsFrom({ units, days }: MarketSums['returns']): number {
  return Number((units / (days + RETURN_PRIOR_DAYS)).toPrecision(4));
}

/**
 * A cover with few restocks is pulled towards all covers. Where little hides in decreases, it is
 * filled in around visible restocks, so that sums are right.
 */
function missedFrom(missed: Float64Array): { after: number; hidden: number }[] {
  return RESTOCK_HOURS.flatMap((_, interval) => {
    const bins = Array.from({ length: COVER_BINS }, (__, bin) => {
      const from = (interval * COVER_BINS + bin) * MISSED_SUMS;
      const [hidden, decreased, after, around, restocks] = missed.subarray(
        from,
        from + MISSED_SUMS,
      ) as unknown as [number, number, number, number, number];
      return { hidden, decreased, after, around, restocks };
    });
    const sum = (value: (bin: (typeof bins)[0]) => number) =>
      bins.reduce((total, bin) => total + value(bin), 0);
    const restocks = sum((bin) => bin.restocks);
    if (restocks < MISSED_RESTOCKS_MIN) return bins.map(() => ({ after: 1, hidden: 0 }));
    const around = sum((bin) => bin.around);
    const prior = (MISSED_PRIOR * around) / restocks;
    const parts = bins.map((bin) => hiddenPart(bin.hidden / (bin.decreased + prior)));
    const spread = sum((bin) => (parts[bins.indexOf(bin)] === 0 ? bin.hidden : 0));
    const usual = sum((bin) => bin.after) / around;
    return bins.map((bin, index) => {
      const after = (bin.after + usual * prior) / (bin.around + prior) + spread / around;
      return {
        hidden: parts[index] as number,
        // Half of the way: sums are a little low, but single days are better.
        after: Number(((1 + Math.min(AFTER_MAX, 2 * after)) / 2).toPrecision(3)),
      };
    });
  });
}
