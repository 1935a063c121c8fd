// The newest of what tracking saw and what was bought.
import { describe, expect, it } from 'vitest';
import {
  type FigureSources,
  newestHolder,
  newestPrice,
  newestSellers,
  newestStock,
  offersAtEnd,
} from './newest-figures.ts';

const NOTHING: FigureSources = { tracked: null, details: null, prices: null, offers: null };
const tracked = {
  current_price: 10,
  buybox_seller: 'Acme',
  units_in_stock: 5,
  last_updated: '2026-11-10T00:00:00Z',
  offers: [{ price: 10, shipping: 1 }],
  shown_tier: 0,
};

describe('the headline', () => {
  it('of a suspended product is what was bought since, with its date', () => {
    const prices = [{ date: '2026-11-12T00:00:00Z', price: 12 }];
    expect(newestPrice({ ...NOTHING, tracked, prices })).toEqual({
      price: 12,
      seller: null,
      atMs: Date.parse('2026-11-12T00:00:00Z'),
    });
    const older = [{ date: '2026-11-09T00:00:00Z', price: 12 }];
    expect(newestPrice({ ...NOTHING, tracked, prices: older })).toMatchObject({ seller: 'Acme' });
  });

  it('shows bought data without a look-up of details', () => {
    const prices = [{ date: '2026-11-12T00:00:00Z', price: 12 }];
    expect(newestPrice({ ...NOTHING, prices })).toMatchObject({ price: 12 });
    const sellers = [
      { price: 9, shipping: 2, units_in_stock: 3 },
      { price: 8, shipping: 0, units_in_stock: 4 },
    ];
    const offers = { atMs: 1, sellers };
    expect(newestStock({ ...NOTHING, offers })).toEqual({ units: 7, atMs: 1 });
    expect(newestSellers({ ...NOTHING, offers })).toEqual({ count: 2, lowest: 8, atMs: 1 });
  });

  it('is unknown when nothing is known, and no total when one stock is unknown', () => {
    expect(newestPrice(NOTHING)).toBeNull();
    const sellers = [{ price: 9, shipping: 2, units_in_stock: null }];
    expect(newestStock({ ...NOTHING, offers: { atMs: 1, sellers } })).toMatchObject({
      units: null,
    });
  });
});

it('a bought offer history says who sells now', () => {
  const change = (seller_name: string, state: string, price: number | null) => ({
    seller_name,
    state,
    price,
    shipping: price === null ? null : 1,
    units_in_stock: price === null ? null : 4,
  });
  const offers = [
    change('Acme', 'listed', 8),
    change('Bolt', 'listed', 9),
    change('Acme', 'listed', 7),
    change('Bolt', 'gone', null),
  ];
  expect(offersAtEnd({ to: '2026-11-12T00:00:00Z', offers })).toEqual({
    atMs: Date.parse('2026-11-12T00:00:00Z'),
    sellers: [{ price: 7, shipping: 1, units_in_stock: 4 }],
  });
});

it('the holder of the buybox is marked, unless it is unknown', () => {
  const held = { state: 'held', seller_name: 'Bolt' };
  const buybox = { to: '2026-11-12T00:00:00Z', intervals: [held] };
  expect(newestHolder(null, buybox)).toBe('Bolt');
  expect(newestHolder(tracked, buybox)).toBe('Bolt');
  expect(newestHolder(tracked, { ...buybox, to: '2026-11-01T00:00:00Z' })).toBe('Acme');
  expect(
    newestHolder(null, { ...buybox, intervals: [{ ...held, state: 'suppressed' }] }),
  ).toBeNull();
});
