// The pack in which a shelf is restocked is found although customers buy in the meantime.
import { describe, expect, test } from 'vitest';
import { HOUR_SECONDS } from '../foundation/time.ts';
import { seededDraws } from './sales-trial.ts';
import type { SellerTrack } from './seller-track.ts';
import { shelfHabitOf } from './shelf-habit.ts';

/** Customers buy some of `orders`; when few units are left, `restock` of them come at once. */
function shelf(orders: readonly number[], restock: (left: number) => number): SellerTrack {
  const draw = seededDraws(5);
  const track: SellerTrack = {
    sellerName: 'A',
    timesSeconds: [],
    units: [],
    moved: new Map(),
    cap: Number.POSITIVE_INFINITY,
  };
  let stock = 61;
  for (let hour = 0; hour < 4_000; hour++) {
    // Every third restock is displayed together with a sale, the others an hour later.
    const isLow = stock < 20;
    if (isLow) stock += restock(stock);
    if ((!isLow || hour % 3 === 0) && draw() < 0.12)
      stock -= Math.min(stock, orders[Math.floor(draw() * orders.length)] as number);
    track.timesSeconds.push(hour * HOUR_SECONDS);
    track.units.push(stock);
  }
  return track;
}

describe('packs', () => {
  test('are not mistaken for the sizes in which customers buy', () => {
    expect(shelfHabitOf(shelf([6, 12], () => 24)).pack).toBe(24);
    expect(shelfHabitOf(shelf([1, 2, 3], () => 36)).pack).toBe(36);
  });

  test('may be several at once', () => {
    expect(shelfHabitOf(shelf([1, 5, 30], (left) => (left < 8 ? 48 : 24))).pack).toBe(24);
  });

  test('of an unusual size are found if nearly all restocks have it', () => {
    expect(shelfHabitOf(shelf([1, 2], () => 37)).pack).toBe(37);
  });

  test('are not found in orders up to a level', () => {
    expect(shelfHabitOf(shelf([1, 2, 5, 9], (left) => 61 - left)).pack).toBeNull();
  });
});
