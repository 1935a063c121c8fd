// What the looks say of each seller: counts, absences, unknown and capped counts.
import { describe, expect, test } from 'vitest';
import { ABSENT, CAPPED, tracksOf, UNKNOWN } from './seller-track.ts';
import { DAY_SECONDS, type StockLook } from './stock-look.ts';

type Seen = Readonly<Record<string, number | null>> | undefined;

const look = (atSeconds: number, seen: Seen, offersComplete = true): StockLook => ({
  atSeconds,
  rankPosition: null,
  rankCategory: null,
  offers:
    seen &&
    Object.entries(seen).map(([sellerName, units]) => ({ sellerName, units, priceCents: 100 })),
  offersComplete,
});

describe('a seller', () => {
  const day = DAY_SECONDS;
  test.each([
    { why: 'is counted', looks: [look(1, { A: 5 }), look(2, { A: 3 })], at: [1, 2], units: [5, 3] },
    {
      why: 'is not seen where nobody looked',
      looks: [look(1, { A: 5 }), look(2, undefined), look(3, { A: 4 })],
      at: [1, 3],
      units: [5, 4],
    },
    {
      why: 'may be missing from an incomplete list',
      looks: [look(1, { A: 5 }), look(2, {}, false), look(3, { A: 4 })],
      at: [1, 3],
      units: [5, 4],
    },
    {
      why: 'is absent from the first to the last complete list without',
      looks: [look(1, { A: 5 }), look(2, {}), look(3, {}), look(4, {}), look(5, { A: 9 })],
      at: [1, 2, 4, 5],
      units: [5, ABSENT, ABSENT, 9],
    },
    {
      why: 'comes after a complete list without',
      looks: [look(1, {}), look(2, { A: 9 })],
      at: [1, 2],
      units: [ABSENT, 9],
    },
    {
      why: 'is bridged over a short unknown time',
      looks: [look(1, { A: 5 }), look(2, { A: null }), look(3, { A: null }), look(4, { A: 4 })],
      at: [1, 4],
      units: [5, 4],
    },
    {
      why: 'stays unknown over a long one',
      looks: [look(1, { A: 5 }), look(day, { A: null }), look(4 * day, { A: 4 })],
      at: [1, day, 4 * day],
      units: [5, UNKNOWN, 4],
    },
    {
      why: 'is unknown all day in two points',
      looks: [
        look(0, { A: null }),
        look(1, { A: null }),
        look(2, { A: null }),
        look(3, { A: null }),
      ],
      at: [0, 3],
      units: [UNKNOWN, UNKNOWN],
    },
    {
      why: 'is capped',
      looks: [look(1, { A: 10 }), look(2, { A: 12 }), look(3, { A: 9 })],
      caps: { A: 10 },
      at: [1, 2, 3],
      units: [CAPPED, CAPPED, 9],
    },
  ])('$why', ({ looks, caps, at, units }) => {
    const [track] = tracksOf(looks, caps);
    expect(track?.at).toEqual(at);
    expect(track?.units).toEqual(units);
  });

  test('has a name of any kind, and comes in the order of names', () => {
    const looks = [look(1, { toString: 5, b: 2 }), look(2, { b: 1, a: 7, toString: 4 })];
    expect(tracksOf(looks).map(({ sellerName }) => sellerName)).toEqual(['a', 'b', 'toString']);
    expect(tracksOf(looks)[2]?.units).toEqual([5, 4]);
  });
});
