// From responses to the lines of the chart.
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../app/server-clock.ts';
import type { TrackedPoint } from './buybox-series.ts';
import { type ChartSources, chartSeries, sellerLines } from './chart-series.ts';
import { valueAt } from './step-series.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const atMs = (hours: number) => START + hours * HOUR_MS;
const iso = (hours: number) => new Date(atMs(hours)).toISOString();

const NOTHING: ChartSources = {
  tracked: null,
  trackedSellers: null,
  prices: null,
  intervals: null,
  offers: null,
  sales: null,
  ownSeller: null,
  nowMs: atMs(1_000),
};
const point = (hours: number, more: Partial<TrackedPoint> = {}): TrackedPoint => ({
  date: iso(hours),
  price: 10,
  units_in_stock: 5,
  buybox_seller: 'Acme',
  suppressed: false,
  rank: 3,
  ...more,
});
const tracked = (points: TrackedPoint[]) => ({ points, rank_category: 'Kettles' });
const lineOf = (sources: Partial<ChartSources>, id: string) => {
  const series = chartSeries({ ...NOTHING, ...sources });
  const line = series.lines.find((one) => one.id === id);
  if (line === undefined) throw new Error(`There is no line ${id}.`);
  return line.series;
};

describe('the buybox', () => {
  it('of tracking goes on where a bought history ends', () => {
    const price = lineOf(
      {
        prices: [
          { date: iso(0), price: 8 },
          { date: iso(40), price: 9 },
        ],
        tracked: tracked([point(50), point(60, { price: 11 })]),
      },
      'buybox',
    );
    expect([1, 45, 55, 61].map((hours) => valueAt(price, atMs(hours)))).toEqual([8, 9, 10, 11]);
  });

  it('has no price while nobody holds it, although a price history omits that', () => {
    const held = { seller_name: 'Acme', min_price: 8, max_price: 8 } as const;
    const none = { seller_name: null, min_price: null, max_price: null } as const;
    const series = chartSeries({
      ...NOTHING,
      prices: [
        { date: iso(0), price: 8 },
        { date: iso(20), price: 8 },
      ],
      intervals: [
        { from: iso(0), to: iso(10), state: 'held', ...held },
        { from: iso(10), to: iso(20), state: 'suppressed', ...none },
        { from: iso(20), to: iso(68), state: 'held', ...held },
        { from: iso(68), to: iso(1_000), state: 'not_observed', ...none },
      ],
    });
    const price = series.buybox.price;
    expect([5, 15, 25, 100].map((hours) => valueAt(price, atMs(hours)))).toEqual([
      8,
      Number.NaN,
      8,
      Number.NaN,
    ]);
    expect(series.buybox.suppressed).toMatchObject([{ fromAtMs: atMs(10), toAtMs: atMs(20) }]);
    expect(series.buybox.unobserved).toMatchObject([{ fromAtMs: atMs(68), toAtMs: atMs(1_000) }]);
    expect(series.buybox.holders.map(({ seller }) => seller)).toEqual(['Acme', 'Acme']);
  });

  it('distinguishes time without a buybox from time that nobody observed', () => {
    const { buybox } = chartSeries({
      ...NOTHING,
      tracked: tracked([
        point(0),
        point(5, { price: null, suppressed: true, buybox_seller: null }),
        point(6),
        point(200),
      ]),
      nowMs: atMs(210),
    });
    expect(buybox.suppressed).toEqual([
      expect.objectContaining({ fromAtMs: atMs(5), toAtMs: atMs(6) }),
    ]);
    expect(buybox.unobserved).toEqual([{ fromAtMs: atMs(54), toAtMs: atMs(200) }]);
  });

  it('of a suspended product is not observed from its last check to now', () => {
    const { buybox } = chartSeries({ ...NOTHING, tracked: tracked([point(0)]) });
    expect(buybox.unobserved).toEqual([{ fromAtMs: atMs(48), toAtMs: atMs(1_000) }]);
  });
});

describe('sellers', () => {
  const trackedSellers = {
    to: iso(100),
    sellers: [
      {
        seller_name: 'Acme',
        at_seconds: [atMs(50) / 1000, atMs(60) / 1000],
        prices: [10, 12],
        units_in_stock: [5, 4],
      },
    ],
  };
  const offer = (hours: number, seller: string, price: number | null, units: number | null) => ({
    date: iso(hours),
    seller_name: seller,
    price,
    shipping: price === null ? null : 1,
    units_in_stock: units,
  });
  const offers = {
    to: iso(90),
    offers: [offer(0, 'Acme', 8, 9), offer(0, 'Bolt', 7, null), offer(10, 'Bolt', null, null)],
  };

  it('of tracking replace bought ones from their start, with shipping', () => {
    const { sellers } = chartSeries({ ...NOTHING, trackedSellers, offers });
    expect(sellers.map(({ name }) => name)).toEqual(['Acme', 'Bolt']);
    const [acme, bolt] = sellers.map(({ price }) => price);
    if (!acme || !bolt) throw new Error('A seller is missing.');
    expect([1, 55, 147, 149].map((hours) => valueAt(acme, atMs(hours)))).toEqual([
      9,
      10,
      12,
      Number.NaN,
    ]);
    expect([1, 11].map((hours) => valueAt(bolt, atMs(hours)))).toEqual([8, Number.NaN]);
  });

  it('give the lowest offer, and their stock together only if all of it is known', () => {
    const lowest = lineOf({ offers }, 'lowest');
    expect([1, 11].map((hours) => valueAt(lowest, atMs(hours)))).toEqual([8, 9]);
    const stock = lineOf({ offers }, 'stock');
    expect([1, 11].map((hours) => valueAt(stock, atMs(hours)))).toEqual([Number.NaN, 9]);
  });

  it('keep their colour when another one comes, and the own one has its own', () => {
    const colours = (sources: Partial<ChartSources>) =>
      chartSeries({ ...NOTHING, ...sources }).colourOfSeller;
    const before = colours({ offers });
    const later = { ...offers, offers: [...offers.offers, offer(20, 'Apex', 3, 1)] };
    expect([...before]).toEqual([...colours({ offers: later })].slice(0, 2));
    expect(colours({ offers, ownSeller: 'Bolt' }).get('Bolt')).toBe('own');
  });

  it('are drawn when they are chosen', () => {
    const series = chartSeries({ ...NOTHING, offers });
    const ids = sellerLines(series, (name) => name === 'Acme').map(({ id }) => id);
    expect(ids).toEqual(['seller:Acme', 'stock:Acme']);
  });
});

it('units sold have one bar per day, and none where there is no estimate', () => {
  const sales = [
    { date: '2026-01-01', units_sold: 4, low: 2, high: 6 },
    { date: '2026-01-02', units_sold: null, low: null, high: null },
    { date: '2026-01-03', units_sold: 4, low: 4, high: 4 },
  ];
  const [line] = chartSeries({ ...NOTHING, sales }).lines;
  expect([...(line?.bars?.units ?? [])]).toEqual([4, Number.NaN, 4]);
});
