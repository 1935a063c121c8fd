// The dashboard's files, as its build left them: one page for every address of the client, and hashed assets.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type OwnOrigins, refuseForeignHost } from './session/own-origin.ts';

const BUILT = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url));

/** Every address that the client has a page for; a test holds it against the client's own table. */
export const PAGE_PATHS: readonly string[] = [
  ...['/', '/sign-in', '/sign-up', '/finish-sign-up', '/forgot-password', '/reset-password'],
  ...['/products', '/products/:code', '/oversight', '/webhooks', '/webhooks/:id'],
  ...['/credits', '/api', '/settings'],
];

/** Nothing but our own files runs, is loaded or is asked, and nobody may frame us. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page says itself that there is nothing; null where it was never built. */
const page = existsSync(`${BUILT}index.html`) ? readFileSync(`${BUILT}index.html`) : null;

/** For a browser that was led to an address which is none: false where that is not so. */
export function sendNotFoundPage(
  deps: { ownOrigins: OwnOrigins },
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const isVisit = request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate';
  if (page === null || !isVisit) return false;
  refuseForeignHost(deps.ownOrigins, request);
  sendPage(deps, reply.code(404));
  return true;
}

function sendPage(deps: { ownOrigins: OwnOrigins }, reply: FastifyReply): FastifyReply {
  return harden(reply, deps.ownOrigins.publicUrl.startsWith('https:'))
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(page);
}

export async function openDashboardPages(
  app: FastifyInstance,
  deps: { ownOrigins: OwnOrigins },
): Promise<void> {
  const schema = { hide: true };
  if (page === null) {
    // Without a build (a checkout that was never started) there is still the API and its page.
    app.get('/', { schema, exposeHeadRoute: true }, (_request, reply) => reply.redirect('/docs'));
    return;
  }
  for (const path of PAGE_PATHS) {
    app.get(path, { schema, exposeHeadRoute: true }, (request, reply) => {
      refuseForeignHost(deps.ownOrigins, request);
      return sendPage(deps, reply);
    });
  }
  await app.register(fastifyStatic, {
    root: `${BUILT}assets`,
    prefix: '/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    schemaHide: true,
    decorateReply: true,
    index: false,
    setHeaders: (reply) => reply.header('x-content-type-options', 'nosniff'),
  });
  // What lies beside the page: its icon, and the script that runs before all others.
  const beside = readdirSync(BUILT).filter((name) => /^[\w-]+\.(js|svg|png|ico|txt)$/.test(name));
  for (const file of beside) {
    app.get(`/${file}`, { schema, exposeHeadRoute: true }, (_request, reply) => {
      reply.header('x-content-type-options', 'nosniff');
      return reply.sendFile(file, BUILT, { maxAge: '1h', immutable: false });
    });
  }
}

function harden(reply: FastifyReply, isSecure: boolean): FastifyReply {
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    // The token of a link stands in the address.
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
  if (isSecure) reply.header('strict-transport-security', 'max-age=31536000');
  return reply;
}
