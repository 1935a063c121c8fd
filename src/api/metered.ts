// Metered routes: authenticate → limit → validate → check funds → respond → charge → send. Every
// account route goes through here, the free ones too, so that the order of steps exists once.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller, Callers } from '../accounts/callers.ts';
import type { Person } from '../accounts/sign-in.ts';
import type { Charging } from '../credits/charge.ts';
import type { SaleOutcome } from '../credits/charge-with.ts';
import { creditCount } from '../credits/credit-count.ts';
import { type LedgerEntry, remainingCredits } from '../credits/settlement.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, isoTime } from '../foundation/clock.ts';
import type { Encoding } from '../foundation/compression.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import type { LibraryRecord } from '../library/library-entries.ts';
import type { Bucket } from '../limits/bucket.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { authenticate, limit, type Tokens, takeTokens } from './authenticate.ts';
import { encodingFor } from './content-encoding.ts';
import { endpointSchema } from './describe-endpoint.ts';
import { isUnread } from './error-reply.ts';
import type { HeavyRequests, TakeTurn } from './heavy-requests.ts';
import { buy, describeLibrary, openPurchase, type Purchase } from './library-purchase.ts';
import { describeBody, prepareBody, type ReadyBody, type ResponseBody } from './response-body.ts';
import type { ResponseTags } from './response-tag.ts';
import { formatOf, type ListShape } from './table-response.ts';

export type MeteredDeps = {
  db: Database;
  callers: Callers;
  limiter: RateLimiter;
  charging: Charging;
  clock: Clock;
  metrics: Metrics;
  heavyRequests: HeavyRequests;
  responseTags: ResponseTags;
  log: Log;
  /** Products whose data is free in the dashboard. */
  sampleCodes: ReadonlySet<string>;
};

export type EndpointResponse = ResponseBody & {
  /** Defaults to 200, or 204 without a body. */
  status?: number;
  /** The cost, if it differs from the price: 0 for a response without data. */
  credits?: number;
  /** What the endpoint has already booked itself, in the transaction of its change. */
  booked?: Booked;
  /**
   * Books the cost once the response is ready to be sent. Returns another response if the account
   * cannot pay.
   */
  book?(): Promise<{ booked: Booked } | { instead: EndpointResponse }>;
  /** The product code for the ledger. */
  productCode?: string;
  /** For the library, where it is not a history: when the data was observed, and its price. */
  observed?: { atMs: number; buyboxCents: number | null };
};

export type Booked = { credits: number; remaining: number };

export type EndpointRequest<Query, Params, Body> = {
  caller: Caller;
  /** The signed-in person; null for requests with an API key. */
  person: Person | null;
  query: Query;
  params: Params;
  body: Body;
  /** The value of `x-max-credits`, on routes that accept it. */
  creditsMax?: number | undefined;
  /** Runs one part of heavy work; accounts take turns. */
  takeTurn: TakeTurn;
  /** The encoding of a plain JSON response, for those that can be compressed in parts. */
  encoding: Encoding | null;
};

/** Who asks for the price, and for what; the schemas have checked the body. */
export type PricedRequest = { caller: Caller; body: unknown };

export type Endpoint<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Name in the ledger and in metrics. */
  operation: string;
  /** Name in generated clients. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  bucket: Bucket;
  query?: Query;
  params?: Params;
  body?: Body;
  /** The largest body, where it is not that of all routes. */
  bodyBytesMax?: number;
  /** Response schemas by status, for the API description. */
  responses: Readonly<Record<number, TSchema>>;
  /** Media type of a successful response; defaults to JSON. */
  mediaType?: string;
  /** The list in the response, which is also available as columns, CSV and NDJSON. */
  list?: ListShape;
  /** Error statuses besides those that every route can return. */
  errors?: readonly number[];
  /** Throws for a query or body that the schemas allow but that is invalid; runs first. */
  check?(query: Static<Query>, body: Static<Body>): void;
  /** Also available to a session whose account is scheduled for deletion. */
  worksWhileWaiting?: boolean;
  /** The endpoint books its cost itself and respects `x-max-credits`. */
  books?: boolean;
  /** Whether the request reads so much that an account may run only a few at a time. */
  heavy?(query: Static<Query>): boolean;
  /** The maximum cost for this caller; free if absent. */
  price?(query: Static<Query>, request: PricedRequest): number | Promise<number>;
  /** Further tokens of rate limits, for requests about many products. */
  tokens?(body: Static<Body>): Tokens;
  respond(
    request: EndpointRequest<Static<Query>, Static<Params>, Static<Body>>,
  ): Promise<EndpointResponse>;
};

/** Lets TypeScript infer an endpoint's types from its schemas. */
export function endpoint<Query extends TObject, Params extends TObject, Body extends TSchema>(
  definition: Endpoint<Query, Params, Body>,
): Endpoint {
  return definition as unknown as Endpoint;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication. */
    caller: Caller | null;
    /** The signed-in person, on session routes. */
    person: Person | null;
    creditsCharged: number;
  }
}

