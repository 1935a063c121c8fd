// Interprets HTTP responses for pages and robots.txt.
import type { Readable } from 'node:stream';
import { realNowMs } from '../../foundation/clock.ts';
import type { Refusal } from '../source.ts';
import type { PageFault } from './page-price.ts';
import { decodeText, readBody } from './page-text.ts';
import type { RobotsResponse } from './robots.ts';

/** A page that cannot be used; `fault` is the class for the metrics. */
export type Refused = { kind: 'refused'; fault: PageFault | HttpFault; reason: string };
type HttpFault = 'robots' | 'status' | 'redirect' | 'not_html' | 'too_large' | 'encoding';
export type Unavailable = Extract<Refusal, { kind: 'unavailable' }>;
export type HttpResponse = { status: number; headers: Record<string, string>; body: Readable };

/** When to retry if the host does not say. */
export const RETRY_MS = { rateLimited: 30_000, unavailable: 5_000 } as const;

export async function readHtml(
  response: HttpResponse,
  bytesMax: number,
): Promise<string | Refused> {
  const type = response.headers['content-type'] ?? '';
  if (!/^\s*(?:$|text\/html|application\/xhtml\+xml)/i.test(type)) {
    drop(response.body);
    return refused('not_html', `the content type is ${type.slice(0, 60)}, not HTML`);
  }
  if (Number(response.headers['content-length'] ?? 0) > bytesMax) {
    drop(response.body);
    return refused('too_large', `the response is larger than ${bytesMax} bytes`);
  }
  const body = await readBody(response.body, response.headers['content-encoding'] ?? '', {
    bytesMax,
  });
  return 'refused' in body ? refused(body.refused, body.reason) : decodeText(body.bytes, type);
}

export async function readRobotsResponse(
  response: HttpResponse,
  bytesMax: number,
): Promise<RobotsResponse> {
  if (response.status === 200) {
    const encoding = response.headers['content-encoding'] ?? '';
    const body = await readBody(response.body, encoding, { bytesMax, isCut: true });
    if ('refused' in body) return { kind: 'unreachable', reason: body.reason };
    return { kind: 'rules', text: body.bytes.toString('utf8') };
  }
  drop(response.body);
  const isNone = response.status >= 400 && response.status < 500 && response.status !== 429;
  if (isNone) return { kind: 'none' };
  return {
    kind: 'unreachable',
    reason: `status ${response.status}`,
    retryAfterMs: retryAfterMs(response),
  };
}

export function outcomeOfStatus(response: HttpResponse): Refusal | Refused {
  const { status } = response;
  if (status === 404 || status === 410) return { kind: 'not_found' };
  if (status === 429)
    return unavailable(
      'status 429: too many requests',
      retryAfterMs(response) ?? RETRY_MS.rateLimited,
    );
  if (status >= 500 || status === 408 || status === 425) {
    return unavailable(`status ${status}`, retryAfterMs(response) ?? RETRY_MS.unavailable);
  }
  return refused('status', `status ${status}`);
}

export const asksForPause = (response: HttpResponse) =>
  response.status === 429 || response.headers['retry-after'] !== undefined;

/** Seconds or a date. The date is compared with real time, not with the service's clock. */
function retryAfterMs({ headers }: HttpResponse): number | undefined {
  const value = (headers['retry-after'] ?? '').trim();
  if (/^\d{1,8}$/.test(value)) return Number(value) * 1000;
  const atMs = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - realNowMs());
}

export const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

/** Discards the rest of a body and ignores its errors. */
export function drop(body: Readable): void {
  body.on('error', () => {}).destroy();
}

export function unavailable(reason: string, retryAfterMs: number): Unavailable {
  return { kind: 'unavailable', reason, retryAfterMs };
}

export function refused(fault: Refused['fault'], reason: string): Refused {
  return { kind: 'refused', fault, reason };
}
