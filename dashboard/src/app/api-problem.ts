// Errors of the server and of the network, and how they are explained to the user.

export class ApiProblem extends Error {
  readonly status: number;
  /** Stable and listed at /docs/errors; compare it, never the message. */
  readonly code: string;
  /** The parameter or body member to blame, as on the wire. */
  readonly field: string | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(
      typeof body.message === 'string' ? body.message : `The server returned status ${status}.`,
    );
    this.name = 'ApiProblem';
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'unknown';
    this.field = typeof body.field === 'string' ? body.field : null;
    this.requestId = typeof body.request_id === 'string' ? body.request_id : null;
    this.retryAfterMs = typeof body.retry_after_ms === 'number' ? body.retry_after_ms : null;
    this.details = body;
  }
}

type Explanation = {
  title: string;
  detail: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  requestId: string | null;
};

/**
 * Explains an error to the user: `explain(error).detail` beside a form, all of it in ErrorState.
 */
export function explain(error: unknown): Explanation {
  if (error instanceof ApiProblem) return explainProblem(error);
  if (error instanceof TypeError || (error instanceof DOMException && error.name !== 'AbortError'))
    return {
      title: navigator.onLine ? 'Cannot reach the server' : 'You are offline',
      detail: navigator.onLine
        ? 'The request failed. Check the ledger to see whether it was charged.'
        : 'Try again when you are back online.',
      retryable: true,
      requestId: null,
    };
  return {
    title: 'Something went wrong on this page',
    detail: error instanceof Error ? error.message : String(error),
    retryable: true,
    requestId: null,
  };
}

function explainProblem(problem: ApiProblem): Explanation {
  const { status, code, message, requestId } = problem;
  const explanation = (title: string, retryable = false, detail = message) => ({
    title,
    detail,
    retryable,
    requestId,
  });
  if (code === 'credentials_incorrect') return explanation('Wrong e-mail or password');
  if (status === 401) return explanation('You are signed out');
  if (status === 402) return explanation('Not enough credits');
  if (status === 403) return explanation('Not allowed');
  if (isAccountClosed(problem)) return explanation('Account closed');
  if (status === 404) return explanation('Not found');
  if (status === 409) return explanation('Conflict');
  if (code === 'rate_limited')
    return explanation('Too many requests', true, rateLimitText(problem));
  if (status === 429) return explanation('Too many requests', true);
  if (status === 503) return explanation('Temporarily unavailable', true);
  if (status >= 500) return explanation('Server error', true);
  return explanation('The request was rejected');
}

/** The server's message names the limit per second; a user needs to know when to try again. */
function rateLimitText({ retryAfterMs }: ApiProblem): string {
  if (retryAfterMs === null) return 'Try again in a few seconds.';
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const wait =
    seconds < 90
      ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
      : `${Math.ceil(seconds / 60)} minutes`;
  return `Try again in ${wait}.`;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

/** The account was closed while its session was still open. */
export function isAccountClosed(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'account_closed';
}

/** Retries only errors that may go away without a change of the request. */
export function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= 2) return false;
  return !(error instanceof ApiProblem) || error.status === 503 || error.status === 502;
}
