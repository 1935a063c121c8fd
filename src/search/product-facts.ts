// The table `product_facts`: one row per product with all that the finder filters and sorts by.
import { plainArray } from '../database/array-parameter.ts';
import { type Database, inLanes, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { readInGroups } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { FACT_NAMES, type FactName, type FactRange, type FactValues, usualSign } from './fact.ts';
import type { Read } from './time-budget.ts';

export type ProductFacts = {
  code: string;
  /** The rank, or a number above all ranks. Sorts products with the same value of a fact. */
  tie: number;
  brandKey: string | null;
  buyboxSellerKey: string | null;
  categoryKeys: readonly string[];
  buyboxSeller: string | null;
  values: FactValues;
  /** In hundredths of a percent. */
  observed90d: number;
  observedAtMs: number;
  refreshedAtMs: number;
};

/** What a reader gets; keys are only compared in the database. */
export type StoredFacts = Omit<ProductFacts, 'brandKey' | 'buyboxSellerKey' | 'categoryKeys'>;

const FACTS = FACT_NAMES.join(', ');
const READ_COLUMNS = `f.retailer_product_code, f.tie, f.buybox_seller, f.observed_90d,
  f.observed_at, f.refreshed_at, ${FACT_NAMES.map((name) => `f.${name}`).join(', ')}`;

type FactsRow = Record<FactName, number | null> & {
  retailer_product_code: string;
  tie: number;
  buybox_seller: string | null;
  observed_90d: number;
  observed_at: number;
  refreshed_at: number;
};

const fromRow = (row: FactsRow): StoredFacts => ({
  code: row.retailer_product_code,
  tie: row.tie,
  buyboxSeller: row.buybox_seller,
  values: Object.fromEntries(FACT_NAMES.map((name) => [name, row[name]])) as FactValues,
  observed90d: row.observed_90d,
  observedAtMs: row.observed_at,
  refreshedAtMs: row.refreshed_at,
});

const keyArrays = (codes: readonly string[]) => [plainArray(codes.map(lane)), plainArray(codes)];

const READ_FACTS = statement(
  'read-product-facts',
  `select ${READ_COLUMNS}
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join product_facts f on f.lane = n.lane and f.retailer_product_code = n.code
      and ${inLanes('f.lane', '$1')}`,
);

/** By code; products without facts are absent. */
export async function readFacts(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, StoredFacts>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.read<FactsRow>(READ_FACTS, keyArrays(part)),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, fromRow(row)]));
}

const COLUMNS = `retailer_product_code, tie, brand_key, buybox_seller_key, category_keys,
  buybox_seller, ${FACTS}, observed_90d, observed_at, refreshed_at`;

/**
 * Replaces the facts of products of one lane group, in key order. An older computation never
 * replaces a newer one.
 */
const WRITE_FACTS = statement(
  'write-product-facts',
  `insert into product_facts as f (lane, ${COLUMNS})
   select lane, ${COLUMNS} from jsonb_populate_recordset(null::product_facts, $1::jsonb)
    order by lane, retailer_product_code
   on conflict (lane, retailer_product_code) do update
      set ${COLUMNS.split(',')
        .slice(1)
        .map((column) => `${column.trim()} = excluded.${column.trim()}`)
        .join(', ')}
    where f.refreshed_at <= excluded.refreshed_at`,
);

const toRow = (facts: ProductFacts) => ({
  lane: lane(facts.code),
  retailer_product_code: facts.code,
  tie: facts.tie,
  brand_key: facts.brandKey,
  buybox_seller_key: facts.buyboxSellerKey,
  category_keys: facts.categoryKeys,
  buybox_seller: facts.buyboxSeller,
  ...facts.values,
  observed_90d: facts.observed90d,
  observed_at: isoTime(facts.observedAtMs),
  refreshed_at: isoTime(facts.refreshedAtMs),
});

export async function writeFacts(tx: Transaction, facts: readonly ProductFacts[]): Promise<void> {
  if (facts.length > 0) await tx.query(WRITE_FACTS, [JSON.stringify(facts.map(toRow))]);
}

/** Notes that facts were computed again and are the same. No index changes. */
export async function touchFacts(
  tx: Transaction,
  facts: readonly Pick<ProductFacts, 'code' | 'observedAtMs' | 'refreshedAtMs'>[],
): Promise<void> {
  if (facts.length === 0) return;
  await tx.query(
    `update product_facts f
        set observed_at = greatest(f.observed_at, n.observed_at),
            refreshed_at = greatest(f.refreshed_at, n.refreshed_at)
       from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
              as n(lane, code, observed_at, refreshed_at)
      where f.lane = n.lane and f.retailer_product_code = n.code and ${inLanes('f.lane', '$1')}`,
    [
      ...keyArrays(facts.map(({ code }) => code)),
      plainArray(facts.map(({ observedAtMs }) => isoTime(observedAtMs))),
      plainArray(facts.map(({ refreshedAtMs }) => isoTime(refreshedAtMs))),
    ],
  );
}

export async function deleteFacts(tx: Transaction, codes: readonly string[]): Promise<void> {
  if (codes.length === 0) return;
  await tx.query(
    `delete from product_facts f using unnest($1::smallint[], $2::text[]) as n(lane, code)
      where f.lane = n.lane and f.retailer_product_code = n.code and ${inLanes('f.lane', '$1')}`,
    keyArrays(codes),
  );
}

/** A key of the table; the first one is before all. */
export type FactsKey = { lane: number; code: string };

