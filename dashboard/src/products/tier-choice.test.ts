// Tiers in words.
import { expect, it } from 'vitest';
import { everyText, perDayText, perMonthText } from './tier-choice.ts';

it.each([
  [1, 'Every hour'],
  [2, 'Every 2 hours'],
  [12, 'Every 12 hours'],
  [24, 'Once a day'],
])('an interval of %s hours is "%s"', (hours, text) => {
  expect(everyText(hours)).toBe(text);
});

it('a tier says what it costs a day and in thirty', () => {
  const price = { tier: 0, interval_hours: 1, credits_per_day: 150 };
  expect(perDayText(price)).toBe('150 credits a day');
  expect(perMonthText(price)).toBe('4,500 in 30 days');
});
