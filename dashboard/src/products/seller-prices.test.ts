import { expect, test } from 'vitest';
import { type OfferPoints, sellerSeries } from './seller-prices.ts';

const point = (seller_name: string, hour: number, price: number | null) => ({
  date: `2026-11-01T0${hour}:00:00.000Z`,
  seller_name,
  state: price === null ? 'gone' : 'listed',
  price,
  shipping: price === null ? null : 4.99,
  units_in_stock: null,
});

test('a line per seller, with shipping, and a gap where the seller is gone', () => {
  const history: OfferPoints = {
    to: '2026-11-01T09:00:00.000Z',
    offers: [point('A', 0, 10), point('B', 0, 20), point('A', 1, null)],
    sellers: [
      { seller_name: 'A', observations: 1, state: 'gone' },
      { seller_name: 'B', observations: 3, state: 'listed' },
    ],
  };
  const series = sellerSeries(history);
  expect(series.map(({ name }) => name)).toEqual(['B', 'A']);
  expect(series[1]?.points).toEqual([
    { at: '2026-11-01T00:00:00.000Z', value: 14.99 },
    { at: '2026-11-01T01:00:00.000Z', value: null },
  ]);
  expect([series[0]?.holdUntilMs, series[1]?.holdUntilMs]).toEqual([
    Date.parse(history.to),
    undefined,
  ]);
});

test('at most six lines: the sellers observed most often', () => {
  const sellers = Array.from({ length: 9 }, (_, index) => ({
    seller_name: `S${index}`,
    observations: index,
    state: 'listed',
  }));
  const series = sellerSeries({ to: '2026-11-01T09:00:00.000Z', offers: [], sellers });
  expect(series.map(({ name }) => name)).toEqual(['S8', 'S7', 'S6', 'S5', 'S4', 'S3']);
});
