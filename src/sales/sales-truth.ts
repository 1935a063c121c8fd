// Reads true sales from CSV lines with the columns code, time and units, or as the public data set
// UCI Online Retail has them: with invoices, prices and cancellations.
import { isInstant, readInstant } from '../foundation/instant.ts';
import { SECOND_MS } from '../foundation/time.ts';
import type { Sale } from './trial-shelf.ts';

const REFUSED_LISTED_MAX = 100;

export type SalesTruth = {
  /** Sales by code, ascending by time. Every item has at least one. */
  items: Map<string, Sale[]>;
  rows: number;
  /** Rows that are no sales: units or a price of 0 or less, and cancelled invoices. */
  skipped: number;
  /** All are counted, the first hundred are listed. */
  refused: { count: number; named: { line: number; reason: string }[] };
};

const COLUMNS_WANTED =
  'the first line must name code, time and units, or StockCode, InvoiceDate and Quantity';

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
      if (columns === null) throw new RangeError(COLUMNS_WANTED);
      continue;
    }
    truth.rows++;
    const sale = saleOf(fields, columns);
    if (typeof sale === 'string') {
      truth.refused.count++;
      if (truth.refused.named.length < REFUSED_LISTED_MAX)
        truth.refused.named.push({ line, reason: sale });
    } else if (sale.units <= 0 || !isPaid(fields, columns)) truth.skipped++;
    else {
      const sales = truth.items.get(sale.code);
      if (sales === undefined) truth.items.set(sale.code, [sale]);
      else sales.push(sale);
    }
  }
  if (columns === null) throw new RangeError(`it is empty; ${COLUMNS_WANTED}`);
  for (const sales of truth.items.values())
    sales.sort((one, other) => one.atSeconds - other.atSeconds);
  return truth;
}

/** `invoice` and `price` are columns of invoices only; −1: the file has none. */
type Columns = { code: number; time: number; units: number; invoice: number; price: number };

function columnsOf(fields: readonly string[]): Columns | null {
  // "Customer ID", "customer_id" and "CustomerID" are one name; files may begin with a mark.
  const names = fields.map((field) => field.toLowerCase().replaceAll(/[\s_\ufeff]/g, ''));
  const at = (...wanted: string[]) => names.findIndex((name) => wanted.includes(name));
  const plain = { code: at('code'), time: at('time'), units: at('units'), invoice: -1, price: -1 };
  if (isComplete(plain)) return plain;
  const invoices = {
    code: at('stockcode'),
    time: at('invoicedate'),
    units: at('quantity'),
    invoice: at('invoiceno', 'invoice'),
    price: at('unitprice', 'price'),
  };
  return isComplete(invoices) ? invoices : null;
}

const isComplete = ({ code, time, units }: Columns) => Math.min(code, time, units) >= 0;

/** Whether a row of an invoice was sold: not cancelled, and for a price. */
function isPaid(fields: readonly string[], { invoice, price }: Columns): boolean {
  if (invoice >= 0 && /^\s*C/i.test(fields[invoice] ?? '')) return false;
  return price < 0 || Number(fields[price]) > 0;
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
function withOffset(written: string): string {
  // Spreadsheets export invoices as 12/31/2010 8:26.
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d)$/.exec(written);
  const [month, day, year, hour, minute] = (american ?? []).slice(1).map((n) => n.padStart(2, '0'));
  const time = american === null ? written : `${year}-${month}-${day} ${hour}:${minute}:00`;
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
