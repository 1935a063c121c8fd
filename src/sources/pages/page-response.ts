// What an answer over HTTP means for a page or a robots.txt, whoever asked for it.
import type { Readable } from 'node:stream';
import { realNowMs } from '../../foundation/clock.ts';
import type { Refusal } from '../source.ts';
import type { PageFault } from './page-price.ts';
import { decodeText, readBody } from './page-text.ts';
import type { RobotsResponse } from './robots.ts';

/** A page that cannot be used; `fault` is the class that is counted. */
export type Refused = { kind: 'refused'; fault: PageFault | HttpFault; reason: string };
type HttpFault = 'robots' | 'status' | 'redirect' | 'not_html' | 'too_large' | 'encoding';
export type Away = Extract<Refusal, { kind: 'unavailable' }>;
export type Answer = { status: number; headers: Record<string, string>; body: Readable };

/** When to come again where the host does not say. */
export const RETRY_MS = { rateLimited: 30_000, away: 5_000 } as const;

export async function readHtml(response: Answer, bytesMax: number): Promise<string | Refused> {
  const type = response.headers['content-type'] ?? '';
  if (!/^\s*(?:$|text\/html|application\/xhtml\+xml)/i.test(type)) {
    drop(response.body);
    return refused('not_html', `the answer is ${type.slice(0, 60)}, not a page`);
  }
  if (Number(response.headers['content-length'] ?? 0) > bytesMax) {
    drop(response.body);
    return refused('too_large', `the answer is larger than ${bytesMax} bytes`);
  }
  const body = await readBody(response.body, response.headers['content-encoding'] ?? '', {
    bytesMax,
  });
  return 'refused' in body ? refused(body.refused, body.reason) : decodeText(body.bytes, type);
}

export async function readRobotsResponse(
  response: Answer,
  bytesMax: number,
): Promise<RobotsResponse> {
  if (response.status === 200) {
    const encoding = response.headers['content-encoding'] ?? '';
    const body = await readBody(response.body, encoding, { bytesMax, isCut: true });
    if ('refused' in body) return { kind: 'away', reason: body.reason };
    return { kind: 'rules', text: body.bytes.toString('utf8') };
  }
  drop(response.body);
  const isNone = response.status >= 400 && response.status < 500 && response.status !== 429;
  if (isNone) return { kind: 'none' };
  return {
    kind: 'away',
    reason: `status ${response.status}`,
    retryAfterMs: retryAfterMs(response),
  };
}

export function outcomeOfStatus(response: Answer): Refusal | Refused {
  const { status } = response;
  if (status === 404 || status === 410) return { kind: 'not_found' };
  if (status === 429)
    return away('it asks for fewer requests', retryAfterMs(response) ?? RETRY_MS.rateLimited);
  if (status >= 500 || status === 408 || status === 425) {
    return away(`it answers with status ${status}`, retryAfterMs(response) ?? RETRY_MS.away);
  }
  return refused('status', `the page answers with status ${status}`);
}

export const isRestAsked = (response: Answer) =>
  response.status === 429 || response.headers['retry-after'] !== undefined;

/** Seconds or a date, which is real time whatever the service's clock says. */
function retryAfterMs({ headers }: Answer): number | undefined {
  const given = (headers['retry-after'] ?? '').trim();
  if (/^\d{1,8}$/.test(given)) return Number(given) * 1000;
  const atMs = /^[A-Z][a-z]{2}, /.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - realNowMs());
}

export const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

/** The rest of an answer is not wanted; its errors are nobody's. */
export function drop(body: Readable): void {
  body.on('error', () => {}).destroy();
}

export function away(reason: string, retryAfterMs: number): Away {
  return { kind: 'unavailable', reason, retryAfterMs };
}

export function refused(fault: Refused['fault'], reason: string): Refused {
  return { kind: 'refused', fault, reason };
}
