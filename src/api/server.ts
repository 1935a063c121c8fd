// The HTTP server: reads requests, handles errors and registers all routes.
import { createServer, type ServerOptions } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { FeeSchedule } from '../catalog/fee-schedule.ts';
import type { Products } from '../catalog/read-batched.ts';
import type { Backfill } from '../collection/backfill.ts';
import type { LookUp } from '../collection/look-up.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import type { PriceHistories } from '../history/price-points.ts';
import type { PngRenderer } from '../pictures/render-png.ts';
import type { SalesEstimates } from '../sales/estimate-sales.ts';
import type { MarketLearner } from '../sales/learn-market.ts';
import type { ProductSearch } from '../search/search-products.ts';
import { accountRuleEndpoints } from './account-rules.ts';
import { describeApi, openApiPage } from './api-page.ts';
import { buyboxHistory } from './buybox-history.ts';
import { chartLinks, openChartLinks } from './chart-links.ts';
import { createConnectionBounds } from './connection-bounds.ts';
import { openDashboardPages, sendNotFoundPage } from './dashboard-pages.ts';
import { handleClientErrors, handleOddRequests, replyWithError } from './error-reply.ts';
import { eventFeed } from './events.ts';
import { openIngest } from './ingest.ts';
import { type Endpoint, type MeteredDeps, openEndpoint } from './metered.ts';
import { offerHistory } from './offer-history.ts';
import { type OperationsDeps, openOperations } from './operations.ts';
import { priceHistory } from './price-history.ts';
import { productBatch } from './product-batch.ts';
import { chartEndpoints } from './product-chart.ts';
import { productDetails } from './product-details.ts';
import { productFees } from './product-fees.ts';
import { productFinder } from './product-finder.ts';
import { productOffers, productUnitsInStock } from './product-offers.ts';
import { productProfit } from './product-profit.ts';
import { productSearch } from './product-search.ts';
import { productStatistics } from './product-statistics.ts';

import { readJsonBodies } from './request-body.ts';
import { validateStrictly } from './request-values.ts';
import { openExport } from './session/account.ts';
import { LIVE_PATH, openLive } from './session/live.ts';
import { openSessionEndpoint } from './session/session-endpoint.ts';
import { sessionEndpoints } from './session/session-endpoints.ts';
import { openSignIn, type SignInDeps } from './session/sign-in.ts';
import { oversightBacktest } from './tracked-backtest.ts';
import { trackedBulkEndpoints } from './tracked-bulk.ts';
import { trackedProductEndpoints } from './tracked-products.ts';
import { unitsSoldHistory } from './units-sold-history.ts';
import { userCredits, userCreditsLedger } from './user-credits.ts';
import { webhookDeliveryEndpoints } from './webhook-deliveries.ts';
import { type WebhookDeps, webhookEndpoints } from './webhooks.ts';

export type ServerDeps = MeteredDeps &
  OperationsDeps &
  BookingDeps &
  SignInDeps &
  WebhookDeps & {
    db: Database;
    lookUp: LookUp;
    backfill: Backfill;
    priceHistories: PriceHistories;
    products: Products;
    pngRenderer: PngRenderer;
    salesEstimates: SalesEstimates;
    productSearch: ProductSearch;
    marketLearner: MarketLearner;
    feeSchedule: FeeSchedule;
    log: Log;
  };

export type ServerSettings = {
  /** Addresses whose `x-forwarded-*` headers are trusted. */
  trustProxy: string | null;
  /** False for a worker, which serves only the operator routes. */
  endpoints: boolean;
  /** Also describes the session endpoints, to generate the dashboard's types. */
  describeSession?: boolean;
};

/** Every endpoint for API keys. */
export function allEndpoints(deps: ServerDeps): Endpoint[] {
  return [
    userCredits(deps),
    userCreditsLedger(deps),
    productDetails(deps),
    productSearch(deps),
    productFinder(deps),
    productOffers(deps),
    productUnitsInStock(deps),
    productFees(deps),
    priceHistory(deps),
    buyboxHistory(deps),
    productStatistics(deps),
    offerHistory(deps),
    ...chartEndpoints(deps),
    chartLinks(deps),
    productBatch(deps),
    productProfit(deps),
    unitsSoldHistory(deps),
    ...trackedProductEndpoints(deps),
    ...trackedBulkEndpoints(deps),
    ...accountRuleEndpoints(deps),
    oversightBacktest(deps),
    ...webhookEndpoints(deps),
    ...webhookDeliveryEndpoints(deps),
    eventFeed(deps),
  ];
}

const ROUTER_OPTIONS = { maxParamLength: 500 };

