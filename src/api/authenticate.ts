// The first two gates of every account's door: whose key is this, and is the account within its rate.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Callers } from '../accounts/callers.ts';
import { sleepMs } from '../foundation/clock.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import { type Bucket, REQUESTS_PER_SECOND } from '../limits/bucket.ts';
import type { Admission, RateLimiter } from '../limits/rate-limiter.ts';

/** Answers at once for a key that is remembered: a promise for each request costs 4 % of the path. */
export function authenticate(callers: Callers, request: FastifyRequest): Caller | Promise<Caller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new Problem('unauthenticated', 'The header x-api-key with your API key is missing.');
  }
  const caller = callers.identify(apiKey, request);
  return caller instanceof Promise ? caller.then(known) : known(caller);
}

function known(caller: Caller | null): Caller {
  if (caller !== null) return caller;
  throw new Problem('unauthenticated', 'The API key is not valid, or it was revoked.');
}

/** Counts the request against its account's bucket, holds it when it is a trifle early, or refuses. */
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
      `More than ${perSecond} requests in a second. Wait ${admission.retryAfterMs} ms; nothing was charged.`,
      { details: { retry_after_ms: admission.retryAfterMs } },
    );
  }
  // Timers drop fractions, and a request must never be handled before its time.
  return admission.holdMs > 0 ? sleepMs(Math.ceil(admission.holdMs)) : undefined;
}
