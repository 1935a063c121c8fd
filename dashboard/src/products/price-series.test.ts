// Paid and free price points become one chart.
import { describe, expect, it } from 'vitest';
import { priceSeries, stockSeries } from './price-series.ts';

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;
const ms = (number: number) => Date.parse(day(number));
const paid = (...days: number[]) => days.map((number) => ({ date: day(number), price: number }));
const seen = (...days: number[]) =>
  days.map((number) => ({ date: day(number), price: number + 0.5, units_in_stock: null }));

describe('the price chart', () => {
  it('has nothing to draw without points', () => {
    expect(priceSeries({ paid: null, tracked: null })).toEqual([]);
    expect(priceSeries({ paid: [], tracked: null })).toEqual([]);
    const tracked = { sinceAtMs: ms(3), observedUntilMs: null, points: [] };
    expect(priceSeries({ paid: null, tracked })).toEqual([]);
  });

  it('is one line of the bought points, in order of time', () => {
    const [only, ...more] = priceSeries({ paid: paid(2, 1, 3), tracked: null });
    expect(more).toEqual([]);
    expect(only?.points.map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  it('is one line of the tracked points, held until the last observation', () => {
    const tracked = { sinceAtMs: ms(3), observedUntilMs: ms(6), points: seen(3, 4) };
    const [only, ...more] = priceSeries({ paid: null, tracked });
    expect(more).toEqual([]);
    expect(only).toMatchObject({ name: 'Since added, free', holdUntilMs: ms(6) });
  });

  it('joins both where tracking began, without duplicates', () => {
    const tracked = { sinceAtMs: ms(3), observedUntilMs: ms(6), points: seen(3, 5) };
    const [before, since] = priceSeries({ paid: paid(1, 2, 3, 4), tracked });
    expect(before?.points.map(({ value }) => value)).toEqual([1, 2]);
    expect(before?.holdUntilMs).toBe(ms(3));
    expect(since?.points.map(({ value }) => value)).toEqual([3.5, 4, 5.5]);
  });

  it('starts the free part at the observation before the product was added', () => {
    const tracked = { sinceAtMs: ms(4), observedUntilMs: ms(6), points: seen(3, 5) };
    const [before, since] = priceSeries({ paid: paid(1, 2, 3), tracked });
    expect(before?.points).toHaveLength(2);
    expect(since?.points.map(({ value }) => value)).toEqual([3.5, 5.5]);
  });

  it('draws no line over a week without observations', () => {
    const [only] = priceSeries({ paid: paid(1, 8, 20), tracked: null });
    expect(only?.points.map(({ value }) => value)).toEqual([1, 8, null, 20]);
    const tracked = { sinceAtMs: ms(20), observedUntilMs: null, points: seen(20) };
    expect(priceSeries({ paid: paid(1, 2), tracked })[0]?.holdUntilMs).toBeUndefined();
  });
});

describe('the stock chart', () => {
  it('keeps unknown stock as a gap', () => {
    const points = [
      { date: day(1), price: 1, units_in_stock: 4 },
      { date: day(2), price: 1, units_in_stock: null },
      { date: day(3), price: 1, units_in_stock: 0 },
    ];
    expect(stockSeries(points, null)[0]?.points.map(({ value }) => value)).toEqual([4, null, 0]);
  });

  it('has nothing to draw while stock is unknown', () => {
    expect(stockSeries(seen(1, 2), null)).toEqual([]);
  });
});
