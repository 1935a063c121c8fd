// Search, filters and sort order of the tracked products.
import { expect, test } from 'vitest';
import type { Tracked } from './tracked-product.ts';
import { filterRows, type SortId, sortRows } from './tracked-view.ts';

const row = (id: string, more: Partial<Tracked> = {}): Tracked => ({
  id,
  retailer_product_code: `50000000${id}`,
  product_name: null,
  brand: null,
  created_at: `2026-11-0${id}T00:00:00.000Z`,
  tier: 4,
  status: 'active',
  seller_name: null,
  rules: null,
  tags: [],
  metadata: null,
  ends_at: null,
  current_price: 10,
  buybox_seller: null,
  units_in_stock: 5,
  last_updated: null,
  next_due_at: null,
  consecutive_failures: 0,
  shown_day: null,
  shown_tier: null,
  slots_due_today: 0,
  slots_in_time_today: 0,
  slots_due_week: 0,
  slots_in_time_week: 0,
  credits_for_today: 0,
  attention: null,
  attention_code: null,
  ...more,
});

const NO_FILTERS = { q: '', tier: '', status: '', tag: '', attention: '' };
const ids = (rows: readonly Tracked[]) => rows.map(({ id }) => id).join('');

const ROWS = [
  row('1', { product_name: 'Drip Coffee Maker', brand: 'Wyndridge', tier: 0 }),
  row('2', {
    product_name: 'Stroller',
    seller_name: 'Tallgrass & Co',
    status: 'suspended',
    tags: ['baby'],
  }),
  row('3', {
    product_name: 'Heating Pad',
    buybox_seller: 'Northgate',
    attention: 'Out of stock.',
    attention_code: 'out_of_stock',
  }),
];

test.each([
  ['coffee', '1'],
  ['WYND maker', '1'],
  ['tallgrass', '2'],
  ['northgate', '3'],
  ['baby', '2'],
  ['500000003', '3'],
  ['coffee stroller', ''],
  ['  ', '123'],
])('a search for %j finds %j', (q, expected) => {
  expect(ids(filterRows(ROWS, { ...NO_FILTERS, q }))).toBe(expected);
});

test.each([
  [{ tier: '0' }, '1'],
  [{ status: 'suspended' }, '2'],
  [{ attention: 'yes' }, '3'],
  [{ tag: 'baby' }, '2'],
  [{ tier: '4', status: 'active' }, '3'],
])('the filter %j keeps %j', (filter, left) => {
  expect(ids(filterRows(ROWS, { ...NO_FILTERS, ...filter }))).toBe(left);
});

test.each<[SortId, string, string]>([
  ['price', '312', '132'],
  ['stock', '123', '321'],
  ['added', '123', '321'],
  ['tier', '132', '231'],
  ['status', '132', '213'],
  ['updated', '213', '123'],
  ['due', '321', '231'],
  ['name', '213', '312'],
])('by %s ascending %s, descending %s: unknown values come last both ways', (by, up, down) => {
  const rows = [
    row('1', { product_name: 'b', tier: 1, current_price: 3, units_in_stock: 1 }),
    row('2', { product_name: 'A', tier: 3, current_price: null, units_in_stock: 2 }),
    row('3', { product_name: 'c', tier: 2, current_price: 1, units_in_stock: 3 }),
  ] as [Tracked, Tracked, Tracked];
  rows[0] = { ...rows[0], last_updated: '2026-11-03T00:00:00Z', next_due_at: null };
  rows[1] = { ...rows[1], last_updated: '2026-11-02T00:00:00Z', status: 'suspended' };
  rows[1] = { ...rows[1], next_due_at: '2026-11-09T00:00:00Z' };
  rows[2] = { ...rows[2], next_due_at: '2026-11-08T00:00:00Z' };
  expect(ids(sortRows(rows, by, 'ascending'))).toBe(up);
  expect(ids(sortRows(rows, by, 'descending'))).toBe(down);
});
