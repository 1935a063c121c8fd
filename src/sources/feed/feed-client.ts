// Asks a feed over HTTP: its own kept connections, every wait and size bounded, retries only of what may be
// retried, and left alone while it fails. What the answers mean is feed-source's.
import { type Dispatcher, Pool } from 'undici';
import { monotonicMs, sleepMs } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { type Attempt, type FeedResponse, judgeError, judgeStatus } from './judge-reply.ts';
import { badResponse } from './read-feed-response.ts';
import { createRequestQueue, type RequestQueue } from './request-queue.ts';

export type FeedLimits = {
  concurrency: number;
  requestsPerSecond: number;
  /** Requests that wait for their turn; more are answered "unavailable" at once. */
  waitingMax: number;
  connectMs: number;
  headersMs: number;
  /** Without a byte of the body. */
  bodyIdleMs: number;
  /** From the question to the end of the answer, waiting and retries included. */
  wholeMs: number;
  attemptsMax: number;
  /** Before the first retry; doubled for each further one, and spread by chance. */
  backoffMs: number;
  failuresMax: number;
  firstProbeMs: number;
  probeEveryMaxMs: number;
};

/** A paid request waits 10 s; what comes later than this would find nobody. */
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

export type Question = {
  path: string;
  /** With a body it is a POST. */
  body?: string;
  bytesMax: number;
  /** Someone waits for it. */
  isUrgent: boolean;
};

export type FeedClient = {
  ask(question: Question): Promise<FeedResponse<{ json: unknown; bytes: number }>>;
  /** The body as it comes, without an end in time; `end` must be called when done with it. */
  stream(path: string): Promise<FeedResponse<{ chunks: AsyncIterable<Uint8Array>; end(): void }>>;
  isFailing(): boolean;
  waiting(): number;
  close(): Promise<void>;
};

/** Longest that a 429 holds back all others, whatever it asks for. */
const PAUSE_MAX_MS = 5_000;
/** Read of an answer that is not wanted, so that its connection can be used again. */
const DUMP_BYTES_MAX = 16_384;
/** Unless the provider names another time. */
const KEEP_ALIVE_MS = 30_000;

type Deps = {
  pool: Pool;
  requests: RequestQueue;
  breaker: CircuitBreaker;
  limits: FeedLimits;
  /** Of the base address, without a slash at its end. */
  prefix: string;
  headers: Readonly<Record<string, string>>;
};

export function createFeedClient(input: {
  url: string;
  token: string | null;
  log: Log;
  limits: FeedLimits;
}): FeedClient {
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
  });
  const breaker = createCircuitBreaker(limits, (isOpen) => {
    if (isOpen) log.warn({ source: 'feed' }, 'the marketplace fails; it is left alone for a while');
    else log.info({ source: 'feed' }, 'the marketplace answers again');
  });
  const headers = {
    accept: 'application/json, application/x-ndjson',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const prefix = base.pathname.replace(/\/+$/, '');
  const deps: Deps = { pool, requests, breaker, limits, prefix, headers };
  return {
    ask: (question) =>
      persist(deps, (signal) =>
        attempt(deps, { question, signal }, async (response, endTurn) => {
          try {
            return await readJson(response, question.bytesMax);
          } finally {
            endTurn();
          }
        }),
      ),
    stream: (path) =>
      persist(deps, (signal) => {
        const question = { path, bytesMax: Number.POSITIVE_INFINITY, isUrgent: false };
        return attempt(deps, { question, signal }, async ({ body: chunks }, endTurn) => {
          chunks.on('error', () => {}); // said to who reads it
          const end = () => {
            chunks.destroy();
            endTurn();
          };
          return { kind: 'answer', value: { chunks, end } };
        });
      }),
    isFailing: breaker.isOpen,
    waiting: requests.waiting,
    close: () => pool.destroy(),
  };
}

/** Tries within the whole time, again where that is allowed and may help. */
async function persist<T>(
  { breaker, limits }: Deps,
  tryOnce: (signal: AbortSignal) => Promise<Attempt<T>>,
): Promise<FeedResponse<T>> {
  const startMs = monotonicMs();
  const admission = breaker.admit(startMs);
  if (!admission.admitted) {
    const { retryAfterMs } = admission;
    return { kind: 'unavailable', reason: 'it has been failing', retryAfterMs };
  }
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error('too late')), limits.wholeMs);
  try {
    for (let nth = 1; ; nth++) {
      const outcome = await tryOnce(deadline.signal);
      if (outcome.kind !== 'unavailable') {
        breaker.succeeded();
        return outcome;
      }
      const { mayRetry, isOurs, ...unavailable } = outcome;
      const pauseMs = outcome.retryAfterMs ?? spread(limits.backoffMs * 2 ** (nth - 1));
      const leftMs = limits.wholeMs - (monotonicMs() - startMs);
      // Open, this was a probe, or others have meanwhile found out what a retry would.
      const isLast = nth >= limits.attemptsMax || breaker.isOpen();
      if (!mayRetry || isLast || pauseMs >= leftMs) {
        if (!isOurs) breaker.failed(monotonicMs());
        return unavailable;
      }
      await sleepMs(pauseMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** One request in its turn. `take` is given a wanted answer, and the way to end the turn. */
async function attempt<T>(
  deps: Deps,
  { question, signal }: { question: Question; signal: AbortSignal },
  take: (response: Dispatcher.ResponseData, endTurn: () => void) => Promise<Attempt<T>>,
): Promise<Attempt<T>> {
  const { requests, limits } = deps;
  let endTurn: (() => void) | null = null;
  let isTaken = false;
  try {
    endTurn = await requests.take({ signal, isUrgent: question.isUrgent });
    if (endTurn === null) return ours('too many requests wait for the marketplace');
    const response = await send(deps, question, signal);
    const unwanted = judgeStatus(response, question);
    if (unwanted === null) {
      isTaken = true;
      return await take(response, endTurn);
    }
    if (response.statusCode === 429 && unwanted.kind === 'unavailable') {
      requests.pause(Math.min(unwanted.retryAfterMs ?? 0, PAUSE_MAX_MS));
    }
    await response.body.dump({ limit: DUMP_BYTES_MAX, signal });
    return unwanted;
  } catch (error) {
    if (!signal.aborted) return judgeError(error);
    if (endTurn === null) return ours('its turn did not come in time');
    const reason = `it did not answer within ${limits.wholeMs / 1_000} s`;
    return { kind: 'unavailable', reason, mayRetry: false };
  } finally {
    if (!isTaken) endTurn?.();
  }
}

function send({ pool, prefix, headers }: Deps, question: Question, signal: AbortSignal) {
  const path = `${prefix}${question.path}`;
  const { body } = question;
  if (body === undefined) return pool.request({ path, method: 'GET', headers, signal });
  const withType = { ...headers, 'content-type': 'application/json' };
  return pool.request({ path, method: 'POST', headers: withType, body, signal });
}

const ours = (reason: string): Attempt<never> => ({
  ...{ kind: 'unavailable', reason, mayRetry: false, isOurs: true },
});

/** Between half and the whole, so that those who failed together do not come back together. */
const spread = (ms: number) => ms * (0.5 + Math.random() / 2);

async function readJson(
  { body }: Dispatcher.ResponseData,
  bytesMax: number,
): Promise<Attempt<{ json: unknown; bytes: number }>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  body.on('error', () => {}); // leaving the loop early is one as well
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      return badResponse('too_large', `the answer is larger than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { kind: 'answer', value: { json: JSON.parse(text), bytes } };
  } catch (error) {
    return badResponse('not_json', `the answer is not JSON: ${(error as Error).message}`);
  }
}
