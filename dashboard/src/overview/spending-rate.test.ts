// Whether the credits last until they are refreshed.
import { expect, test } from 'vitest';
import { recentCredits, spendingForecast } from './spending-rate.ts';

const DAY = 86_400_000;
const period = { periodStartAtMs: 0, refreshAtMs: 30 * DAY, usedLately: 1 };

test('at twice the sustainable rate they end half-way', () => {
  const forecast = spendingForecast({ ...period, nowMs: 10 * DAY, used: 500, remaining: 250 });
  expect(forecast).toEqual({ kind: 'runs-out', atMs: 15 * DAY, perDay: 50, isWithinDay: false });
});

test('a higher recent rate counts, not the quiet days before', () => {
  const late = { ...period, usedLately: 100 };
  const forecast = spendingForecast({ ...late, nowMs: 10 * DAY, used: 100, remaining: 900 });
  expect(forecast).toEqual({ kind: 'runs-out', atMs: 28 * DAY, perDay: 50, isWithinDay: false });
});

test('if they last, the remainder is estimated', () => {
  const forecast = spendingForecast({ ...period, nowMs: 10 * DAY, used: 100, remaining: 900 });
  expect(forecast).toEqual({ kind: 'suffices', leftAtRefresh: 700, perDay: 10 });
});

test('the remainder is rounded', () => {
  const forecast = spendingForecast({
    ...period,
    nowMs: 10 * DAY,
    used: 13_470,
    remaining: 236_530,
  });
  expect(forecast).toMatchObject({ kind: 'suffices', leftAtRefresh: 210_000 });
});

test('no credits run out now', () => {
  const forecast = spendingForecast({ ...period, nowMs: 10 * DAY, used: 100, remaining: 0 });
  expect(forecast).toMatchObject({ kind: 'runs-out', atMs: 10 * DAY, isWithinDay: true });
});

test.each([
  ['less than a day', { nowMs: DAY - 1, used: 100, remaining: 900 }],
  ['nothing used recently', { nowMs: 10 * DAY, used: 100, usedLately: 0, remaining: 900 }],
  ['nothing used', { nowMs: 10 * DAY, used: 0, remaining: 1000 }],
  ['after the refresh', { nowMs: 31 * DAY, used: 10, remaining: 1000 }],
  ['an invalid time', { nowMs: Number.NaN, used: 10, remaining: 1000 }],
])('%s: no estimate', (_, input) => {
  expect(spendingForecast({ ...period, ...input })).toEqual({ kind: 'unknown' });
});

test('recent usage is that of the last two days', () => {
  const entries = [
    { date: '2026-11-13', credits: 100 },
    { date: '2026-11-14', credits: 20 },
    { date: '2026-11-15', credits: 3 },
  ];
  expect(recentCredits({ to: '2026-11-15', entries })).toBe(23);
  expect(recentCredits({ to: '2026-11-17', entries })).toBe(0);
});