export async function buildServer(
  deps: ServerDeps,
  settings: ServerSettings,
): Promise<FastifyInstance> {
  const connections = createConnectionBounds();
  const app = fastify({
    genReqId: newId,
    requestIdHeader: false,
    trustProxy: settings.trustProxy ?? false,
    bodyLimit: bounds.bodyBytesMax,
    // A HEAD request to a paid endpoint would cost credits and return no data: it gets 405.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Proxies send absolute URLs (https://host/path).
    rewriteUrl: (request) => (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '') || '/',
    serverFactory: (listener) =>
      connections.watch(createServer(HTTP_OPTIONS, connections.bounded(listener))),
    clientErrorHandler: handleClientErrors(connections),
    frameworkErrors: (error, request, reply) => {
      replyWithError(deps.log, error, request, reply);
    },
    routerOptions: ROUTER_OPTIONS,
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('person', null);
  app.decorateRequest('creditsCharged', 0);
  app.setErrorHandler((error, request, reply) => replyWithError(deps.log, error, request, reply));
  validateStrictly(app);
  // Responses are already JSON text; compiling a serializer per schema took half of the start time.
  app.setSerializerCompiler(() => JSON.stringify);
  readJsonBodies(app);
  const methodsOf = methodsByPath(app);
  // Runs before the body is read.
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = methodsOf(request);
    if (allowed.length === 0) {
      // A browser that navigates gets a page, a program the usual error.
      if (settings.endpoints && sendNotFoundPage(deps, request, reply)) return;
      throw new Problem('endpoint_not_found', 'No such endpoint. See /docs.');
    }
    reply.header('allow', allowed.join(', '));
    throw new Problem(
      'method_not_allowed',
      `${request.method} is not allowed here. Allowed: ${allowed.join(', ')}.`,
    );
  };
  app.setNotFoundHandler(refuseUnknown);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (request.is404) refuseUnknown(request, reply);
    if (!reply.sent) done();
  });
  handleOddRequests(app, connections);
  app.addHook('onResponse', (request, reply, done) => {
    recordRequest(deps, request, { status: reply.statusCode, elapsedMs: reply.elapsedTime });
    done();
  });

  openOperations(app, deps);
  if (settings.endpoints) {
    await describeApi(app, { withSession: settings.describeSession ?? false });
    const endpoints = allEndpoints(deps);
    for (const endpoint of endpoints) openEndpoint(app, deps, endpoint);
    openIngest(app, deps);
    openChartLinks(app, deps);
    for (const endpoint of sessionEndpoints(deps, endpoints)) {
      openSessionEndpoint(app, deps, endpoint);
    }
    openSignIn(app, deps);
    openLive(app, deps);
    openExport(app, deps);
    openApiPage(app, deps);
    openDashboardPages(app, deps);
  }
  await app.ready();
  return app;
}

const HTTP_OPTIONS: ServerOptions = {
  requireHostHeader: false,
  keepAliveTimeout: bounds.keepAliveTimeoutMs,
  requestTimeout: bounds.requestTimeoutMs,
  headersTimeout: bounds.headersTimeoutMs,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: bounds.urlBytesMax * 2,
};

/** Lets requests in progress finish, then closes the remaining connections after a grace period. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const grace = setTimeout(() => app.server.closeAllConnections(), bounds.stopGraceMs);
  await app.close();
  clearTimeout(grace);
}

/** Writes one log line and one metric sample per request; never its headers, query or body. */
function recordRequest(
  deps: ServerDeps,
  request: FastifyRequest,
  result: { status: number; elapsedMs: number },
): void {
  const route = request.routeOptions.url ?? 'none';
  // An event stream that stays open for hours is not a slow response.
  if (route !== LIVE_PATH) {
    deps.metrics.requestSeconds.observe(
      { route, method: request.method, status: result.status },
      result.elapsedMs / 1000,
    );
  }
  deps.log.info(
    {
      request_id: request.id,
      method: request.method,
      route,
      status: result.status,
      ms: Math.round(result.elapsedMs * 100) / 100,
      account_id: request.caller?.account.accountId,
      key_id: request.caller?.keyId,
      credits: request.creditsCharged,
    },
    'request',
  );
}

/**
 * Returns the methods of a path, for the `allow` header. Uses a router with the server's own
 * settings, so that both match the same paths.
 */
function methodsByPath(app: FastifyInstance): (request: FastifyRequest) => string[] {
  const routes: { method: HTTPMethod; url: string }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat() as HTTPMethod[]) routes.push({ method: one, url });
  });
  const methods = new Set<HTTPMethod>();
  let router: ReturnType<typeof findMyWay> | undefined;
  // Built by the first request that matches no route, not by every start.
  const built = () => {
    if (router !== undefined) return router;
    router = findMyWay(ROUTER_OPTIONS);
    for (const { method, url } of routes) {
      methods.add(method);
      if (!router.hasRoute(method, url)) router.on(method, url, () => {});
    }
    return router;
  };
  return ({ url }) => {
    const router = built();
    const path = url.split('?')[0] ?? '';
    return [...methods].filter((method) => router.find(method, path) !== null).sort();
  };
}
