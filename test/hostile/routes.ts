// Every route of the service with its schemas: those of the API description, and unlisted ones.

export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
};

type Parameter = { in: 'query' | 'path' | 'header'; name: string; schema: Schema };

export type Route = {
  method: string;
  /** With parameter names in braces. */
  path: string;
  parameters: readonly Parameter[];
  body: Schema | null;
  /** The intended caller; requests also come from others. */
  caller: 'key' | 'session' | 'token' | 'nobody';
  /** Hashes a password, which takes a tenth of a second. */
  isSlow: boolean;
};

type Described = {
  paths?: Record<
    string,
    Record<
      string,
      {
        parameters?: Parameter[];
        requestBody?: { content?: Record<string, { schema?: Schema }> };
      }
    >
  >;
};

/** Not in the description. The live stream has no session here, because it would never end. */
const OTHERS: readonly (readonly [string, string, Route['caller']])[] = [
  ...[
    '/docs',
    '/docs/',
    '/docs/errors',
    '/docs/js/scalar.js',
    '/openapi.json',
    '/healthz',
    '/charts/{file}',
    '/readyz',
  ].map((path) => ['GET', path, 'nobody'] as const),
  ...['/', '/sign-in', '/products/1', '/webhooks/x', '/assets/{file}', '/icon.svg', '/{any}'].map(
    (path) => ['GET', path, 'nobody'] as const,
  ),
  ['GET', '/session/live', 'nobody'],
  ['GET', '/metrics', 'token'],
  ['POST', '/ingest/snapshots', 'token'],
];

export function routesOf(description: unknown): Route[] {
  const described = Object.entries(
    (withoutReferences(description) as Described).paths ?? {},
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Route => ({
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? null,
        caller: path.startsWith('/session') ? 'session' : 'key',
        isSlow: /sign-in$|password$|finish-sign-up$/.test(path),
      }),
    ),
  );
  const others = OTHERS.map(
    ([method, path, caller]): Route => ({
      method,
      path,
      caller,
      isSlow: false,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
        in: 'path' as const,
        name,
        schema: { type: 'string' },
      })),
      body: method === 'POST' ? {} : null,
    }),
  );
  return [...described, ...others].flatMap((route) => Array(weightOf(route)).fill(route));
}

/** The description with every reference replaced by the shared component. */
function withoutReferences(description: unknown): unknown {
  const componentAt = (reference: string): unknown =>
    reference
      .slice(2)
      .split('/')
      .reduce((value, key) => (value as Record<string, unknown>)[key], description);
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: string };
    if ($ref !== undefined) return resolved(componentAt($ref));
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
  };
  return resolved(description);
}

/** Weights: more for routes that read more. Opening sessions is slow and not the subject here. */
function weightOf({ parameters, body, caller, isSlow }: Route): number {
  if (isSlow || (parameters.length === 0 && body === null)) return 1;
  return caller === 'session' ? 2 : 10;
}
