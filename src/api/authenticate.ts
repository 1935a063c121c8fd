// The first two steps of every metered route: authenticate the API key, then apply the rate limit.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Callers } from '../accounts/callers.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { type Bucket, REQUESTS_PER_SECOND } from '../limits/bucket.ts';
import type { Admission, RateLimiter } from '../limits/rate-limiter.ts';

/** Returns synchronously for a cached key: a promise for each request costs 4 % of the path. */
export function authenticate(callers: Callers, request: FastifyRequest): Caller | Promise<Caller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new Problem('unauthenticated', 'Header `x-api-key` is missing. Send your API key in it.');
  }
  const caller = callers.identify(apiKey, request);
  return caller instanceof Promise ? caller.then(refuseUnknown) : refuseUnknown(caller);
}

function refuseUnknown(caller: Caller | null): Caller {
  if (caller !== null) return caller;
  throw new Problem('unauthenticated', 'The API key is invalid or revoked.');
}

/** Counts the request in its account's bucket: admits it, holds it for a moment, or refuses it. */
export function limit(
  deps: { limiter: RateLimiter; metrics: Metrics },
  input: { caller: Caller; bucket: Bucket },
  reply: FastifyReply,
): undefined | Promise<void> {
  const { caller, bucket } = input;
  const perSecond = caller.account.requestsPerSecond[bucket] ?? REQUESTS_PER_SECOND;
  const taken = deps.limiter.take(caller.account.accountId, { bucket, perSecond });
  const admit = (admission: Admission) =>
    applyAdmission(deps.metrics, { admission, bucket, perSecond }, reply);
  return taken instanceof Promise ? taken.then(admit) : admit(taken);
}

/** How many requests a request counts as, by bucket, besides itself. */
export type Tokens = Partial<Record<Bucket, number>>;

/**
 * Takes tokens one after the other and waits for them, so that a batch keeps to the rate of single
 * requests. Refuses a batch that would wait too long.
 */
export async function takeTokens(
  deps: { limiter: RateLimiter; metrics: Metrics },
  { caller, tokens }: { caller: Caller; tokens: Tokens },
): Promise<void> {
  const { accountId, requestsPerSecond } = caller.account;
  const untilMs = monotonicMs() + bounds.tokensWaitMaxMs;
  for (const [bucket, count] of Object.entries(tokens) as [Bucket, number][]) {
    const perSecond = requestsPerSecond[bucket] ?? REQUESTS_PER_SECOND;
    if (count > perSecond * (bounds.tokensWaitMaxMs / SECOND_MS)) {
      throw tooManyTokens(deps.metrics, { bucket, count, perSecond });
    }
    for (let taken = 0; taken < count; ) {
      const admission = await deps.limiter.take(accountId, { bucket, perSecond });
      if (!admission.admitted && monotonicMs() + admission.retryAfterMs > untilMs) {
        throw rateLimited(deps.metrics, { bucket, perSecond, ...admission });
      }
      const waitMs = admission.admitted ? admission.holdMs : admission.retryAfterMs;
      if (waitMs > 0) await sleepMs(Math.ceil(waitMs));
      if (admission.admitted) taken += 1;
    }
  }
}

function tooManyTokens(
  metrics: Metrics,
  { bucket, count, perSecond }: { bucket: Bucket; count: number; perSecond: number },
): Problem {
  metrics.rateLimited.inc({ bucket });
  return new Problem(
    'rate_limited',
    `This request counts as ${count} requests at ${perSecond} per second, and waits at most ${bounds.tokensWaitMaxMs / SECOND_MS} seconds for them. Send fewer items. Nothing was charged.`,
    { details: { retry_after_ms: SECOND_MS } },
  );
}

function rateLimited(
  metrics: Metrics,
  limit: { bucket: Bucket; perSecond: number; retryAfterMs: number },
): Problem {
  metrics.rateLimited.inc({ bucket: limit.bucket });
  return new Problem(
    'rate_limited',
    `Rate limit exceeded: at most ${limit.perSecond} requests per second. Retry after ${limit.retryAfterMs} ms. Nothing was charged.`,
    { details: { retry_after_ms: limit.retryAfterMs } },
  );
}

function applyAdmission(
  metrics: Metrics,
  input: { admission: Admission; bucket: Bucket; perSecond: number },
  reply: FastifyReply,
): undefined | Promise<void> {
  const { admission, bucket, perSecond } = input;
  reply.header('ratelimit-policy', `"${bucket}";q=${perSecond};w=1`);
  reply.header('ratelimit', `"${bucket}";r=${admission.left};t=1`);
  if (!admission.admitted) {
    reply.header('retry-after', '1');
    throw rateLimited(metrics, { bucket, perSecond, retryAfterMs: admission.retryAfterMs });
  }
  // Timers drop fractions, and a request must never be handled before its slot.
  return admission.holdMs > 0 ? sleepMs(Math.ceil(admission.holdMs)) : undefined;
}
