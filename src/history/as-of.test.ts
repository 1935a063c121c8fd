// What is known as of a look: unknown, none and zero are three things.
import { expect, test } from 'vitest';
import { asOf } from './as-of.ts';
import type { Look } from './look.ts';

const offer = (sellerName: string, unitsInStock: number | null) => ({
  ...{ sellerName, priceCents: 1_000, shippingCents: 0, unitsInStock },
});
const look = (more: Partial<Look>): Look => ({
  ...{ atSeconds: 100, buybox: undefined, rank: undefined, offers: undefined },
  ...{ offersComplete: false, ...more },
});
const box = { priceCents: 1_000, sellerName: 'a' };

test.each([
  ['nothing was looked at', [], { buybox: undefined, isWhole: false, unitsInStock: null }],
  ['only the rank was', [look({})], { buybox: undefined, isWhole: false, unitsInStock: null }],
  ['only the box was', [look({ buybox: box })], { buybox: box, unitsInStock: null }],
  ['nobody has the box', [look({ buybox: null })], { buybox: null, unitsInStock: null }],
  [
    'nobody offers it',
    [look({ offers: [], offersComplete: true })],
    { isWhole: true, unitsInStock: 0 },
  ],
  [
    'one offer’s stock is unknown',
    [look({ offers: [offer('a', 3), offer('b', null)], offersComplete: true })],
    { isWhole: true, unitsInStock: null },
  ],
  [
    'a list in part adds to what is known',
    [
      look({ offers: [offer('a', 3), offer('b', 4)], offersComplete: true }),
      look({ atSeconds: 200, offers: [offer('b', 1)] }),
    ],
    { isWhole: true, unitsInStock: 4 },
  ],
])('%s', (_what, looks, known) => {
  expect(asOf(looks)).toMatchObject(known);
});
