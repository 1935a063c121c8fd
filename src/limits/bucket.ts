// The three buckets that an account's requests are counted in, and the rate that applies by default.

export const BUCKETS = ['product', 'details', 'account'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** The spec's limit. The operator may raise it for an account and bucket. */
export const REQUESTS_PER_SECOND = 10;
