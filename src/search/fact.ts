// The facts of a product that the finder filters and sorts by. All are stored as whole numbers.

/** By name of the fact and of its column: the stored number is the value times this. */
export const FACT_SCALES = {
  price: 100,
  price_change_1d: 100,
  price_change_7d: 100,
  price_change_30d: 100,
  price_change_90d: 100,
  rank: 1,
  rank_change_1d: 100,
  rank_change_7d: 100,
  rank_change_30d: 100,
  rank_change_90d: 100,
  sellers: 1,
  stock: 1,
  rating: 100,
  reviews: 1,
  units_per_day: 100,
  out_of_stock_30d: 100,
  out_of_stock_90d: 100,
  lowest_in_days: 1,
} as const;

/**
 * Facts of which more is better. They are indexed by their negative, so that one index gives the
 * usual order of the fact and of equal products.
 */
const DESCENDING: ReadonlySet<string> = new Set([
  'stock',
  'rating',
  'reviews',
  'units_per_day',
  'out_of_stock_30d',
  'out_of_stock_90d',
  'lowest_in_days',
]);

/** 1, or -1 for a fact that is usually sorted from the largest. */
export const usualSign = (name: FactName): 1 | -1 => (DESCENDING.has(name) ? -1 : 1);

export type FactName = keyof typeof FACT_SCALES;
export const FACT_NAMES = Object.keys(FACT_SCALES) as readonly FactName[];

/** Stored numbers; null: unknown, or there is none. */
export type FactValues = Readonly<Record<FactName, number | null>>;

const STORED_MAX = 2_147_483_647;

/** The stored number of a value, within what the column holds. */
export const storedFact = (name: FactName, value: number | null): number | null =>
  value === null ? null : clamped(Math.round(value * FACT_SCALES[name]));

/** The value of a stored number. */
export const factValue = (name: FactName, stored: number | null): number | null =>
  stored === null ? null : stored / FACT_SCALES[name];

export type FactRange = { min?: number | undefined; max?: number | undefined };

/** The smallest and the largest stored number within a range of values, both inclusive. */
export function storedRange(name: FactName, { min, max }: FactRange): FactRange {
  const scale = FACT_SCALES[name];
  return {
    min: min === undefined ? undefined : clamped(Math.ceil(exact(min * scale))),
    max: max === undefined ? undefined : clamped(Math.floor(exact(max * scale))),
  };
}

/** 19.99 × 100 is 1998.9999999999998. */
const exact = (scaled: number) => Number(scaled.toPrecision(12));

const clamped = (value: number) => Math.min(STORED_MAX, Math.max(-STORED_MAX, value));
