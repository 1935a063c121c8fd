// The description of the API serves generated clients: every object type has a name, every
// operation a readable id, and the examples match the schemas.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { describedApi } from '../scripts/generated.ts';
import { EVENT_KINDS } from '../src/events/kind.ts';
import { DIGEST_KIND } from '../src/webhooks/digest-payload.ts';

type Json = Record<string, unknown>;
type Media = { schema: Json; example?: unknown };
type Operation = {
  operationId: string;
  description: string;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

const documents = {
  public: (await describedApi({ describeSession: false })) as Document,
  session: (await describedApi({ describeSession: true })) as Document,
};

const operationsOf = ({ paths, webhooks }: Document) =>
  [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
    Object.values(methods),
  );

/** Returns the paths of object types without a name. */
function anonymousObjects(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, member]) =>
    key === 'example' ? [] : anonymousObjects(member, `${path}/${key}`),
  );
  const isObjectType = 'properties' in value && (value as Json).type === 'object';
  return isObjectType && !/^#\/components\/schemas\/\w+$/.test(path) ? [path, ...inner] : inner;
}

describe.each(Object.entries(documents))('the %s description', (_, document) => {
  test('gives every object type a name', () => {
    expect(anonymousObjects(document, '#')).toEqual([]);
  });

  test('gives every operation a unique id that is readable in a client', () => {
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/);
  });
});

test('the public description has no session endpoints', () => {
  expect(JSON.stringify(documents.public)).not.toContain('/session');
  expect(JSON.stringify(documents.session)).toContain('/session');
});

test('the webhooks are the fifteen event types and the digest', () => {
  expect(Object.keys(documents.public.webhooks)).toEqual([...EVENT_KINDS, DIGEST_KIND]);
});

describe('examples', () => {
  const ajv = addFormats.default(new Ajv2020.default({ strict: false, allErrors: true }));
  ajv.addSchema(documents.public, 'api');

  const medias = (operation: Operation) => [
    ...Object.values(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap(({ content }) => Object.values(content ?? {})),
  ];

  test.each(operationsOf(documents.public).map((one) => [one.operationId, one] as const))(
    '%s has examples, and they are valid',
    (_, operation) => {
      for (const { schema, example } of medias(operation)) {
        expect(example).toBeDefined();
        const validate = ajv.compile(absolute(schema) as Json);
        expect([validate(example), validate.errors]).toEqual([true, null]);
      }
    },
  );

  /** References lead into the document, wherever the schema is compiled. */
  const absolute = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"api#/components'));
});
