// A product as the finder returns it: what it is, and all facts that it can be filtered by.
import { Type } from 'typebox';
import { FACT_NAMES, type FactName } from '../search/fact.ts';
import { DateTime, nullable } from './wire.ts';

const change = (what: string, days: string) =>
  `change of the ${what} over ${days}, in percent; null if either end was not observed`;

const FACT_TEXTS: Readonly<Record<FactName, string>> = {
  price: 'buybox price in USD',
  price_change_1d: change('buybox price', '1 day'),
  price_change_7d: change('buybox price', '7 days'),
  price_change_30d: change('buybox price', '30 days'),
  price_change_90d: change('buybox price', '90 days'),
  rank: 'position in the sales ranking; 1 is best',
  rank_change_1d: `${change('rank', '1 day')}; below 0 is better`,
  rank_change_7d: `${change('rank', '7 days')}; below 0 is better`,
  rank_change_30d: `${change('rank', '30 days')}; below 0 is better`,
  rank_change_90d: `${change('rank', '90 days')}; below 0 is better`,
  sellers: 'number of sellers that may have units',
  stock: 'units in stock of all sellers; null if one of them is unknown',
  rating: 'customer rating, 1 to 5',
  reviews: 'number of reviews',
  units_per_day: 'estimated units sold per day, mean of 30 days',
  out_of_stock_30d: 'percent of the observed time of 30 days in which nobody had units',
  out_of_stock_90d: 'percent of the observed time of 90 days in which nobody had units',
  lowest_in_days:
    'whole days, up to 365, since the buybox price was last observed lower, or since it was first observed',
};

const Fact = (description: string) => nullable(Type.Number({ description }));

export const FoundProduct = Type.Object(
  {
    retailer_product_code: Type.String(),
    product_name: nullable(Type.String()),
    brand: nullable(Type.String()),
    categories: Type.Array(Type.String(), {
      description: 'From the main category to the most specific one.',
    }),
    buybox_seller: nullable(Type.String({ description: 'The seller that holds the buybox.' })),
    ...(Object.fromEntries(FACT_NAMES.map((name) => [name, Fact(FACT_TEXTS[name])])) as Record<
      FactName,
      ReturnType<typeof Fact>
    >),
    observed_90d: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'percent of the last 90 days that was observed',
    }),
    last_updated: DateTime('When the product was observed'),
  },
  { title: 'FoundProduct' },
);
