// Packing and unpacking observations, and what happens with damaged bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from './observation.ts';
import { DamagedBlock } from './packed-block.ts';
import { PackedCursor } from './packed-cursor.ts';
import {
  packAppended,
  packObservations,
  packRuns,
  unpackObservations,
} from './packed-observations.ts';

const cents = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 1e8 }));
const name = fc.oneof(
  fc.constantFrom('Acme', 'Björk & Söhne', 'Zed', '上海'),
  fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).map((text) => text.toWellFormed()),
);
const offers = fc
  .uniqueArray(
    fc.record({
      sellerName: name,
      priceCents: cents,
      shippingCents: fc.integer({ min: 0, max: 1e8 }),
      unitsInStock: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    }),
    { selector: (offer) => offer.sellerName, maxLength: 6 },
  )
  .map((list) => list.sort((a, b) => (a.sellerName < b.sellerName ? -1 : 1)));

const anyContent = fc.record({
  buybox: fc.oneof(
    fc.constant(undefined),
    fc.constant(null),
    fc.record({ priceCents: cents, sellerName: fc.option(name) }),
  ),
  rank: fc.option(fc.record({ position: fc.integer({ min: 1, max: 1e9 }), category: name }), {
    nil: undefined,
  }),
  offers: fc.option(offers, { nil: undefined }),
  offersComplete: fc.boolean(),
});

/** Any observations at distinct times from the year 2000 on, ascending. */
const anyObservations: fc.Arbitrary<Observation[]> = fc
  .array(
    fc.tuple(
      anyContent,
      fc.oneof(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 1e9 })),
    ),
    {
      maxLength: 40,
    },
  )
  .map((list) => {
    let atSeconds = 946_684_800;
    return list.map(([observation, gap]) => {
      atSeconds += gap;
      return {
        ...observation,
        atSeconds,
        offersComplete: observation.offers !== undefined && observation.offersComplete,
      };
    });
  });

describe('packed observations', () => {
  it('unpack to what was packed', () => {
    fc.assert(
      fc.property(anyObservations, (observations) => {
        expect(unpackObservations(packObservations(observations))).toEqual(observations);
      }),
    );
  });

  it('can be appended one by one', () => {
    fc.assert(
      fc.property(anyObservations, fc.integer({ min: -5, max: 100_000 }), (observations, step) => {
        let block = Buffer.alloc(0);
        for (const observation of observations) {
          const end = new PackedCursor(block);
          while (end.next());
          block = Buffer.concat([block, packAppended(end, [observation], step)]);
        }
        expect(unpackObservations(block)).toEqual(observations);
      }),
    );
  });

  it('are divided into runs of a limited length that hold each of them once', () => {
    fc.assert(
      fc.property(anyObservations, fc.integer({ min: 1, max: 400 }), (observations, bytesMax) => {
        const runs = packRuns(observations, bytesMax);
        expect(runs.flatMap((run) => unpackObservations(run.bytes))).toEqual(observations);
        for (const run of runs) {
          const inside = unpackObservations(run.bytes);
          expect(run.count).toBe(inside.length);
          expect(run.firstAtSeconds).toBe(inside[0]?.atSeconds);
          expect(run.lastAtSeconds).toBe(inside.at(-1)?.atSeconds);
          if (run.count > 1) expect(run.bytes.length).toBeLessThanOrEqual(bytesMax);
        }
      }),
    );
  });

  it('take about a byte each while the buybox does not change', () => {
    const observations = Array.from({ length: 1000 }, (_, index) => ({
      atSeconds: 1_700_000_000 + index * 3600 + ((index * 7) % 41) - 20,
      buybox: { priceCents: 1999, sellerName: 'Acme Store' },
      rank: undefined,
      offers: undefined,
      offersComplete: false,
    }));
    expect(packObservations(observations).length).toBeLessThan(1250);
  });

  it('with a damaged byte throw DamagedBlock or differ, and never hang', () => {
    fc.assert(
      fc.property(
        anyObservations,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (observations, position, flip) => {
          const bytes = packObservations(observations);
          if (bytes.length === 0) return;
          const index = position % bytes.length;
          bytes[index] = (bytes[index] as number) ^ flip;
          try {
            unpackObservations(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(DamagedBlock);
          }
        },
      ),
    );
  });
});
