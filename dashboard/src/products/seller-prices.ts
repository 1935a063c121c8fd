// The prices of each seller over time, as the series of a chart.
import type { ChartPoint, ChartSeries } from '../design/chart-data.ts';

export type OfferPoints = {
  to: string;
  offers: readonly {
    date: string;
    seller_name: string;
    state: string;
    price: number | null;
    shipping: number | null;
    units_in_stock: number | null;
  }[];
  sellers: readonly { seller_name: string; observations: number; state: string }[];
};

/** Lines that can be distinguished: the sellers observed most often. */
const SERIES_MAX = 6;

/** The price with shipping. Where a seller is gone or not observed, the line has a gap. */
export function sellerSeries({ to, offers, sellers }: OfferPoints): ChartSeries[] {
  const shown = [...sellers].sort((a, b) => b.observations - a.observations).slice(0, SERIES_MAX);
  const points = new Map<string, ChartPoint[]>(shown.map((one) => [one.seller_name, []]));
  for (const { date, seller_name, price, shipping } of offers) {
    const value = price === null ? null : Math.round((price + (shipping ?? 0)) * 100) / 100;
    points.get(seller_name)?.push({ at: date, value });
  }
  return shown.map(({ seller_name, state }, index) => ({
    name: seller_name,
    points: points.get(seller_name) ?? [],
    unit: 'usd',
    shape: 'step',
    colour: (index + 1) as 1 | 2 | 3 | 4 | 5 | 6,
    ...(state === 'listed' || state === 'sold_out' ? { holdUntilMs: Date.parse(to) } : {}),
  }));
}