/** Reads which observations the facts of a part of the products include. */
export async function listFactTimes(
  db: Database,
  input: { lanes: readonly number[]; after: FactsKey; upTo: FactsKey },
): Promise<Map<string, { observedAtMs: number; refreshedAtMs: number }>> {
  const rows = await db.read<{ code: string; observed_at: number; refreshed_at: number }>(
    `select f.retailer_product_code as code, f.observed_at, f.refreshed_at from product_facts f
      where f.lane = any($1::smallint[])
        and (f.lane, f.retailer_product_code) > ($2::smallint, $3::text)
        and (f.lane, f.retailer_product_code) <= ($4::smallint, $5::text)`,
    [plainArray(input.lanes), input.after.lane, input.after.code, input.upTo.lane, input.upTo.code],
  );
  return new Map(
    rows.map((row) => [
      row.code,
      { observedAtMs: row.observed_at, refreshedAtMs: row.refreshed_at },
    ]),
  );
}

export type FactFilters = {
  /** In stored numbers, both ends inclusive. */
  ranges: Readonly<Partial<Record<FactName, FactRange>>>;
  /** Any of the keys; null: no filter. */
  brandKeys: readonly string[] | null;
  buyboxSellerKeys: readonly string[] | null;
  categoryKeys: readonly string[] | null;
  hasBuybox: boolean | null;
};

export type FactSort = { by: FactName; isDescending: boolean };

/** The place of a product in the sorted list; a product without the fact comes last. */
export type FactPlace = { value: number | null; tie: number; code: string };

export type FactQuery = {
  filters: FactFilters;
  sort: FactSort;
  after: FactPlace | null;
  limit: number;
};

/**
 * `inOrder`: the index of the sort may give the order. Without it the filters are read first, all
 * that match, and sorted.
 */
type FactPart = FactQuery & { hasValue: boolean; inOrder: boolean };

/**
 * Reads a page from the products of one lane group that have the fact they are sorted by, or from
 * those that have it not: each part is in the order of an index. The statement is unnamed, so that
 * it is planned for its values: whether an index in order or a bitmap of filters reads fewer rows
 * depends on them.
 */
export async function findFacts(
  read: Read,
  lanes: readonly number[],
  { filters, sort, after, limit, hasValue, inOrder }: FactPart,
): Promise<StoredFacts[]> {
  const values: unknown[] = [plainArray(lanes)];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  // A fact of which more is better is sorted by its negative, as in its index.
  const isBackward = hasValue && sort.isDescending !== usualSign(sort.by) < 0;
  const keys = [...(hasValue ? [indexed(sort.by)] : []), 'f.tie', 'f.retailer_product_code'];
  const conditions = [
    inLanes('f.lane', '$1'),
    `f.${sort.by} is ${hasValue ? 'not null' : 'null'}`,
    ...conditionsOf(filters, parameter),
  ];
  if (after !== null) {
    const place = [after.tie, after.code];
    if (hasValue) place.unshift((after.value as number) * usualSign(sort.by));
    const placed = place.map((value) =>
      typeof value === 'number' ? `${parameter(value)}::integer` : `${parameter(value)}::text`,
    );
    conditions.push(`(${keys.join(', ')}) ${isBackward ? '<' : '>'} (${placed.join(', ')})`);
  }
  const order = keys.map((key, at) => {
    // An expression that no index has.
    const sorted = at === 0 && !inOrder ? `(${key} + 0)` : key;
    return `${sorted} ${isBackward ? 'desc' : 'asc'}`;
  });
  const rows = await read<FactsRow>(
    `select ${READ_COLUMNS} from product_facts f
      where ${conditions.join(' and ')}
      order by ${order.join(', ')}
      limit ${parameter(limit)}`,
    values,
  );
  return rows.map(fromRow);
}

/** The fact as its index has it. */
const indexed = (name: FactName) => (usualSign(name) < 0 ? `(-f.${name})` : `f.${name}`);

function conditionsOf(filters: FactFilters, parameter: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  for (const [name, { min, max }] of Object.entries(filters.ranges) as [FactName, FactRange][]) {
    const sign = usualSign(name);
    const bound = (operator: '>=' | '<=', value: number) =>
      conditions.push(`${indexed(name)} ${operator} ${parameter(value * sign)}::integer`);
    if (min !== undefined) bound(sign > 0 ? '>=' : '<=', min);
    if (max !== undefined) bound(sign > 0 ? '<=' : '>=', max);
  }
  const anyOf = (column: string, keys: readonly string[] | null) => {
    if (keys !== null) {
      conditions.push(`f.${column} = any(${parameter(plainArray(keys))}::bigint[])`);
    }
  };
  anyOf('brand_key', filters.brandKeys);
  anyOf('buybox_seller_key', filters.buyboxSellerKeys);
  if (filters.categoryKeys !== null) {
    conditions.push(`f.category_keys && ${parameter(plainArray(filters.categoryKeys))}::bigint[]`);
  }
  if (filters.hasBuybox !== null) {
    conditions.push(`f.price is ${filters.hasBuybox ? 'not null' : 'null'}`);
  }
  return conditions;
}

/** The order of two products in a sorted list, for merging the lists of several lane groups. */
export function comparePlaces(sort: FactSort, a: FactPlace, b: FactPlace): number {
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  const sign = sort.isDescending !== usualSign(sort.by) < 0 && a.value !== null ? -1 : 1;
  const byValue = ((a.value ?? 0) - (b.value ?? 0)) * usualSign(sort.by);
  return sign * (byValue || a.tie - b.tie || (a.code < b.code ? -1 : 1));
}
