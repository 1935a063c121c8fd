// GET /retailer/product/price-history: every collected buybox price, ascending, for 15 credits.
import { Type } from 'typebox';
import type { ProductTail } from '../catalog/product-row.ts';
import type { Backfill } from '../collection/backfill.ts';
import { priceList } from '../credits/price-list.ts';
import type { Encoding } from '../foundation/compression.ts';
import type { Frame, PriceHistories } from '../history/price-points.ts';
import type { PointRange } from '../history/price-writer.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import type { ResponseBody } from './response-body.ts';
import { RangeQuery, rangeOf, refuseBackwards } from './time-range.ts';
import { PricePoint } from './wire.ts';

const PriceHistoryRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    priceHistory: Type.Array(PricePoint, {
      description: 'Ascending by date. Observations without a buybox are omitted.',
    }),
  },
  { title: 'PriceHistory' },
);

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
      ...RangeQuery,
      changes_only: Type.Optional(
        Type.Boolean({
          description:
            'true or false; true returns only points whose price differs from the previous one',
        }),
      ),
    }),
    responses: { 200: PriceHistoryRecord },
    list: { record: PricePoint, member: 'priceHistory' },
    errors: [404],
    check: refuseBackwards,
    price: () => priceList['price-history'],
    async respond({ query, caller, encoding }) {
      const code = query.retailer_product_code;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const request = {
        ...rangeOf(query),
        changesOnly: query.changes_only === true,
        before: `{"retailer_product_code":"${code}","priceHistory":[`,
        after: ']}',
      };
      const points = await read(deps.priceHistories, { code, tail, request, encoding });
      return {
        ...points.body,
        productCode: code,
        ...(points.count === 0 ? { credits: 0 } : {}),
      };
    },
  });
}

/** From parts that are compressed already, where that pays; brotli has none. */
async function read(
  histories: PriceHistories,
  input: {
    code: string;
    tail: ProductTail;
    request: PointRange & Frame;
    encoding: Encoding | null;
  },
): Promise<{ body: ResponseBody; count: number }> {
  const { code, tail, request, encoding } = input;
  if (encoding === 'zstd' || encoding === 'gzip') {
    const points = await histories.readEncoded(code, tail, { ...request, encoding });
    if (points !== null) return { body: { encoded: { ...points, encoding } }, count: points.count };
  }
  const { json, count } = await histories.read(code, tail, request);
  return { body: { json }, count };
}
