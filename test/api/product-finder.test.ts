// POST /retailer/products/finder: filters on facts, sorted by any of them; 5 credits a page.
import { describe, expect, test } from 'vitest';
import { buildServer } from '../../src/api/server.ts';
import type { Product } from '../../src/catalog/product.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { FACT_NAMES } from '../../src/search/fact.ts';
import { findProducts } from '../../src/search/find-products.ts';
import { refreshFacts } from '../../src/search/refresh-facts.ts';
import { startService } from '../support/service.ts';

const PATH = '/retailer/products/finder';
const service = await startService({ isDurable: false });
const { app } = service;
const [kettle] = service.products as [Product];
const nowMs = kettle.observedAtMs;

/** Observed daily for 100 days: a price that fell by half ten days ago, and was never lower. */
const falling = Array.from({ length: 100 }, (_, index): Snapshot => {
  const daysAgo = 99 - index;
  const priceCents = daysAgo >= 10 ? 10_000 : 5_000;
  const unitsInStock = daysAgo >= 20 && daysAgo < 25 ? 0 : 500 - 2 * index;
  return {
    code: '630000001',
    observedAtMs: nowMs - daysAgo * DAY_MS,
    gtins: [],
    name: 'Falling lamp',
    brand: 'Häuser',
    categories: ['Home', 'Lighting'],
    buybox: unitsInStock === 0 ? null : { priceCents, sellerName: 'Häuser Store' },
    offers: [
      {
        sellerName: 'Häuser Store',
        priceCents,
        shippingCents: 0,
        unitsInStock,
        lastUpdatedAtMs: null,
      },
    ],
    offersComplete: true,
    rank: { position: daysAgo >= 30 ? 4000 : 1000, category: 'Lighting' },
  };
});
await recordSnapshots(app, falling);
const codes = [...service.products.map(({ code }) => code), '630000001'];
await refreshFacts(app, codes);

