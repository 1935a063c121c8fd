// Scores that are easy to compute by hand.
import { expect, test } from 'vitest';
import { addToScore, emptyScore, scoreOf, soldOnEnoughDays } from './sales-score.ts';

const estimate = (day: number, units: number, low = units, high = units) => ({
  day,
  units,
  low,
  high,
});

test('errors by day and month, bias and width are relative to the true units', () => {
  const sums = emptyScore();
  // 2024-12-30 to 2025-01-02.
  const truth = { firstDay: 20_087, units: [10, 0, 20, 10] };
  const estimates = [
    estimate(20_087, 8, 5, 9),
    estimate(20_088, 2, 0, 4),
    estimate(20_089, 26, 10, 30),
  ];
  addToScore(sums, truth, [estimate(20_086, 99), ...estimates]);
  expect(scoreOf(sums)).toEqual({
    items: 1,
    days: 4,
    trueUnits: 40,
    dayWape: (2 + 2 + 6 + 10) / 40,
    monthWape: (0 + 4) / 40,
    bias: -4 / 40,
    coverage: 2 / 4,
    widthMedian: 4,
    widthRelative: (4 + 4 + 20 + 0) / 40,
  });
});

test('without sales there is no score', () => {
  expect(scoreOf(emptyScore())).toBeNull();
});

test('an item must have sold on enough days', () => {
  expect(soldOnEnoughDays([1, 0, 2], 2)).toBe(true);
  expect(soldOnEnoughDays([1, 0, 0], 2)).toBe(false);
  expect(soldOnEnoughDays(new Array<number>(99).fill(5))).toBe(false);
});
