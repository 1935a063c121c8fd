// GET /retailer/product/chart.svg and chart.png: a product's history as a picture, for 15 credits;
// free on a day on which the account has paid for the product's price history or a chart of it.
import { Type } from 'typebox';
import type { Products } from '../catalog/read-batched.ts';
import type { Backfill } from '../collection/backfill.ts';
import { hasPaidToday } from '../credits/paid-today.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { makePicture, type Picture, type PictureOptions } from '../pictures/make-picture.ts';
import type { PngRenderer } from '../pictures/render-png.ts';
import {
  CHART_PROPERTIES,
  type ChartQuery,
  pictureOptions,
  Scale,
  SeriesQuery,
} from './chart-request.ts';
import type { TakeTurn } from './heavy-requests.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct } from './product-selector.ts';

export type ChartDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  products: Products;
  backfill: Backfill;
  pngRenderer: PngRenderer;
};

type Format = PictureOptions['format'];

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** Charges after which the charts of a product are free for the rest of the UTC day. */
const FREE_AFTER = ['price-history', 'chart-svg', 'chart-png', 'chart-links'];

export const CHART_COST_TEXT = `Costs ${priceList.chart} credits; nothing if the account has paid for the product’s price history, a chart or a link to one on the same UTC day, or if nothing was observed in the range.`;

export const chartEndpoints = (deps: ChartDeps): Endpoint[] => [
  chartEndpoint(deps, 'svg'),
  chartEndpoint(deps, 'png'),
];

function chartEndpoint(deps: ChartDeps, format: Format): Endpoint {
  const name = format.toUpperCase();
  return endpoint({
    method: 'GET',
    path: `/retailer/product/chart.${format}`,
    operation: `chart-${format}`,
    operationId: `products.getChart${format === 'svg' ? 'Svg' : 'Png'}`,
    tag: 'Products',
    summary: `Chart of a product’s history as ${name}`,
    description: `Price, sales rank, stock and the account’s events over time. Time without a buybox and time that was not observed are drawn apart. ${CHART_COST_TEXT}`,
    bucket: 'product',
    query: Type.Object({
      ...CHART_PROPERTIES,
      series: SeriesQuery,
      ...(format === 'png' && { scale: Scale }),
    }),
    responses: { 200: Type.String({ format: 'binary', description: `The picture as ${name}.` }) },
    mediaType: MEDIA_TYPES[format],
    errors: [404],
    check: (query) => void pictureOptions(deps.clock, format, query as ChartQuery),
    heavy: () => true,
    price: (query, { caller }) =>
      chartPrice(deps, caller.account.accountId, (query as ChartQuery).retailer_product_code),
    async respond({ query, caller, takeTurn }) {
      const { accountId } = caller.account;
      const options = pictureOptions(deps.clock, format, query as ChartQuery);
      const { bytes, isEmpty } = await pictureOf(deps, { accountId, options, takeTurn });
      // Once more: another request may have paid while this one was drawn.
      const credits = isEmpty ? 0 : await chartPrice(deps, accountId, options.code);
      return {
        json: bytes,
        headers: { ...pictureHeaders(options), 'cache-control': 'private, max-age=60' },
        productCode: options.code,
        credits,
      };
    },
  });
}

/** 0 on a day on which the account has paid for the same history. */
export async function chartPrice(
  deps: Pick<ChartDeps, 'db' | 'clock'>,
  accountId: string,
  productCode: string,
): Promise<number> {
  const isPaid = await hasPaidToday(deps, { accountId, productCode, operations: FREE_AFTER });
  return isPaid ? 0 : priceList.chart;
}

/** Looks the product up, and fetches its past, if that never happened. */
export async function pictureOf(
  deps: ChartDeps,
  input: { accountId: string; options: PictureOptions; takeTurn: TakeTurn },
): Promise<Picture> {
  const { accountId, options, takeTurn } = input;
  const tail = await deps.backfill.tailOf(options.code, accountId);
  const product = tail && (await deps.products.byCode(options.code));
  if (tail === undefined || product === undefined) throw noSuchProduct(options.code);
  return makePicture({ ...deps, takeTurn }, { accountId, product, tail, options });
}

/** A picture runs no script and loads nothing, wherever it is opened. */
export const pictureHeaders = ({ code, format }: PictureOptions): Record<string, string> => ({
  'content-type': MEDIA_TYPES[format],
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': `inline; filename="${code}.${format}"`,
});
