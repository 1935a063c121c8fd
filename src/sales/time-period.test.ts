// The days of each time period.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { daysOf, TIME_PERIODS, type TimePeriod } from './time-period.ts';

const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

describe('time periods', () => {
  it.each<[string, TimePeriod, string]>([
    ['2026-11-15T10:00:00Z', '1month', '2026-10-15'],
    ['2026-11-15T10:00:00Z', '3years', '2023-11-15'],
    ['2026-03-31T23:59:59Z', '1month', '2026-02-28'],
    ['2024-03-31T00:00:00Z', '1month', '2024-02-29'],
    ['2026-08-31T00:00:00Z', '6months', '2026-02-28'],
    ['2024-02-29T12:00:00Z', '1year', '2023-02-28'],
    ['2026-01-15T00:00:00Z', '1month', '2025-12-15'],
    ['2026-11-15T10:00:00Z', 'alltime', '1970-01-01'],
  ])('at %s, %s begins on %s and ends yesterday', (now, period, from) => {
    const days = daysOf(period, Date.parse(now));
    expect(dayText(days.fromDay)).toBe(from);
    expect(dayText(days.toDay)).toBe(now.slice(0, 10));
  });

  it('a longer period begins earlier, and a later today begins later', () => {
    const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });
    fc.assert(
      fc.property(instant, fc.nat(10_000_000_000), (now, later) => {
        const starts = TIME_PERIODS.map((period) => daysOf(period, now).fromDay);
        expect(starts).toEqual(starts.toSorted((a, b) => b - a));
        for (const period of TIME_PERIODS) {
          expect(daysOf(period, now + later).fromDay).toBeGreaterThanOrEqual(
            daysOf(period, now).fromDay,
          );
        }
      }),
    );
  });
});
