// GET /retailer/product/buybox-history: who held the buybox when, and each seller's share of the
// observed time, for 10 credits.
import { Type } from 'typebox';
import type { Backfill } from '../collection/backfill.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { dollars } from '../foundation/money.ts';
import { DAY_MS, HOUR_SECONDS, SECOND_MS } from '../foundation/time.ts';
import type { BoxDay, BoxInterval, BoxTimes } from '../history/buybox-share.ts';
import { OBSERVED_SPAN_SECONDS } from '../history/observed-span.ts';
import { walkIntervals } from '../history/walk-intervals.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import { columnsOf, inPages, startValues } from './table-response.ts';
import { RangeQuery, rangeOf, refuseBackwards, type TimeRange } from './time-range.ts';
import { DateTime, isoSeconds, isoTime, nullable, priceOf, shareOf } from './wire.ts';

const HELD_HOURS = OBSERVED_SPAN_SECONDS / HOUR_SECONDS;

const Seconds = (description: string) => Type.Integer({ minimum: 0, description });
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Price = (description: string) =>
  nullable(Type.Number({ description: `${description} (USD); null unless \`held\`.` }));
const SellerName = nullable(
  Type.String({ description: 'null: nobody, or a holder that the marketplace does not name.' }),
);

const BuyboxInterval = Type.Object(
  {
    from: DateTime('Start, inclusive'),
    to: DateTime('End, exclusive'),
    state: Type.String({
      enum: ['held', 'suppressed', 'not_observed'],
      description: `\`suppressed\`: nobody held the buybox. \`not_observed\`: no observation in the ${HELD_HOURS} hours before.`,
    }),
    seller_name: SellerName,
    first_price: Price('The price at the start'),
    last_price: Price('The price at the end'),
    min_price: Price('The lowest price'),
    max_price: Price('The highest price'),
    average_price: Price('The average price, weighted by time'),
  },
  { title: 'BuyboxInterval' },
);
const AveragePrice = nullable(
  Type.Number({ description: 'Weighted by time (USD); null if nobody held the buybox.' }),
);
const BuyboxDayRecord = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'YYYY-MM-DD, UTC' }),
    observed_share: Share('The observed part of the day, as far as it lies in the range.'),
    suppressed_share: Share('The part of the observed time in which nobody held the buybox.'),
    average_price: AveragePrice,
    sellers: Type.Array(
      Type.Object(
        { seller_name: SellerName, share: Share('The part of the observed time of the day.') },
        { title: 'BuyboxDayShare' },
      ),
    ),
  },
  { title: 'BuyboxDay' },
);
const BuyboxSeller = Type.Object(
  {
    seller_name: SellerName,
    seconds: Seconds('How long the seller held the buybox.'),
    share: Share('The part of the observed time.'),
    average_price: Type.Number({ description: 'The average winning price, by time (USD).' }),
  },
  { title: 'BuyboxSeller' },
);
const BuyboxHistoryRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    from: nullable(DateTime('Start of the range; without `from`, the first observation')),
    to: DateTime('End of the range, at most the present'),
    intervals: Type.Array(BuyboxInterval, { description: 'Ascending, without holes.' }),
    days: Type.Array(BuyboxDayRecord, {
      description: 'Ascending. Days without any observed time are absent.',
    }),
    sellers: Type.Array(BuyboxSeller, { description: 'Longest first.' }),
    average_price: AveragePrice,
    observed_seconds: Seconds('The observed time of the range.'),
    observed_share: Share('The observed part of the range.'),
    suppressed_seconds: Seconds('How long nobody held the buybox.'),
    suppressed_share: Share('The part of the observed time in which nobody held the buybox.'),
  },
  { title: 'BuyboxHistory' },
);

const LIST = { record: BuyboxInterval, member: 'intervals' };

type Deps = { backfill: Backfill; db: Database; log: Log; clock: Clock };

