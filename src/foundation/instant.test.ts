// Which texts are instants, and which instants can be stored.
import { describe, expect, test } from 'vitest';
import { clampInstant, INSTANT_MAX_MS, isInstant, readInstant } from './instant.ts';

describe('readInstant', () => {
  test.each([
    ['2026-11-14T12:00:00Z', '2026-11-14T12:00:00.000Z'],
    ['2026-11-14t12:00:00z', '2026-11-14T12:00:00.000Z'],
    ['2026-11-14 12:00:00Z', '2026-11-14T12:00:00.000Z'],
    ['2026-11-14T12:00Z', '2026-11-14T12:00:00.000Z'],
    ['2026-11-14T12:00:00.123456789+01:00', '2026-11-14T11:00:00.123Z'],
    ['2026-11-14T12:00:00-0530', '2026-11-14T17:30:00.000Z'],
    ['2026-11-14T12:00:00+02', '2026-11-14T10:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(new Date(readInstant(text) ?? Number.NaN).toISOString()).toBe(expected);
  });

  test.each([
    '',
    '2026',
    '2026-11-14',
    '2026-11-14T12:00:00',
    'yesterday',
    '1763121600',
    '2026-04-31T12:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-00T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-11-14T25:00:00Z',
    '+010000-01-01T00:00:00Z',
    '2026-11-14T12:00:00+99:99',
    '2026-11-14T12:00:00Z\0',
  ])('refuses %j', (text) => {
    expect(readInstant(text)).toBeNull();
  });
});

test('the range holds four-digit years only', () => {
  for (const ms of [0, Date.UTC(2026), INSTANT_MAX_MS]) expect(isInstant(ms)).toBe(true);
  for (const value of [-1, INSTANT_MAX_MS + 1, 1.5, Number.NaN, '0', null, Infinity]) {
    expect(isInstant(value)).toBe(false);
  }
  expect([clampInstant(-5), clampInstant(7), clampInstant(9e15)]).toEqual([0, 7, INSTANT_MAX_MS]);
  // Rounded up to a second, or moved by a day, it still has a four-digit year.
  expect(new Date(INSTANT_MAX_MS + 86_400_000).toISOString()).toMatch(/^9999-/);
});
