// Serves the OpenAPI 3.1 description and the API reference page.
import { hash } from 'node:crypto';
import fastifySwagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import { type FastifyInstance, fastify } from 'fastify';
import { assert } from '../foundation/problem.ts';
import { ERRORS_PATH, errorsPage } from './errors-page.ts';
import { apiInfo, completeDocument } from './openapi-document.ts';
import { type AllowedOrigins, refuseForeignHost } from './session/allowed-origin.ts';
import {
  type StaticDocument,
  sendDocument,
  staticDocument,
  zippedDocument,
} from './static-document.ts';

export async function describeApi(
  app: FastifyInstance,
  { withSession }: { withSession: boolean },
): Promise<void> {
  await app.register(fastifySwagger, {
    // Session endpoints work only for the dashboard, so the public description omits them.
    transform: ({ schema, url }) =>
      withSession || !url.startsWith('/session')
        ? { schema, url }
        : { schema: { ...schema, hide: true }, url },
    openapi: {
      openapi: '3.1.0',
      info: apiInfo,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          ...(withSession
            ? { session: { type: 'apiKey', in: 'cookie', name: 'oversight.session_token' } }
            : {}),
        },
      },
    },
    transformObject: (collected) =>
      'openapiObject' in collected
        ? (completeDocument(collected.openapiObject, withSession) as typeof collected.openapiObject)
        : collected.swaggerObject,
  });
}

export function openApiPage(app: FastifyInstance, deps: { allowedOrigins: AllowedOrigins }): void {
  const options = { schema: { hide: true }, exposeHeadRoute: true };
  const open = (path: string, find: () => Promise<StaticDocument>) =>
    app.get(path, options, async (request, reply) => {
      refuseForeignHost(deps.allowedOrigins, request);
      return sendDocument(request, reply, await find());
    });
  const description = once(() =>
    zippedDocument(Buffer.from(JSON.stringify(app.swagger())), { ...HEADERS, ...JSON_TYPE }),
  );
  const page = once(() => renderPage(deps.allowedOrigins.publicUrl));
  open('/openapi.json', description);
  const errors = once(async () => {
    const { html, policy } = errorsPage();
    return zippedDocument(Buffer.from(html), {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    });
  });
  open(ERRORS_PATH, errors);
  open('/docs/', async () => (await page()).html);
  open('/docs/js/scalar.js', async () => (await page()).script);
  app.get('/docs', options, (request, reply) => {
    refuseForeignHost(deps.allowedOrigins, request);
    return reply.headers(HEADERS).redirect('/docs/', 301);
  });
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** Computes a value on first use and caches it; a failure is retried on the next use. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** The library's page, rendered once by a private server, so that it depends on no request. */
async function renderPage(
  publicUrl: string,
): Promise<{ html: StaticDocument; script: StaticDocument }> {
  const inner = fastify();
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      // Examples name the host that the reader uses.
      baseServerURL: publicUrl,
      title: 'Oversight API',
      authentication: { preferredSecurityScheme: 'apiKey' },
      // The page loads nothing from other origins and sends nothing to them.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  });
  const take = async (path: string) => {
    const reply = await inner.inject(path);
    assert(reply.statusCode === 200, `${path} is part of the page`);
    return { bytes: reply.rawPayload, type: String(reply.headers['content-type']) };
  };
  const [taken, script] = [await take('/docs/'), await take('/docs/js/scalar.js')];
  await inner.close();
  const html = withWayBack(taken.bytes.toString());
  return {
    html: staticDocument(Buffer.from(html), {
      ...HEADERS,
      'content-type': taken.type,
      'content-security-policy': policyFor(html),
    }),
    script: await zippedDocument(script.bytes, { ...HEADERS, 'content-type': script.type }),
  };
}

/** The library's page has neither an icon nor a link to where its reader came from. */
function withWayBack(html: string): string {
  const icon = '<link rel="icon" href="/icon.svg" type="image/svg+xml">';
  const bar =
    '<nav aria-label="Oversight" style="font:14px system-ui,sans-serif;padding:8px 16px;border-bottom:1px solid #8884"><a href="/" style="color:inherit">← Dashboard</a></nav>';
  const page = html.replace('</head>', `${icon}</head>`).replace(/<body[^>]*>/, `$&${bar}`);
  assert(page.includes(icon) && page.includes(bar), 'the page has a head and a body');
  return page;
}

/** The page shares the dashboard's origin: only its two scripts may run, the inline one by hash. */
function policyFor(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    (match) => `'sha256-${hash('sha256', match[1] as string, 'base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
