// A rate limiter for the processes under one parent: the parent counts for all, so that limits stay
// exact without Redis. Requests of one turn of the event loop share a message.
import type { Admission, RateLimit, RateLimiter } from './rate-limiter.ts';

export type TakeRequest = [accountId: string, bucket: string, perSecond: number];

/** Sends requests to the parent, which decides them in order. */
export type TakeAtParent = (takes: readonly TakeRequest[]) => Promise<readonly Admission[]>;

type Waiting = { accountId: string; limit: RateLimit; resolve: (admission: Admission) => void };

/** A parent that is slower has other troubles; meanwhile this process counts alone. */
const RESPONSE_TIMEOUT_MS = 250;

export function createParentRateLimiter(deps: {
  takeAtParent: TakeAtParent;
  fallback: RateLimiter;
  timeoutMs?: number;
}): RateLimiter {
  const { takeAtParent, fallback, timeoutMs = RESPONSE_TIMEOUT_MS } = deps;
  let waiting: Waiting[] = [];

  const decide = async (batch: readonly Waiting[]): Promise<void> => {
    const takes = batch.map(({ accountId, limit }): TakeRequest => {
      return [accountId, limit.bucket, limit.perSecond];
    });
    const admissions = await within(timeoutMs, takeAtParent(takes)).catch(() => []);
    for (const [index, { accountId, limit, resolve }] of batch.entries()) {
      resolve(admissions[index] ?? (await fallback.take(accountId, limit)));
    }
  };

  const flush = () => {
    const batch = waiting;
    waiting = [];
    void decide(batch);
  };

  return {
    take(accountId, limit) {
      return new Promise((resolve) => {
        // After this turn's other requests.
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ accountId, limit, resolve });
      });
    },
    close: () => fallback.close(),
  };
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
