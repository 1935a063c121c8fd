// Merging observations: the result does not depend on the order in which they arrive.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  greater,
  mergeObservations,
  type Observation,
  sortObservations,
} from './observation.ts';

const observation = (atSeconds: number, priceCents: number | null): Observation => ({
  atSeconds,
  buybox: priceCents === null ? null : { priceCents, sellerName: 'Acme' },
  rank: undefined,
  offers: undefined,
  offersComplete: false,
});

const anyObservation = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.option(fc.integer({ min: 1, max: 3 })))
  .map(([atSeconds, cents]) => observation(atSeconds, cents));

describe('two observations of one second', () => {
  it('are reduced to the one with the greater canonical JSON', () => {
    expect(greater(observation(1, 1000), observation(1, 1200))).toEqual(observation(1, 1200));
    // Compared as text, 9.99 is greater than 10.
    expect(greater(observation(1, 1000), observation(1, 999))).toEqual(observation(1, 999));
    expect(canonicalJson(observation(1, 1999))).toBe(
      '{"buybox":{"price":19.99,"seller_name":"Acme"},"offers_complete":false}',
    );
  });
});

describe('merging observations', () => {
  it('gives the same result for every order and every division into batches', () => {
    fc.assert(
      fc.property(
        fc.array(anyObservation),
        fc.nat(20),
        fc.infiniteStream(fc.nat()),
        (observations, cut, keys) => {
          const shuffled = observations
            .map((one) => ({ one, key: keys.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ one }) => one);
          const whole = sortObservations(observations).observations;
          const first = sortObservations(shuffled.slice(0, cut)).observations;
          const second = sortObservations(shuffled.slice(cut)).observations;
          expect(mergeObservations(first, second).observations).toEqual(whole);
          expect(mergeObservations(second, first).observations).toEqual(whole);
        },
      ),
    );
  });

  it('counts the observations that were added or replaced', () => {
    const stored = [observation(1, 5), observation(2, 6)];
    expect(mergeObservations(stored, [observation(1, 5), observation(2, 6)]).changed).toBe(0);
    expect(mergeObservations(stored, [observation(2, 7), observation(3, 6)]).changed).toBe(2);
    // The smaller of one second loses.
    expect(mergeObservations(stored, [observation(2, 5)]).changed).toBe(0);
  });
});
