// Looks at the stock of one product, and what is known of it, for tests of estimates.

import { DAY_SECONDS } from '../../src/foundation/time.ts';
import { EMPTY_MODEL, type MarketModel } from '../../src/sales/market-model.ts';
import type { ProductHabit } from '../../src/sales/product-habit.ts';
import type { StockObservation } from '../../src/sales/stock-observation.ts';

/** The day on which looks begin, in days since 1970. */
export const DAY = 20_000;

/** hour: since the beginning of DAY; seen: units by seller, undefined when offers were not looked at. */
export function observation(
  hour: number,
  seen: Readonly<Record<string, number | null>> | undefined,
  more: Partial<StockObservation> = {},
): StockObservation {
  return {
    atSeconds: DAY * DAY_SECONDS + hour * 3_600,
    rankPosition: null,
    rankCategory: null,
    offers:
      seen &&
      Object.entries(seen).map(([sellerName, units]) => ({ sellerName, units, priceCents: 100 })),
    offersComplete: true,
    ...more,
  };
}

export const ranked = (position: number) => ({ rankPosition: position, rankCategory: 'Kettles' });

export const habit: ProductHabit = {
  version: 1,
  category: 'Kettles',
  unitsPerDay: 6,
  unitsPerDrop: 1,
  curveRatio: 1,
  jumpUnits: 25,
  lumpy: false,
  caps: {},
  profile: null,
};

const curve = { intercept: Math.log(96), slope: -1, products: 50 };
export const known: MarketModel = {
  ...EMPTY_MODEL,
  categories: { Kettles: { profile: null, curve } },
};
