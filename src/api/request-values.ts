// How the values of a request are judged: by the schema of their route, and every text by what can be stored.
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { readInstant } from '../foundation/instant.ts';
import { Problem } from '../foundation/problem.ts';
import { unstorablePath } from '../foundation/storable-text.ts';

export const PART_NAMES: Readonly<Record<string, string>> = {
  querystring: 'Query parameter',
  params: 'Path parameter',
  headers: 'Header',
  body: 'Body member',
};

const options = { allErrors: false, verbose: true, useDefaults: true, strict: false } as const;
/** Query and path are text and may be read as numbers; bodies are JSON and must be what they say. */
const text = withOwnFormats(new Ajv.default({ ...options, coerceTypes: true }));
const json = withOwnFormats(new Ajv.default(options));

/**
 * Compiled once per schema and process: servers built later in the same process share them. By the
 * schema's text, since each server makes schema objects of its own.
 */
const compiled = new Map<string, ValidateFunction>();

function validatorOf(schema: object, part: string): ValidateFunction {
  const kind = part === 'body' ? 'json' : 'text';
  const key = `${kind} ${JSON.stringify(schema)}`;
  const validator = compiled.get(key) ?? (kind === 'json' ? json : text).compile(schema);
  compiled.set(key, validator);
  return validator;
}

export function validateStrictly(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(({ schema, httpPart = '' }) => {
    const validate = validatorOf(schema, httpPart);
    // What is in a path is an id or a code and found nowhere else; no header reaches the database as it came.
    if (httpPart !== 'body' && httpPart !== 'querystring') return validate;
    return (value) => {
      // The schema first: it says what is allowed.
      if (!validate(value)) return { error: validate.errors as unknown as Error };
      const path = unstorablePath(value);
      return path === null ? true : { error: unstorable(httpPart, path) };
    };
  });
}

/** One reader for every instant: the library's format has leap seconds, which no clock here shows. */
function withOwnFormats(ajv: Ajv.default): Ajv.default {
  return addFormats.default(ajv).addFormat('date-time', (given) => readInstant(given) !== null);
}

function unstorable(part: string, path: string): Problem {
  const where = path === '' ? 'The body' : `${PART_NAMES[part] ?? 'Value'} ${path}`;
  return new Problem(
    'text_malformed',
    `${where} must be text without NUL characters and without unpaired surrogates.`,
    path === '' ? {} : { field: path },
  );
}
