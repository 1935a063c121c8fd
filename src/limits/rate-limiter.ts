// What every rate limiter promises: at most so many requests of an account and bucket in any second.

/** `bucket` names what is counted together, such as "product"; `perSecond` is asked anew each time. */
export type RateLimit = { bucket: string; perSecond: number };

/**
 * `holdMs` is 0, or how long the request must wait before it is handled; it may have a fraction, and
 * a timer that drops the fraction fires too early. `left` is how many more would be admitted now.
 */
export type Admission =
  | { admitted: true; holdMs: number; left: number }
  | { admitted: false; retryAfterMs: number; left: 0 };

export type RateLimiter = {
  take(accountId: string, limit: RateLimit): Admission | Promise<Admission>;
  close(): Promise<void>;
};
