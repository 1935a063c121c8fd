// Reads true sales from CSV lines with the columns code, time and units.
import { isInstant, readInstant } from '../foundation/instant.ts';
import { SECOND_MS } from '../foundation/time.ts';
import type { Sale } from './trial-shelf.ts';

const REFUSED_LISTED_MAX = 100;

export type SalesTruth = {
  /** Sales by code, ascending by time. Every item has at least one. */
  items: Map<string, Sale[]>;
  rows: number;
  /** Rows with units of 0 or less, which are no sales. */
  skipped: number;
  /** All are counted, the first hundred are listed. */
  refused: { count: number; named: { line: number; reason: string }[] };
};

/**
 * The first line names the columns in any order; other columns are ignored. Times default to UTC.
 */
export async function readTruth(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<SalesTruth> {
  const truth: SalesTruth = {
    items: new Map(),
    rows: 0,
    skipped: 0,
    refused: { count: 0, named: [] },
  };
  let columns: Columns | null = null;
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() === '') continue;
    const fields = fieldsOf(text);
    if (columns === null) {
      columns = columnsOf(fields);
      if (columns === null) throw new RangeError('the first line must name code, time and units');
      continue;
    }
    truth.rows++;
    const sale = saleOf(fields, columns);
    if (typeof sale === 'string') {
      truth.refused.count++;
      if (truth.refused.named.length < REFUSED_LISTED_MAX)
        truth.refused.named.push({ line, reason: sale });
    } else if (sale.units <= 0) truth.skipped++;
    else {
      const sales = truth.items.get(sale.code);
      if (sales === undefined) truth.items.set(sale.code, [sale]);
      else sales.push(sale);
    }
  }
  if (columns === null)
    throw new RangeError('it is empty; the first line must name code, time and units');
  for (const sales of truth.items.values())
    sales.sort((one, other) => one.atSeconds - other.atSeconds);
  return truth;
}

type Columns = { code: number; time: number; units: number };

function columnsOf(fields: readonly string[]): Columns | null {
  const names = fields.map((field) => field.trim().toLowerCase());
  const columns = {
    code: names.indexOf('code'),
    time: names.indexOf('time'),
    units: names.indexOf('units'),
  };
  return Math.min(columns.code, columns.time, columns.units) < 0 ? null : columns;
}

/** The sale of a row, or the reason why the row is refused. */
function saleOf(fields: readonly string[], columns: Columns): (Sale & { code: string }) | string {
  const code = fields[columns.code]?.trim() ?? '';
  const time = fields[columns.time]?.trim() ?? '';
  const units = fields[columns.units]?.trim() ?? '';
  if (code === '') return 'the code is missing';
  const atMs = readInstant(withOffset(time));
  if (!isInstant(atMs)) return `${time} is not a time`;
  if (!/^-?\d{1,9}$/.test(units)) return `${units} is not a number of units`;
  return { code, atSeconds: Math.floor(atMs / SECOND_MS), units: Number(units) };
}

/** Completes a time: midnight without a time of day, UTC without an offset. */
function withOffset(time: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(time)) return `${time}T00:00:00Z`;
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`;
}

/** Quoted fields may contain commas, and quotes written twice. */
function fieldsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), (match) =>
    match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'),
  );
}
