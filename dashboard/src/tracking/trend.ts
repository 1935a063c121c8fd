// The trend of a row of the table. Rows that come into view at the same time are fetched together.
import { queryOptions } from '@tanstack/react-query';
import { call, type ResponseOf } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';

export type Trend = ResponseOf<'GET /session/trends'>[number];

const BATCH_MAX = 50;
const GATHER_MS = 40;
const FRESH_MS = 5 * 60_000;

/** The first topic is one that no live message invalidates: a scroll must not refetch all rows. */
export const trendQuery = (code: string) =>
  queryOptions({
    queryKey: queryKey('product', 'trend', code),
    queryFn: () => loadTrend(code),
    staleTime: FRESH_MS,
  });

/** Null for a product that is not tracked (any more). */
const loadTrend = batched<Trend | null>(async (codes) => {
  const trends = await call('GET /session/trends', { query: { codes: codes.join(',') } });
  const byCode = new Map(trends.map((trend) => [trend.retailer_product_code, trend]));
  return codes.map((code) => byCode.get(code) ?? null);
});

type Waiting<T> = { key: string; resolve: (value: T) => void; reject: (error: unknown) => void };

/** Gathers calls for a moment and loads them in batches; one failed batch fails only its own. */
export function batched<T>(
  load: (keys: readonly string[]) => Promise<readonly T[]>,
): (key: string) => Promise<T> {
  let waiting: Waiting<T>[] = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (let start = 0; start < all.length; start += BATCH_MAX) {
      const batch = all.slice(start, start + BATCH_MAX);
      load(batch.map(({ key }) => key)).then(
        (values) => {
          for (const [index, { resolve }] of batch.entries()) resolve(values[index] as T);
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(flush, GATHER_MS);
      waiting.push({ key, resolve, reject });
    });
}

export type SparklineSize = { width: number; height: number };

/** The runs of observed prices as SVG points; a gap stays a gap. */
export function sparkline(
  prices: readonly (number | null)[],
  { width, height }: SparklineSize,
): string[] {
  const observed = prices.filter((price) => price !== null);
  const low = Math.min(...observed);
  const span = Math.max(...observed) - low;
  const lines: string[][] = [[]];
  for (const [index, price] of prices.entries()) {
    if (price === null) {
      lines.push([]);
      continue;
    }
    const x = (index / Math.max(1, prices.length - 1)) * width;
    // A flat line runs through the middle.
    const share = span === 0 ? 0.5 : (price - low) / span;
    lines.at(-1)?.push(`${round(x)},${round(1 + (1 - share) * (height - 2))}`);
  }
  return lines.filter((line) => line.length > 0).map((line) => line.join(' '));
}

const round = (value: number) => Math.round(value * 10) / 10;
