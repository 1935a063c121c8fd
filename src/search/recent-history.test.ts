import { expect, test } from 'vitest';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import type { Observation } from '../history/observation.ts';
import { createRecentHistory, isOutOfStock } from './recent-history.ts';

const NOW = 1_800_000_000;

type Seen = { price?: number | null; rank?: number; category?: string; units?: number | null };

const seen = (
  daysAgo: number,
  { price, rank, category = 'Kettles', units }: Seen,
): Observation => ({
  atSeconds: NOW - daysAgo * DAY_SECONDS,
  buybox: typeof price === 'number' ? { priceCents: price, sellerName: 'Acme' } : price,
  rank: rank === undefined ? undefined : { position: rank, category },
  offers:
    units === undefined
      ? undefined
      : [{ sellerName: 'Acme', priceCents: 1000, shippingCents: 0, unitsInStock: units }],
  offersComplete: units !== undefined,
});

function factsAfter(observations: readonly Observation[], price: number | null, rank = 50) {
  const history = createRecentHistory(NOW);
  for (const observation of observations) history.add(observation);
  return history.facts({ price, rank: { position: rank, category: 'Kettles' } });
}

test('changes compare with what was observed that many days before', () => {
  const daily = Array.from({ length: 100 }, (_, index) => {
    const daysAgo = 100 - index;
    return seen(daysAgo - 0.5, { price: daysAgo > 30 ? 2000 : 1600, rank: daysAgo > 7 ? 100 : 50 });
  });
  expect(factsAfter(daily, 1600)).toMatchObject({
    price_change_1d: 0,
    price_change_30d: -20,
    price_change_90d: -20,
    rank_change_1d: 0,
    rank_change_7d: -50,
  });
});

test('a change is unknown if nobody observed the day it starts from', () => {
  const facts = factsAfter([seen(60, { price: 2000 }), seen(0.1, { price: 1000 })], 1000);
  expect([facts.price_change_1d, facts.price_change_30d, facts.price_change_90d]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a change is unknown if nothing was observed since', () => {
  expect(factsAfter([seen(8, { price: 2000 })], 2000).price_change_7d).toBeNull();
});

test('a change from a time without a buybox is unknown', () => {
  const facts = factsAfter([seen(7.1, { price: null }), seen(0.1, { price: 1000 })], 1000);
  expect(facts.price_change_7d).toBeNull();
});

test('ranks of two categories are not compared', () => {
  const old = seen(1.1, { price: 1000, rank: 10, category: 'Home' });
  expect(factsAfter([old, seen(0.1, { rank: 50 })], 1000).rank_change_1d).toBeNull();
});

test('the share out of stock counts observed time only', () => {
  // Out for a day, in stock for a day; each holds for two days at most, and 86 days are unobserved.
  const facts = factsAfter(
    [seen(20, { price: null, units: 0 }), seen(19, { price: 1000, units: 5 })],
    1000,
  );
  expect(facts.out_of_stock_30d).toBeCloseTo(100 / 3);
  expect(facts.observedPart90d).toBeCloseTo(3 / 90);
});

test('without observed stock the share is unknown', () => {
  expect(factsAfter([seen(3, { rank: 4 })], null).out_of_stock_30d).toBeNull();
});

test.each<[string, Seen, boolean | null]>([
  ['a buybox', { price: 1000, units: 0 }, false],
  ['no buybox and no units', { price: null, units: 0 }, true],
  ['no buybox but units', { price: null, units: 3 }, false],
  ['no buybox and units unknown', { price: null, units: null }, false],
  ['a rank alone', { rank: 3 }, null],
])('%s: is out of stock', (_, observation, isOut) => {
  expect(isOutOfStock(seen(1, observation))).toBe(isOut);
});

test('the price is the lowest since it was last lower, at most since it was first observed', () => {
  const lower = seen(40, { price: 900 });
  const higher = seen(39, { price: 1200 });
  expect(factsAfter([lower, higher, seen(0.1, { price: 1000 })], 1000).lowest_in_days).toBe(39);
  expect(factsAfter([higher, seen(0.1, { price: 1000 })], 1000).lowest_in_days).toBe(39);
  expect(factsAfter([seen(0.2, { price: 900 })], 1000).lowest_in_days).toBe(0);
  expect(factsAfter([higher], null).lowest_in_days).toBeNull();
  const long = [400, 300, 200].map((days) => seen(days, { price: 5000 }));
  expect(factsAfter(long, 1000).lowest_in_days).toBe(365);
});

test('an observation holds until the next one', () => {
  const hourly = Array.from({ length: 48 }, (_, index) => ({
    ...seen(0, { price: 1000, units: index < 24 ? 0 : 5 }),
    atSeconds: NOW - (48 - index) * HOUR_SECONDS,
    buybox: index < 24 ? null : { priceCents: 1000, sellerName: 'Acme' },
  }));
  expect(factsAfter(hourly, 1000).out_of_stock_30d).toBeCloseTo(50);
});
