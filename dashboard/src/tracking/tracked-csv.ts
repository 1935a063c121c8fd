// The shown rows as a CSV file, for a spreadsheet. Pure.
import { csvCell } from '../app/csv.ts';
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
  [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((name) => csvCell(row[name])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');
