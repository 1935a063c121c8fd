// The HTTP client of a feed: a connection pool, limits on every wait and size, retries where
// allowed, and a circuit breaker. feed-source.ts interprets the responses.
import { type Dispatcher, Pool } from 'undici';
import { monotonicMs, sleepMs } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { SharedRate } from '../shared-rate.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { type Attempt, type FeedResponse, judgeError, judgeStatus } from './judge-response.ts';
import { badResponse } from './read-feed-response.ts';
import { createRequestQueue, type RequestQueue } from './request-queue.ts';

export type FeedLimits = {
  concurrency: number;
  requestsPerSecond: number;
  /** Requests waiting for a slot; further ones are refused as unavailable at once. */
  waitingMax: number;
  connectMs: number;
  headersMs: number;
  /** Longest gap between two chunks of a body. */
  bodyIdleMs: number;
  /** From the call to the end of the response, including queueing and retries. */
  wholeMs: number;
  attemptsMax: number;
  /** Before the first retry; doubled for each further one, with random jitter. */
  backoffMs: number;
  failuresMax: number;
  firstProbeMs: number;
  probeEveryMaxMs: number;
};

/** A paid request waits 10 s at most, so a later response would be useless. */
export const FEED_LIMITS: FeedLimits = {
  concurrency: 32,
  requestsPerSecond: 200,
  waitingMax: 2_000,
  connectMs: 2_000,
  headersMs: 8_000,
  bodyIdleMs: 4_000,
  wholeMs: 9_500,
  attemptsMax: 3,
  backoffMs: 150,
  failuresMax: 5,
  firstProbeMs: 1_000,
  probeEveryMaxMs: 5_000,
};

export type FeedRequest = {
  path: string;
  /** With a body the request is a POST. */
  body?: string;
  bytesMax: number;
  /** A customer waits for it. */
  isUrgent: boolean;
};

type JsonBody = { json: unknown; bytes: number };
type StreamBody = { chunks: AsyncIterable<Uint8Array>; end(): void };

/** Longest pause of all requests after a 429, whatever its Retry-After. */
const PAUSE_MAX_MS = 5_000;
/** An unwanted body up to this size is read, so that its connection can be reused. */
const DUMP_BYTES_MAX = 16_384;
/** Unless the provider sends another keep-alive time. */
const KEEP_ALIVE_MS = 30_000;

type Deps = {
  pool: Pool;
  requests: RequestQueue;
  breaker: CircuitBreaker;
  limits: FeedLimits;
  /** Path of the base URL, without a trailing slash. */
  prefix: string;
  headers: Readonly<Record<string, string>>;
};

