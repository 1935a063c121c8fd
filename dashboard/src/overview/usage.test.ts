// The chart and the summary of usage by day and operation.
import { expect, test } from 'vitest';
import { usageBars, usageSummary } from './usage.ts';

const entry = (date: string, operation: string, credits: number) => ({ date, operation, credits });

test('every day has a bar, also across months, and the tiers are one series', () => {
  const { series, bars, total } = usageBars({
    from: '2026-10-30',
    to: '2026-11-02',
    entries: [
      entry('2026-10-31', 'tracking tier 0', 150),
      entry('2026-10-31', 'tracking tier 4', 20),
      entry('2026-11-02', 'price-history', 15),
    ],
  });
  expect(series.map(({ name }) => name)).toEqual(['Tracking', 'Price and buybox history']);
  expect(bars).toEqual([
    { label: '30 Oct', values: [0, 0] },
    { label: '31 Oct', values: [170, 0] },
    { label: '1 Nov', values: [0, 0] },
    { label: '2 Nov', values: [0, 15] },
  ]);
  expect(total).toBe(185);
  expect(usageSummary(bars, total)).toBe('185 credits in 4 days, most on 31 Oct (170).');
});

test('a refund reduces its day', () => {
  const { bars, total } = usageBars({
    from: '2026-11-01',
    to: '2026-11-01',
    entries: [entry('2026-11-01', 'tracking tier 4', 30), entry('2026-11-01', 'tracking', -10)],
  });
  expect(bars[0]?.values).toEqual([20]);
  expect(total).toBe(20);
});

test('offers and stock are one series, an unknown operation counts as other', () => {
  const { series } = usageBars({
    from: '2026-11-01',
    to: '2026-11-01',
    entries: [
      entry('2026-11-01', 'offers', 5),
      entry('2026-11-01', 'units-in-stock', 5),
      entry('2026-11-01', 'forecast', 5),
    ],
  });
  expect(series.map(({ name }) => name)).toEqual(['Offers and stock', 'Fees and other']);
});

test('a period without usage says so', () => {
  const { series, bars, total } = usageBars({ from: '2026-11-01', to: '2026-11-07', entries: [] });
  expect(series).toEqual([]);
  expect(usageSummary(bars, total)).toBe('No credits used in 7 days.');
});
