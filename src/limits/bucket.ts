// The three buckets in which an account's requests are counted, and the default rate.

export const BUCKETS = ['product', 'details', 'account'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** The limit of the specification. The operator may raise it per account and bucket. */
export const REQUESTS_PER_SECOND = 10;
