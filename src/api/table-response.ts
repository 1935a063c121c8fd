// Lists and histories in four formats: JSON objects, JSON arrays per column, CSV, and NDJSON. An
// endpoint returns a table; the format is chosen here, by `format` or by the Accept header.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { createPause } from '../background/slices.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import type { Parts } from './heavy-requests.ts';

export const FORMATS = ['json', 'columns', 'csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

export const FormatQuery = {
  format: Type.Optional(
    Type.Unsafe<Format>({
      type: 'string',
      enum: [...FORMATS],
      description:
        'json, columns, csv or ndjson; without it, the Accept header decides between JSON, text/csv and application/x-ndjson',
    }),
  ),
};

export type TableRecord = Readonly<Record<string, unknown>>;

export type Table = {
  /** The members of a record, in the order of the columns. */
  columns: readonly string[];
  pages: AsyncIterable<readonly TableRecord[]>;
  /**
   * The object around the list, in JSON and in columns. A list without it is the whole body.
   * `after` is read when all pages are.
   */
  frame?: {
    member: string;
    before: Readonly<Record<string, unknown>>;
    after?(): Readonly<Record<string, unknown>>;
  };
};

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  columns: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** The query parameter, or the first type of the Accept header that a table has. */
export function formatOf(request: Pick<FastifyRequest, 'headers' | 'query'>): Format {
  const { format } = request.query as { format?: Format };
  if (format !== undefined) return format;
  const { accept } = request.headers;
  if (accept === undefined) return 'json';
  for (const one of accept.toLowerCase().split(',', ACCEPTED_MAX)) {
    const type = one.split(';', 1)[0]?.trim();
    if (type === 'text/csv') return 'csv';
    if (type === 'application/x-ndjson' || type === 'application/ndjson') return 'ndjson';
    if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
  }
  return 'json';
}

const ACCEPTED_MAX = 20;

export function tableParts(table: Table, format: Format): Parts {
  if (format === 'csv') return csvParts(table);
  if (format === 'ndjson') return ndjsonParts(table);
  return format === 'columns' ? columnParts(table) : objectParts(table);
}

/**
 * Reads values until one of them is worth its price, or to the end: what a response costs must be
 * known before its first byte. `values` are all of them, from the beginning.
 */
export async function startValues<T>(
  source: AsyncGenerator<T, void, undefined>,
  isWorthPrice: (value: T) => boolean,
): Promise<{ first: readonly T[]; values: AsyncGenerator<T, void, undefined> }> {
  const first: T[] = [];
  while (!first.some(isWorthPrice)) {
    const next = await source.next();
    if (next.done) break;
    first.push(next.value);
  }
  async function* values(): AsyncGenerator<T, void, undefined> {
    yield* first;
    yield* source;
  }
  return { first, values: values() };
}

/** Turns values into pages of records. */
export async function* inPages<T>(
  values: AsyncIterable<T>,
  perPage: number,
  record: (value: T) => TableRecord,
): AsyncGenerator<TableRecord[], void, undefined> {
  let page: TableRecord[] = [];
  for await (const value of values) {
    page.push(record(value));
    if (page.length < perPage) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The members of an object as JSON, without its braces. */
const membersOf = (value: object | undefined): string =>
  value === undefined ? '' : JSON.stringify(value).slice(1, -1);

const joined = (...texts: string[]) => texts.filter((text) => text !== '').join(',');

/** The text before and after the list. */
function opening({ frame }: Table): string {
  if (frame === undefined) return '';
  return `{${joined(membersOf(frame.before), `${JSON.stringify(frame.member)}:`)}`;
}

function closing({ frame }: Table): string {
  if (frame === undefined) return '';
  const after = membersOf(frame.after?.());
  return after === '' ? '}' : `,${after}}`;
}

async function* objectParts(table: Table): Parts {
  const pause = createPause();
  let before = `${opening(table)}[`;
  for await (const page of table.pages) {
    const members: string[] = [];
    for (const record of page) {
      members.push(JSON.stringify(record));
      await pause();
    }
    if (members.length === 0) continue;
    yield before + members.join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}]${closing(table)}`;
}

async function* ndjsonParts({ pages }: Table): Parts {
  const pause = createPause();
  for await (const page of pages) {
    const lines: string[] = [];
    for (const record of page) {
      lines.push(`${JSON.stringify(record)}\n`);
      await pause();
    }
    if (lines.length > 0) yield lines.join('');
  }
}

async function* csvParts({ columns, pages }: Table): Parts {
  const pause = createPause();
  yield `${columns.join(',')}\r\n`;
  for await (const page of pages) {
    const lines: string[] = [];
    for (const record of page) {
      lines.push(`${columns.map((column) => csvCell(record[column])).join(',')}\r\n`);
      await pause();
    }
    if (lines.length > 0) yield lines.join('');
  }
}

/**
 * A cell of RFC 4180. Unknown values are empty cells, lists and objects are JSON. Text that a
 * spreadsheet would run as a formula gets an apostrophe in front; numbers do not need one.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * Columns can be written only when every record is known, so they are bounded. All of it is done
 * before the charge: too many records are a free error.
 */
async function* columnParts(table: Table): Parts {
  const pause = createPause();
  const { columns } = table;
  const texts = columns.map((): string[] => []);
  let chars = 0;
  for await (const page of table.pages) {
    for (const record of page) {
      for (const [index, column] of columns.entries()) {
        const text = JSON.stringify(record[column] ?? null);
        chars += text.length + 1;
        texts[index]?.push(text);
      }
      if (chars > bounds.columnCharsMax) throw tooManyColumns();
      await pause();
    }
  }
  yield `${opening(table)}{`;
  for (const [index, column] of columns.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(column)}:[${texts[index]?.join(',')}]`;
  }
  yield `}${closing(table)}`;
}

const tooManyColumns = () =>
  new Problem(
    'response_too_large',
    `With \`format=columns\` a response has at most ${bounds.columnCharsMax / 1_000_000} MB. Choose a shorter range, or csv or ndjson, which have no limit. Nothing was charged.`,
    { field: 'format' },
  );
