// Price history by seller, collected in one or several passes over the observations.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Observation } from '../history/observation.ts';
import { sellerParts } from './seller-prices.ts';
import { isoTime } from './wire.ts';

const NAMES = ['A', 'B', 'C', 'D'];
const anyObservations = fc
  .array(fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(100, 101, 250)), {
    maxLength: 30,
  })
  .map((list) => list.map(observationOf));

function observationOf(prices: Record<string, number>, index: number): Observation {
  const offers = Object.entries(prices).map(([sellerName, priceCents]) => ({
    sellerName,
    priceCents,
    shippingCents: 0,
    unitsInStock: null,
  }));
  return {
    atSeconds: index * 3_600,
    buybox: undefined,
    rank: undefined,
    offers,
    offersComplete: true,
  };
}

async function written(observations: readonly Observation[], numbersMax: number) {
  let walks = 0;
  const walk = async function* () {
    walks += 1;
    yield* observations;
  };
  const offers = NAMES.map((sellerName) => ({
    sellerName,
    priceCents: 250,
    shippingCents: 0,
    unitsInStock: 3,
    seenAtMs: 0,
  }));
  let text = '';
  for await (const part of sellerParts(offers, walk, numbersMax)) text += part;
  return { records: JSON.parse(`[${text}]`), walks };
}

test('returns every observed price of every seller in order, whatever the memory limit', async () => {
  const property = fc.asyncProperty(
    anyObservations,
    fc.integer({ min: 1, max: 200 }),
    async (observations, max) => {
      const { records } = await written(observations, max);
      expect(records).toEqual(
        NAMES.map((seller_name) => ({
          seller_name,
          price: 2.5,
          units_in_stock: 3,
          last_updated: isoTime(0),
          price_history: observations.flatMap(({ atSeconds, offers }) =>
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

test('walks the history once, or once per seller if only one fits in memory', async () => {
  const observations = Array.from({ length: 20 }, (_, index) =>
    observationOf(Object.fromEntries(NAMES.map((name) => [name, 100 + index])), index),
  );
  expect((await written(observations, 1_000)).walks).toBe(1);
  expect((await written(observations, 1)).walks).toBe(NAMES.length);
});
