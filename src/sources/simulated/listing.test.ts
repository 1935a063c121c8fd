// The identity of simulated products: codes, GTINs and categories.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasValidCheckDigit, upcOf } from '../../catalog/gtin.ts';
import { codeOf, indexOfCode, indexOfGtin, listingOf, PRODUCT_COUNT } from './listing.ts';
import { LEAVES } from './shelf.ts';

const anyIndex = fc.integer({ min: 0, max: PRODUCT_COUNT - 1 });

test('there are at least 100,000 products, and no two share a code or a GTIN', () => {
  const codes = new Set<string>();
  const gtins = new Set<string>();
  for (let index = 0; index < PRODUCT_COUNT; index++) {
    const { code, gtin } = listingOf(index);
    codes.add(code);
    gtins.add(gtin);
  }
  expect(PRODUCT_COUNT).toBeGreaterThanOrEqual(100_000);
  expect(codes.size).toBe(PRODUCT_COUNT);
  expect(gtins.size).toBe(PRODUCT_COUNT);
});

test('the tree has at least 40 leaves of different names in at least 10 main categories', () => {
  expect(new Set(LEAVES.map(({ path }) => path[2])).size).toBe(LEAVES.length);
  expect(LEAVES.length).toBeGreaterThanOrEqual(40);
  expect(new Set(LEAVES.map(({ path }) => path[0])).size).toBeGreaterThanOrEqual(10);
});

test('a code has 9 digits, starts with 5 and identifies its product', () => {
  fc.assert(
    fc.property(anyIndex, (index) => {
      expect(codeOf(index)).toMatch(/^5[0-9]{8}$/);
      expect(indexOfCode(codeOf(index))).toBe(index);
    }),
  );
});

test('an unassigned code identifies no product', () => {
  const codes = new Set(Array.from({ length: PRODUCT_COUNT }, (_, index) => codeOf(index)));
  const unknown = fc
    .integer({ min: 5e8, max: 6e8 - 1 })
    .map(String)
    .filter((code) => !codes.has(code));
  fc.assert(fc.property(unknown, (code) => indexOfCode(code) === null));
  for (const code of ['', '5', '427182818', '0527182818', '5271828180', '52718281x'])
    expect(indexOfCode(code)).toBeNull();
});

test('a GTIN has a valid check digit and identifies its product', () => {
  fc.assert(
    fc.property(anyIndex, (index) => {
      const { gtin } = listingOf(index);
      expect(gtin).toMatch(/^0[0-9]{13}$/);
      expect(hasValidCheckDigit(gtin)).toBe(true);
      expect(indexOfGtin(gtin)).toBe(index);
    }),
  );
});

test('an unassigned GTIN identifies no product', () => {
  fc.assert(
    fc.property(anyIndex, anyIndex, fc.nat({ max: 9 }), (one, other, last) => {
      const gtin = listingOf(one).gtin;
      const mixed = `${gtin.slice(0, 8)}${listingOf(other).gtin.slice(8, 13)}${last}`;
      const index = indexOfGtin(mixed);
      if (index !== null) expect(listingOf(index).gtin).toBe(mixed);
    }),
    { numRuns: 2_000 },
  );
});

test('most products have a UPC, some an EAN that is not a UPC', () => {
  const withUpc = Array.from({ length: 2_000 }, (_, index) => listingOf(index * 59).gtin).filter(
    (gtin) => upcOf(gtin) !== null,
  ).length;
  expect(withUpc).toBeGreaterThan(1_500);
  expect(withUpc).toBeLessThan(1_900);
});
