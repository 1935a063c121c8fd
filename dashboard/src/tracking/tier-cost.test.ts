// What tracking costs per day, and what a raise costs at once.
import { expect, test } from 'vitest';
import { creditsPerDay, daysCreditsLast, raiseCost } from './tier-cost.ts';

const PRICES = [
  { tier: 0, credits_per_day: 150 },
  { tier: 2, credits_per_day: 35 },
  { tier: 4, credits_per_day: 10 },
];

test('a suspended product costs nothing', () => {
  const rows = [
    { tier: 0, status: 'active' },
    { tier: 4, status: 'suspended' },
    { tier: 4, status: 'active' },
  ] as const;
  expect(creditsPerDay(rows, PRICES)).toBe(160);
});

test('credits that do not last until the refresh are counted in whole days', () => {
  const left = { remaining: 970, daysUntilRefresh: 20 };
  expect(daysCreditsLast({ ...left, perDay: 150 })).toBe(6);
  expect(daysCreditsLast({ ...left, perDay: 1_000 })).toBe(0);
});

test('credits that last until the refresh, or are not used, give null', () => {
  const left = { remaining: 970, daysUntilRefresh: 20 };
  expect(daysCreditsLast({ ...left, perDay: 48.5 })).toBeNull();
  expect(daysCreditsLast({ ...left, perDay: 0 })).toBeNull();
});

test('only a finer tier costs at once, and only the difference', () => {
  expect(raiseCost([{ tier: 4 }, { tier: 2 }, { tier: 0 }], 2, PRICES)).toBe(25);
  expect(raiseCost([{ tier: 0 }], 4, PRICES)).toBe(0);
});
