// The track of each seller: counts, absences, unknown and capped counts.
import { describe, expect, test } from 'vitest';
import { DAY_SECONDS } from '../foundation/time.ts';
import { ABSENT, CAPPED, tracksOf, UNKNOWN } from './seller-track.ts';
import type { StockObservation } from './stock-observation.ts';

type UnitsBySeller = Readonly<Record<string, number | null>> | undefined;

const observation = (
  atSeconds: number,
  units: UnitsBySeller,
  offersComplete = true,
): StockObservation => ({
  atSeconds,
  rankPosition: null,
  rankCategory: null,
  offers:
    units &&
    Object.entries(units).map(([sellerName, count]) => ({
      sellerName,
      units: count,
      priceCents: 100,
    })),
  offersComplete,
});

describe('a seller', () => {
  const day = DAY_SECONDS;
  test.each([
    {
      why: 'is counted',
      observations: [observation(1, { A: 5 }), observation(2, { A: 3 })],
      timesSeconds: [1, 2],
      units: [5, 3],
    },
    {
      why: 'has no point where offers were not observed',
      observations: [observation(1, { A: 5 }), observation(2, undefined), observation(3, { A: 4 })],
      timesSeconds: [1, 3],
      units: [5, 4],
    },
    {
      why: 'may be missing from an incomplete list',
      observations: [observation(1, { A: 5 }), observation(2, {}, false), observation(3, { A: 4 })],
      timesSeconds: [1, 3],
      units: [5, 4],
    },
    {
      why: 'is absent from the first to the last complete list without it',
      observations: [
        observation(1, { A: 5 }),
        observation(2, {}),
        observation(3, {}),
        observation(4, {}),
        observation(5, { A: 9 }),
      ],
      timesSeconds: [1, 2, 4, 5],
      units: [5, ABSENT, ABSENT, 9],
    },
    {
      why: 'arrives after a complete list without it',
      observations: [observation(1, {}), observation(2, { A: 9 })],
      timesSeconds: [1, 2],
      units: [ABSENT, 9],
    },
    {
      why: 'has no unknown points in a short gap',
      observations: [
        observation(1, { A: 5 }),
        observation(2, { A: null }),
        observation(3, { A: null }),
        observation(4, { A: 4 }),
      ],
      timesSeconds: [1, 4],
      units: [5, 4],
    },
    {
      why: 'has unknown points in a long gap',
      observations: [
        observation(1, { A: 5 }),
        observation(day, { A: null }),
        observation(4 * day, { A: 4 }),
      ],
      timesSeconds: [1, day, 4 * day],
      units: [5, UNKNOWN, 4],
    },
    {
      why: 'has two points for a day of unknown counts',
      observations: [
        observation(0, { A: null }),
        observation(1, { A: null }),
        observation(2, { A: null }),
        observation(3, { A: null }),
      ],
      timesSeconds: [0, 3],
      units: [UNKNOWN, UNKNOWN],
    },
    {
      why: 'has capped counts',
      observations: [
        observation(1, { A: 10 }),
        observation(2, { A: 12 }),
        observation(3, { A: 9 }),
      ],
      caps: { A: 10 },
      timesSeconds: [1, 2, 3],
      units: [CAPPED, CAPPED, 9],
    },
  ])('$why', ({ observations, caps, timesSeconds, units }) => {
    const [track] = tracksOf(observations, caps);
    expect(track?.timesSeconds).toEqual(timesSeconds);
    expect(track?.units).toEqual(units);
  });

  test('may have any name; tracks are sorted by name', () => {
    const observations = [
      observation(1, { toString: 5, b: 2 }),
      observation(2, { b: 1, a: 7, toString: 4 }),
    ];
    expect(tracksOf(observations).map(({ sellerName }) => sellerName)).toEqual([
      'a',
      'b',
      'toString',
    ]);
    expect(tracksOf(observations)[2]?.units).toEqual([5, 4]);
  });
});
