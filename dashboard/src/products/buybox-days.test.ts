import { expect, test } from 'vitest';
import { type BuyboxDays, buyboxBars, buyboxSummary } from './buybox-days.ts';

const history = (more: Partial<BuyboxDays> = {}): BuyboxDays => ({
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-03T12:00:00.000Z',
  days: [
    {
      date: '2026-11-01',
      observed_share: 0.5,
      suppressed_share: 0.2,
      sellers: [
        { seller_name: 'Acme', share: 0.6 },
        { seller_name: null, share: 0.2 },
      ],
    },
  ],
  sellers: [
    { seller_name: 'Acme', share: 0.6, seconds: 60 },
    { seller_name: null, share: 0.2, seconds: 20 },
  ],
  ...more,
});

test('every day of the range has a bar; what nobody observed is missing from it', () => {
  const { series, bars } = buyboxBars(history());
  expect(series.map(({ name }) => name)).toEqual(['Acme', 'Unnamed seller', 'Nobody']);
  expect(bars.map(({ values }) => values)).toEqual([
    [30, 10, 10],
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

test('from the fifth seller on they are one group', () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const sellers = names.map((seller_name) => ({ seller_name, share: 1 / 6, seconds: 1 }));
  const days = [{ date: '2026-11-01', observed_share: 1, suppressed_share: 0, sellers }];
  const { series, bars } = buyboxBars(history({ days, sellers }));
  expect(series.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'Other sellers']);
  expect(bars[0]?.values).toEqual([16.6, 16.6, 16.6, 16.6, 33.3]);
});

test('without any observation there is no bar', () => {
  const empty = history({ from: null, days: [], sellers: [] });
  expect(buyboxBars(empty)).toEqual({ series: [], bars: [] });
  expect(buyboxSummary(empty)).toBe('Nobody held the buybox.');
});

test('the summary names the seller that held it longest', () => {
  expect(buyboxSummary(history())).toBe('Acme held the buybox 60 % of the observed time.');
});
