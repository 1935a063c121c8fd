// GET /retailer/product/offer-history: price, shipping and stock of every seller over time, for 20
// credits.
import { Type } from 'typebox';
import type { Backfill } from '../collection/backfill.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '../foundation/time.ts';
import { OBSERVED_SPAN_SECONDS } from '../history/observed-span.ts';
import type { OfferPoint, SellerSpan } from '../history/offer-timeline.ts';
import { walkOffers } from '../history/walk-offers.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import { columnsOf, inPages, startValues } from './table-response.ts';
import { RangeQuery, rangeOf, refuseBackwards, type TimeRange } from './time-range.ts';
import { DateTime, isoSeconds, nullable, priceOf, shareOf } from './wire.ts';

const HELD_HOURS = OBSERVED_SPAN_SECONDS / HOUR_SECONDS;
const DAYS_DEFAULT = 90;
const DAYS_MAX = 366;

const State = Type.String({
  enum: ['listed', 'sold_out', 'gone', 'not_observed'],
  description: `\`listed\`: the seller had this offer. \`sold_out\`: the marketplace says that nothing is left. \`gone\`: a complete list did not contain the seller. \`not_observed\`: no list has contained or excluded the seller for ${HELD_HOURS} hours; nobody knows.`,
});
const Price = (description: string) =>
  nullable(Type.Number({ description: `${description} (USD); null without an offer.` }));

const OfferPointRecord = Type.Object(
  {
    date: DateTime('When the offer was observed'),
    seller_name: Type.String(),
    state: State,
    price: Price('The price'),
    shipping: Price('The shipping cost'),
    units_in_stock: nullable(
      Type.Integer({ minimum: 0, description: 'null when unknown or without an offer' }),
    ),
  },
  { title: 'OfferPoint' },
);
const OfferSeller = Type.Object(
  {
    seller_name: Type.String(),
    first_seen: DateTime('The first point of the range'),
    last_seen: DateTime('The last offer of the range'),
    observations: Type.Integer({ minimum: 0, description: 'Observations with an offer.' }),
    state: State,
  },
  { title: 'OfferSeller' },
);
const OfferHistoryRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    from: DateTime('Start of the range'),
    to: DateTime('End of the range, at most the present'),
    offers: Type.Array(OfferPointRecord, { description: 'Ascending by date.' }),
    sellers: Type.Array(OfferSeller, { description: 'In the order of their first point.' }),
    observed_share: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The part of the range in which offers were observed.',
    }),
  },
  { title: 'OfferHistory' },
);

const LIST = { record: OfferPointRecord, member: 'offers' };

type Deps = { backfill: Backfill; db: Database; log: Log; clock: Clock };

export function offerHistory(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/offer-history',
    operation: 'offer-history',
    operationId: 'products.getOfferHistory',
    tag: 'Products',
    summary: 'Price, shipping and stock of every seller over time',
    description: `Without \`from\`, the last ${DAYS_DEFAULT} days; a range has at most ${DAYS_MAX} days. A seller that is missing from an incomplete list is unknown, not gone. CSV, NDJSON and columns contain the offers. Costs ${priceList['offer-history']} credits, or nothing if the range has no offers.`,
    bucket: 'product',
    query: Type.Object({
      retailer_product_code: ProductCode,
      ...RangeQuery,
      changes_only: Type.Optional(
        Type.Boolean({
          description:
            'true or false; true returns only points that differ from the previous one of the seller',
        }),
      ),
    }),
    responses: { 200: OfferHistoryRecord },
    list: LIST,
    errors: [404],
    check(query) {
      refuseBackwards(query);
      offerRange(query, deps.clock.nowMs());
    },
    price: () => priceList['offer-history'],
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const code = query.retailer_product_code;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const range = offerRange(query, deps.clock.nowMs());
      const changesOnly = query.changes_only === true;
      const { points, timeline } = walkOffers({ ...deps, takeTurn }, code, {
        ...range,
        changesOnly,
      });
      const { first, values } = await startValues(points, () => true);
      const rangeSeconds = range.toAtSeconds - range.fromAtSeconds;
      return {
        table: {
          columns: columnsOf(LIST),
          pages: inPages(values, bounds.recordsPerPart, pointRecord),
          frame: {
            member: LIST.member,
            before: {
              retailer_product_code: code,
              from: isoSeconds(range.fromAtSeconds),
              to: isoSeconds(range.toAtSeconds),
            },
            after: () => ({
              sellers: timeline.sellers().map(sellerRecord),
              observed_share: shareOf(timeline.observedSeconds(), rangeSeconds),
            }),
          },
        },
        productCode: code,
        ...(first.length === 0 ? { credits: 0 } : {}),
      };
    },
  });
}

/** The requested range up to now. */
function offerRange(query: TimeRange, nowMs: number) {
  const { fromAtSeconds, toAtSeconds } = rangeOf(query);
  const endAtSeconds = Math.min(toAtSeconds, Math.floor(nowMs / SECOND_MS));
  if (query.from === undefined) {
    return { fromAtSeconds: endAtSeconds - DAYS_DEFAULT * DAY_SECONDS, toAtSeconds: endAtSeconds };
  }
  const range = { fromAtSeconds, toAtSeconds: Math.max(fromAtSeconds, endAtSeconds) };
  if (range.toAtSeconds - fromAtSeconds <= DAYS_MAX * DAY_SECONDS) return range;
  throw new Problem(
    'time_range_too_long',
    `A range of offers has at most ${DAYS_MAX} days; \`from\` is ${query.from}. Send a later \`from\` or an earlier \`to\`, and one request per range.`,
    { field: 'from', details: { days_max: DAYS_MAX } },
  );
}

const pointRecord = (point: OfferPoint) => ({
  date: isoSeconds(point.atSeconds),
  seller_name: point.sellerName,
  state: point.state,
  price: priceOf(point.priceCents),
  shipping: priceOf(point.shippingCents),
  units_in_stock: point.unitsInStock,
});

const sellerRecord = (seller: SellerSpan) => ({
  seller_name: seller.sellerName,
  first_seen: isoSeconds(seller.firstAtSeconds),
  last_seen: isoSeconds(seller.lastAtSeconds),
  observations: seller.observations,
  state: seller.state,
});
