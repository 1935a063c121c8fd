// Which tracked products are shown and in which order: search, filters, sorting. Pure.
import type { Tracked } from './tracked-product.ts';
import { urgencyOf } from './urgency.ts';

export type Filters = { q: string; tier: string; status: string; tag: string; attention: string };

export const SORTS = [
  { id: 'added', name: 'Added' },
  { id: 'name', name: 'Name' },
  { id: 'price', name: 'Price' },
  { id: 'stock', name: 'Stock' },
  { id: 'tier', name: 'Tier' },
  { id: 'status', name: 'Status' },
  { id: 'updated', name: 'Last updated' },
  { id: 'due', name: 'Next due' },
  { id: 'attention', name: 'Attention' },
] as const;
export type SortId = (typeof SORTS)[number]['id'];
export type Direction = 'ascending' | 'descending';

const texts = new WeakMap<Tracked, string>();

/** The searchable text of a row, built once per row object. */
function searchText(row: Tracked): string {
  const cached = texts.get(row);
  if (cached !== undefined) return cached;
  const parts = [row.product_name, row.brand, row.retailer_product_code];
  const text = [...parts, row.seller_name, row.buybox_seller, ...row.tags].join('\n').toLowerCase();
  texts.set(row, text);
  return text;
}

/** Every word must occur in the name, brand, code, watched seller, buybox holder or a tag. */
export function filterRows(rows: readonly Tracked[], filters: Filters): readonly Tracked[] {
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  const { tier, status, tag, attention } = filters;
  if (words.length === 0 && !tier && !status && !tag && !attention) return rows;
  return rows.filter(
    (row) =>
      (!tier || String(row.tier) === tier) &&
      (!status || row.status === status) &&
      (!tag || row.tags.includes(tag)) &&
      (!attention || row.attention !== null) &&
      words.every((word) => searchText(row).includes(word)),
  );
}

type Key = string | number | null;

const KEYS: Record<SortId, (row: Tracked) => Key> = {
  // ISO times in UTC sort as text.
  added: (row) => row.created_at,
  name: (row) => (row.product_name ?? row.retailer_product_code).toLowerCase(),
  price: (row) => row.current_price,
  stock: (row) => row.units_in_stock,
  tier: (row) => row.tier,
  status: (row) => row.status,
  updated: (row) => row.last_updated,
  due: (row) => row.next_due_at,
  attention: (row) => urgencyOf(row),
};

export const isSortId = (text: string): text is SortId => Object.hasOwn(KEYS, text);

/** Unknown values come last in either direction; equal ones keep their order. */
export function sortRows(
  rows: readonly Tracked[],
  by: SortId,
  direction: Direction,
): readonly Tracked[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: KEYS[by](row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  });
  return keyed.map(({ row }) => row);
}
