// Habits: what a product sells, what stands out, and when its count hides something.
import { expect, test } from 'vitest';
import { EMPTY_MODEL, type MarketModel } from './market-model.ts';
import { habitOf } from './product-habit.ts';
import type { StockObservation } from './stock-observation.ts';

const HOUR = 3_600;
const curve = { intercept: Math.log(96), slope: -1, products: 50 };
const known: MarketModel = { ...EMPTY_MODEL, categories: { Kettles: { profile: null, curve } } };

/** Hourly looks; `stockAt` says what is there after so many hours. */
function observationsAt(
  days: number,
  stockAt: (hour: number) => number | null,
): StockObservation[] {
  return Array.from({ length: days * 24 + 1 }, (_, hour) => ({
    atSeconds: 20_000 * 24 * HOUR + hour * HOUR,
    rankPosition: 8,
    rankCategory: 'Kettles',
    offers: [{ sellerName: 'A', units: stockAt(hour), priceCents: 100 }],
    offersComplete: true,
  }));
}

test('a rate is of the time in which the seller was counted', () => {
  const half = observationsAt(20, (hour) => (hour < 240 ? 5_000 - hour : null));
  expect(habitOf(half, EMPTY_MODEL).unitsPerDay).toBeCloseTo(24);
});

test('a jump does not make the rate, unless there are several', () => {
  const one = observationsAt(20, (hour) => 9_000 - hour - (hour >= 100 ? 3_000 : 0));
  expect(habitOf(one, EMPTY_MODEL)).toMatchObject({ lumpy: false, jumpUnits: 120 });
  expect(habitOf(one, EMPTY_MODEL).unitsPerDay).toBeLessThan(31);
  const four = observationsAt(20, (hour) => 90_000 - hour - Math.floor(hour / 120) * 300);
  expect(habitOf(four, EMPTY_MODEL)).toMatchObject({ lumpy: true });
  expect(habitOf(four, EMPTY_MODEL).unitsPerDay).toBeCloseTo(24 + 60);
});

test('a product is compared with the curve of its category', () => {
  const observations = observationsAt(20, (hour) => 5_000 - hour);
  // The curve says 12 a day at rank 8.
  expect(habitOf(observations, known).curveRatio).toBeCloseTo((24 * 20 + 5) / (12 * 20 + 5), 1);
  expect(habitOf(observations, EMPTY_MODEL).curveRatio).toBe(1);
});

test('a capped product is not compared', () => {
  const capped = habitOf(
    observationsAt(20, () => 10),
    known,
  );
  expect(capped.caps).toEqual({ A: 10 });
  expect(capped.curveRatio).toBe(1);
  expect(
    habitOf(
      observationsAt(20, () => 11),
      known,
    ).caps,
  ).toEqual({});
});

test('a product of one look has habits too', () => {
  const { unitsPerDay, jumpUnits } = habitOf(
    observationsAt(0, () => 10),
    known,
  );
  expect({ unitsPerDay, jumpUnits }).toEqual({ unitsPerDay: 0, jumpUnits: null });
  expect(habitOf([], known).unitsPerDay).toBe(0);
});
