// POST /retailer/product/chart-links, and the links themselves: a chart for mails and chats that
// opens without an API key until it expires.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import { findAccount } from '../accounts/accounts.ts';
import { bounds } from '../foundation/bounds.ts';
import { realNowMs, sleepMs } from '../foundation/clock.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { type ChartLink, openLink, sealLink } from '../pictures/chart-link.ts';
import { makePicture } from '../pictures/make-picture.ts';
import {
  CHART_PROPERTIES,
  type ChartQuery,
  pictureOptions,
  Scale,
  SeriesList,
} from './chart-request.ts';
import type { HeavyRequests } from './heavy-requests.ts';
import { type Endpoint, endpoint } from './metered.ts';
import {
  CHART_COST_TEXT,
  type ChartDeps,
  chartPrice,
  pictureHeaders,
  pictureOf,
} from './product-chart.ts';
import type { AllowedOrigins } from './session/allowed-origin.ts';
import { type StaticDocument, sendDocument, staticDocument } from './static-document.ts';
import { DateTime, isoTime } from './wire.ts';

export type ChartLinkDeps = ChartDeps & {
  /** Encrypt links: the first encrypts, all decrypt. */
  encryptionKeys: readonly Buffer[];
  allowedOrigins: AllowedOrigins;
  limiter: RateLimiter;
  metrics: Metrics;
  heavyRequests: HeavyRequests;
};

const LINKS_PATH = '/charts';
const DAYS = { minimum: 1, maximum: 365 };
const DAYS_DEFAULT = 30;

const ChartLinkRecord = Type.Object(
  {
    url: Type.String({ description: 'Opens the picture without an API key.' }),
    as_of: DateTime('The end of the chart: later data is not shown'),
    expires_at: DateTime('When the link stops working, in real time'),
  },
  { title: 'ChartLink' },
);

type LinkBody = ChartQuery & { format?: 'svg' | 'png'; expires_in_days?: number };

export function chartLinks(deps: ChartLinkDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/retailer/product/chart-links',
    operation: 'chart-links',
    operationId: 'products.createChartLink',
    tag: 'Products',
    summary: 'Create a link to a chart',
    description: `For mails and chats: the link opens without an API key and costs nothing more. It shows the data as of its creation and works until it expires or the account is closed. ${CHART_COST_TEXT}`,
    bucket: 'product',
    query: Type.Object({}),
    body: Type.Object(
      {
        ...CHART_PROPERTIES,
        series: SeriesList,
        scale: Scale,
        format: Type.Optional(
          Type.Unsafe<'svg' | 'png'>(
            Type.String({ enum: ['png', 'svg'], description: 'png or svg; png by default' }),
          ),
        ),
        expires_in_days: Type.Optional(
          Type.Integer({
            ...DAYS,
            description: 'a whole number of days from 1 to 365; 30 by default',
          }),
        ),
      },
      { title: 'ChartLinkRequest', additionalProperties: false },
    ),
    responses: { 201: ChartLinkRecord },
    errors: [404],
    heavy: () => true,
    price: (_, { caller, body }) => {
      const { retailer_product_code: code } = body as LinkBody;
      return chartPrice(deps, caller.account.accountId, code);
    },
    async respond({ body, caller, takeTurn }) {
      const { accountId } = caller.account;
      const { format = 'png', expires_in_days: days = DAYS_DEFAULT } = body as LinkBody;
      const picture = pictureOptions(deps.clock, format, body as LinkBody);
      // Drawn once now: a link that was paid for works.
      const { isEmpty } = await pictureOf(deps, { accountId, options: picture, takeTurn });
      const expiresAtMs = realNowMs() + days * DAY_MS;
      const token = sealLink(deps.encryptionKeys, { accountId, expiresAtMs, picture });
      return {
        status: 201,
        json: {
          url: `${deps.allowedOrigins.publicUrl}${LINKS_PATH}/${token}.${format}`,
          as_of: isoTime((picture.toAtSeconds - 1) * 1000),
          expires_at: isoTime(expiresAtMs),
        },
        productCode: picture.code,
        credits: isEmpty ? 0 : await chartPrice(deps, accountId, picture.code),
      };
    },
  });
}

/** Openings of all links of one account. */
const OPENINGS_PER_SECOND = 20;
const CACHE_SECONDS = 3_600;

const noSuchLink = () =>
  new Problem('chart_link_invalid', 'This link is not valid or has expired. Create a new one.');

/** Registers the route of the links. */
export function openChartLinks(app: FastifyInstance, deps: ChartLinkDeps): void {
  const rendered = new LRUCache<string, StaticDocument>({
    maxSize: bounds.linkedPicturesBytesMax,
    sizeCalculation: ({ bytes }) => bytes.length + 1_000,
  });
  app.route({
    method: 'GET',
    exposeHeadRoute: true,
    url: `${LINKS_PATH}/:file`,
    // Not an endpoint for clients: browsers, mail programs and chats open it.
    schema: { hide: true },
    handler: async (request, reply) => {
      const { file } = request.params as { file: string };
      const link = await validLink(deps, file);
      await limitOpenings(deps, link.accountId);
      let document = rendered.get(file);
      if (document === undefined) {
        document = await documentOf(deps, link);
        rendered.set(file, document);
      }
      return sendDocument(request as FastifyRequest, reply, document);
    },
  });
}

/** The ending of the address is that of the format; only the token is checked. */
async function validLink(deps: ChartLinkDeps, file: string): Promise<ChartLink> {
  const [token = '', ending, ...rest] = file.split('.');
  const link = openLink(deps.encryptionKeys, token, realNowMs());
  if (link === null || ending !== link.picture.format || rest.length > 0) throw noSuchLink();
  const account = await findAccount(deps.db, link.accountId);
  if (account === undefined || account.closedAtMs !== null) throw noSuchLink();
  return link;
}

async function limitOpenings(deps: ChartLinkDeps, accountId: string): Promise<void> {
  const bucket = 'chart-links';
  const admission = await deps.limiter.take(accountId, { bucket, perSecond: OPENINGS_PER_SECOND });
  if (admission.admitted) {
    if (admission.holdMs > 0) await sleepMs(Math.ceil(admission.holdMs));
    return;
  }
  deps.metrics.rateLimited.inc({ bucket });
  throw new Problem('rate_limited', 'This link is opened too often. Try again in a second.', {
    details: { retry_after_ms: admission.retryAfterMs },
  });
}

async function documentOf(
  deps: ChartLinkDeps,
  { accountId, picture }: ChartLink,
): Promise<StaticDocument> {
  const { code } = picture;
  const [tail, product] = await Promise.all([
    deps.products.tailOf(code),
    deps.products.byCode(code),
  ]);
  if (tail === undefined || product === undefined) throw noSuchLink();
  const { bytes } = await deps.heavyRequests.admit(accountId, () =>
    makePicture(
      { ...deps, takeTurn: deps.heavyRequests.takeTurn(accountId) },
      { accountId, product, tail, options: picture },
    ),
  );
  return staticDocument(bytes, {
    ...pictureHeaders(picture),
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
    'cross-origin-resource-policy': 'cross-origin',
  });
}
