// The share of collections in time, by tier and in words.
import { expect, test } from 'vitest';
import { allowanceText, isPoor, sharesByTier, shareText } from './in-time.ts';

const row = (tier: number, due: number, inTime: number) => ({
  tier,
  slots_due_week: due,
  slots_in_time_week: inTime,
});

test('products of a tier are added up; what was not due yet is skipped', () => {
  expect(sharesByTier([row(4, 7, 7), row(0, 168, 160), row(0, 24, 24), row(2, 0, 0)])).toEqual([
    { tier: 0, due: 192, inTime: 184 },
    { tier: 4, due: 7, inTime: 7 },
  ]);
});

test.each([
  [1000, 1000, '100%'],
  [1000, 999, '99.9%'],
  [100_000, 99_999, '99.9%'],
  [168, 160, '95.2%'],
  [3, 0, '0%'],
])('of %i due, %i in time are %s', (due, inTime, text) => {
  expect(shareText({ due, inTime })).toBe(text);
});

test('less than 99 of 100 is poor', () => {
  expect([isPoor({ due: 100, inTime: 99 }), isPoor({ due: 100, inTime: 98 })]).toEqual([
    false,
    true,
  ]);
});

test('a tenth of the interval, in words', () => {
  expect([1, 2, 6, 12, 24].map(allowanceText)).toEqual([
    '6 min',
    '12 min',
    '36 min',
    '1 h 12 min',
    '2 h 24 min',
  ]);
});
