// The one error of the house: a closed kind, a sentence for the caller, a cause for the log.
// Thrown where a rule breaks; turned into an HTTP status in api/error-reply.ts and nowhere else.

export type ProblemKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_credits'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media'
  | 'rate_limited'
  | 'source_unavailable'
  | 'temporarily_unavailable'
  | 'internal';

/** Further members of the error answer, in wire form, such as `retry_after_ms`. */
export type ProblemDetails = Readonly<Record<string, string | number | boolean | null>>;

export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly details: ProblemDetails;

  constructor(
    kind: ProblemKind,
    message: string,
    options: { cause?: unknown; details?: ProblemDetails } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.kind = kind;
    this.details = options.details ?? {};
  }
}

/** For states that the code rules out: a programmer's error, never the world's. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`impossible state: ${message}`);
}
