// Habits: usual sales, jumps and capped counts.
import { expect, test } from 'vitest';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { EMPTY_MODEL, type MarketModel } from './market-model.ts';
import { habitOf } from './product-habit.ts';
import type { StockObservation } from './stock-observation.ts';

const curve = { intercept: Math.log(96), slope: -1, products: 50 };
const model: MarketModel = { ...EMPTY_MODEL, categories: { Kettles: { profile: null, curve } } };

/** Hourly observations; `stockAt` returns the stock after a number of hours. */
function observationsAt(
  days: number,
  stockAt: (hour: number) => number | null,
): StockObservation[] {
  return Array.from({ length: days * 24 + 1 }, (_, hour) => ({
    atSeconds: 20_000 * DAY_SECONDS + hour * HOUR_SECONDS,
    rankPosition: 8,
    rankCategory: 'Kettles',
    offers: [{ sellerName: 'A', units: stockAt(hour), priceCents: 100 }],
    offersComplete: true,
  }));
}

test('the rate covers only the time in which the seller was counted', () => {
  const half = observationsAt(20, (hour) => (hour < 240 ? 5_000 - hour : null));
  expect(habitOf(half, EMPTY_MODEL).unitsPerDay).toBeCloseTo(24);
});

test('a single jump is not part of the rate, several jumps are', () => {
  const one = observationsAt(20, (hour) => 9_000 - hour - (hour >= 100 ? 3_000 : 0));
  expect(habitOf(one, EMPTY_MODEL)).toMatchObject({ lumpy: false });
  expect(habitOf(one, EMPTY_MODEL).jumpUnits).toBeCloseTo(124.8);
  expect(habitOf(one, EMPTY_MODEL).unitsPerDay).toBeLessThan(31);
  const four = observationsAt(20, (hour) => 90_000 - hour - Math.floor(hour / 120) * 300);
  expect(habitOf(four, EMPTY_MODEL)).toMatchObject({ lumpy: true });
  expect(habitOf(four, EMPTY_MODEL).unitsPerDay).toBeCloseTo(24 + 60);
});

test('sales are compared with the rank curve of the category', () => {
  const observations = observationsAt(20, (hour) => 5_000 - hour);
  // The curve says 12 a day at rank 8.
  expect(habitOf(observations, model).curveRatio).toBeCloseTo((24 * 20 + 5) / (12 * 20 + 5), 1);
  expect(habitOf(observations, EMPTY_MODEL).curveRatio).toBe(1);
});

test('a product with a capped count is not compared', () => {
  const capped = habitOf(
    observationsAt(20, () => 10),
    model,
  );
  expect(capped.caps).toEqual({ A: 10 });
  expect(capped.curveRatio).toBe(1);
  expect(
    habitOf(
      observationsAt(20, () => 11),
      model,
    ).caps,
  ).toEqual({});
});

test('a product with one observation has a habit, too', () => {
  const { unitsPerDay, jumpUnits } = habitOf(
    observationsAt(0, () => 10),
    model,
  );
  expect({ unitsPerDay, jumpUnits }).toEqual({ unitsPerDay: 0, jumpUnits: null });
  expect(habitOf([], model).unitsPerDay).toBe(0);
});
