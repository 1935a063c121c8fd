// The buybox over time: its price, its holder, and when nobody held or observed it. Joins the
// points of tracking with a bought price history and bought buybox intervals.
import { type HolderSpan, joinSpans, type Span, withoutSpans } from './spans.ts';
import { HELD_MS, type StepSeries, stepsOfObservations, type TimedValue } from './step-series.ts';

export type TrackedPoint = {
  date: string;
  price: number | null;
  units_in_stock: number | null;
  buybox_seller: string | null;
  suppressed: boolean;
  rank: number | null;
};

export type BuyboxInterval = {
  from: string;
  to: string;
  state: 'held' | 'suppressed' | 'not_observed';
  seller_name: string | null;
  min_price: number | null;
  max_price: number | null;
};

export type BuyboxSources = {
  tracked: readonly TrackedPoint[];
  prices: readonly { date: string; price: number }[] | null;
  intervals: readonly BuyboxInterval[] | null;
  nowMs: number;
};

export type BuyboxSeries = {
  price: StepSeries;
  suppressed: Span[];
  unobserved: Span[];
  holders: HolderSpan[];
};

export const UNNAMED_SELLER = 'Unnamed seller';

export function buyboxSeries(sources: BuyboxSources): BuyboxSeries {
  const { nowMs } = sources;
  const intervals = (sources.intervals ?? []).map((one) => ({
    ...one,
    fromAtMs: Date.parse(one.from),
    toAtMs: Date.parse(one.to),
  }));
  const points = sources.tracked.map((point) => ({ ...point, atMs: Date.parse(point.date) }));
  const runs = trackedRuns(points, nowMs);
  const price = stepsOfObservations(priceObservations(sources, points, intervals), nowMs);
  const suppressed = joinSpans([
    ...intervals.filter(({ state }) => state === 'suppressed'),
    ...runs.filter(({ point }) => point.suppressed),
  ]);
  const trackedHolders = joinHolders(
    runs.flatMap(({ fromAtMs, toAtMs, point }) =>
      point.price === null
        ? []
        : [{ fromAtMs, toAtMs, seller: point.buybox_seller ?? UNNAMED_SELLER }],
    ),
  );
  const boughtHolders = intervals.flatMap(({ fromAtMs, toAtMs, state, seller_name }) =>
    state === 'held' ? [{ fromAtMs, toAtMs, seller: seller_name ?? UNNAMED_SELLER }] : [],
  );
  const covered = joinSpans(runs);
  const holders = [...withoutSpans(boughtHolders, covered), ...trackedHolders];
  holders.sort((a, b) => a.fromAtMs - b.fromAtMs);
  const coverage = joinSpans([
    ...covered,
    ...intervals.filter(({ state }) => state !== 'not_observed'),
  ]);
  const unobserved = withoutSpans(
    joinSpans([
      ...intervals.filter(({ state }) => state === 'not_observed'),
      ...silences(covered),
      ...trailing(price, nowMs),
    ]),
    coverage,
  );
  return { price, suppressed, unobserved: joinSpans(unobserved), holders: joinHolders(holders) };
}

type Run = Span & { point: TrackedPoint };

/** How long each point of tracking holds. */
function trackedRuns(points: readonly (TrackedPoint & { atMs: number })[], nowMs: number): Run[] {
  return points.map((point, index) => {
    const nextAtMs = points[index + 1]?.atMs ?? nowMs;
    return { point, fromAtMs: point.atMs, toAtMs: Math.min(nextAtMs, point.atMs + HELD_MS) };
  });
}

/** Between two stretches of tracking nobody observed for this account. */
const silences = (covered: readonly Span[]): Span[] =>
  covered.slice(1).map((span, index) => ({
    fromAtMs: (covered[index] as Span).toAtMs,
    toAtMs: span.fromAtMs,
  }));

const trailing = ({ endAtMs, times }: StepSeries, nowMs: number): Span[] =>
  times.length > 0 && endAtMs < nowMs ? [{ fromAtMs: endAtMs, toAtMs: nowMs }] : [];

type TimedInterval = BuyboxInterval & Span;

/**
 * A price history lacks the observations without a buybox, so a stretch without one would look like
 * the price before it: intervals and tracking cut it out.
 */
function priceObservations(
  { prices, nowMs }: BuyboxSources,
  points: readonly (TrackedPoint & { atMs: number })[],
  intervals: readonly TimedInterval[],
): TimedValue[] {
  const byTime = new Map<number, number | null>();
  for (const { date, price } of prices ?? []) byTime.set(Date.parse(date), price);
  for (const interval of intervals) {
    if (interval.state !== 'held') byTime.set(interval.fromAtMs, null);
    else if (prices === null) addConstant(byTime, interval, nowMs);
  }
  for (const { atMs, price } of points) byTime.set(atMs, price);
  return [...byTime].map(([atMs, value]) => ({ atMs, value })).sort((a, b) => a.atMs - b.atMs);
}

/** Without a price history, an interval says the price only if it never changed. */
function addConstant(byTime: Map<number, number | null>, interval: TimedInterval, nowMs: number) {
  const { fromAtMs, toAtMs, min_price: low, max_price: high } = interval;
  const price = low === high ? low : null;
  for (let atMs = fromAtMs; atMs < Math.min(toAtMs, nowMs); atMs += HELD_MS)
    byTime.set(atMs, price);
}

/** Joins spans of one holder that touch. */
function joinHolders(spans: readonly HolderSpan[]): HolderSpan[] {
  const joined: HolderSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && last.seller === span.seller && last.toAtMs >= span.fromAtMs)
      last.toAtMs = Math.max(last.toAtMs, span.toAtMs);
    else joined.push({ ...span });
  }
  return joined;
}
