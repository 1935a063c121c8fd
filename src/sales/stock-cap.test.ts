// Counts that stop at a number are told from shelves that are filled to one.
import { describe, expect, test } from 'vitest';
import type { SellerTrack } from './seller-track.ts';
import { capsOf } from './stock-cap.ts';

const HOUR = 3_600;

/** Sells one unit every two hours and is refilled to `top` when empty; what is shown stops at `shown`. */
function shelf(top: number, shown: number, hours = 24 * 60): SellerTrack {
  const track: SellerTrack = { sellerName: `shelf of ${top}`, at: [], units: [] };
  let stock = top;
  for (let hour = 0; hour < hours; hour++) {
    if (hour % 2 === 1) stock = stock === 0 ? top : stock - 1;
    track.at.push(hour * HOUR);
    track.units.push(Math.min(stock, shown));
  }
  return track;
}

describe('a cap', () => {
  test.each([
    { why: 'hides sales at a usual number', tracks: [shelf(60, 10)], caps: { 'shelf of 60': 10 } },
    { why: 'is not a shelf filled to a usual number', tracks: [shelf(10, 10)], caps: {} },
    { why: 'is not any number', tracks: [shelf(60, 13)], caps: {} },
    {
      why: 'is any number that most sellers share',
      tracks: [shelf(60, 13), shelf(70, 13)],
      caps: { 'shelf of 60': 13, 'shelf of 70': 13 },
    },
    {
      why: 'never left is known by the rank',
      tracks: [shelf(9_000, 999)],
      rankUnits: 12,
      caps: { 'shelf of 9000': 999 },
    },
    { why: 'never left and without a rank is not known', tracks: [shelf(9_000, 999)], caps: {} },
    {
      why: 'is not where the product hardly sells',
      tracks: [shelf(9_000, 999)],
      rankUnits: 0.1,
      caps: {},
    },
  ])('$why', ({ tracks, rankUnits, caps }) => {
    expect(capsOf(tracks, rankUnits ?? null)).toEqual(caps);
  });
});
