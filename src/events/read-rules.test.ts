// Rules as customers write them: merged by member, closed to unknown members, exact.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRules, writeRules } from './read-rules.ts';
import { DEFAULT_RULES } from './rule.ts';

const WRITTEN_DEFAULTS = {
  price: { percent: 1, usd: 0.05 },
  seller_price: { percent: 1, usd: 0.05 },
  stock_low: { units: 10, days: 7 },
  rank: { percent: 20, places: 5 },
  rotation: { count: 3 },
};

test('the defaults are those of the specification', () => {
  expect(writeRules(DEFAULT_RULES)).toEqual(WRITTEN_DEFAULTS);
  expect(readRules(WRITTEN_DEFAULTS)).toEqual(DEFAULT_RULES);
});

describe('parts of rules', () => {
  const current = readRules({ price: { percent: 2.5, usd: 0.29 }, rank: { places: 9 } });

  test.each([
    { why: 'an empty object changes nothing', input: {}, price: { percent: 2.5, usd: 0.29 } },
    {
      why: 'a member changes that member',
      input: { price: { usd: 1 } },
      price: { percent: 2.5, usd: 1 },
    },
    {
      why: 'null restores a member',
      input: { price: { usd: null } },
      price: { percent: 2.5, usd: 0.05 },
    },
    { why: 'null restores a part', input: { price: null }, price: { percent: 1, usd: 0.05 } },
    { why: 'null restores everything', input: null, price: { percent: 1, usd: 0.05 }, places: 5 },
  ])('$why', ({ input, price, places = 9 }) => {
    const written = writeRules(readRules(input, current));
    expect(written.price).toEqual(price);
    expect(written.rank).toEqual({ percent: 20, places });
  });

  test('the current rules are not modified', () => {
    readRules({ price: { percent: 9 } }, current);
    expect(current.price.basisPoints).toBe(250);
  });
});

describe('refused', () => {
  test.each([
    { input: [], says: /rules must be an object with any of price, seller_price, stock_low/ },
    { input: 'no', says: /rules must be an object/ },
    {
      input: { prices: {} },
      says: /rules has no member "prices"; allowed are price, seller_price, stock_low, rank, rotation/,
    },
    { input: { price: 1 }, says: /rules.price must be an object with any of percent, usd/ },
    {
      input: { price: { cents: 5 } },
      says: /rules.price has no member "cents"; allowed are percent, usd/,
    },
    { input: JSON.parse('{"__proto__":{}}'), says: /no member "__proto__"/ },
    { input: { price: { toString: 1 } }, says: /no member "toString"/ },
    {
      input: { price: { percent: 1.005 } },
      says: /rules.price.percent must be a number with at most two decimals from 0 to 1000/,
    },
    { input: { price: { percent: '1' } }, says: /rules.price.percent/ },
    { input: { price: { percent: 1_000.01 } }, says: /rules.price.percent/ },
    { input: { price: { usd: -0.01 } }, says: /rules.price.usd/ },
    { input: { price: { usd: Number.NaN } }, says: /rules.price.usd/ },
    { input: { seller_price: { usd: 1_000_001 } }, says: /from 0 to 1000000/ },
    { input: { stock_low: { units: 1.5 } }, says: /rules.stock_low.units must be a whole number/ },
    { input: { stock_low: { days: 366 } }, says: /rules.stock_low.days .* from 0 to 365/ },
    { input: { rank: { places: -1 } }, says: /rules.rank.places/ },
    { input: { rotation: { count: 25 } }, says: /rules.rotation.count .* from 0 to 24/ },
  ])('$says', ({ input, says }) => {
    expect(() => readRules(input)).toThrow(says);
    expect(() => readRules(input)).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
  });

  test('any input is read or refused with a message, and written back as read', () => {
    const part = fc.dictionary(
      fc.constantFrom('percent', 'usd', 'units', 'days', 'places', 'count', 'x'),
      fc.oneof(fc.integer({ min: -1, max: 400 }), fc.double(), fc.constant(null), fc.string()),
    );
    const names = fc.constantFrom('price', 'seller_price', 'stock_low', 'rank', 'rotation', 'y');
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(names, part), fc.jsonValue()), (input) => {
        try {
          const rules = readRules(input);
          expect(readRules(writeRules(rules))).toEqual(rules);
        } catch (error) {
          expect(error).toMatchObject({ name: 'Problem', kind: 'invalid_request' });
        }
      }),
    );
  });
});
