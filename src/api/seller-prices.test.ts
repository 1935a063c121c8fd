// Prices by seller, gathered in one walk over the history or in many.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Look } from '../history/look.ts';
import { sellerParts } from './seller-prices.ts';
import { isoTime } from './wire.ts';

const NAMES = ['A', 'B', 'C', 'D'];
const anyLooks = fc
  .array(fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(100, 101, 250)), {
    maxLength: 30,
  })
  .map((list) => list.map(lookOf));

function lookOf(prices: Record<string, number>, index: number): Look {
  const offers = Object.entries(prices).map(([sellerName, priceCents]) => ({
    ...{ sellerName, priceCents, shippingCents: 0, unitsInStock: null },
  }));
  return {
    ...{ atSeconds: index * 3_600, buybox: undefined, rank: undefined, offers },
    offersComplete: true,
  };
}

async function written(looks: readonly Look[], numbersMax: number) {
  let walks = 0;
  const walk = async function* () {
    walks += 1;
    yield* looks;
  };
  const offers = NAMES.map((sellerName) => ({
    ...{ sellerName, priceCents: 250, shippingCents: 0, unitsInStock: 3, seenAt: 0 },
  }));
  let text = '';
  for await (const part of sellerParts(offers, walk, numbersMax)) text += part;
  return { records: JSON.parse(`[${text}]`), walks };
}

test('every seller has every price that was seen, in order, however little memory there is', async () => {
  const property = fc.asyncProperty(
    anyLooks,
    fc.integer({ min: 1, max: 200 }),
    async (looks, max) => {
      const { records } = await written(looks, max);
      expect(records).toEqual(
        NAMES.map((seller_name) => ({
          ...{ seller_name, price: 2.5, units_in_stock: 3, last_updated: isoTime(0) },
          price_history: looks.flatMap(({ atSeconds, offers }) =>
            (offers ?? [])
              .filter(({ sellerName }) => sellerName === seller_name)
              .map(({ priceCents }) => ({
                date: isoTime(atSeconds * 1000),
                price: priceCents / 100,
              })),
          ),
        })),
      );
    },
  );
  await fc.assert(property);
});

test('the history is walked over once, and once for each seller where only one fits', async () => {
  const looks = Array.from({ length: 20 }, (_, index) =>
    lookOf(Object.fromEntries(NAMES.map((name) => [name, 100 + index])), index),
  );
  expect((await written(looks, 1_000)).walks).toBe(1);
  expect((await written(looks, 1)).walks).toBe(NAMES.length);
});
