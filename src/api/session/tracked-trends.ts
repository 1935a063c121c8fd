// GET /session/trends: the last week of some tracked products, for the rows of a table: price line,
// changes and rank, from paid days alone. Free, because the days are paid.
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { walkObservations } from '../../history/walk-observations.ts';
import { priceTrend, TREND_MS } from '../../tracking/price-trend.ts';
import { readPaidDays } from '../../tracking/read-paid-days.ts';
import { DAYS_SHOWN } from '../../tracking/settle-days.ts';
import { dayOf } from '../../tracking/slot.ts';
import { readTrackedCodes } from '../../tracking/tracked-products.ts';
import { readSeen } from '../../tracking/watchers.ts';
import type { TakeTurn } from '../heavy-requests.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { paidView } from '../paid-view.ts';
import { nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';
import { FIRST_OBSERVATION_AGE_MAX_MS, pointsOf, Usd } from './tracked-history.ts';

const CODES_MAX = 50;

type Deps = { db: Database; log: Log; clock: Clock };

const Change = (description: string) => nullable(Type.Number({ description }));

const Trend = Type.Object(
  {
    retailer_product_code: Type.String(),
    prices: Type.Array(nullable(Usd), {
      description: 'One every four hours of the last week, the last one now; null: not observed.',
    }),
    change_24h: Change('-0.1: fell by 10 %. null when unknown.'),
    change_7d: Change('-0.1: fell by 10 %. null when unknown.'),
    rank: nullable(Type.Integer({ description: 'The newest one.' })),
  },
  { title: 'TrackedTrend' },
);

export function trackedTrendsEndpoint(deps: Deps): Endpoint {
  return endpoint({
    tag: 'Session',
    bucket: 'account',
    method: 'GET',
    path: `${SESSION_PATH}/trends`,
    operation: 'session-trends',
    operationId: 'session.listTrends',
    summary: 'Price, changes and rank of tracked products in the last week',
    query: Type.Object({
      codes: Type.String({
        pattern: `^\\d{1,20}(,\\d{1,20}){0,${CODES_MAX - 1}}$`,
        description: `1 to ${CODES_MAX} product codes, separated by commas`,
      }),
    }),
    responses: { 200: Type.Array(Trend) },
    list: { record: Trend },
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const { accountId } = caller.account;
      const tracked = await readTrackedCodes(deps.db, {
        accountId,
        codes: [...new Set(query.codes.split(','))],
      });
      const codes = tracked.map(({ code }) => code);
      const today = dayOf(deps.clock.nowMs());
      const [seen, paid] = await Promise.all([
        readSeen(deps.db, { accountId, codes }),
        readPaidDays(deps.db, { accountId, codes, fromDay: today - DAYS_SHOWN }),
      ]);
      const trends: unknown[] = [];
      for (const { code, createdAtMs } of tracked) {
        const spans = paid.get(code) ?? [];
        const seenAtMs = seen.get(code)?.seenAtMs ?? null;
        const view = await paidView(deps, { code, seenAtMs, paid: spans, today });
        trends.push(await trendOf({ ...deps, takeTurn }, { code, createdAtMs, view, paid: spans }));
      }
      return { json: trends };
    },
  });
}

type Watched = {
  code: string;
  createdAtMs: number;
  view: Awaited<ReturnType<typeof paidView>>;
  paid: Parameters<typeof pointsOf>[2]['paid'];
};

async function trendOf(deps: Deps & { takeTurn: TakeTurn }, watched: Watched) {
  const { code, createdAtMs, view, paid } = watched;
  const nowMs = deps.clock.nowMs();
  if (view === null) return trendRecord(code, priceTrend([], nowMs), null);
  const sinceAtMs = Math.max(createdAtMs - FIRST_OBSERVATION_AGE_MAX_MS, nowMs - 2 * TREND_MS);
  const observations = walkObservations(deps, code, {
    fromAtSeconds: Math.floor(sinceAtMs / 1000),
    toAtSeconds: Math.floor(view.seenAtMs / 1000) + 1,
  });
  const { points } = await pointsOf(code, observations, { paid, view });
  const prices = points.map(({ date, price }) => ({ atMs: Date.parse(date), price }));
  const rank = points.findLast((point) => point.rank !== null)?.rank ?? null;
  return trendRecord(code, priceTrend(prices, nowMs), rank);
}

const trendRecord = (code: string, trend: ReturnType<typeof priceTrend>, rank: number | null) => ({
  retailer_product_code: code,
  prices: trend.prices,
  change_24h: trend.change24h,
  change_7d: trend.change7d,
  rank,
});
