// The metered door: authenticate → limit → validate → funds → respond → charge → answer. Every door
// for accounts goes through here, the free ones too, so that no order of steps is written twice.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller, Callers } from '../accounts/callers.ts';
import type { Person } from '../accounts/sign-in.ts';
import type { Charging } from '../credits/charge.ts';
import { creditCount } from '../credits/credit-count.ts';
import { remainingCredits } from '../credits/settlement.ts';
import { type Clock, isoTime } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import type { Bucket } from '../limits/bucket.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { authenticate, limit } from './authenticate.ts';
import { endpointSchema } from './describe-endpoint.ts';
import { isUnread } from './error-reply.ts';
import { type HeavyRequests, type Parts, startParts, type TakeTurn } from './heavy-requests.ts';

export type MeteredDeps = {
  callers: Callers;
  limiter: RateLimiter;
  charging: Charging;
  clock: Clock;
  metrics: Metrics;
  heavyRequests: HeavyRequests;
  log: Log;
};

export type EndpointResponse = {
  /** 200 unless said. */
  status?: number;
  /** A value to be written as JSON, or the JSON itself as bytes; undefined sends no body. */
  json?: unknown;
  /**
   * In the place of `json`: JSON (or what the headers say) that is sent while it is being written.
   */
  parts?: Parts;
  /** What it costs, when less than the price: nothing for an answer without data. */
  credits?: number;
  /** What the endpoint has booked itself, together with what it changed. */
  booked?: Booked;
  /**
   * Books what the response costs once it is ready to be sent; another response where that cannot
   * be paid.
   */
  book?(): Promise<{ booked: Booked } | { instead: EndpointResponse }>;
  /** The product, for the ledger. */
  productCode?: string;
  headers?: Readonly<Record<string, string>>;
};

export type Booked = { credits: number; remaining: number };

export type EndpointRequest<Query, Params, Body> = {
  caller: Caller;
  /** Who is signed in; null for who comes with a key. */
  person: Person | null;
  query: Query;
  params: Params;
  body: Body;
  /** By x-max-credits, where the door takes it. */
  creditsMax?: number | undefined;
  /** For each part of heavy work: accounts take turns. */
  takeTurn: TakeTurn;
};

export type Endpoint<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Its name in the ledger and in metrics. */
  operation: string;
  /** Its name in generated clients. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  bucket: Bucket;
  query?: Query;
  params?: Params;
  body?: Body;
  /** Schemas of the answers by status, for the API page. */
  responses: Readonly<Record<number, TSchema>>;
  /** The type of a successful response; JSON without. */
  mediaType?: string;
  /** Statuses that this door may answer besides those of every door. */
  errors?: readonly number[];
  /** Refuses what the schemas cannot say, before anything else is looked at. */
  check?(query: Static<Query>): void;
  /** Also for a session of an account that waits for its deletion. */
  worksWhileWaiting?: boolean;
  /** It books by itself, and keeps to x-max-credits. */
  books?: boolean;
  /** Reads so much that an account may have only a few of them under way. */
  heavy?(query: Static<Query>): boolean;
  /** The most that it may cost; free without. */
  price?(query: Static<Query>): number;
  respond(
    request: EndpointRequest<Static<Query>, Static<Params>, Static<Body>>,
  ): Promise<EndpointResponse>;
};

/** Lets TypeScript infer a door's types from its schemas. */
export function endpoint<Query extends TObject, Params extends TObject, Body extends TSchema>(
  definition: Endpoint<Query, Params, Body>,
): Endpoint {
  return definition as unknown as Endpoint;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first gate of a metered door. */
    caller: Caller | null;
    /** Who is signed in, at a session's door. */
    person: Person | null;
    creditsCharged: number;
  }
}

export function openEndpoint(app: FastifyInstance, deps: MeteredDeps, own: Endpoint): void {
  const isPaid = own.price !== undefined;
  app.route({
    method: own.method,
    url: own.path,
    schema: endpointSchema(own, { isPaid, security: [{ apiKey: [] }] }),
    onRequest: (request, reply, done) => {
      const admitted = admit(deps, own, { request, reply });
      if (admitted === undefined) done();
      else admitted.then(() => done(), done);
    },
    handler: (request, reply) => respondFrom(deps, own, request, reply),
  });
}

