// The shown rows as a CSV file, for a spreadsheet. Pure.
import type { Tracked } from './tracked-product.ts';

const COLUMNS: readonly (keyof Tracked)[] = [
  'retailer_product_code',
  'product_name',
  'brand',
  'tier',
  'status',
  'current_price',
  'buybox_seller',
  'units_in_stock',
  'last_updated',
  'next_due_at',
  'attention',
  'seller_name',
  'tags',
  'created_at',
];

export const trackedCsv = (rows: readonly Tracked[]): string =>
  [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((name) => cellOf(row[name])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');

/** As the server writes CSV: text that a spreadsheet would run as a formula gets an apostrophe. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
