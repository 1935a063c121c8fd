// The first two steps of every metered route: authenticate the API key, then apply the rate limit.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Callers } from '../accounts/callers.ts';
import { sleepMs } from '../foundation/clock.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
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

function applyAdmission(
  metrics: Metrics,
  input: { admission: Admission; bucket: Bucket; perSecond: number },
  reply: FastifyReply,
): undefined | Promise<void> {
  const { admission, bucket, perSecond } = input;
  reply.header('ratelimit-policy', `"${bucket}";q=${perSecond};w=1`);
  reply.header('ratelimit', `"${bucket}";r=${admission.left};t=1`);
  if (!admission.admitted) {
    metrics.rateLimited.inc({ bucket });
    reply.header('retry-after', '1');
    throw new Problem(
      'rate_limited',
      `Rate limit exceeded: at most ${perSecond} requests per second. Retry after ${admission.retryAfterMs} ms. Nothing was charged.`,
      { details: { retry_after_ms: admission.retryAfterMs } },
    );
  }
  // Timers drop fractions, and a request must never be handled before its slot.
  return admission.holdMs > 0 ? sleepMs(Math.ceil(admission.holdMs)) : undefined;
}
