// What is known as of a look: unknown, none and zero are three things.
import { expect, test } from 'vitest';
import { asOf } from './as-of.ts';
import type { Observation } from './observation.ts';

const offer = (sellerName: string, unitsInStock: number | null) => ({
  ...{ sellerName, priceCents: 1_000, shippingCents: 0, unitsInStock },
});
const observation = (more: Partial<Observation>): Observation => ({
  ...{ atSeconds: 100, buybox: undefined, rank: undefined, offers: undefined },
  ...{ offersComplete: false, ...more },
});
const box = { priceCents: 1_000, sellerName: 'a' };

test.each([
  ['nothing was looked at', [], { buybox: undefined, isComplete: false, unitsInStock: null }],
  [
    'only the rank was',
    [observation({})],
    { buybox: undefined, isComplete: false, unitsInStock: null },
  ],
  ['only the box was', [observation({ buybox: box })], { buybox: box, unitsInStock: null }],
  ['nobody has the box', [observation({ buybox: null })], { buybox: null, unitsInStock: null }],
  [
    'nobody offers it',
    [observation({ offers: [], offersComplete: true })],
    { isComplete: true, unitsInStock: 0 },
  ],
  [
    'one offer’s stock is unknown',
    [observation({ offers: [offer('a', 3), offer('b', null)], offersComplete: true })],
    { isComplete: true, unitsInStock: null },
  ],
  [
    'a list in part adds to what is known',
    [
      observation({ offers: [offer('a', 3), offer('b', 4)], offersComplete: true }),
      observation({ atSeconds: 200, offers: [offer('b', 1)] }),
    ],
    { isComplete: true, unitsInStock: 4 },
  ],
])('%s', (_what, observations, known) => {
  expect(asOf(observations)).toMatchObject(known);
});
