import { expect, test } from 'vitest';
import { sellerWarning } from './seller-name.ts';

const NAMES = ['Copperleaf Goods', 'Eastmill House'];

test.each([
  ['Copperleaf Goods', null],
  [' Copperleaf Goods ', null],
  ['', null],
])('"%s" is fine', (typed, warning) => {
  expect(sellerWarning(typed, NAMES)).toBe(warning);
});

test.each(['copperleaf goods', 'Copperleaf-Goods', 'COPPERLEAFGOODS'])(
  '"%s" is offered in its exact spelling',
  (typed) => {
    expect(sellerWarning(typed, NAMES)?.instead).toBe('Copperleaf Goods');
  },
);

test('an unknown name is said to be unknown; without any names nothing is said', () => {
  expect(sellerWarning('Acme', NAMES)).toMatchObject({ instead: null });
  expect(sellerWarning('Acme', [])).toBeNull();
});