const customer = await service.newCustomer({ plan: 'Scale', perSecond: 1000 });
const find = (body: unknown, query = '') =>
  service.send(customer, 'POST', `${PATH}${query}`, {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
const namesFor = async (filters: object, sort?: object) => {
  const { status, body } = await find({ filters, ...(sort === undefined ? {} : { sort }) });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.products.map((one: { product_name: string }) => one.product_name.split(/ |,/)[1]);
};

describe('200', () => {
  test('a product with all its facts, for 5 credits', async () => {
    const before = await service.used(customer);
    const reply = await find({ filters: { brands: ['hauser'] } });
    expect(reply.status).toBe(200);
    expect(reply.headers['x-credits-charged']).toBe('5');
    expect(await service.used(customer)).toBe(before + 5);
    expect(reply.body).toEqual({
      next_cursor: null,
      products: [
        {
          retailer_product_code: '630000001',
          product_name: 'Falling lamp',
          brand: 'Häuser',
          categories: ['Home', 'Lighting'],
          buybox_seller: 'Häuser Store',
          price: 50,
          price_change_1d: 0,
          price_change_7d: 0,
          price_change_30d: -50,
          price_change_90d: -50,
          rank: 1000,
          rank_change_1d: 0,
          rank_change_7d: 0,
          rank_change_30d: -75,
          rank_change_90d: -75,
          sellers: 1,
          stock: 302,
          rating: null,
          reviews: null,
          units_per_day: expect.any(Number),
          out_of_stock_30d: expect.closeTo((100 * 5) / 30, 0),
          out_of_stock_90d: expect.closeTo((100 * 5) / 90, 0),
          lowest_in_days: 99,
          observed_90d: 100,
          last_updated: new Date(nowMs).toISOString(),
        },
      ],
    });
  });

  test.each<[string, object, string[]]>([
    ['a category', { categories: ['kettles'] }, ['Gooseneck']],
    ['a path of categories', { categories: ['home>Kitchen > KETTLES'] }, ['Gooseneck']],
    [
      'one of several brands',
      { brands: ['Pennyroyal', 'Häuser'] },
      ['Watercolor', 'Sketchbook', 'lamp'],
    ],
    ['the holder of the buybox', { buybox_sellers: ['MARLOWE store'] }, ['Gooseneck', 'Burr']],
    ['a range of prices', { price: { min: 42.99, max: 50 } }, ['Gooseneck', 'lamp']],
    ['a fall of the price', { price_change_30d: { max: -20 } }, ['lamp']],
    ['a better rank', { rank_change_90d: { max: -50 } }, ['lamp']],
    ['a rank', { rank: { max: 50 } }, ['Gooseneck', 'Burr']],
    ['few sellers', { sellers: { max: 1 } }, ['lamp']],
    ['stock', { stock: { min: 300 } }, ['lamp']],
    ['a rating', { rating: { min: 4.85 } }, ['Harbor']],
    ['reviews', { reviews: { min: 2000, max: 2140 } }, ['Gooseneck']],
    ['units sold', { units_per_day: { min: 1 } }, ['lamp']],
    [
      'time out of stock',
      { out_of_stock_90d: { min: 5 }, out_of_stock_30d: { min: 10 } },
      ['lamp'],
    ],
    ['the lowest price of 90 days', { lowest_in_days: { min: 90 } }, ['lamp']],
    ['several filters', { brands: ['Marlowe'], price: { max: 50 } }, ['Gooseneck']],
  ])('filters by %s', async (_, filters, names) => {
    expect(await namesFor(filters)).toEqual(names);
  });

  test('filters that match everything give the whole list, best rank first', async () => {
    const all = Object.fromEntries(FACT_NAMES.map((name) => [name, { min: -1e9, max: 1e9 }]));
    expect((await find({})).body.products).toHaveLength(codes.length);
    expect((await find({ filters: {} })).body.products[0].retailer_product_code).toBe(kettle.code);
    expect(await namesFor({ price: all.price })).toHaveLength(codes.length);
    // Only one product has all facts but rating and reviews.
    const { rating, reviews, ...others } = all;
    expect(await namesFor(others)).toEqual(['lamp']);
  });

  test.each(FACT_NAMES.flatMap((by) => ['asc', 'desc'].map((order) => [by, order] as const)))(
    'sorts by %s %s, products without it last',
    async (by, order) => {
      const { body } = await find({ sort: { by, order } });
      const values: (number | null)[] = body.products.map((one: Record<string, number>) => one[by]);
      expect(values).toHaveLength(codes.length);
      const numbers = values.filter((value) => value !== null);
      expect(values.slice(0, numbers.length)).toEqual(numbers);
      const sorted = [...numbers].sort((a, b) => (order === 'asc' ? a - b : b - a));
      expect(numbers).toEqual(sorted);
    },
  );

  test('pages continue by the cursor, each product once, also among equals and nulls', async () => {
    const many = Array.from(
      { length: 130 },
      (_, index): Snapshot => ({
        code: `${640_000_000 + index}`,
        observedAtMs: nowMs,
        gtins: [],
        brand: 'Pager',
        name: `Pager ${index}`,
        offersComplete: false,
        ...(index < 90 ? { customerRating: 1 + (index % 3) } : {}),
        ...(index % 2 ? { rank: { position: 1 + (index % 7), category: 'Pagers' } } : {}),
      }),
    );
    await recordSnapshots(app, many);
    await refreshFacts(
      app,
      many.map(({ code }) => code),
      () => false,
    );
    for (const order of ['asc', 'desc']) {
      const seen: { retailer_product_code: string; rating: number | null }[] = [];
      let cursor: string | null | undefined;
      const lengths: number[] = [];
      while (cursor !== null) {
        const request = { filters: { brands: ['pager'] }, sort: { by: 'rating', order } };
        const { body } = await find(cursor === undefined ? request : { ...request, cursor });
        seen.push(...body.products);
        lengths.push(body.products.length);
        cursor = body.next_cursor;
      }
      expect(lengths).toEqual([50, 50, 30]);
      expect(new Set(seen.map((one) => one.retailer_product_code)).size).toBe(130);
      const ratings = seen.slice(0, 90).map(({ rating }) => rating as number);
      expect(ratings).toEqual([...ratings].sort((a, b) => (order === 'asc' ? a - b : b - a)));
      expect(seen.slice(90).every(({ rating }) => rating === null)).toBe(true);
    }
  });

  test('an empty page is free', async () => {
    const reply = await find({ filters: { brands: ['Nobody'] } });
    expect(reply.body).toEqual({ next_cursor: null, products: [] });
    expect(reply.headers['x-credits-charged']).toBe('0');
  });

  test('a dry run names the price; CSV has a row per product', async () => {
    expect((await find({}, '?dry_run=true')).body).toEqual({ credit_cost: 5 });
    const reply = await service.server.inject({
      method: 'POST',
      url: `${PATH}?format=csv`,
      headers: { 'x-api-key': customer.apiKey, 'content-type': 'application/json' },
      payload: JSON.stringify({ filters: { brands: ['Marlowe'] } }),
    });
    expect(reply.body.trim().split('\r\n')).toHaveLength(3);
  });
});

describe('400, free, also in a dry run', () => {
  const wrongCursor = Buffer.from(JSON.stringify(['price', true, 1, 1, '42'])).toString(
    'base64url',
  );
  test.each<[string, unknown, string, string]>([
    ['an unknown filter', { filters: { prise: { min: 1 } } }, 'filter_unknown', 'filters.prise'],
    [
      'min above max',
      { filters: { price: { min: 2, max: 1 } } },
      'filter_range_invalid',
      'filters.price',
    ],
    ['a range without bounds', { filters: { rank: {} } }, 'filter_range_invalid', 'filters.rank'],
    [
      'an unknown bound',
      { filters: { rank: { minimum: 1 } } },
      'filter_range_invalid',
      'filters.rank',
    ],
    [
      'a bound of another type',
      { filters: { price: { min: '5' } } },
      'parameter_invalid',
      'filters.price.min',
    ],
    [
      'a bound beyond all',
      { filters: { price: { min: 1e300 } } },
      'parameter_invalid',
      'filters.price.min',
    ],
    ['a range that is none', { filters: { price: 5 } }, 'parameter_invalid', 'filters.price'],
    ['a list that is none', { filters: { brands: 'Acme' } }, 'parameter_invalid', 'filters.brands'],
    ['an empty list', { filters: { brands: [] } }, 'parameter_invalid', 'filters.brands'],
    [
      'a list that is too long',
      { filters: { brands: Array(51).fill('a') } },
      'parameter_invalid',
      'filters.brands',
    ],
    ['NUL in a name', { filters: { brands: ['a\0'] } }, 'text_malformed', 'filters.brands.0'],
    ['an unknown fact', { sort: { by: 'colour' } }, 'parameter_invalid', 'sort.by'],
    ['an unknown order', { sort: { by: 'rank', order: 'up' } }, 'parameter_invalid', 'sort.order'],
    ['a cursor that is none', { cursor: 'abc' }, 'cursor_malformed', 'cursor'],
    ['a cursor of another sort', { cursor: wrongCursor }, 'cursor_malformed', 'cursor'],
  ])('%s', async (_, body, code, field) => {
    const before = await service.used(customer);
    for (const query of ['', '?dry_run=true']) {
      const reply = await find(body, query);
      expect([reply.status, reply.body.code, reply.body.field]).toEqual([400, code, field]);
    }
    expect(await service.used(customer)).toBe(before);
  });
});

test('503, free, for a search that takes longer than its budget', async () => {
  const before = await service.used(customer);
  const { db } = app;
  const readWithin: typeof db.readWithin = (budgetMs, what, values) => {
    expect(budgetMs).toBeLessThanOrEqual(bounds.searchBudgetMs);
    const isFinder = String(what).includes('product_facts');
    return isFinder
      ? db.readWithin(20, 'select pg_sleep(5)')
      : db.readWithin(budgetMs, what, values);
  };
  const deps = { ...app, db: { ...db, readWithin }, notReadyReason: () => null };
  const server = await buildServer(deps, { trustProxy: null, endpoints: true });
  const reply = await server.inject({
    method: 'POST',
    url: PATH,
    headers: { 'x-api-key': customer.apiKey, 'content-type': 'application/json' },
    payload: '{}',
  });
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'search_too_slow']);
  expect(reply.headers['x-credits-charged']).toBe('0');
  expect(await service.used(customer)).toBe(before);
  await server.close();
});

test('a page that cannot be read in the order of its sort in time is read by its filters', async () => {
  const { db } = app;
  const slow: string[] = [];
  const readWithin: typeof db.readWithin = (budgetMs, what, values) => {
    if (String(what).includes(' + 0)')) return db.readWithin(budgetMs, what, values);
    slow.push(String(what));
    return db.readWithin(5, 'select pg_sleep(5)');
  };
  const query = {
    filters: {
      ranges: { price: { min: 100 } },
      brandKeys: null,
      buyboxSellerKeys: null,
      categoryKeys: null,
      hasBuybox: null,
    },
    sort: { by: 'price', isDescending: true } as const,
    after: null,
    limit: 3,
  };
  const plain = await findProducts({ db }, query);
  expect(await findProducts({ db: { ...db, readWithin } }, query)).toEqual(plain);
  expect(plain).toHaveLength(3);
  expect(slow.length).toBeGreaterThan(0);
});
