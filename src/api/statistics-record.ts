// Statistics of a product as JSON: their schema, and how they are written. Shared by the endpoint,
// the batch and profit.
import { type Static, Type } from 'typebox';
import { dollars } from '../foundation/money.ts';
import { DAY_SECONDS, SECOND_MS } from '../foundation/time.ts';
import type { BlockSummary, Observed, Series } from '../history/block-summary.ts';
import { OBSERVED_SPAN_SECONDS } from '../history/observed-span.ts';
import type { Statistics, Windows } from '../history/read-statistics.ts';
import { averageOf, medianOf, type StepSummary } from '../history/step-summary.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

export const DEFAULT_DAYS: readonly number[] = [30, 90, 365];
/** The longest window, and the windows of one request. */
export const DAYS_MAX = 1_095;
export const WINDOWS_MAX = 8;

/** Increase it when a number may come out differently for the same observations. */
const METHOD_VERSION = 1;

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const ObservedShare = Share('Share of the window in which the value was observed.');
const Usd = (description: string) => nullable(Type.Number({ description: `USD; ${description}` }));

const PriceExtreme = nullable(
  Type.Object(
    {
      price: Type.Number({ description: 'USD' }),
      at: DateTime('When it was first observed, or the start of the window if it held before'),
    },
    { title: 'PriceExtreme' },
  ),
);
const RankExtreme = nullable(
  Type.Object(
    {
      position: Type.Integer({ minimum: 1 }),
      at: DateTime('When it was first observed, or the start of the window if it held before'),
    },
    { title: 'RankExtreme' },
  ),
);

const PriceStatistics = Type.Object(
  {
    average: Usd('weighted by time; null if no price was observed'),
    typical: Usd('for half of the time the price was this or less (median by time)'),
    min: PriceExtreme,
    max: PriceExtreme,
    increases: Type.Integer({ minimum: 0 }),
    decreases: Type.Integer({ minimum: 0 }),
    suppressed_share: nullable(
      Share('Share of the observed time in which nobody held the buybox.'),
    ),
    observed_share: ObservedShare,
  },
  { title: 'PriceStatistics' },
);
const RankStatistics = Type.Object(
  {
    average: nullable(Type.Integer({ description: 'Weighted by time.' })),
    best: RankExtreme,
    worst: RankExtreme,
    observed_share: ObservedShare,
  },
  { title: 'RankStatistics' },
);
const StockStatistics = Type.Object(
  {
    out_of_stock_share: nullable(
      Share('Share of the observed time in which no listed offer had units.'),
    ),
    times_out_of_stock: Type.Integer({ minimum: 0, description: 'How often stock ran out.' }),
    observed_share: ObservedShare,
  },
  { title: 'StockStatistics' },
);

const WindowRecord = Type.Object(
  {
    days: Type.Integer({ minimum: 1 }),
    from: DateTime('Start, inclusive'),
    to: DateTime('End, exclusive'),
    price: PriceStatistics,
    rank: RankStatistics,
    stock: StockStatistics,
  },
  { title: 'StatisticsWindow' },
);

const CurrentRecord = Type.Object(
  {
    price: Usd('null if nobody holds the buybox or it was never observed'),
    price_observed_at: nullable(DateTime('When the price was last observed')),
    lowest_since: nullable(
      DateTime('Since when no lower price was observed, at most as far back as the longest window'),
    ),
    rank: nullable(Type.Integer({ minimum: 1 })),
    rank_observed_at: nullable(DateTime('When the rank was last observed')),
    in_stock: nullable(Type.Boolean({ description: 'Unknown units count as in stock.' })),
    stock_observed_at: nullable(DateTime('When offers were last observed')),
  },
  { title: 'CurrentStatistics' },
);

const Evidence = Type.Object(
  {
    observations: Type.Integer({ minimum: 0, description: 'Observations in the window.' }),
    first_at: nullable(DateTime('The first, or the start of the window if a value held before')),
    last_at: nullable(DateTime('The last')),
    observed_seconds: Type.Integer({ minimum: 0 }),
    gaps: Type.Integer({
      minimum: 0,
      description: 'Times after an observation in which nothing was observed any more.',
    }),
    longest_gap_seconds: Type.Integer({ minimum: 0 }),
  },
  { title: 'StatisticsEvidence' },
);

const ExplanationRecord = Type.Object(
  {
    method: Type.String(),
    version: Type.Integer({ minimum: 1, description: 'Changes when the method changes.' }),
    holds_seconds: Type.Integer({
      description: 'An observation holds until the next one, at most this long.',
    }),
    last_lower_price: nullable(
      Type.Object(
        { price: Type.Number({ description: 'USD' }), at: DateTime('When it was observed') },
        { title: 'LastLowerPrice' },
      ),
    ),
    windows: Type.Array(
      Type.Object(
        { days: Type.Integer(), price: Evidence, rank: Evidence, stock: Evidence },
        { title: 'StatisticsWindowEvidence' },
      ),
    ),
  },
  { title: 'StatisticsExplanation' },
);

export const StatisticsRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    current: CurrentRecord,
    windows: Type.Array(WindowRecord, { description: 'In the order of `days`.' }),
    explanation: Type.Optional(ExplanationRecord),
  },
  { title: 'ProductStatistics' },
);

