// What all doors share on the wire: the error record, times, cursors and the link to the next page.
import { type TSchema, Type } from 'typebox';
import { isoTime } from '../foundation/clock.ts';
import {
  clampInstant,
  INSTANT_MAX_MS,
  INSTANT_MIN_MS,
  isInstant,
  readInstant,
} from '../foundation/instant.ts';
import { Problem } from '../foundation/problem.ts';

export const ErrorRecord = Type.Object(
  {
    error: Type.Integer({ description: 'The HTTP status.' }),
    message: Type.String({ description: 'What was wrong, in a sentence.' }),
    code: Type.String({ description: 'A stable code for programs; see /docs/errors.' }),
    field: Type.Optional(
      Type.String({ description: 'The parameter or body member to blame, if there is one.' }),
    ),
    doc_url: Type.String({
      description: 'The description of the code, such as /docs/errors#rate_limited.',
    }),
    request_id: Type.String({ description: 'Name this when you ask about the request.' }),
  },
  {
    title: 'Error',
    additionalProperties: true,
    description: 'Every error has this shape. Errors cost nothing.',
  },
);

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const DateTime = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} (UTC).` });

export const PricePoint = Type.Object(
  { date: DateTime('When the price was observed'), price: Type.Number({ description: 'USD' }) },
  { title: 'PricePoint' },
);

/** Validated as it is, but shown in the description of the API as another schema. */
export const describedAs = (schema: TSchema) => ({ 'x-described-as': schema });

export { isInstant, isoTime };

/** Any text but NUL, which the database cannot hold, and halves of surrogate pairs, which UTF-8 cannot. */
export const TEXT_PATTERN = '^[^\\0\\p{Cs}]*$';

export const PAGE_LIMIT_DEFAULT = 100;
export const PAGE_LIMIT_MAX = 1000;

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
      description: `a whole number from 1 to ${PAGE_LIMIT_MAX}`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 200, description: 'the cursor of the Link header with rel="next"' }),
  ),
};

/** A place in a list, as text that a customer passes back unread. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts of a cursor that we made; anything else is a bad request. */
export function decodeCursor(text: string, isValid: (parts: unknown[]) => boolean): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parts) && isValid(parts)) return parts;
  } catch {
    // not one of ours: said below
  }
  throw new Problem(
    'cursor_malformed',
    'Query parameter after must be a cursor taken from the Link header of the previous page.',
    { field: 'after' },
  );
}

/** A time in a query or a body. The schema's format has made sure that it is one. */
export function instantOf(text: string, where: string): number {
  const ms = readInstant(text);
  if (isInstant(ms)) return ms;
  throw new Problem(
    'time_out_of_range',
    `${where} must be a time from ${isoTime(INSTANT_MIN_MS)} to ${isoTime(INSTANT_MAX_MS)}; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: where.split(' ').at(-1) },
  );
}

/** The same where it only bounds a search: whatever lies beyond all that is kept is its end. */
export function boundOf(text: string, where: string): number {
  const ms = readInstant(text);
  return ms === null ? instantOf(text, where) : clampInstant(ms);
}

/** The header that leads to the next page. */
export function nextLink(path: string, query: Record<string, string | number>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return `<${path}?${search}>; rel="next"`;
}