export function openEndpoint(app: FastifyInstance, deps: MeteredDeps, route: Endpoint): void {
  const isPaid = route.price !== undefined;
  app.route({
    method: route.method,
    url: route.path,
    schema: endpointSchema(route, { isPaid, security: [{ apiKey: [] }] }),
    bodyLimit: route.bodyBytesMax ?? bounds.bodyBytesMax,
    onRequest: (request, reply, done) => {
      const admitted = admit(deps, route, { request, reply });
      if (admitted === undefined) done();
      else admitted.then(() => done(), done);
    },
    handler: (request, reply) => respondFrom(deps, route, request, reply),
  });
}

/** The checks before the body is read; synchronous when nothing has to be awaited. */
function admit(
  deps: MeteredDeps,
  route: Endpoint,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): undefined | Promise<void> {
  const enter = (caller: Caller) => {
    request.caller = caller;
    reply.header('x-request-id', request.id).header('x-credits-charged', '0');
    const admitted = limit(deps, { caller, bucket: route.bucket }, reply);
    return admitted === undefined
      ? refuseClosed(caller)
      : admitted.then(() => refuseClosed(caller));
  };
  try {
    const caller = authenticate(deps.callers, request);
    return caller instanceof Promise ? caller.then(enter) : enter(caller);
  } catch (error) {
    return Promise.reject(error);
  }
}

function refuseClosed(caller: Caller): undefined {
  if (caller.account.closedAtMs === null) return undefined;
  throw new Problem('account_closed', 'This account is closed.');
}

/** The steps after authentication: check, funds, respond, charge, send. */
export async function respondFrom(
  deps: MeteredDeps,
  route: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Errors from here on carry this header too.
  reply.header('x-credits-charged', '0');
  const caller = request.caller as Caller;
  const query = request.query as Record<string, unknown>;
  route.check?.(query, request.body);
  const quoted = route.price?.(query, { caller, body: request.body }) ?? 0;
  const listed = typeof quoted === 'number' ? quoted : await quoted;
  const purchase =
    request.person === null || listed === 0 ? null : await openPurchase(deps, route, request);
  const isFree = purchase !== null && (purchase.current !== null || purchase.isSample);
  const price = purchase === null || purchase.current === null ? listed : 0;
  if (route.price !== undefined && query.dry_run === true) {
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ credit_cost: isFree ? 0 : price }));
  }
  if (price > 0 && !isFree) await checkFunds(deps, { caller, price, request });
  if (route.tokens !== undefined) {
    await takeTokens(deps, { caller, tokens: route.tokens(request.body) });
  }
  const input = { caller, price, purchase, request, reply };
  const isStored = purchase !== null && purchase.response !== null;
  if (isStored || route.heavy?.(query) !== true) return respond(deps, route, input);
  // Resolves when the last byte is sent; until then the account's slot stays occupied.
  return deps.heavyRequests.admit(caller.account.accountId, () => respond(deps, route, input));
}

type Work = {
  caller: Caller;
  price: number;
  /** null for a request that has nothing to do with the library. */
  purchase: Purchase | null;
  request: FastifyRequest;
  reply: FastifyReply;
};

async function runEndpoint(
  deps: MeteredDeps,
  route: Endpoint,
  { caller, request }: Work,
): Promise<EndpointResponse> {
  const response = await route.respond({
    caller,
    person: request.person,
    query: request.query as Record<string, unknown>,
    params: request.params as Record<string, unknown>,
    body: request.body,
    creditsMax: request.headers['x-max-credits'] as number | undefined,
    takeTurn: deps.heavyRequests.takeTurn(caller.account.accountId),
    encoding: formatOf(request) === 'json' ? encodingFor(request.headers['accept-encoding']) : null,
  });
  if ((response.book ?? response.booked) !== undefined && route.books !== true) {
    throw new Error(`${route.operation} books, but is not described as a route that does`);
  }
  return response;
}

async function respond(deps: MeteredDeps, route: Endpoint, work: Work): Promise<FastifyReply> {
  const { caller, price, purchase, request, reply } = work;
  const { accountId } = caller.account;
  let response: EndpointResponse = purchase?.response ?? (await runEndpoint(deps, route, work));
  // The body is complete, or its stream has started, before the charge: after it only sending may
  // fail.
  const prepare = (from: EndpointResponse) =>
    prepareBody(deps, { body: from, list: route.list, request, paid: payment(from) });
  const payment = ({ credits = price }: EndpointResponse) =>
    credits === 0 ? null : { accountId, nowMs: deps.clock.nowMs(), operation: route.operation };
  let ready = await prepare(response);
  try {
    let { booked } = response;
    const outcome = await response.book?.();
    if (outcome !== undefined && 'booked' in outcome) booked = outcome.booked;
    else if (outcome !== undefined) {
      discard(ready);
      response = outcome.instead;
      ready = await prepare(response);
    }
    // The client has paid for this body today.
    const isPaid = ready.isNotModified || (purchase !== null && purchase.current !== null);
    const credits = isPaid ? 0 : (response.credits ?? price);
    if (credits > 0) booked = await charge(deps, route, { credits, response, ready, work });
    if (purchase !== null && purchase.current !== null) {
      describeLibrary(deps, reply, { record: purchase.current, isHit: true });
    }
    const remaining = booked?.remaining ?? (await remainingOf(deps, caller));
    request.creditsCharged = booked?.credits ?? 0;
    reply.header('x-credits-charged', request.creditsCharged);
    if (remaining !== undefined) reply.header('x-credits-remaining', remaining);
  } catch (error) {
    discard(ready);
    throw error;
  }
  return send(reply, { response, ready, list: route.list });
}

