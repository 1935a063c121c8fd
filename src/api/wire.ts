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
