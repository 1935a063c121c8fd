// GET /retailer/product/stats: statistics of price, rank and stock over windows of days, for 2
// credits.
import { Type } from 'typebox';
import type { Backfill } from '../collection/backfill.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { readStatistics, type Statistics } from '../history/read-statistics.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import {
  DAYS_MAX,
  DEFAULT_DAYS,
  hasObservations,
  StatisticsRecord,
  statisticsRecord,
  WINDOWS_MAX,
  windowsAt,
} from './statistics-record.ts';

type Deps = { db: Database; log: Log; backfill: Backfill; clock: Clock };

export function productStatistics(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/stats',
    operation: 'stats',
    operationId: 'products.getStatistics',
    tag: 'Products',
    summary: 'Statistics of price, rank and stock',
    description: `Averages, medians, extremes and shares over windows that end now, weighted by time. An observation holds until the next one, at most 48 hours; \`observed_share\` says how much of a window was observed. Costs ${priceList.stats} credits, or nothing if no window has an observation.`,
    bucket: 'details',
    query: Type.Object({
      retailer_product_code: ProductCode,
      days: Type.Optional(
        Type.String({
          pattern: `^[0-9]{1,4}(,[0-9]{1,4}){0,${WINDOWS_MAX - 1}}$`,
          description: `1 to ${WINDOWS_MAX} lengths of windows from 1 to ${DAYS_MAX} days, separated by commas; ${DEFAULT_DAYS.join(',')} if absent`,
        }),
      ),
      explain: Type.Optional(
        Type.Boolean({
          description: 'true or false; true adds how many observations led to each number, and how',
        }),
      ),
    }),
    responses: { 200: StatisticsRecord },
    errors: [404],
    check: ({ days }) => void daysOf(days),
    price: () => priceList.stats,
    async respond({ query, caller, takeTurn }) {
      const { retailer_product_code: code, explain = false } = query;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const days = daysOf(query.days);
      const windows = windowsAt(deps.clock.nowMs(), days);
      const [read] = await readStatistics({ ...deps, takeTurn }, [{ code, tail }], windows);
      const statistics = read as Statistics;
      return {
        json: statisticsRecord(code, statistics, { days, windows, explain }),
        productCode: code,
        ...(hasObservations(statistics) ? {} : { credits: 0 }),
      };
    },
  });
}

function daysOf(text: string | undefined): readonly number[] {
  if (text === undefined) return DEFAULT_DAYS;
  const days = text.split(',').map(Number);
  const isAllowed = (count: number) => count >= 1 && count <= DAYS_MAX;
  if (days.every(isAllowed) && new Set(days).size === days.length) return days;
  throw new Problem(
    'parameter_invalid',
    `Query parameter days must name different windows from 1 to ${DAYS_MAX} days, such as 30,90,365; got ${JSON.stringify(text)}.`,
    { field: 'days' },
  );
}
