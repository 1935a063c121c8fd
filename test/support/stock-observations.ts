// Observations of the stock of one product, its habit and a market model, for tests of estimates.
import { DAY_SECONDS, HOUR_SECONDS } from '../../src/foundation/time.ts';
import { EMPTY_MODEL, type MarketModel } from '../../src/sales/market-model.ts';
import { HABIT_FORMAT, type ProductHabit } from '../../src/sales/product-habit.ts';
import { NEW_SELLER, type SellerHabit } from '../../src/sales/seller-habit.ts';
import type { StockObservation } from '../../src/sales/stock-observation.ts';

/** The day on which observations begin, in days since 1970. */
export const DAY = 20_000;

/** hour: since the beginning of DAY. units: by seller; undefined if offers were not observed. */
export function observation(
  hour: number,
  units: Readonly<Record<string, number | null>> | undefined,
  more: Partial<StockObservation> = {},
): StockObservation {
  return {
    atSeconds: DAY * DAY_SECONDS + hour * HOUR_SECONDS,
    rankPosition: null,
    rankCategory: null,
    offers:
      units &&
      Object.entries(units).map(([sellerName, count]) => ({
        sellerName,
        units: count,
        priceCents: 100,
      })),
    offersComplete: true,
    ...more,
  };
}

export const ranked = (position: number) => ({ rankPosition: position, rankCategory: 'Kettles' });

/** A seller of six units a day whose shelf is restocked now and then. */
export const sellerHabit: SellerHabit = {
  ...NEW_SELLER,
  unitsPerDay: 6,
  spread: 2,
  countedDays: 30,
  emptied: false,
};

export const habit: ProductHabit = {
  format: HABIT_FORMAT,
  version: 1,
  category: 'Kettles',
  unitsPerDay: 6,
  curveRatio: 1,
  jumpUnits: 25,
  lumpy: false,
  caps: {},
  possibleCaps: {},
  sellers: { A: sellerHabit },
  usualSeconds: HOUR_SECONDS,
  profile: null,
};

const curve = { intercept: Math.log(96), slope: -1, products: 50 };
/** A model with a rank curve of 12 units a day at rank 8. */
export const rankedModel: MarketModel = {
  ...EMPTY_MODEL,
  categories: { Kettles: { profile: null, curve } },
};
