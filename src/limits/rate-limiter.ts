// The contract of a rate limiter: at most `perSecond` requests of an account and bucket in any
// second.

/**
 * `bucket` names what is counted together, such as "product". `perSecond` may change with each
 * request.
 */
export type RateLimit = { bucket: string; perSecond: number };

/**
 * `holdMs` is how long the request must wait before it is handled, or 0. It may have a fraction; a
 * timer that drops it fires too early. `left` is how many more requests would be admitted now.
 */
export type Admission =
  | { admitted: true; holdMs: number; left: number }
  | { admitted: false; retryAfterMs: number; left: 0 };

export type RateLimiter = {
  take(accountId: string, limit: RateLimit): Admission | Promise<Admission>;
  close(): Promise<void>;
};
