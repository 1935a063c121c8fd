// What goes wrong on the way to the server and back, made readable here and nowhere else.

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body.message === 'string' ? body.message : `The server answered ${status}.`);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'unknown';
    this.requestId = typeof body.request_id === 'string' ? body.request_id : null;
    this.retryAfterMs = typeof body.retry_after_ms === 'number' ? body.retry_after_ms : null;
    this.details = body;
  }
}

type Explanation = {
  title: string;
  detail: string;
  /** Whether asking again, unchanged, may succeed. */
  retryable: boolean;
  requestId: string | null;
};

/** For people: `explain(error).detail` beside a form, the whole of it in ErrorState. */
export function explain(error: unknown): Explanation {
  if (error instanceof ApiProblem) return explainProblem(error);
  if (error instanceof TypeError || (error instanceof DOMException && error.name !== 'AbortError'))
    return {
      title: navigator.onLine ? 'The server cannot be reached' : 'You are offline',
      detail: navigator.onLine
        ? 'The request did not get through. Nothing was charged for it unless the ledger says so.'
        : 'Nothing gets through until the connection is back.',
      retryable: true,
      requestId: null,
    };
  return {
    title: 'Something went wrong in this page',
    detail: error instanceof Error ? error.message : String(error),
    retryable: true,
    requestId: null,
  };
}

function explainProblem(problem: ApiProblem): Explanation {
  const { status, message, requestId } = problem;
  const said = (title: string, retryable = false, detail = message) => ({
    title,
    detail,
    retryable,
    requestId,
  });
  if (status === 401) return said('You are signed out');
  if (status === 402) return said('Not enough credits');
  if (status === 403) return said('Not allowed');
  if (isAccountClosed(problem)) return said('Nothing can be shown');
  if (status === 404) return said('Not found');
  if (status === 409) return said('This conflicts with something else');
  if (status === 429) return said('Too many requests', true, `${message}${waitText(problem)}`);
  if (status === 503) return said('Not available right now', true);
  if (status >= 500) return said('The server failed', true);
  return said('The request was refused');
}

/** Most sentences of the server say already how long to wait. */
function waitText({ retryAfterMs, message }: ApiProblem): string {
  if (retryAfterMs === null || /\b(wait|try again)\b/i.test(message)) return '';
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const wait =
    seconds < 90
      ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
      : `${Math.ceil(seconds / 60)} minutes`;
  return ` Try again in ${wait}.`;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

/** Somebody closed the account while its session went on. */
export function isAccountClosed(error: unknown): boolean {
  return error instanceof ApiProblem && error.message === 'This account is closed.';
}

/** Only what may pass by itself is asked for again by itself. */
export function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= 2) return false;
  return !(error instanceof ApiProblem) || error.status === 503 || error.status === 502;
}
