// Adding up a billing period that begins in the middle of a day.
import { expect, test } from 'vitest';
import { daysSince, usedInPeriod } from './period-sum.ts';

const START = '2026-11-03T15:20:00.000Z';

test('whole days count from the day after the start; the first day by its entries', () => {
  const days = [
    { date: '2026-11-02', operation: 'details', credits: 400 },
    { date: '2026-11-03', operation: 'details', credits: 90 },
    { date: '2026-11-04', operation: 'details', credits: 20 },
    { date: '2026-11-05', operation: 'tracking tier 4', credits: 10 },
    { date: '2026-11-05', operation: 'a refunded day', credits: -10 },
  ];
  const firstDay = [
    { kind: 'refresh' as const, credits: 1000 },
    { kind: 'grant' as const, credits: 500 },
    { kind: 'request' as const, credits: -15 },
    { kind: 'tracking' as const, credits: -35 },
    { kind: 'refund' as const, credits: 35 },
  ];
  expect(usedInPeriod(START, days, firstDay)).toBe(20 + 15);
});

test('an unused period adds up to nothing', () => {
  expect(usedInPeriod(START, [], [{ kind: 'refresh', credits: 1000 }])).toBe(0);
});

test.each([
  ['2026-11-03T23:59:59.000Z', 2],
  ['2026-11-04T00:00:00.000Z', 3],
  ['2026-12-03T00:00:00.000Z', 32],
  ['2026-11-01T00:00:00.000Z', 1],
  ['2029-01-01T00:00:00.000Z', 366],
])('at %s the usage of %d days is requested', (now, days) => {
  expect(daysSince(START, Date.parse(now))).toBe(days);
});
