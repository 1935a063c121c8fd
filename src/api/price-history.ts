// GET /retailer/product/price-history: every collected buybox price, ascending, for 15 credits.
import { Type } from 'typebox';
import type { Backfill } from '../collection/backfill.ts';
import { priceList } from '../credits/price-list.ts';
import { INSTANT_MAX_MS, INSTANT_MIN_MS } from '../foundation/instant.ts';
import { Problem } from '../foundation/problem.ts';
import type { PriceHistories } from '../history/price-points.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import { boundOf, PricePoint } from './wire.ts';

const PriceHistoryRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    priceHistory: Type.Array(PricePoint, {
      description: 'Ascending by date. Observations without a buybox are omitted.',
    }),
  },
  { title: 'PriceHistory' },
);

const Instant = (description: string) =>
  Type.String({
    format: 'date-time',
    maxLength: 40,
    description: `a time such as 2026-11-14T12:00:00Z: ${description}`,
  });

type PriceHistoryQuery = { from?: string; to?: string; changes_only?: boolean };

type Deps = { backfill: Backfill; priceHistories: PriceHistories };

export function priceHistory(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/price-history',
    operation: 'price-history',
    operationId: 'products.getPriceHistory',
    tag: 'Products',
    summary: 'Buybox price history of a product',
    description: `Costs ${priceList['price-history']} credits, or nothing if the range has no points.`,
    bucket: 'product',
    query: Type.Object({
      retailer_product_code: ProductCode,
      from: Type.Optional(Instant('start of the range, inclusive')),
      to: Type.Optional(Instant('end of the range, exclusive')),
      changes_only: Type.Optional(
        Type.Boolean({
          description:
            'true or false; true returns only points whose price differs from the previous one',
        }),
      ),
    }),
    responses: { 200: PriceHistoryRecord },
    errors: [404],
    check: refuseBackwards,
    price: () => priceList['price-history'],
    async respond({ query, caller }) {
      const code = query.retailer_product_code;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const points = await deps.priceHistories.read(code, tail, {
        ...rangeOf(query),
        changesOnly: query.changes_only === true,
        before: `{"retailer_product_code":"${code}","priceHistory":[`,
        after: ']}',
      });
      return {
        json: points.json,
        productCode: code,
        ...(points.count === 0 ? { credits: 0 } : {}),
      };
    },
  });
}

/** A range may be open at either end, or reach beyond the stored data. */
function rangeOf({ from, to }: PriceHistoryQuery): { fromAtSeconds: number; toAtSeconds: number } {
  const fromMs = from === undefined ? INSTANT_MIN_MS : boundOf(from, 'Query parameter from');
  const toMs = to === undefined ? INSTANT_MAX_MS : boundOf(to, 'Query parameter to');
  return { fromAtSeconds: Math.ceil(fromMs / 1000), toAtSeconds: Math.ceil(toMs / 1000) };
}

function refuseBackwards(query: PriceHistoryQuery): void {
  const { from, to } = query;
  if (from === undefined || to === undefined) return;
  const [fromMs, toMs] = [boundOf(from, 'Query parameter from'), boundOf(to, 'Query parameter to')];
  if (fromMs <= toMs) return;
  throw new Problem(
    'time_range_invalid',
    `from must not be later than to; got ${from} and ${to}.`,
    { field: 'from' },
  );
}
