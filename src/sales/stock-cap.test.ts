// Distinguishes capped counts from shelves that are refilled to the same number.
import { describe, expect, test } from 'vitest';
import { HOUR_SECONDS } from '../foundation/time.ts';
import type { SellerTrack } from './seller-track.ts';
import { capsOf, possibleCapsOf } from './stock-cap.ts';

/** A stock that sells a unit every two hours and is refilled to `top`; displayed up to `shown`. */
function shelf(top: number, shown: number, hours = 24 * 60): SellerTrack {
  const track: SellerTrack = {
    sellerName: `shelf of ${top}`,
    timesSeconds: [],
    units: [],
    moved: new Map(),
    cap: Number.POSITIVE_INFINITY,
  };
  let stock = top;
  for (let hour = 0; hour < hours; hour++) {
    if (hour % 2 === 1) stock = stock === 0 ? top : stock - 1;
    track.timesSeconds.push(hour * HOUR_SECONDS);
    track.units.push(Math.min(stock, shown));
  }
  return track;
}

describe('a cap', () => {
  test.each([
    {
      why: 'is a usual number from which nothing seems to sell',
      tracks: [shelf(60, 10)],
      caps: { 'shelf of 60': 10 },
    },
    {
      why: 'is not the usual number that a shelf is refilled to',
      tracks: [shelf(10, 10)],
      caps: {},
    },
    { why: 'is not an unusual number of one seller', tracks: [shelf(60, 13)], caps: {} },
    {
      why: 'is an unusual number that most sellers share',
      tracks: [shelf(60, 13), shelf(70, 13)],
      caps: { 'shelf of 60': 13, 'shelf of 70': 13 },
    },
    {
      why: 'that the stock never leaves is found by the rank',
      tracks: [shelf(9_000, 999)],
      rankUnits: 12,
      caps: { 'shelf of 9000': 999 },
    },
    {
      why: 'that the stock never leaves is found without a rank: nothing says what sells',
      tracks: [shelf(9_000, 999)],
      caps: { 'shelf of 9000': 999 },
    },
    {
      why: 'is not an unusual number that never changes',
      tracks: [shelf(9_000, 431)],
      caps: {},
    },
  ])('$why', ({ tracks, rankUnits, caps }) => {
    expect(capsOf(tracks, rankUnits ?? null)).toEqual(caps);
  });
});

describe('a count that may be a cap', () => {
  /** Rests at `top` for days and leaves it now and then, as slow sellers and full stores do. */
  function resting(top: number, sellerName = 'resting'): SellerTrack {
    const track = { ...shelf(top, top, 0), sellerName };
    for (let day = 0; day < 300; day++) {
      track.timesSeconds.push(day * 24 * HOUR_SECONDS);
      track.units.push(day % 9 < 5 ? top : top - (day % 9) + 4);
    }
    return track;
  }

  test('is a usual cap that rests too long to know', () => {
    expect(possibleCapsOf([resting(50)], {})).toEqual({ resting: 50 });
  });

  test('is not an unusual number, nor one that is left as often as lower counts', () => {
    expect(possibleCapsOf([resting(47)], {})).toEqual({});
    expect(possibleCapsOf([shelf(10, 10)], {})).toEqual({});
  });

  test('is the cap of another seller', () => {
    expect(possibleCapsOf([shelf(10, 10), resting(10)], {})).toEqual({
      'shelf of 10': 10,
      resting: 10,
    });
    expect(possibleCapsOf([shelf(10, 10)], { 'shelf of 60': 10 })).toEqual({ 'shelf of 10': 10 });
  });

  test('is not a cap that is known', () => {
    expect(possibleCapsOf([resting(50)], { resting: 50 })).toEqual({});
  });
});
