// Scores that are easy to compute by hand.
import { expect, test } from 'vitest';
import { addToScore, emptyScore, reliabilityOf, scoreOf, soldOnEnoughDays } from './sales-score.ts';

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
  expect(scoreOf(sums)).toMatchObject({
    items: 1,
    days: 4,
    trueUnits: 40,
    dayWape: (2 + 2 + 6 + 10) / 40,
    monthWape: (0 + 4) / 40,
    bias: -4 / 40,
    coverage: 2 / 4,
    widthMedian: 4,
    widthRelative: (4 + 4 + 20 + 0) / 40,
    // Two days are outside their bands: 10 by 1 unit, the last one by all its units.
    intervalScore: (28 + 10 * (1 + 10)) / 40,
  });
});

test('confidence is scored: wrong numbers said with it, and days inside their bands', () => {
  const sums = emptyScore();
  const truth = { firstDay: 20_087, units: [10, 10, 10] };
  addToScore(sums, truth, [
    { ...estimate(20_087, 10), confidence: 0.95 },
    { ...estimate(20_088, 13), confidence: 0.95 },
    { ...estimate(20_089, 0), units: null, confidence: 0 },
  ]);
  expect(scoreOf(sums)).toMatchObject({
    surePart: 2 / 3,
    sureWrongPart: 1 / 2,
    unknownPart: 1 / 3,
    dayWape: 13 / 30,
  });
  expect(reliabilityOf([sums])).toEqual([{ upTo: 0.95, days: 2, said: 0.95, inside: 0.5 }]);
});

test('without sales there is no score', () => {
  expect(scoreOf(emptyScore())).toBeNull();
});

test('an item must have sold on enough days', () => {
  expect(soldOnEnoughDays([1, 0, 2], 2)).toBe(true);
  expect(soldOnEnoughDays([1, 0, 0], 2)).toBe(false);
  expect(soldOnEnoughDays(new Array<number>(99).fill(5))).toBe(false);
});
