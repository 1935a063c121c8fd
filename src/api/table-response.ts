// Lists and histories in four formats: JSON objects, JSON arrays per column, CSV, and NDJSON. An
// endpoint returns a table; the format is chosen here, by `format` or by the Accept header.
import type { FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import { createPause } from '../background/slices.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import { acceptedValues } from './accepted-value.ts';
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

/** The list in an endpoint's JSON, whose records the other formats write. */
export type ListShape = {
  record: TObject;
  /** The member that holds the list; without it, the list is the whole body. */
  member?: string;
};

export const columnsOf = ({ record }: ListShape): string[] => Object.keys(record.properties);

/** The table of a response that an endpoint has already written as JSON. */
export function tableOf(list: ListShape, json: unknown): Table {
  const value = Buffer.isBuffer(json) ? JSON.parse(json.toString()) : json;
  const columns = columnsOf(list);
  const { member } = list;
  if (member === undefined) return { columns, pages: onePage(value as TableRecord[]) };
  const { [member]: records, ...before } = value as Record<string, unknown>;
  return { columns, pages: onePage(records as TableRecord[]), frame: { member, before } };
}

async function* onePage(records: readonly TableRecord[]): AsyncGenerator<readonly TableRecord[]> {
  yield records;
}

/** The query parameter, or what the Accept header prefers among the formats. */
export function formatOf(request: Pick<FastifyRequest, 'headers' | 'query'>): Format {
  const { format } = request.query as { format?: Format };
  if (format !== undefined) return format;
  let best: { format: Format; quality: number } = { format: 'json', quality: 0 };
  for (const { name, quality } of acceptedValues(request.headers.accept)) {
    const accepted = FORMAT_OF_TYPE[name];
    if (accepted !== undefined && quality > best.quality) best = { format: accepted, quality };
  }
  return best.format;
}

const FORMAT_OF_TYPE: Readonly<Record<string, Format>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'text/csv': 'csv',
  'text/*': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
};

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

/** Turns pages of values into pages of records. */
export async function* recordPages<T>(
  pages: AsyncIterable<readonly T[]>,
  record: (value: T) => TableRecord,
): AsyncGenerator<TableRecord[], void, undefined> {
  for await (const page of pages) yield page.map(record);
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

const ndjsonLine = (record: TableRecord) => `${JSON.stringify(record)}\n`;

const csvLine = (columns: readonly string[], record: TableRecord) =>
  `${columns.map((column) => csvCell(record[column])).join(',')}\r\n`;

const csvHead = (columns: readonly string[]) => `${columns.join(',')}\r\n`;

/** The examples of the line formats, from the example in JSON. */
export function lineExamples(list: ListShape, json: unknown): { csv: string; ndjson: string } {
  const { member } = list;
  const records = member === undefined ? json : (json as Record<string, unknown>)?.[member];
  const shown = (records ?? []) as readonly TableRecord[];
  const columns = columnsOf(list);
  return {
    csv: csvHead(columns) + shown.map((record) => csvLine(columns, record)).join(''),
    ndjson: shown.map(ndjsonLine).join(''),
  };
}

async function* ndjsonParts({ pages }: Table): Parts {
  const pause = createPause();
  for await (const page of pages) {
    const lines: string[] = [];
    for (const record of page) {
      lines.push(ndjsonLine(record));
      await pause();
    }
    if (lines.length > 0) yield lines.join('');
  }
}

async function* csvParts({ columns, pages }: Table): Parts {
  const pause = createPause();
  yield csvHead(columns);
  for await (const page of pages) {
    const lines: string[] = [];
    for (const record of page) {
      lines.push(csvLine(columns, record));
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
