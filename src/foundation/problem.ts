// The one error of the service: a stable code, a sentence for the caller, a cause for the log.
// Thrown where a rule breaks; turned into an HTTP response in api/error-reply.ts and nowhere else.
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import type { ProblemKind } from './error-kind.ts';

/** Further members of the error record, in wire form, such as `retry_after_ms`. */
export type ProblemDetails = Readonly<Record<string, string | number | boolean | null>>;

export type ProblemOptions = {
  /** The parameter to blame, as on the wire; a path with dots inside a body. */
  field?: string | undefined;
  details?: ProblemDetails;
  /** For the log; never sent to the caller. */
  cause?: unknown;
};

export class Problem extends Error {
  readonly code: ErrorCode;
  readonly kind: ProblemKind;
  readonly field: string | undefined;
  readonly details: ProblemDetails;

  constructor(code: ErrorCode, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.kind = ERROR_CODES[code].kind;
    this.field = options.field;
    this.details = options.details ?? {};
  }
}

/** For states that the code rules out: a bug, never bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`impossible state: ${message}`);
}
