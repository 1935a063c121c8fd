// The description of the API as OpenAPI 3.1, and the page that shows it to people.
import { hash } from 'node:crypto';
import fastifySwagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

export async function describeApi(
  app: FastifyInstance,
  { withSession }: { withSession: boolean },
): Promise<void> {
  await app.register(fastifySwagger, {
    // What only the dashboard's own pages can use would be noise to who has a key.
    transform: ({ schema, url }) =>
      withSession || !url.startsWith('/session')
        ? { schema, url }
        : { schema: { ...schema, hide: true }, url },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Oversight',
        version: '1.0.0',
        description:
          'Data about the products of one online retail marketplace, paid for with credits. Errors and rate-limited requests cost nothing. Send x-max-credits to cap what a request may cost, or dry_run=true to be told.',
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          ...(withSession
            ? { session: { type: 'apiKey', in: 'cookie', name: 'oversight.session_token' } }
            : {}),
        },
      },
    },
  });
}

export async function openApiPage(app: FastifyInstance): Promise<void> {
  const options = { schema: { hide: true }, exposeHeadRoute: true };
  app.get('/openapi.json', options, async () => app.swagger());
  await app.register(async (page) => {
    page.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-content-type-options', 'nosniff');
      if (String(reply.getHeader('content-type')).startsWith('text/html')) {
        reply.header('content-security-policy', policyFor(String(payload)));
      }
      return payload;
    });
    await page.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        title: 'Oversight API',
        authentication: { preferredSecurityScheme: 'apiKey' },
        // Nothing is fetched from elsewhere, and nothing is sent there.
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
      },
    });
  });
}

/** The page shares its origin with the dashboard: only its own two scripts run, the inline one by its hash. */
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