function discard({ payload }: ReadyBody): void {
  if (payload instanceof Readable) payload.destroy();
}

/** Throws 402 before any work. A cached balance may admit; only a fresh balance refuses. */
async function checkFunds(
  deps: MeteredDeps,
  input: { caller: Caller; price: number; request: FastifyRequest },
): Promise<void> {
  const { price } = input;
  // The header schema has converted it to a number.
  const maximum = input.request.headers['x-max-credits'] as number | undefined;
  if (maximum !== undefined && price > maximum) {
    throw new Problem(
      'max_credits_exceeded',
      `This request costs ${creditCount(price)}; \`x-max-credits\` allows ${maximum}. Nothing was charged.`,
      { field: 'x-max-credits', details: { credits_required: price, credits_max: maximum } },
    );
  }
  const { accountId } = input.caller.account;
  if ((deps.charging.rememberedRemaining(accountId) ?? 0) >= price) return;
  const balance = await deps.charging.freshBalance(accountId);
  if (balance === undefined) throw noPlan(price);
  const remaining = remainingCredits(balance);
  if (remaining < price) throw outOfCredits(price, remaining, balance.periodEndAtMs);
}

/** Returns undefined if the response costs nothing because it was bought a moment ago. */
async function charge(
  deps: MeteredDeps,
  { operation, list }: Endpoint,
  input: { credits: number; response: EndpointResponse; ready: ReadyBody; work: Work },
): Promise<Booked | undefined> {
  const { credits, response, ready } = input;
  const { caller, purchase, request, reply } = input.work;
  const entry: LedgerEntry = {
    accountId: caller.account.accountId,
    // The server's request id: a repeated `x-request-id` never makes a request free.
    id: request.id,
    reference: request.id,
    atMs: deps.clock.nowMs(),
    kind: 'request',
    credits: -credits,
    operation,
    productCode: response.productCode ?? null,
  };
  let outcome: SaleOutcome<LibraryRecord>;
  if (purchase === null) outcome = await deps.charging.charge(entry);
  else {
    const isJson = list === undefined || formatOf(request) === 'json';
    const sale = await buy(deps, purchase, { ready, response, entry, isJson });
    describeLibrary(deps, reply, { record: sale.bought, isHit: sale.isHit });
    outcome = sale.outcome;
  }
  // A sample, or another tab or device has just bought the same.
  if ('present' in outcome) return undefined;
  if (!outcome.booked) {
    if ('noPlan' in outcome) throw noPlan(credits);
    throw outOfCredits(outcome.required, outcome.remaining, outcome.refreshAtMs);
  }
  deps.metrics.creditsCharged.inc({ operation }, credits);
  return { credits, remaining: outcome.remaining };
}

async function remainingOf(deps: MeteredDeps, caller: Caller): Promise<number | undefined> {
  const balance = await deps.charging.freshBalance(caller.account.accountId);
  return balance && remainingCredits(balance);
}

function outOfCredits(required: number, remaining: number, refreshAtMs: number): Problem {
  return new Problem(
    'insufficient_credits',
    `This request costs ${creditCount(required)} and ${remaining} remain until ${isoTime(refreshAtMs)}. Nothing was charged.`,
    { details: { credits_required: required, credits_remaining: remaining } },
  );
}

function noPlan(required: number): Problem {
  return new Problem(
    'insufficient_credits',
    `This request costs ${creditCount(required)} and this account has no plan. Nothing was charged.`,
    { details: { credits_required: required, credits_remaining: 0 } },
  );
}

function send(
  reply: FastifyReply,
  input: { response: EndpointResponse; ready: ReadyBody; list: ListShape | undefined },
): FastifyReply {
  const { response, ready, list } = input;
  describeBody(reply, ready, { isList: list !== undefined || response.table !== undefined });
  const { link, ...headers } = response.headers ?? {};
  reply.headers(headers);
  if (link !== undefined) reply.header('link', inSameFormat(link, reply.request));
  if (isUnread(reply.request)) reply.header('connection', 'close');
  const status = ready.isNotModified ? 304 : ready.payload === undefined ? 204 : 200;
  return reply.code(ready.isNotModified ? status : (response.status ?? status)).send(ready.payload);
}

/** The next page has the format of this one. */
function inSameFormat(link: string, request: FastifyRequest): string {
  const { format } = request.query as { format?: string };
  return format === undefined ? link : link.replace('?', `?format=${formatOf(request)}&`);
}
