// Rules as customers write them: merged in parts, closed, exact.
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

test('the defaults are written as the design has them', () => {
  expect(writeRules(DEFAULT_RULES)).toEqual(WRITTEN_DEFAULTS);
  expect(readRules(WRITTEN_DEFAULTS)).toEqual(DEFAULT_RULES);
});

describe('parts of rules', () => {
  const current = readRules({ price: { percent: 2.5, usd: 0.29 }, rank: { places: 9 } });

  test.each([
    { why: 'nothing given changes nothing', given: {}, price: { percent: 2.5, usd: 0.29 } },
    {
      why: 'a member changes that member',
      given: { price: { usd: 1 } },
      price: { percent: 2.5, usd: 1 },
    },
    {
      why: 'null restores a member',
      given: { price: { usd: null } },
      price: { percent: 2.5, usd: 0.05 },
    },
    { why: 'null restores a part', given: { price: null }, price: { percent: 1, usd: 0.05 } },
    { why: 'null restores everything', given: null, price: { percent: 1, usd: 0.05 }, places: 5 },
  ])('$why', ({ given, price, places = 9 }) => {
    const written = writeRules(readRules(given, current));
    expect(written.price).toEqual(price);
    expect(written.rank).toEqual({ percent: 20, places });
  });

  test('what held before is left as it was', () => {
    readRules({ price: { percent: 9 } }, current);
    expect(current.price.basisPoints).toBe(250);
  });
});

describe('refused', () => {
  test.each([
    { given: [], says: /rules must be an object with any of price, seller_price, stock_low/ },
    { given: 'no', says: /rules must be an object/ },
    {
      given: { prices: {} },
      says: /rules has no member "prices"; allowed are price, seller_price, stock_low, rank, rotation/,
    },
    { given: { price: 1 }, says: /rules.price must be an object with any of percent, usd/ },
    {
      given: { price: { cents: 5 } },
      says: /rules.price has no member "cents"; allowed are percent, usd/,
    },
    { given: JSON.parse('{"__proto__":{}}'), says: /no member "__proto__"/ },
    { given: { price: { toString: 1 } }, says: /no member "toString"/ },
    {
      given: { price: { percent: 1.005 } },
      says: /rules.price.percent must be a number with at most two decimals from 0 to 1000/,
    },
    { given: { price: { percent: '1' } }, says: /rules.price.percent/ },
    { given: { price: { percent: 1_000.01 } }, says: /rules.price.percent/ },
    { given: { price: { usd: -0.01 } }, says: /rules.price.usd/ },
    { given: { price: { usd: Number.NaN } }, says: /rules.price.usd/ },
    { given: { seller_price: { usd: 1_000_001 } }, says: /from 0 to 1000000/ },
    { given: { stock_low: { units: 1.5 } }, says: /rules.stock_low.units must be a whole number/ },
    { given: { stock_low: { days: 366 } }, says: /rules.stock_low.days .* from 0 to 365/ },
    { given: { rank: { places: -1 } }, says: /rules.rank.places/ },
    { given: { rotation: { count: 25 } }, says: /rules.rotation.count .* from 0 to 24/ },
  ])('$says', ({ given, says }) => {
    expect(() => readRules(given)).toThrow(says);
    expect(() => readRules(given)).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
  });

  test('anything is read or refused with a sentence, and what is read is written back the same', () => {
    const part = fc.dictionary(
      fc.constantFrom('percent', 'usd', 'units', 'days', 'places', 'count', 'x'),
      fc.oneof(fc.integer({ min: -1, max: 400 }), fc.double(), fc.constant(null), fc.string()),
    );
    const names = fc.constantFrom('price', 'seller_price', 'stock_low', 'rank', 'rotation', 'y');
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(names, part), fc.jsonValue()), (given) => {
        try {
          const rules = readRules(given);
          expect(readRules(writeRules(rules))).toEqual(rules);
        } catch (error) {
          expect(error).toMatchObject({ name: 'Problem', kind: 'invalid_request' });
        }
      }),
    );
  });
});
