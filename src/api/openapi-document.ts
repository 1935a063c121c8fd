// Completes the OpenAPI 3.1 description collected from the routes: names every object schema, and
// adds webhooks, tags and examples.
import { isDeepStrictEqual } from 'node:util';
import { type DetectedKind, EVENT_KINDS } from '../events/kind.ts';
import { assert } from '../foundation/problem.ts';
import { DIGEST_KIND } from '../webhooks/digest-payload.ts';
import { ERROR_RESPONSE_NAMES } from './describe-endpoint.ts';
import { camelCase, DigestPayload, payloadOf } from './event-payload.ts';
import { eventExampleOf, exampleOf } from './examples.ts';

type Json = Record<string, unknown>;
type Operation = Json & {
  operationId: string;
  parameters?: Json[];
  requestBody?: { content: Record<string, Json> };
  responses: Record<string, Json>;
};
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

const TAGS = [
  { name: 'Account', description: 'The credits and the ledger of an account.' },
  { name: 'Products', description: 'Product data, paid per request.' },
  { name: 'Tracked products', description: 'Products collected at an interval, paid per day.' },
  { name: 'Webhooks', description: 'Events, endpoints and deliveries.' },
];
const SESSION_TAG = { name: 'Session', description: 'Endpoints of the dashboard.' };

export const apiInfo = {
  title: 'Oversight',
  version: '1.0.0',
  summary: 'Product data of one online retail marketplace, paid for with credits.',
  description:
    'Data about the products of one online retail marketplace, paid for with credits. Errors and rate-limited requests cost nothing. Send `x-max-credits` to cap the cost of a request, or `dry_run=true` to get its cost without running it. Error codes are listed at [/docs/errors](/docs/errors).',
  contact: { name: 'The operator of this service' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Parameters and headers shared by several operations, by wire name. */
const SHARED_PARAMETERS: Readonly<Record<string, string>> = {
  limit: 'Limit',
  after: 'After',
  dry_run: 'DryRun',
  'x-max-credits': 'MaxCredits',
};
const SHARED_HEADERS: Readonly<Record<string, string>> = {
  'x-credits-charged': 'CreditsCharged',
  'x-credits-remaining': 'CreditsRemaining',
};

/** Returns a completed copy of the document collected from the routes. */
export function completeDocument(collected: object, withSession: boolean): OpenApiDocument {
  const document = structuredClone(collected) as OpenApiDocument;
  const share = createComponents(document);
  document.servers = [{ url: '/', description: 'This service.' }];
  document.tags = withSession ? [...TAGS, SESSION_TAG] : TAGS;
  document.webhooks = Object.fromEntries(
    [...EVENT_KINDS, DIGEST_KIND].map((kind) => [kind, { post: webhookOperation(kind) }]),
  );
  for (const methods of [...Object.values(document.paths), ...Object.values(document.webhooks)]) {
    for (const operation of Object.values(methods)) completeOperation(operation, share);
  }
  return document;
}

type Share = ReturnType<typeof createComponents>;

function completeOperation(operation: Operation, share: Share): void {
  const { parameters, requestBody, responses } = operation;
  for (const [index, parameter] of (parameters ?? []).entries()) {
    const name = SHARED_PARAMETERS[parameter.name as string];
    parameter.schema = share.schema(parameter.schema);
    if (parameters !== undefined && name !== undefined) {
      parameters[index] = share.unlessDifferent('parameters', name, parameter);
    }
  }
  for (const media of Object.values(requestBody?.content ?? {})) {
    media.schema = share.schema(media.schema);
    const example = exampleOf(operation.operationId)?.request;
    if (example !== undefined) media.example = example;
  }
  for (const [status, response] of Object.entries(responses)) {
    for (const media of Object.values((response.content ?? {}) as Record<string, Json>)) {
      media.schema = share.schema(media.schema);
    }
    const headers = (response.headers ?? {}) as Json;
    for (const [name, header] of Object.entries(headers)) {
      headers[name] = share.unlessDifferent('headers', SHARED_HEADERS[name] ?? '', header);
    }
    const name = ERROR_RESPONSE_NAMES[Number(status)];
    if (name !== undefined) responses[status] = share.unlessDifferent('responses', name, response);
  }
}

function createComponents(document: OpenApiDocument) {
  const section = (name: string): Record<string, unknown> => {
    document.components[name] ??= {};
    return document.components[name];
  };
  /** A reference to a shared component, or the value itself if the name means something else. */
  const unlessDifferent = (kind: string, name: string, value: unknown): Json => {
    if (name === '') return value as Json;
    const shared = section(kind);
    shared[name] ??= value;
    if (!isDeepStrictEqual(shared[name], value)) return value as Json;
    return { $ref: `#/components/${kind}/${name}` };
  };
  /** The schema with every titled object in it replaced by a reference. */
  const schema = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(schema);
    if (typeof value !== 'object' || value === null) return value;
    const { 'x-described-as': described, title, ...rest } = value as Json;
    if (described !== undefined) return schema(described);
    const members = Object.fromEntries(
      Object.entries(rest)
        .filter(([key, member]) => !(key === 'pattern' && needsUnicode(String(member))))
        .map(([key, member]) => [key, schema(member)]),
    );
    if (typeof title !== 'string') return members;
    const reference = unlessDifferent('schemas', title, members);
    assert('$ref' in reference, `two schemas have the title ${title}`);
    return reference;
  };
  return { schema, unlessDifferent };
}

/** Many languages cannot compile such a pattern, so it is left to the description. */
const needsUnicode = (pattern: string) => pattern.includes('\\p{');

function webhookOperation(kind: DetectedKind | typeof DIGEST_KIND): Operation {
  const example = eventExampleOf(kind);
  const to =
    kind === DIGEST_KIND
      ? 'Sent only to webhooks with a `digest`, once per hour or day that has events'
      : 'Sent to every webhook that subscribes to this type';
  return {
    operationId: `on.${camelCase(kind)}`,
    summary: `\`${kind}\` event`,
    description: `${to}, signed according to Standard Webhooks. Use \`webhook-id\` to discard duplicates.`,
    tags: ['Webhooks'],
    security: [],
    parameters: [],
    requestBody: {
      content: {
        'application/json': {
          schema: kind === DIGEST_KIND ? DigestPayload : payloadOf(kind),
          ...(example === undefined ? {} : { example }),
        },
      },
    },
    responses: {
      200: { description: 'Received. 201 also counts as received; other statuses are retried.' },
      '4XX': { description: 'Refused; retried later. 410 pauses the webhook.' },
    },
  };
}
