// Judges a feed's HTTP response before its body is read: usable, not found, worth a retry, or
// unusable.
import { realNowMs } from '../../foundation/clock.ts';
import { HOUR_MS } from '../../foundation/time.ts';
import { type BadResponse, badResponse } from './read-feed-response.ts';

export type Unavailable = { kind: 'unavailable'; reason: string; retryAfterMs?: number };

/** `absent`: a 404 to a GET. */
export type FeedResponse<T> =
  | { kind: 'response'; value: T }
  | { kind: 'absent' }
  | Unavailable
  | BadResponse;

/** The outcome of one request. `isLocal`: the failure is ours and says nothing about the feed. */
export type Attempt<T> =
  | Exclude<FeedResponse<T>, Unavailable>
  | (Unavailable & { mayRetry: boolean; isLocal?: boolean });

type HttpResponse = {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

const RETRY_AFTER_MAX_MS = HOUR_MS;

/** null: the body is to be read. */
export function judgeStatus(
  { statusCode: status, headers }: HttpResponse,
  request: { body?: string },
): Exclude<Attempt<never>, { kind: 'response' }> | null {
  const unavailable = (reason: string, mayRetry: boolean) => {
    const retryAfterMs = readRetryAfter(headers['retry-after']);
    const more = retryAfterMs === null ? {} : { retryAfterMs };
    return { kind: 'unavailable' as const, reason, mayRetry, ...more };
  };
  if (status === 200) {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding === 'identity') return null;
    return badResponse(
      'protocol',
      `the response has the content encoding ${encoding}, which was not requested`,
    );
  }
  if (status === 404 && request.body === undefined) return { kind: 'absent' };
  if (status === 401 || status === 403) {
    return unavailable(`status ${status}: MARKETPLACE_TOKEN is missing or wrong`, false);
  }
  if ([429, 502, 503, 504].includes(status)) return unavailable(`status ${status}`, true);
  if (status >= 500 || status === 408) return unavailable(`status ${status}`, false);
  const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return badResponse('status', `status ${status}${hint}`);
}

/** Seconds or a date; null if absent or malformed. */
function readRetryAfter(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string') return null;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - realNowMs();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}

const RETRIED_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/** The feed responded, but not with valid HTTP. */
const PROTOCOL_ERRORS = new Set([
  'HTTPParserError',
  'HeadersOverflowError',
  'ResponseContentLengthMismatchError',
]);

export function judgeError(error: unknown): Attempt<never> {
  const { code = '', message, name } = error as Error & { code?: string };
  const reason = `${code} ${message}`.trim();
  if (PROTOCOL_ERRORS.has(name)) return badResponse('protocol', `not HTTP: ${reason}`);
  return { kind: 'unavailable', reason, mayRetry: RETRIED_CODES.has(code) };
}
