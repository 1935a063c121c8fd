// Wire formats shared by all endpoints: the error record, times, cursors and the next-page link.
import { type TSchema, Type } from 'typebox';
import { isoTime } from '../foundation/clock.ts';
import {
  clampInstant,
  INSTANT_MAX_MS,
  INSTANT_MIN_MS,
  isInstant,
  readInstant,
} from '../foundation/instant.ts';
import { dollars } from '../foundation/money.ts';
import { Problem } from '../foundation/problem.ts';
import { SECOND_MS } from '../foundation/time.ts';

export const ErrorRecord = Type.Object(
  {
    error: Type.Integer({ description: 'The HTTP status.' }),
    message: Type.String({ description: 'What is wrong and what to do, as a sentence.' }),
    code: Type.String({ description: 'A stable code for programs; see /docs/errors.' }),
    field: Type.Optional(
      Type.String({ description: 'The parameter or body member that is wrong, if there is one.' }),
    ),
    doc_url: Type.String({
      description: 'The description of the code, such as /docs/errors#rate_limited.',
    }),
    request_id: Type.String({ description: 'Include it when you report a problem.' }),
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

/** Validates with one schema but shows another in the API description. */
export const describedAs = (schema: TSchema) => ({ 'x-described-as': schema });

export { isInstant, isoTime };

export const isoSeconds = (atSeconds: number) => isoTime(atSeconds * SECOND_MS);

export const priceOf = (cents: number | null | undefined) =>
  cents == null ? null : dollars(cents);

/** A part of a whole, to six digits: a second of eleven days. */
export const shareOf = (part: number, whole: number) =>
  whole <= 0 ? 0 : Math.round((part / whole) * 1e6) / 1e6;

/** Text without NUL, which PostgreSQL cannot store, and unpaired surrogates (invalid UTF-8). */
export const TEXT_PATTERN = '^[^\\0\\p{Cs}]*$';

/** A time in a query or a body; the schema has already checked the format. */
export function instantOf(text: string, where: string): number {
  const ms = readInstant(text);
  if (isInstant(ms)) return ms;
  throw new Problem(
    'time_out_of_range',
    `${where} must be a time from ${isoTime(INSTANT_MIN_MS)} to ${isoTime(INSTANT_MAX_MS)}; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: where.split(' ').at(-1) },
  );
}

/** Like `instantOf`, but clamps a time beyond the supported range: it only bounds a search. */
export function boundOf(text: string, where: string): number {
  const ms = readInstant(text);
  return ms === null ? instantOf(text, where) : clampInstant(ms);
}
