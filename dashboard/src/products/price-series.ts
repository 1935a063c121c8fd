// The buybox price as one chart: the paid history and the free points of tracking.

import { DAY_MS } from '../app/server-clock.ts';
import type { ChartPoint, ChartSeries } from '../design/chart-data.ts';

type PaidPoint = { date: string; price: number };
type TrackedPoint = { date: string; price: number | null; units_in_stock: number | null };

/** Points arrive at least daily; a line over a longer gap would claim what was not observed. */
const SILENCE_MS = 7 * DAY_MS;

type Timed = { at: number; value: number | null };

type PriceInput = {
  paid: readonly PaidPoint[] | null;
  tracked: {
    sinceAtMs: number;
    observedUntilMs: number | null;
    points: readonly TrackedPoint[];
  } | null;
};

/** One line each; the paid one continues until the free one begins. */
export function priceSeries({ paid, tracked }: PriceInput): ChartSeries[] {
  const bought = (paid ?? []).map(({ date, price }) => ({ at: Date.parse(date), value: price }));
  bought.sort((a, b) => a.at - b.at);
  if (tracked === null || tracked.points.length === 0)
    return bought.length === 0 ? [] : [line('Price history', bought, 1)];
  const seen = tracked.points.map(({ date, price }) => ({ at: Date.parse(date), value: price }));
  // The paid history may hold points between those of a coarse tier.
  const first = Math.min(tracked.sinceAtMs, seen[0]?.at ?? tracked.sinceAtMs);
  const since = merged(
    seen,
    bought.filter(({ at }) => at >= first),
  );
  const before = bought.filter(({ at }) => at < first);
  const free: ChartSeries = {
    ...line('Since added, free', since, 2),
    ...(tracked.observedUntilMs === null ? {} : { holdUntilMs: tracked.observedUntilMs }),
  };
  if (before.length === 0) return [free];
  const meets = since[0]?.at ?? first;
  const last = before.at(-1)?.at ?? meets;
  const joined = meets - last <= SILENCE_MS ? { holdUntilMs: meets } : {};
  return [{ ...line('Price history', before, 1), ...joined }, free];
}

/** Units of all sellers together since tracking began. */
export function stockSeries(
  points: readonly TrackedPoint[],
  observedUntilMs: number | null,
): ChartSeries[] {
  if (!points.some(({ units_in_stock }) => units_in_stock !== null)) return [];
  return [
    {
      name: 'Units in stock',
      unit: 'count',
      shape: 'step',
      colour: 2,
      points: points.map(({ date, units_in_stock }) => ({ at: date, value: units_in_stock })),
      ...(observedUntilMs === null ? {} : { holdUntilMs: observedUntilMs }),
    },
  ];
}

const line = (name: string, points: readonly Timed[], colour: 1 | 2): ChartSeries => ({
  name,
  unit: 'usd',
  shape: 'step',
  colour,
  points: withSilences(points),
});

/**
 * Merged by time; of two points at one instant the first wins, which may say that there was no
 * buybox.
 */
function merged(first: readonly Timed[], second: readonly Timed[]): Timed[] {
  const byTime = new Map(second.map((point) => [point.at, point]));
  for (const point of first) byTime.set(point.at, point);
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}

function withSilences(points: readonly Timed[]): ChartPoint[] {
  const withGaps: ChartPoint[] = [];
  points.forEach((point, index) => {
    const before = points[index - 1];
    if (before !== undefined && point.at - before.at > SILENCE_MS)
      withGaps.push({ at: before.at + DAY_MS, value: null });
    withGaps.push(point);
  });
  return withGaps;
}
