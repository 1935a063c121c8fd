// The dashboard's files, as its build left them: one page for every address of the client, and hashed assets.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AllowedOrigins, refuseForeignHost } from './session/allowed-origin.ts';
import { sendDocument, staticDocument } from './static-document.ts';

const BUILT = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url));

/** Every address that the client has a page for; a test holds it against the client's own table. */
export const PAGE_PATHS: readonly string[] = [
  '/',
  '/sign-in',
  '/sign-up',
  '/finish-sign-up',
  '/forgot-password',
  '/reset-password',
  '/products',
  '/products/:code',
  '/tracking',
  // The former address of /tracking, which the client redirects.
  '/oversight',
  '/webhooks',
  '/webhooks/:id',
  '/credits',
  '/api',
  '/settings',
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
const page = existsSync(`${BUILT}index.html`)
  ? staticDocument(readFileSync(`${BUILT}index.html`), {
      'content-type': 'text/html; charset=utf-8',
    })
  : null;

/** For a browser that was led to an address which is none: false where that is not so. */
export function sendNotFoundPage(
  deps: { allowedOrigins: AllowedOrigins },
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const isVisit = request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate';
  if (page === null || !isVisit) return false;
  refuseForeignHost(deps.allowedOrigins, request);
  harden(deps, reply.code(404)).headers(page.headers).send(page.bytes);
  return true;
}

export function openDashboardPages(
  app: FastifyInstance,
  deps: { allowedOrigins: AllowedOrigins },
): void {
  const schema = { hide: true };
  if (page === null) {
    // Without a build (a checkout that was never started) there is still the API and its page.
    app.get('/', { schema, exposeHeadRoute: true }, (_request, reply) => reply.redirect('/docs'));
    return;
  }
  for (const path of PAGE_PATHS) {
    app.get(path, { schema, exposeHeadRoute: true }, (request, reply) => {
      refuseForeignHost(deps.allowedOrigins, request);
      return sendDocument(request, harden(deps, reply), page);
    });
  }
  const assets = readdirSync(`${BUILT}assets`).filter((name) => !/\.(?:br|gz)$/.test(name));
  for (const name of assets) openFile(app, `assets/${name}`, 'public, max-age=31536000, immutable');
  // What lies beside the page: its icon, and the script that runs before all others.
  const beside = readdirSync(BUILT).filter((name) => /^[\w-]+\.(js|svg|png|ico|txt)$/.test(name));
  for (const name of beside) openFile(app, name, 'public, max-age=3600');
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Held in memory, two megabytes in all: a stream for each request would hold a file open as long as nobody reads. */
function openFile(app: FastifyInstance, name: string, caching: string): void {
  const read = (end: string) => {
    const path = `${BUILT}${name}${end}`;
    return existsSync(path) ? readFileSync(path) : undefined;
  };
  const [br, gzip] = [read('.br'), read('.gz')];
  const document = staticDocument(
    readFileSync(`${BUILT}${name}`),
    {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'cache-control': caching,
      'x-content-type-options': 'nosniff',
    },
    { ...(br === undefined ? {} : { br }), ...(gzip === undefined ? {} : { gzip }) },
  );
  app.get(`/${name}`, { schema: { hide: true }, exposeHeadRoute: true }, (request, reply) =>
    sendDocument(request, reply, document),
  );
}

function harden(deps: { allowedOrigins: AllowedOrigins }, reply: FastifyReply): FastifyReply {
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    // The token of a link stands in the address.
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
  const isSecure = deps.allowedOrigins.publicUrl.startsWith('https:');
  if (isSecure) reply.header('strict-transport-security', 'max-age=31536000');
  return reply;
}
