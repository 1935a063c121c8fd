import { expect, test } from 'vitest';
import { factValue, storedFact, storedRange } from './fact.ts';

test('a value is stored as a whole number and read back', () => {
  expect(storedFact('price', 19.99)).toBe(1999);
  expect(factValue('price', 1999)).toBe(19.99);
  expect([storedFact('stock', null), factValue('stock', null)]).toEqual([null, null]);
});

test('a range holds the values from min to max, whatever binary fractions make of them', () => {
  expect(storedRange('price', { min: 19.99, max: 20.07 })).toEqual({ min: 1999, max: 2007 });
  expect(storedRange('price', { min: 0.001 })).toEqual({ min: 1, max: undefined });
  expect(storedRange('rank', { max: 10.5 })).toEqual({ min: undefined, max: 10 });
});

test('a bound beyond what is stored is as good as the largest', () => {
  expect(storedRange('stock', { max: 1e15 }).max).toBe(2_147_483_647);
  expect(storedFact('rank_change_1d', 1e12)).toBe(2_147_483_647);
});
