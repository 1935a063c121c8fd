import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../foundation/time.ts';
import { priceTrend } from './price-trend.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const at = (hoursAgo: number, price: number | null) => ({
  atMs: NOW_MS - hoursAgo * HOUR_MS,
  price,
});

describe('a trend', () => {
  test('ends now and reaches back a week, with changes over a day and the week', () => {
    const daily = [168, 144, 120, 96, 72, 48, 24, 0].map((hours) => at(hours, 20 + hours / 24));
    const { prices, change24h, change7d } = priceTrend(daily, NOW_MS);
    expect([prices.length, prices[0], prices.at(-1)]).toEqual([43, 27, 20]);
    expect(change24h).toBeCloseTo(-1 / 21);
    expect(change7d).toBeCloseTo(-7 / 27);
  });

  test('has no price where nothing was observed for two days, nor while suppressed', () => {
    const { prices, change24h, change7d } = priceTrend([at(100, 10), at(2, null)], NOW_MS);
    expect(change24h).toBeNull();
    expect(change7d).toBeNull();
    expect(prices.filter((price) => price !== null)).toHaveLength(12);
    expect(prices.at(-1)).toBeNull();
  });

  test('of any points contains only observed prices', () => {
    const points = fc.array(
      fc.record({
        atMs: fc.integer({ min: NOW_MS - 10 * DAY_MS, max: NOW_MS }),
        price: fc.option(fc.integer({ min: 1, max: 1_000 })),
      }),
    );
    fc.assert(
      fc.property(points, (some) => {
        const sorted = some.toSorted((a, b) => a.atMs - b.atMs);
        const observed = new Set(sorted.map(({ price }) => price));
        const { prices } = priceTrend(sorted, NOW_MS);
        expect(prices).toHaveLength(43);
        for (const price of prices) expect(price === null || observed.has(price)).toBe(true);
      }),
    );
  });
});
