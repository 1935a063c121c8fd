// Validates request values against the route's schema, and refuses text that cannot be stored.
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { readInstant } from '../foundation/instant.ts';
import { Problem } from '../foundation/problem.ts';
import { unstorablePath } from '../foundation/storable-text.ts';
import { PART_NAMES, type ValidationFault, validationProblem } from './validation-problem.ts';

const options = { allErrors: false, verbose: true, useDefaults: true, strict: false } as const;
/** Query and path values are text and may be converted to numbers; JSON bodies are not. */
const text = withOwnFormats(new Ajv.default({ ...options, coerceTypes: true }));
const json = withOwnFormats(new Ajv.default(options));

/**
 * Validators by schema text, compiled once per process. Each server creates new schema objects, so
 * the text is the key.
 */
const compiled = new Map<string, ValidateFunction>();

/** The same by schema object, for items: the text of a schema takes longer than validating one. */
const compiledBodies = new WeakMap<object, ValidateFunction>();

function itemValidatorOf(schema: object): ValidateFunction {
  const validator = compiledBodies.get(schema) ?? validatorOf(schema, 'body');
  compiledBodies.set(schema, validator);
  return validator;
}

function validatorOf(schema: object, part: string): ValidateFunction {
  const kind = part === 'body' ? 'json' : 'text';
  const key = `${kind} ${JSON.stringify(schema)}`;
  const validator = compiled.get(key) ?? (kind === 'json' ? json : text).compile(schema);
  compiled.set(key, validator);
  return validator;
}

/** Marks a list whose items are validated one by one (bulk-items.ts), not with the whole body. */
export const CHECKED_ALONE = 'x-checked-alone';

const hasItemsCheckedAlone = (schema: { properties?: Record<string, object> }) =>
  Object.values(schema.properties ?? {}).some((member) => CHECKED_ALONE in member);

/** Why an item of a body is invalid; null if it is valid. */
export function invalidItem(schema: object, value: unknown): Problem | null {
  const validate = itemValidatorOf(schema);
  if (!validate(value)) return validationProblem(validate.errors as ValidationFault[], 'item');
  const path = unstorablePath(value);
  return path === null ? null : unstorable('item', path);
}

export function validateStrictly(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(({ schema, httpPart = '' }) => {
    // Path values are ids or codes that are only looked up, and headers never reach the database.
    const isStored = httpPart === 'body' || httpPart === 'querystring';
    const isWhole = isStored && !hasItemsCheckedAlone(schema);
    // Compiled by the first request: to compile all of them took a quarter of a start's CPU time.
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= validatorOf(schema, httpPart);
      // The schema first: its message says what is allowed.
      if (!validate(value)) return { error: validate.errors as unknown as Error };
      const path = isWhole ? unstorablePath(value) : null;
      return path === null ? true : { error: unstorable(httpPart, path) };
    };
  });
}

/** Uses `readInstant` for date-times: the library's format accepts leap seconds. */
function withOwnFormats(ajv: Ajv.default): Ajv.default {
  return addFormats.default(ajv).addFormat('date-time', (text) => readInstant(text) !== null);
}

function unstorable(part: string, path: string): Problem {
  const where = path === '' ? 'The body' : `${PART_NAMES[part] ?? 'Value'} ${path}`;
  return new Problem(
    'text_malformed',
    `${where} must be text without NUL characters and without unpaired surrogates.`,
    path === '' ? {} : { field: path },
  );
}
