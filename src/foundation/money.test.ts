// Money in the API: the text of every price is exact.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dollars } from './money.ts';

const CENTS_MAX = 100_000_000; // a million dollars, the highest price

/** The expected text: splits the digits of the cents and drops trailing zeros. */
function byHand(cents: number): string {
  const text = String(cents).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`.replace(/\.?0{1,2}$/, '');
}

const byHandTable = [
  [0, '0'],
  [1, '0.01'],
  [10, '0.1'],
  [99, '0.99'],
  [100, '1'],
  [1999, '19.99'],
  [100_010, '1000.1'],
  [CENTS_MAX, '1000000'],
] as const;

test.each(byHandTable)('%i cents are written %s', (cents, text) => {
  expect(JSON.stringify(dollars(cents))).toBe(text);
  expect(byHand(cents)).toBe(text);
});

test('every price is written with at most two decimals and reads back exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: CENTS_MAX }), (cents) => {
      const text = JSON.stringify(dollars(cents));
      expect(text).toMatch(/^\d+(\.\d{1,2})?$/);
      expect(text).toBe(byHand(cents));
      expect(Math.round(Number(text) * 100)).toBe(cents);
    }),
    { numRuns: 5_000 },
  );
});

test('every price up to $1,000 is exact, and every 997th cent up to the maximum', () => {
  const wrong: number[] = [];
  const check = (cents: number) => {
    if (String(dollars(cents)) !== byHand(cents)) wrong.push(cents);
  };
  for (let cents = 0; cents <= 100_000; cents++) check(cents);
  for (let cents = 0; cents <= CENTS_MAX; cents += 997) check(cents);
  expect(wrong).toEqual([]);
});
