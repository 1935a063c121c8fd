// Whether the credits last until they are refreshed.
import { expect, test } from 'vitest';
import { creditsLately, paceOf } from './spending-rate.ts';

const DAY = 86_400_000;
const period = { periodStartMs: 0, refreshMs: 30 * DAY, usedLately: 1 };

test('at twice the sustainable pace they end half-way', () => {
  const pace = paceOf({ ...period, nowMs: 10 * DAY, used: 500, remaining: 250 });
  expect(pace).toEqual({ kind: 'runs-out', atMs: 15 * DAY, perDay: 50, isWithinDay: false });
});

test('what is used faster lately counts, not the quiet days before', () => {
  const late = { ...period, usedLately: 100 };
  const pace = paceOf({ ...late, nowMs: 10 * DAY, used: 100, remaining: 900 });
  expect(pace).toEqual({ kind: 'runs-out', atMs: 28 * DAY, perDay: 50, isWithinDay: false });
});

test('what lasts says how much will be left', () => {
  const pace = paceOf({ ...period, nowMs: 10 * DAY, used: 100, remaining: 900 });
  expect(pace).toEqual({ kind: 'suffices', leftAtRefresh: 700, perDay: 10 });
});

test('what will be left is told in round figures', () => {
  const pace = paceOf({ ...period, nowMs: 10 * DAY, used: 13_470, remaining: 236_530 });
  expect(pace).toMatchObject({ kind: 'suffices', leftAtRefresh: 210_000 });
});

test('nothing left runs out now', () => {
  const pace = paceOf({ ...period, nowMs: 10 * DAY, used: 100, remaining: 0 });
  expect(pace).toMatchObject({ kind: 'runs-out', atMs: 10 * DAY, isWithinDay: true });
});

test.each([
  ['less than a day', { nowMs: DAY - 1, used: 100, remaining: 900 }],
  ['nothing used lately', { nowMs: 10 * DAY, used: 100, usedLately: 0, remaining: 900 }],
  ['nothing used', { nowMs: 10 * DAY, used: 0, remaining: 1000 }],
  ['after the refresh', { nowMs: 31 * DAY, used: 10, remaining: 1000 }],
  ['a time that is none', { nowMs: Number.NaN, used: 10, remaining: 1000 }],
])('%s: nothing is said', (_, given) => {
  expect(paceOf({ ...period, ...given })).toEqual({ kind: 'unknown' });
});

test('lately is the last two days of the usage', () => {
  const entries = [
    { date: '2026-11-13', credits: 100 },
    { date: '2026-11-14', credits: 20 },
    { date: '2026-11-15', credits: 3 },
  ];
  expect(creditsLately({ to: '2026-11-15', entries })).toBe(23);
  expect(creditsLately({ to: '2026-11-17', entries })).toBe(0);
});
