// What an HTTP reply of a feed amounts to before its body is read: an answer, nothing there, worth another
// try, or not to be used.
import { realNowMs } from '../../foundation/clock.ts';
import { type BadResponse, badResponse } from './read-feed-response.ts';

export type Unavailable = { kind: 'unavailable'; reason: string; retryAfterMs?: number };

/** `absent`: a 404 to a GET. */
export type FeedResponse<T> =
  | { kind: 'answer'; value: T }
  | { kind: 'absent' }
  | Unavailable
  | BadResponse;

/** What came of one request; `isOurs`: our own doing, which says nothing about the marketplace. */
export type Attempt<T> =
  | Exclude<FeedResponse<T>, Unavailable>
  | (Unavailable & { mayRetry: boolean; isOurs?: boolean });

type Reply = {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

const RETRY_AFTER_MAX_MS = 3_600_000;

/** null: an answer to be read. */
export function judgeStatus(
  { statusCode: status, headers }: Reply,
  question: { body?: string },
): Exclude<Attempt<never>, { kind: 'answer' }> | null {
  const unavailable = (reason: string, mayRetry: boolean) => {
    const retryAfterMs = readRetryAfter(headers['retry-after']);
    const more = retryAfterMs === null ? {} : { retryAfterMs };
    return { kind: 'unavailable' as const, reason, mayRetry, ...more };
  };
  if (status === 200) {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding === 'identity') return null;
    return badResponse('protocol', `the answer is encoded as ${encoding}, which was not asked for`);
  }
  if (status === 404 && question.body === undefined) return { kind: 'absent' };
  if (status === 401 || status === 403) {
    return unavailable(`it refuses us (${status}): MARKETPLACE_TOKEN is missing or wrong`, false);
  }
  if ([429, 502, 503, 504].includes(status)) return unavailable(`it answered ${status}`, true);
  if (status >= 500 || status === 408) return unavailable(`it answered ${status}`, false);
  const how = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return badResponse('status', `it answered ${status}${how}`);
}

/** Seconds or a date; null when there is none that can be read. */
function readRetryAfter(given: string | string[] | undefined): number | null {
  if (typeof given !== 'string') return null;
  const ms = /^\d{1,9}$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - realNowMs();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}

const RETRIED_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'],
  ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);
/** It spoke, but not HTTP as it should be. */
const GARBLED = new Set([
  ...['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError'],
]);

export function judgeError(error: unknown): Attempt<never> {
  const { code = '', message, name } = error as Error & { code?: string };
  const reason = `${code} ${message}`.trim();
  if (GARBLED.has(name)) return badResponse('protocol', `not HTTP: ${reason}`);
  return { kind: 'unavailable', reason, mayRetry: RETRIED_CODES.has(code) };
}