export function buyboxHistory(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/buybox-history',
    operation: 'buybox-history',
    operationId: 'products.getBuyboxHistory',
    tag: 'Products',
    summary: 'Who held the buybox, and the share of each seller',
    description: `An observation holds until the next one, at most ${HELD_HOURS} hours; later time is \`not_observed\` and part of no share. CSV, NDJSON and columns contain the intervals. Costs ${priceList['buybox-history']} credits, or nothing if no time of the range was observed.`,
    bucket: 'product',
    query: Type.Object({ retailer_product_code: ProductCode, ...RangeQuery }),
    responses: { 200: BuyboxHistoryRecord },
    list: LIST,
    errors: [404],
    check: refuseBackwards,
    price: () => priceList['buybox-history'],
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const code = query.retailer_product_code;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const range = presentRange(query, deps.clock.nowMs());
      const { intervals, share } = walkIntervals({ ...deps, takeTurn }, code, range);
      const { first, values } = await startValues(intervals, isObserved);
      const fromAtSeconds = range.fromAtSeconds ?? first[0]?.fromAtSeconds ?? null;
      const rangeSeconds = range.toAtSeconds - (fromAtSeconds ?? range.toAtSeconds);
      return {
        table: {
          columns: columnsOf(LIST),
          pages: inPages(values, bounds.recordsPerPart, intervalRecord),
          frame: {
            member: LIST.member,
            before: {
              retailer_product_code: code,
              from: fromAtSeconds === null ? null : isoSeconds(fromAtSeconds),
              to: isoSeconds(range.toAtSeconds),
            },
            after: () => ({
              days: share.days().map(dayRecord),
              ...totalRecord(share.total(), rangeSeconds),
            }),
          },
        },
        productCode: code,
        ...(first.some(isObserved) ? {} : { credits: 0 }),
      };
    },
  });
}

/** The requested range up to now: nobody has observed the future. */
function presentRange(query: TimeRange, nowMs: number) {
  const { fromAtSeconds, toAtSeconds } = rangeOf(query);
  const endAtSeconds = Math.min(toAtSeconds, Math.floor(nowMs / SECOND_MS));
  if (query.from === undefined) return { fromAtSeconds: null, toAtSeconds: endAtSeconds };
  return { fromAtSeconds, toAtSeconds: Math.max(fromAtSeconds, endAtSeconds) };
}

const isObserved = ({ state }: BoxInterval) => state !== 'not_observed';

const intervalRecord = (interval: BoxInterval) => ({
  from: isoSeconds(interval.fromAtSeconds),
  to: isoSeconds(interval.toAtSeconds),
  state: interval.state,
  seller_name: interval.sellerName,
  first_price: priceOf(interval.prices?.firstCents),
  last_price: priceOf(interval.prices?.lastCents),
  min_price: priceOf(interval.prices?.minCents),
  max_price: priceOf(interval.prices?.maxCents),
  average_price: priceOf(interval.prices?.averageCents),
});

const dayRecord = (day: BoxDay) => ({
  date: isoTime(day.day * DAY_MS).slice(0, 10),
  observed_share: shareOf(day.observedSeconds, day.seconds),
  suppressed_share: shareOf(day.suppressedSeconds, day.observedSeconds),
  average_price: priceOf(day.averageCents),
  sellers: day.sellers.map(({ sellerName, seconds }) => ({
    seller_name: sellerName,
    share: shareOf(seconds, day.observedSeconds),
  })),
});

const totalRecord = (total: BoxTimes, rangeSeconds: number) => ({
  sellers: total.sellers.map(({ sellerName, seconds, averageCents }) => ({
    seller_name: sellerName,
    seconds,
    share: shareOf(seconds, total.observedSeconds),
    average_price: dollars(averageCents),
  })),
  average_price: priceOf(total.averageCents),
  observed_seconds: total.observedSeconds,
  observed_share: shareOf(total.observedSeconds, rangeSeconds),
  suppressed_seconds: total.suppressedSeconds,
  suppressed_share: shareOf(total.suppressedSeconds, total.observedSeconds),
});
