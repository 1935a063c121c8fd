// The first two gates of every account's door: whose key is this, and is the account within its rate.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Callers } from '../accounts/callers.ts';
import { sleepMs } from '../foundation/clock.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { Problem } from '../foundation/problem.ts';
import { type Bucket, REQUESTS_PER_SECOND } from '../limits/bucket.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';

export async function authenticate(callers: Callers, request: FastifyRequest): Promise<Caller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new Problem('unauthenticated', 'The header x-api-key with your API key is missing.');
  }
  const caller = await callers.identify(apiKey);
  if (caller === null) {
    throw new Problem('unauthenticated', 'The API key is not valid, or it was revoked.');
  }
  return caller;
}

/** Counts the request against its account's bucket, holds it when it is a trifle early, or refuses. */
export async function limit(
  deps: { limiter: RateLimiter; metrics: Metrics },
  input: { caller: Caller; bucket: Bucket },
  reply: FastifyReply,
): Promise<void> {
  const { caller, bucket } = input;
  const perSecond = caller.account.requestsPerSecond[bucket] ?? REQUESTS_PER_SECOND;
  const taken = deps.limiter.take(caller.account.accountId, { bucket, perSecond });
  const admission = taken instanceof Promise ? await taken : taken;
  reply.header('ratelimit-policy', `"${bucket}";q=${perSecond};w=1`);
  reply.header('ratelimit', `"${bucket}";r=${admission.left};t=1`);
  if (!admission.admitted) {
    deps.metrics.rateLimited.inc({ bucket });
    reply.header('retry-after', '1');
    throw new Problem(
      'rate_limited',
      `More than ${perSecond} requests in a second. Wait ${admission.retryAfterMs} ms; nothing was charged.`,
      { details: { retry_after_ms: admission.retryAfterMs } },
    );
  }
  // Timers drop fractions, and a request must never be handled before its time.
  if (admission.holdMs > 0) await sleepMs(Math.ceil(admission.holdMs));
}
