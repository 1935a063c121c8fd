import { expect, test } from 'vitest';
import { amountOf, ownCostsOf } from './own-costs.ts';

test.each([
  ['12', 12],
  ['12.5', 12.5],
  [' $12,50 ', 12.5],
  ['0', 0],
  ['12.345', undefined],
  ['-1', undefined],
  ['', undefined],
  ['1e3', undefined],
])('%j is the amount %s', (text, amount) => {
  expect(amountOf(text)).toBe(amount);
});

test('shipping and price may be empty, the cost may not', () => {
  expect(ownCostsOf({ cost: '5', shipping: '', price: ' ' })).toEqual({
    cost: 5,
    shipping: 0,
    price: null,
  });
  expect(ownCostsOf({ cost: '', shipping: '', price: '' })).toBe(undefined);
  expect(ownCostsOf({ cost: '5', shipping: 'x', price: '' })).toBe(undefined);
});
