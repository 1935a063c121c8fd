// Price points written as bytes, compared with JSON.stringify.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_SECONDS, SECOND_MS } from '../foundation/time.ts';
import type { Observation } from './observation.ts';
import { DamagedBlock } from './packed-block.ts';
import { packObservations } from './packed-observations.ts';
import { PriceWriter } from './price-writer.ts';

const boxObservation = (atSeconds: number, cents: number | null | undefined): Observation => ({
  atSeconds,
  buybox: cents === null || cents === undefined ? cents : { priceCents: cents, sellerName: null },
  rank: undefined,
  offers: undefined,
  offersComplete: false,
});

const anyBoxes = fc
  .array(
    fc.tuple(
      fc.oneof(fc.integer({ min: 1, max: 7_200 }), fc.integer({ min: 1, max: 10_000_000 })),
      fc.oneof(
        fc.constantFrom(1999, 2000, 1990, null, undefined),
        fc.integer({ min: 1, max: 100_000_000 }),
      ),
    ),
  )
  .map((list) => {
    let atSeconds = 946_684_800;
    return list.map(([gap, cents]) => {
      atSeconds += gap;
      return boxObservation(atSeconds, cents);
    });
  });

/** The expected points as objects. */
function pointsOf(
  observations: readonly Observation[],
  range: { fromAtSeconds: number; toAtSeconds: number; changesOnly: boolean },
) {
  const points = observations.flatMap(({ atSeconds, buybox }) =>
    buybox && atSeconds >= range.fromAtSeconds && atSeconds < range.toAtSeconds
      ? [{ date: new Date(atSeconds * SECOND_MS).toISOString(), price: buybox.priceCents / 100 }]
      : [],
  );
  return range.changesOnly
    ? points.filter((point, index) => point.price !== points[index - 1]?.price)
    : points;
}

describe('price points as bytes', () => {
  it('equal the output of JSON.stringify, also over several blocks', () => {
    fc.assert(
      fc.property(
        anyBoxes,
        fc.nat(30),
        fc.record({
          fromAtSeconds: fc.integer({ min: 946_684_800, max: 1_000_000_000 }),
          toAtSeconds: fc.integer({ min: 946_684_800, max: 1_100_000_000 }),
          changesOnly: fc.boolean(),
        }),
        (observations, cut, range) => {
          const writer = new PriceWriter(2);
          writer.addBlock(packObservations(observations.slice(0, cut)), range);
          writer.addBlock(packObservations(observations.slice(cut)), range);
          const expected = pointsOf(observations, range);
          expect(writer.count).toBe(expected.length);
          expect(`[${writer.bytes().toString().slice(0, -1)}]`).toBe(JSON.stringify(expected));
        },
      ),
    );
  });

  const allTime = { fromAtSeconds: 0, toAtSeconds: 2_000_000_000, changesOnly: false };

  it('equal it for more points than fit into a group, however often the price changes', () => {
    for (const every of [1, 7, 512, 513, 5_000]) {
      const observations = Array.from({ length: 1_700 }, (_, index) =>
        boxObservation(946_684_800 + index * 3_601, 1_990 + (Math.floor(index / every) % 30)),
      );
      const writer = new PriceWriter(1_700);
      writer.addBlock(packObservations(observations), allTime);
      const expected = JSON.stringify(pointsOf(observations, allTime));
      expect(`[${writer.bytes().toString().slice(0, -1)}]`).toBe(expected);
    }
  });

  it('are counted even if a block turns out to be damaged', () => {
    const observations = [1, 2, 3].map((hour) =>
      boxObservation(946_684_800 + hour * HOUR_SECONDS, 1_999),
    );
    const writer = new PriceWriter(8);
    const block = Buffer.concat([packObservations(observations), Buffer.from([0x80])]);
    expect(() => writer.addBlock(block, allTime)).toThrow(DamagedBlock);
    expect(writer.bytes().toString().split('},')).toHaveLength(writer.count + 1);
  });
});