export function createFeedClient(input: {
  url: string;
  token: string | null;
  log: Log;
  limits: FeedLimits;
  rate?: SharedRate;
}) {
  const { token, log, limits } = input;
  const base = new URL(input.url);
  const pool = new Pool(base.origin, {
    connections: limits.concurrency,
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyIdleMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    allowH2: false,
  });
  const requests = createRequestQueue({
    atOnceMax: limits.concurrency,
    perSecond: limits.requestsPerSecond,
    waitingMax: limits.waitingMax,
    ...(input.rate === undefined ? {} : { rate: input.rate }),
  });
  const breaker = createCircuitBreaker(limits, (isOpen) => {
    if (isOpen) log.warn({ source: 'feed' }, 'the marketplace fails; requests are paused');
    else log.info({ source: 'feed' }, 'the marketplace responds again');
  });
  const headers = {
    accept: 'application/json, application/x-ndjson',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const prefix = base.pathname.replace(/\/+$/, '');
  const deps: Deps = { pool, requests, breaker, limits, prefix, headers };
  return {
    requestJson: (request: FeedRequest): Promise<FeedResponse<JsonBody>> =>
      withRetries(deps, (signal) =>
        attempt(deps, { request, signal }, async (response, release) => {
          try {
            return await readJson(response, request.bytesMax);
          } finally {
            release();
          }
        }),
      ),
    /** The body as it arrives, without a deadline; the caller must call `end` when done. */
    stream: (path: string): Promise<FeedResponse<StreamBody>> =>
      withRetries(deps, (signal) => {
        const request = { path, bytesMax: Number.POSITIVE_INFINITY, isUrgent: false };
        return attempt(deps, { request, signal }, async ({ body: chunks }, release) => {
          chunks.on('error', () => {}); // the reader of the chunks gets it
          const end = () => {
            chunks.destroy();
            release();
          };
          return { kind: 'response', value: { chunks, end } };
        });
      }),
    isFailing: breaker.isOpen,
    waiting: requests.waiting,
    close: () => pool.destroy(),
  };
}

/** Retries within the overall time limit, where that is allowed and may help. */
async function withRetries<T>(
  { breaker, limits }: Deps,
  tryOnce: (signal: AbortSignal) => Promise<Attempt<T>>,
): Promise<FeedResponse<T>> {
  const startMs = monotonicMs();
  const admission = breaker.admit(startMs);
  if (!admission.admitted) {
    const { retryAfterMs } = admission;
    return { kind: 'unavailable', reason: 'the marketplace has been failing', retryAfterMs };
  }
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error('timed out')), limits.wholeMs);
  try {
    for (let attemptNumber = 1; ; attemptNumber++) {
      const outcome = await tryOnce(deadline.signal);
      if (outcome.kind !== 'unavailable') {
        breaker.succeeded();
        return outcome;
      }
      const { mayRetry, isLocal, ...unavailable } = outcome;
      const pauseMs =
        outcome.retryAfterMs ?? withJitter(limits.backoffMs * 2 ** (attemptNumber - 1));
      const leftMs = limits.wholeMs - (monotonicMs() - startMs);
      // While the breaker is open this was a probe, or other requests have shown that a retry
      // fails.
      const isLast = attemptNumber >= limits.attemptsMax || breaker.isOpen();
      if (!mayRetry || isLast || pauseMs >= leftMs) {
        if (!isLocal) breaker.failed(monotonicMs());
        return unavailable;
      }
      await sleepMs(pauseMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Sends one request in its slot. `consume` gets a usable response and releases the slot. */
async function attempt<T>(
  deps: Deps,
  { request, signal }: { request: FeedRequest; signal: AbortSignal },
  consume: (response: Dispatcher.ResponseData, release: () => void) => Promise<Attempt<T>>,
): Promise<Attempt<T>> {
  const { requests, limits } = deps;
  let release: (() => void) | null = null;
  let isConsumed = false;
  try {
    release = await requests.acquire({ signal, isUrgent: request.isUrgent });
    if (release === null) return localFailure('too many requests wait for the marketplace');
    const response = await send(deps, request, signal);
    const refusal = judgeStatus(response, request);
    if (refusal === null) {
      isConsumed = true;
      return await consume(response, release);
    }
    if (response.statusCode === 429 && refusal.kind === 'unavailable') {
      requests.pause(Math.min(refusal.retryAfterMs ?? 0, PAUSE_MAX_MS));
    }
    await response.body.dump({ limit: DUMP_BYTES_MAX, signal });
    return refusal;
  } catch (error) {
    if (!signal.aborted) return judgeError(error);
    if (release === null) return localFailure('no request slot became free in time');
    const reason = `no response within ${limits.wholeMs / 1_000} s`;
    return { kind: 'unavailable', reason, mayRetry: false };
  } finally {
    if (!isConsumed) release?.();
  }
}

function send({ pool, prefix, headers }: Deps, request: FeedRequest, signal: AbortSignal) {
  const path = `${prefix}${request.path}`;
  const { body } = request;
  if (body === undefined) return pool.request({ path, method: 'GET', headers, signal });
  const withType = { ...headers, 'content-type': 'application/json' };
  return pool.request({ path, method: 'POST', headers: withType, body, signal });
}

const localFailure = (reason: string): Attempt<never> => ({
  kind: 'unavailable',
  reason,
  mayRetry: false,
  isLocal: true,
});

/** Between half and all of it, so that requests that failed together do not retry together. */
const withJitter = (ms: number) => ms * (0.5 + Math.random() / 2);

async function readJson(
  { body }: Dispatcher.ResponseData,
  bytesMax: number,
): Promise<Attempt<JsonBody>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  body.on('error', () => {}); // leaving the loop early raises one
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      return badResponse('too_large', `the response is larger than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { kind: 'response', value: { json: JSON.parse(text), bytes } };
  } catch (error) {
    return badResponse('not_json', `the response is not JSON: ${(error as Error).message}`);
  }
}
