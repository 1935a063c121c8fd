// Texts for tiers.
import { expect, it } from 'vitest';
import { changeNote, everyText, perDayText, perMonthText, withRaise } from './tier-words.tsx';

it.each([
  [1, 'Every hour'],
  [2, 'Every 2 h'],
  [12, 'Every 12 h'],
  [24, 'Once a day'],
])('an interval of %s hours is "%s"', (hours, text) => {
  expect(everyText(hours)).toBe(text);
});

it('a tier states its price per day and per thirty days', () => {
  const price = { tier: 0, credits_per_day: 150 };
  expect(perDayText(price)).toBe('150 credits per day');
  expect(perMonthText(price)).toBe('4,500 in 30 days');
});

it('only a raise names what it costs today', () => {
  expect(withRaise('Change tier', 140)).toBe('Change tier · at most 140 credits');
  expect(withRaise('Change tier', 0)).toBe('Change tier');
  expect(changeNote(4, 0, 140)).toContain('140 credits at once');
  expect(changeNote(0, 4, 0)).toContain('from tomorrow');
  expect(changeNote(4, 4, 0)).toBe('');
});
