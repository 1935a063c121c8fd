// The rank curve is recovered from products that follow it, and outliers do not bend it.
import { expect, test } from 'vitest';
import {
  addToCurve,
  type CurveSums,
  curveOf,
  curveUnits,
  mergeCurves,
  PRIOR_SLOPE,
  rankBin,
} from './rank-curve.ts';

function products(ranks: readonly number[], unitsAt: (rank: number) => number): CurveSums {
  const sums: CurveSums = new Map();
  for (const rank of ranks) addToCurve(sums, rankBin(rank), unitsAt(rank));
  return sums;
}

const manyRanks = Array.from({ length: 400 }, (_, index) => index + 1);

test('recovers slope and intercept', () => {
  const curve = curveOf(products(manyRanks, (rank) => 200 * rank ** -1.1));
  expect(curve?.slope).toBeCloseTo(-1.1, 1);
  expect(curveUnits(curve as NonNullable<typeof curve>, 50) / (200 * 50 ** -1.1)).toBeCloseTo(1, 1);
});

test('uses the prior slope for few products, and needs at least five', () => {
  const few = curveOf(products([8, 8, 9, 10, 11, 16], () => 20));
  expect(few?.slope).toBe(PRIOR_SLOPE);
  expect(curveOf(products([8, 9, 10, 11], () => 20))).toBeNull();
});

test('is not bent by a best seller whose capped count hides its sales', () => {
  const sums = products(manyRanks.slice(1), (rank) => 200 * rank ** -0.87);
  const straight = curveOf(sums);
  addToCurve(sums, rankBin(1), 0.1);
  expect(curveOf(sums)?.slope).toBeCloseTo(straight?.slope ?? 0, 2);
  expect(curveOf(sums)?.intercept).toBeCloseTo(straight?.intercept ?? 0, 1);
});

test('includes products that sell nothing', () => {
  const sums = products([100, 100, 100, 100, 100, 100], () => 1);
  for (let more = 0; more < 6; more++) addToCurve(sums, rankBin(100), 0);
  expect(curveUnits(curveOf(sums) as NonNullable<ReturnType<typeof curveOf>>, 100)).toBeCloseTo(
    0.5,
    1,
  );
});

test('is the same when fitted from merged sums', () => {
  const odd = products(
    manyRanks.filter((rank) => rank % 2 === 1),
    (rank) => 300 / rank,
  );
  mergeCurves(
    odd,
    products(
      manyRanks.filter((rank) => rank % 2 === 0),
      (rank) => 300 / rank,
    ),
  );
  expect(curveOf(odd)).toEqual(curveOf(products(manyRanks, (rank) => 300 / rank)));
});