/** Windows that end at an instant, including an observation of its second. */
export function windowsAt(nowMs: number, days: readonly number[]): Windows {
  const toAtSeconds = Math.floor(nowMs / SECOND_MS) + 1;
  return { fromAtSeconds: days.map((count) => toAtSeconds - count * DAY_SECONDS), toAtSeconds };
}

/** Whether anything was observed in any window; a response without data is free. */
export const hasObservations = ({ windows }: Statistics): boolean =>
  windows.some(({ price, rank, stock }) => [price, rank, stock].some(isObserved));

const isObserved = (summary: StepSummary) => observedSeconds(summary) > 0 || summary.count > 0;

export function statisticsRecord(
  code: string,
  statistics: Statistics,
  options: { days: readonly number[]; windows: Windows; explain: boolean },
): Static<typeof StatisticsRecord> {
  const { days, windows, explain } = options;
  return {
    retailer_product_code: code,
    current: currentRecord(statistics),
    windows: statistics.windows.map((summary, index) => ({
      days: days[index] as number,
      from: isoTime((windows.fromAtSeconds[index] as number) * SECOND_MS),
      to: isoTime(windows.toAtSeconds * SECOND_MS),
      ...windowRecord(summary, (days[index] as number) * DAY_SECONDS),
    })),
    ...(explain ? { explanation: explanationOf(statistics, days) } : {}),
  };
}

function currentRecord({ current, undercut, firstPriceAtSeconds }: Statistics) {
  const price = current.price?.value ?? null;
  const sinceAtSeconds = undercut === null ? firstPriceAtSeconds : undercut.endedAtSeconds;
  return {
    price: price === null ? null : dollars(price),
    price_observed_at: observedAt(current.price),
    lowest_since: price === null ? null : timeOf(sinceAtSeconds),
    rank: current.rank?.value ?? null,
    rank_observed_at: observedAt(current.rank),
    in_stock: current.stock === undefined ? null : current.stock.value === 1,
    stock_observed_at: observedAt(current.stock),
  };
}

const timeOf = (atSeconds: number | null) =>
  atSeconds === null ? null : isoTime(atSeconds * SECOND_MS);

const observedAt = (observed: Observed | undefined) => timeOf(observed?.atSeconds ?? null);

const observedSeconds = ({ numberSeconds, nullSeconds }: StepSummary) =>
  numberSeconds + nullSeconds;

/** Four digits; null if there is nothing to have a share of. */
const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

function windowRecord({ price, rank, stock }: BlockSummary, windowSeconds: number) {
  const average = averageOf(price);
  const typical = medianOf(price);
  const observedShare = (summary: StepSummary) =>
    shareOf(observedSeconds(summary), windowSeconds) as number;
  const inStockSeconds = Number(stock.weighted);
  return {
    price: {
      average: average === null ? null : dollars(average),
      typical: typical === null ? null : dollars(typical),
      min: priceExtreme(price.min),
      max: priceExtreme(price.max),
      increases: price.increases,
      decreases: price.decreases,
      suppressed_share: shareOf(price.nullSeconds, observedSeconds(price)),
      observed_share: observedShare(price),
    },
    rank: {
      average: averageOf(rank),
      best: rankExtreme(rank.min),
      worst: rankExtreme(rank.max),
      observed_share: observedShare(rank),
    },
    stock: {
      out_of_stock_share: shareOf(stock.numberSeconds - inStockSeconds, stock.numberSeconds),
      times_out_of_stock: stock.decreases,
      observed_share: observedShare(stock),
    },
  };
}

const priceExtreme = (extreme: StepSummary['min']) =>
  extreme && { price: dollars(extreme.value), at: isoTime(extreme.atSeconds * SECOND_MS) };

const rankExtreme = (extreme: StepSummary['min']) =>
  extreme && { position: extreme.value, at: isoTime(extreme.atSeconds * SECOND_MS) };

function explanationOf({ windows, undercut }: Statistics, days: readonly number[]) {
  return {
    method:
      'Each value holds from its observation to the next. Averages and medians weigh it by that time; time without an observation does not count.',
    version: METHOD_VERSION,
    holds_seconds: OBSERVED_SPAN_SECONDS,
    last_lower_price: undercut && {
      price: dollars(undercut.priceCents),
      at: isoTime(undercut.atSeconds * SECOND_MS),
    },
    windows: windows.map((summary, index) => {
      const evidence = (series: Series) => evidenceOf(summary[series]);
      return {
        days: days[index] as number,
        price: evidence('price'),
        rank: evidence('rank'),
        stock: evidence('stock'),
      };
    }),
  };
}

function evidenceOf(summary: StepSummary) {
  const hasAny = isObserved(summary);
  return {
    observations: summary.count,
    first_at: timeOf(hasAny ? summary.firstAtSeconds : null),
    last_at: timeOf(hasAny ? summary.lastAtSeconds : null),
    observed_seconds: observedSeconds(summary),
    gaps: summary.gaps,
    longest_gap_seconds: summary.longestGapSeconds,
  };
}
