// From parsed responses to the lines of the chart: the only place that knows both. Where responses
// are stored and how they are paid is not known here.
import { DAY_MS } from '../app/server-clock.ts';
import {
  type BuyboxInterval,
  type BuyboxSeries,
  buyboxSeries,
  type TrackedPoint,
} from './buybox-series.ts';
import type { Line, LineColour } from './chart-model.ts';
import { dayBars, type SalesDay } from './day-bars.ts';
import {
  type BoughtOffers,
  lowestPrice,
  type SellerSeries,
  sellerSeries,
  type TrackedSellers,
  totalStock,
} from './seller-series.ts';
import {
  isEmpty,
  type StepSeries,
  stepsOfChanges,
  stepsOfObservations,
  stepsOfSpans,
} from './step-series.ts';

/** Null: not available. */
export type ChartSources = {
  tracked: { points: readonly TrackedPoint[]; rank_category: string | null } | null;
  trackedSellers: TrackedSellers | null;
  prices: readonly { date: string; price: number }[] | null;
  intervals: readonly BuyboxInterval[] | null;
  offers: BoughtOffers | null;
  sales: readonly SalesDay[] | null;
  ownSeller: string | null;
  nowMs: number;
};

export type ChartSeries = {
  buybox: BuyboxSeries;
  sellers: readonly SellerSeries[];
  colourOfSeller: ReadonlyMap<string, LineColour>;
  rankCategory: string | null;
  /** Of the product, without those of single sellers. */
  lines: readonly Line[];
};

export function chartSeries(sources: ChartSources): ChartSeries {
  const { nowMs, ownSeller } = sources;
  const tracked = sources.tracked?.points ?? [];
  const buybox = buyboxSeries({
    tracked,
    prices: sources.prices,
    intervals: sources.intervals,
    nowMs,
  });
  const sellers = sellerSeries(sources.trackedSellers, sources.offers, nowMs);
  const colourOfSeller = new Map<string, LineColour>(
    sellers.map(({ name }, index) => [name, name === ownSeller ? 'own' : index]),
  );
  for (const { seller } of buybox.holders)
    if (!colourOfSeller.has(seller))
      colourOfSeller.set(seller, seller === ownSeller ? 'own' : colourOfSeller.size);
  const lowestEndAtMs = Math.max(0, ...sellers.map(({ price }) => price.endAtMs));
  const lines: Line[] = [
    line('buybox', 'Buybox', 'price', buybox.price),
    line('lowest', 'Lowest offer', 'price', stepsOfChanges(lowestPrice(sellers), lowestEndAtMs)),
    line('rank', 'Rank', 'rank', rankSteps(tracked, nowMs)),
    line('stock', 'All sellers', 'stock', stockSteps(sources, sellers)),
    ...salesLines(sources.sales),
  ];
  return {
    buybox,
    sellers,
    colourOfSeller,
    rankCategory: sources.tracked?.rank_category ?? null,
    lines: lines.filter(({ series }) => !isEmpty(series)),
  };
}

function line(
  id: 'buybox' | 'lowest' | 'rank' | 'stock',
  name: string,
  pane: Line['pane'],
  series: StepSeries,
): Line {
  return { id, name, pane, colour: id, series, shape: 'main' };
}

/** A point without a rank was an observation without one: the rank before it may still hold. */
function rankSteps(tracked: readonly TrackedPoint[], nowMs: number): StepSeries {
  const ranks = tracked.flatMap(({ date, rank }) =>
    rank === null ? [] : [{ atMs: Date.parse(date), value: rank }],
  );
  return stepsOfObservations(ranks, nowMs);
}

/** Tracking counts all sellers; before it began, the bought offers are added up. */
function stockSteps(
  { tracked, nowMs }: ChartSources,
  sellers: readonly SellerSeries[],
): StepSeries {
  const points = (tracked?.points ?? []).map(({ date, units_in_stock }) => ({
    atMs: Date.parse(date),
    value: units_in_stock,
  }));
  const total = totalStock(sellers);
  const firstAtMs = points[0]?.atMs ?? Number.POSITIVE_INFINITY;
  if (points.length === 0)
    return stepsOfChanges(total, Math.max(0, ...sellers.map(({ stock }) => stock.endAtMs)));
  const free = stepsOfObservations(points, nowMs);
  const before = total.filter(({ atMs }) => atMs < firstAtMs);
  if (before.length === 0) return free;
  const after = Array.from(free.times, (atMs, index) => ({
    atMs,
    value: free.values[index] as number,
  }));
  return stepsOfChanges([...before, ...after], free.endAtMs);
}

function salesLines(days: readonly SalesDay[] | null): Line[] {
  if (days === null || days.length === 0) return [];
  const series = stepsOfSpans(
    days.map(({ date, units_sold }) => {
      const fromAtMs = Date.parse(`${date}T00:00:00Z`);
      return { fromAtMs, toAtMs: fromAtMs + DAY_MS, value: units_sold };
    }),
  );
  const bars = dayBars(days);
  return [
    { id: 'sold', name: 'Units sold', pane: 'sold', colour: 'sold', series, bars, shape: 'main' },
  ];
}

/** Price and stock of one seller. */
export function sellerLines(
  { sellers, colourOfSeller }: Pick<ChartSeries, 'sellers' | 'colourOfSeller'>,
  isShown: (name: string) => boolean,
): Line[] {
  return sellers.flatMap(({ name, price, stock }) => {
    if (!isShown(name)) return [];
    const shared = { name, colour: colourOfSeller.get(name) ?? 0, seller: name } as const;
    const priceLine = { ...shared, id: `seller:${name}`, pane: 'price', series: price } as const;
    const stockLine = { ...shared, id: `stock:${name}`, pane: 'stock', series: stock } as const;
    const lines: Line[] = [{ ...priceLine, shape: 'thin' }];
    return isEmpty(stock) ? lines : [...lines, { ...stockLine, shape: 'thin' }];
  });
}
