// The filters of the finder: the facts, how they are written in the address, and as a request.
import type { FinderRequest } from './paid-responses.ts';

export type FactName = keyof typeof FACTS;

/** Names and units of the facts, in the order of the list. */
export const FACTS = {
  price: { label: 'Buybox price', unit: '$' },
  price_change_1d: { label: 'Price change, 1 day', unit: '%' },
  price_change_7d: { label: 'Price change, 7 days', unit: '%' },
  price_change_30d: { label: 'Price change, 30 days', unit: '%' },
  price_change_90d: { label: 'Price change, 90 days', unit: '%' },
  lowest_in_days: { label: 'Lowest price in', unit: 'days' },
  rank: { label: 'Rank', unit: '' },
  rank_change_1d: { label: 'Rank change, 1 day', unit: '%' },
  rank_change_7d: { label: 'Rank change, 7 days', unit: '%' },
  rank_change_30d: { label: 'Rank change, 30 days', unit: '%' },
  rank_change_90d: { label: 'Rank change, 90 days', unit: '%' },
  units_per_day: { label: 'Units sold per day', unit: '' },
  sellers: { label: 'Sellers', unit: '' },
  stock: { label: 'Units in stock', unit: '' },
  out_of_stock_30d: { label: 'Out of stock, 30 days', unit: '%' },
  out_of_stock_90d: { label: 'Out of stock, 90 days', unit: '%' },
  rating: { label: 'Rating', unit: '' },
  reviews: { label: 'Reviews', unit: '' },
} as const;

export const FACT_NAMES = Object.keys(FACTS) as readonly FactName[];

/** `min` and `max` as typed; empty: no bound. */
export type RangeFilter = { fact: FactName; min: string; max: string };

/** All filters as they are in the address. */
export const NO_FILTERS = {
  categories: '',
  brands: '',
  sellers: '',
  ranges: '',
  sort: 'rank',
  order: 'asc',
  cursor: '',
};
export type AddressFilters = { [K in keyof typeof NO_FILTERS]: string };

const isFact = (name: string | undefined): name is FactName =>
  name !== undefined && Object.hasOwn(FACTS, name);

/** "price:10:50,rank::1000"; whatever is not a filter is dropped. */
export function readRanges(text: string): RangeFilter[] {
  return text.split(',').flatMap((part) => {
    const [fact, min = '', max = ''] = part.split(':');
    return isFact(fact) ? [{ fact, min, max }] : [];
  });
}

export const writeRanges = (ranges: readonly RangeFilter[]): string =>
  ranges.map(({ fact, min, max }) => `${fact}:${min}:${max}`).join(',');

const numberOf = (text: string): number | undefined => {
  const number = Number(text.trim());
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
};

/** What is wrong with a range, in words; null if nothing is. */
export function rangeError({ min, max }: RangeFilter): string | null {
  for (const text of [min, max]) {
    if (text.trim() !== '' && numberOf(text) === undefined) return 'Use numbers.';
  }
  const [from, to] = [numberOf(min), numberOf(max)];
  return from !== undefined && to !== undefined && from > to ? 'From is above to.' : null;
}

const namesIn = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The request for these filters; ranges without a bound are not sent. */
export function finderRequest(address: AddressFilters): FinderRequest {
  const filters: Record<string, unknown> = {};
  const lists = {
    categories: address.categories,
    brands: address.brands,
    buybox_sellers: address.sellers,
  };
  for (const [name, text] of Object.entries(lists)) {
    const names = namesIn(text);
    if (names.length > 0) filters[name] = names;
  }
  for (const range of readRanges(address.ranges)) {
    const [min, max] = [numberOf(range.min), numberOf(range.max)];
    if (rangeError(range) !== null || (min === undefined && max === undefined)) continue;
    filters[range.fact] = {
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    };
  }
  return {
    filters,
    sort: {
      by: isFact(address.sort) ? address.sort : 'rank',
      order: address.order === 'desc' ? 'desc' : 'asc',
    },
    ...(address.cursor === '' ? {} : { cursor: address.cursor }),
  } as FinderRequest;
}
