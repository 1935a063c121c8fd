// Totals of estimated sales by day.
import { describe, expect, it } from 'vitest';
import { longest, type SalesDay, summarise } from './sales-days.ts';

const day = (date: string, units: number, more: Partial<SalesDay> = {}): SalesDay => ({
  date,
  units_sold: units,
  method: 'inferred',
  confidence: 0.5,
  low: units - 1,
  high: units + 1,
  ...more,
});

const DAYS = [
  day('2026-01-01', 4, { method: 'counted', confidence: 1 }),
  day('2026-01-02', 2),
  day('2026-01-03', 0, {
    method: 'unknown',
    units_sold: null,
    confidence: 0,
    low: null,
    high: null,
  }),
  day('2026-01-04', 3),
];

describe('days of sales', () => {
  it('are summed without the unknown ones', () => {
    expect(summarise(DAYS)).toMatchObject({ days: 4, units: 9, unitsPerDay: 3 });
    expect(summarise(DAYS).confidence).toBeCloseTo(2 / 3);
  });

  it('list their methods, most frequent first', () => {
    expect(summarise(DAYS).methods.map(({ method, days }) => [method, days])).toEqual([
      ['inferred', 2],
      ['counted', 1],
      ['unknown', 1],
    ]);
  });

  it('have no mean when there are none', () => {
    expect(summarise([])).toMatchObject({ unitsPerDay: null, confidence: null, units: 0 });
  });
});

describe('of the bought periods', () => {
  it('the longest is shown', () => {
    expect(longest(['6months', '1month', '1year'])).toBe('1year');
    expect(longest([])).toBeNull();
  });
});
