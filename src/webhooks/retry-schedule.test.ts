// The retry schedule and the Retry-After header.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ATTEMPTS_MAX, nextAttemptAtMs, readRetryAfter } from './retry-schedule.ts';

const STEPS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
const failedAtMs = 1_800_000_000_000;
const delayMs = (
  attempt: number,
  random: number,
  retryAfterSeconds: number | null = null,
  clockSpeed = 1,
) =>
  (nextAttemptAtMs({ attempt, failedAtMs, retryAfterSeconds, clockSpeed, random }) as number) -
  failedAtMs;

describe('the next attempt', () => {
  test.each(STEPS_SECONDS.map((seconds, index) => [index + 1, seconds]))(
    'after attempt %i comes in %i s, a fifth sooner or later',
    (attempt, seconds) => {
      expect(delayMs(attempt, 0.5)).toBe(seconds * 1_000);
      expect(delayMs(attempt, 0)).toBe(seconds * 800);
      expect(delayMs(attempt, 0.999999)).toBeCloseTo(seconds * 1_200, -3);
    },
  );

  test('does not exist after the eighth', () => {
    expect(ATTEMPTS_MAX).toBe(8);
    const used = { attempt: 8, failedAtMs, random: 0.5 };
    expect(nextAttemptAtMs({ ...used, clockSpeed: 1, retryAfterSeconds: null })).toBeNull();
    expect(nextAttemptAtMs({ ...used, clockSpeed: 1, retryAfterSeconds: 60 })).toBeNull();
  });

  test.each([
    [0, 300],
    [299, 300],
    [450, 450],
    [600, 600],
    [86_400, 600],
  ])('with Retry-After %i s comes in %i s when the step is 300 s', (retryAfter, seconds) => {
    expect(delayMs(2, 0, retryAfter)).toBe(seconds * 1_000);
  });

  test('with Retry-After counts real seconds, even in time lapse', () => {
    expect(delayMs(2, 0, 4, 100)).toBe(400_000);
  });

  test('is never earlier than 0.8 and never later than 2 steps', () => {
    const attempts = fc.integer({ min: 1, max: 7 });
    const anyRetryAfter = fc.option(fc.nat(), { nil: null });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(attempts, anyRetryAfter, random, (attempt, retryAfter, chance) => {
        const steps =
          delayMs(attempt, chance, retryAfter) / 1_000 / (STEPS_SECONDS[attempt - 1] ?? 0);
        expect(steps).toBeGreaterThanOrEqual(retryAfter === null ? 0.8 : 1);
        expect(steps).toBeLessThanOrEqual(retryAfter === null ? 1.2 : 2);
      }),
    );
  });
});

describe('Retry-After', () => {
  const nowMs = Date.UTC(2026, 10, 14, 12, 0, 0);
  test.each([
    ['120', 120],
    [' 0 ', 0],
    ['Sat, 14 Nov 2026 12:01:30 GMT', 90],
    ['Sat, 14 Nov 2026 11:00:00 GMT', 0],
    [undefined, null],
    ['', null],
    ['-5', null],
    ['5.5', null],
    ['soon', null],
    ['1e9', null],
    ['99999999999999', null],
    ['2026-11-14', null],
    ['Sat, 99 Nov 2026 12:01:30 GMT', null],
  ])('%j is %j s', (text, seconds) => {
    expect(readRetryAfter(text, nowMs)).toBe(seconds);
  });
});
