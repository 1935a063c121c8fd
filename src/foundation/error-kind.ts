// Classes of errors, their HTTP statuses, and the shape of an entry in the tables of error codes.

/** Classes of errors; each has one HTTP status. */
export const STATUS_OF_KIND = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  expectation_failed: 417,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  source_unavailable: 503,
  temporarily_unavailable: 503,
} as const satisfies Readonly<Record<string, number>>;

export type ProblemKind = keyof typeof STATUS_OF_KIND;

export type ErrorCodeEntry = {
  kind: ProblemKind;
  title: string;
  cause: string;
  remedy: string;
};
