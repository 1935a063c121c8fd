// Serves the built dashboard: one HTML page for every client route, and hashed assets.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../foundation/problem.ts';
import { type AllowedOrigins, refuseForeignHost } from './session/allowed-origin.ts';
import { type StaticDocument, sendDocument, staticDocument } from './static-document.ts';

const BUILT = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url));

/** Every client route. A test compares this list with the client's route table. */
export const PAGE_PATHS: readonly string[] = [
  '/',
  '/sign-in',
  '/sign-up',
  '/finish-sign-up',
  '/forgot-password',
  '/reset-password',
  '/products',
  '/products/:code',
  '/events',
  '/finder',
  '/tracking',
  // The former path of /tracking; the client redirects it.
  '/oversight',
  '/webhooks',
  '/webhooks/:id',
  '/credits',
  '/api',
  '/settings',
];

/** Only files of this origin may run, load or connect, and no page may frame the dashboard. */
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

/** The dashboard's page, which also shows "not found"; null when there is no build. */
const page = existsSync(`${BUILT}index.html`)
  ? staticDocument(readFileSync(`${BUILT}index.html`), {
      'content-type': 'text/html; charset=utf-8',
    })
  : null;

/** Sends the 404 page to a browser that navigates; returns false for any other request. */
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
    // Without a build (a fresh checkout) only the API and its reference page are served.
    app.get('/', { schema, exposeHeadRoute: true }, (_request, reply) => reply.redirect('/docs'));
    return;
  }
  for (const path of PAGE_PATHS) {
    app.get(path, { schema, exposeHeadRoute: true }, (request, reply) => {
      refuseForeignHost(deps.allowedOrigins, request);
      return sendDocument(request, harden(deps, reply), page);
    });
  }
  files ??= readFiles();
  const { assets, beside } = files;
  app.get<{ Params: { name: string } }>(
    '/assets/:name',
    { schema, exposeHeadRoute: true },
    (request, reply) => {
      const asset = assets.get(request.params.name);
      if (asset !== undefined) return sendDocument(request, reply, asset);
      if (sendNotFoundPage(deps, request, reply)) return reply;
      throw new Problem('endpoint_not_found', 'No such endpoint. See /docs.');
    },
  );
  for (const [name, document] of beside) {
    app.get(`/${name}`, { schema, exposeHeadRoute: true }, (request, reply) =>
      sendDocument(request, reply, document),
    );
  }
}

type Files = Readonly<Record<'assets' | 'beside', ReadonlyMap<string, StaticDocument>>>;

/** Read once per process, whatever number of servers it builds. */
let files: Files | undefined;

function readFiles(): Files {
  const assets = readdirSync(`${BUILT}assets`).filter((name) => !/\.(?:br|gz)$/.test(name));
  // Files beside the page: its icon, and the script that runs first.
  const beside = readdirSync(BUILT).filter((name) => /^[\w-]+\.(js|svg|png|ico|txt)$/.test(name));
  const forever = 'public, max-age=31536000, immutable';
  return {
    assets: new Map(assets.map((name) => [name, readDocument(`assets/${name}`, forever)])),
    beside: new Map(beside.map((name) => [name, readDocument(name, 'public, max-age=3600')])),
  };
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

/** Kept in memory (2 MB in total): a stream per request would keep a file open for slow readers. */
function readDocument(name: string, caching: string): StaticDocument {
  const read = (end: string) => {
    const path = `${BUILT}${name}${end}`;
    return existsSync(path) ? readFileSync(path) : undefined;
  };
  const [br, gzip] = [read('.br'), read('.gz')];
  return staticDocument(
    readFileSync(`${BUILT}${name}`),
    {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'cache-control': caching,
      'x-content-type-options': 'nosniff',
    },
    { ...(br === undefined ? {} : { br }), ...(gzip === undefined ? {} : { gzip }) },
  );
}

function harden(deps: { allowedOrigins: AllowedOrigins }, reply: FastifyReply): FastifyReply {
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    // The URL of an emailed link contains its token.
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
  const isSecure = deps.allowedOrigins.publicUrl.startsWith('https:');
  if (isSecure) reply.header('strict-transport-security', 'max-age=31536000');
  return reply;
}
