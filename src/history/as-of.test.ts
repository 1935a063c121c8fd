// The shelf as of an instant: unknown, none and zero are three different things.
import { expect, test } from 'vitest';
import { asOf } from './as-of.ts';
import type { Observation } from './observation.ts';

const offer = (sellerName: string, unitsInStock: number | null) => ({
  sellerName,
  priceCents: 1_000,
  shippingCents: 0,
  unitsInStock,
});
const observation = (more: Partial<Observation>): Observation => ({
  atSeconds: 100,
  buybox: undefined,
  rank: undefined,
  offers: undefined,
  offersComplete: false,
  ...more,
});
const box = { priceCents: 1_000, sellerName: 'a' };

test.each([
  ['nothing was observed', [], { buybox: undefined, isComplete: false, unitsInStock: null }],
  [
    'only the rank was observed',
    [observation({})],
    { buybox: undefined, isComplete: false, unitsInStock: null },
  ],
  [
    'only the buybox was observed',
    [observation({ buybox: box })],
    { buybox: box, unitsInStock: null },
  ],
  [
    'nobody holds the buybox',
    [observation({ buybox: null })],
    { buybox: null, unitsInStock: null },
  ],
  [
    'nobody offers the product',
    [observation({ offers: [], offersComplete: true })],
    { isComplete: true, unitsInStock: 0 },
  ],
  [
    'the stock of one offer is unknown',
    [observation({ offers: [offer('a', 3), offer('b', null)], offersComplete: true })],
    { isComplete: true, unitsInStock: null },
  ],
  [
    'an incomplete list updates the complete one before it',
    [
      observation({ offers: [offer('a', 3), offer('b', 4)], offersComplete: true }),
      observation({ atSeconds: 200, offers: [offer('b', 1)] }),
    ],
    { isComplete: true, unitsInStock: 4 },
  ],
])('%s', (_case, observations, shelf) => {
  expect(asOf(observations)).toMatchObject(shelf);
});