/** The gates before the body is read; settled at once when nothing must be waited for. */
function admit(
  deps: MeteredDeps,
  own: Endpoint,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): undefined | Promise<void> {
  const enter = (caller: Caller) => {
    request.caller = caller;
    reply.header('x-request-id', request.id).header('x-credits-charged', '0');
    const admitted = limit(deps, { caller, bucket: own.bucket }, reply);
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

/** What follows once it is known who asks: check, funds, respond, charge, answer. */
export async function respondFrom(
  deps: MeteredDeps,
  own: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Said also of what is refused from here on.
  reply.header('x-credits-charged', '0');
  const caller = request.caller as Caller;
  const query = request.query as Record<string, unknown>;
  own.check?.(query);
  const price = own.price?.(query) ?? 0;
  if (own.price !== undefined && query.dry_run === true) {
    return send(reply, {}, JSON.stringify({ credit_cost: price }));
  }
  if (price > 0) await checkFunds(deps, { caller, price, request });
  if (own.heavy?.(query) !== true) return respond(deps, own, { caller, price, request, reply });
  // A reply is waited for until its last byte: so long the account's place is taken.
  return deps.heavyRequests.admit(caller.account.accountId, () =>
    respond(deps, own, { caller, price, request, reply }),
  );
}

async function respond(
  deps: MeteredDeps,
  own: Endpoint,
  input: { caller: Caller; price: number; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { caller, price, request, reply } = input;
  let answer = await own.respond({
    caller,
    person: request.person,
    query: request.query as Record<string, unknown>,
    params: request.params as Record<string, unknown>,
    body: request.body,
    creditsMax: request.headers['x-max-credits'] as number | undefined,
    takeTurn: deps.heavyRequests.takeTurn(caller.account.accountId),
  });
  if ((answer.book ?? answer.booked) !== undefined && own.books !== true) {
    throw new Error(`${own.operation} books, but is not described as a route that does`);
  }
  // Complete before the charge, or begun: nothing may fail after it but the sending.
  let payload = await payloadOf(deps, answer, request);
  try {
    let { booked } = answer;
    const outcome = await answer.book?.();
    if (outcome !== undefined && 'booked' in outcome) booked = outcome.booked;
    else if (outcome !== undefined) {
      if (payload instanceof Readable) payload.destroy();
      answer = outcome.instead;
      payload = await payloadOf(deps, answer, request);
    }
    const credits = answer.credits ?? price;
    if (credits > 0) {
      const remaining = await charge(deps, {
        ...{ caller, credits, operation: own.operation, answer, request },
      });
      booked = { credits, remaining };
    }
    const remaining = booked?.remaining ?? (await remainingOf(deps, caller));
    request.creditsCharged = booked?.credits ?? 0;
    reply.header('x-credits-charged', request.creditsCharged);
    if (remaining !== undefined) reply.header('x-credits-remaining', remaining);
  } catch (error) {
    if (payload instanceof Readable) payload.destroy();
    throw error;
  }
  return send(reply, answer, payload);
}

/** 402 before any work. What is remembered may admit; only a fresh balance refuses. */
async function checkFunds(
  deps: MeteredDeps,
  input: { caller: Caller; price: number; request: FastifyRequest },
): Promise<void> {
  const { price } = input;
  // Read as a number by the schema of the headers.
  const maximum = input.request.headers['x-max-credits'] as number | undefined;
  if (maximum !== undefined && price > maximum) {
    throw new Problem(
      'max_credits_exceeded',
      `This request costs ${creditCount(price)}, more than the x-max-credits of ${maximum}. Nothing was charged.`,
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

async function charge(
  deps: MeteredDeps,
  input: {
    caller: Caller;
    credits: number;
    operation: string;
    answer: EndpointResponse;
    request: FastifyRequest;
  },
): Promise<number> {
  const outcome = await deps.charging.charge({
    accountId: input.caller.account.accountId,
    // The server's own id of this request: a repeated x-request-id never makes one free.
    id: input.request.id,
    reference: input.request.id,
    atMs: deps.clock.nowMs(),
    kind: 'request',
    credits: -input.credits,
    operation: input.operation,
    productCode: input.answer.productCode ?? null,
  });
  if (!outcome.booked) {
    if ('noPlan' in outcome) throw noPlan(input.credits);
    throw outOfCredits(outcome.required, outcome.remaining, outcome.refreshAtMs);
  }
  deps.metrics.creditsCharged.inc({ operation: input.operation }, input.credits);
  return outcome.remaining;
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

/** A text goes out in one write with its headers, bytes in two: small answers stay texts. */
async function payloadOf(
  deps: Pick<MeteredDeps, 'log'>,
  { json, parts }: EndpointResponse,
  request: FastifyRequest,
): Promise<Payload | undefined> {
  if (parts !== undefined) {
    return startParts(parts, (error) => {
      deps.log.warn({ request_id: request.id, reason: String(error) }, 'response broke off');
    });
  }
  if (json === undefined || Buffer.isBuffer(json)) return json;
  return JSON.stringify(json);
}

type Payload = string | Buffer | Readable;

function send(
  reply: FastifyReply,
  answer: Pick<EndpointResponse, 'status' | 'headers'>,
  payload: Payload | undefined,
): FastifyReply {
  reply.header('content-type', 'application/json; charset=utf-8');
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (isUnread(reply.request)) reply.header('connection', 'close');
  if (payload === undefined) {
    return reply
      .removeHeader('content-type')
      .code(answer.status ?? 204)
      .send();
  }
  return reply.code(answer.status ?? 200).send(payload);
}
