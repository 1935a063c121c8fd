// The tables `products` and `product_gtins`: products as last observed, and the GTINs that identify
// them.
import type { LRUCache } from 'lru-cache';
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { inGroups, readAllGroups, readInGroups } from '../database/lane-groups.ts';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Loss, Product, ProductState } from './product.ts';
import {
  fromRow,
  type ProductChange,
  type ProductRow,
  type ProductTail,
  type StateRow,
  stateFromRow,
  type TailRow,
  tailFromRow,
  toChangeRow,
} from './product-row.ts';

const COLUMNS = `retailer_product_code, gtin, brand, product_name, categories, buybox_price_cents,
  buybox_seller_name, offers, offers_complete, rank_position, rank_category, customer_rating,
  number_of_reviews, shipping_weight_lb, seller_type, observed_at`;

/** Offers are read as text and parsed only when used. */
const READ_COLUMNS = `${COLUMNS.replace(' offers,', ' offers::text as packed_offers,')},
  lost_since, lost_count, delisted_at`;

/** Reads products by code. */
const READ_PRODUCTS = statement(
  'read-products',
  `select ${READ_COLUMNS}
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join products on products.lane = n.lane and retailer_product_code = n.code
      and ${inLanes('products.lane', '$1')}`,
);

/** Reads products with the tails of their histories, and locks them in ascending key order. */
const LOCK_PRODUCTS = statement(
  'lock-products',
  `select ${READ_COLUMNS}, tail, tail_checksum, runs_until, backfilled_at, sales_stale_from
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join products on products.lane = n.lane and retailer_product_code = n.code
      and ${inLanes('products.lane', '$1')}
    order by products.lane, retailer_product_code
      for no key update of products`,
);

/** Reads the product codes of some GTINs. */
const READ_GTINS = statement(
  'read-product-gtins',
  `select g.gtin, g.retailer_product_code
     from unnest($1::smallint[], $2::text[]) as n(lane, gtin)
     join product_gtins g on g.lane = n.lane and g.gtin = n.gtin
      and ${inLanes('g.lane', '$1')}`,
);

const keyArrays = (keys: readonly string[]) => [plainArray(keys.map(lane)), plainArray(keys)];

const byCode = (rows: readonly ProductRow[]) =>
  new Map(rows.map((row) => [row.retailer_product_code, fromRow(row)]));

/** Reads products by code at once, without batching. */
export async function readProducts(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, Product>> {
  const read = (part: readonly string[]) => db.read<ProductRow>(READ_PRODUCTS, keyArrays(part));
  return byCode(await readInGroups(db, codes, read));
}

/** Reads the listings of some GTINs. */
export const readGtins = (db: Database, gtins: readonly string[]) =>
  db.read<{ gtin: string; retailer_product_code: string }>(READ_GTINS, keyArrays(gtins));

export type LockedProduct = { product: Product; tail: ProductTail };

export async function lockProducts(
  tx: Transaction,
  codes: readonly string[],
): Promise<Map<string, LockedProduct>> {
  const rows = await tx.query<ProductRow & TailRow>(LOCK_PRODUCTS, keyArrays(codes));
  return new Map(
    rows.map((row) => [
      row.retailer_product_code,
      { product: fromRow(row), tail: tailFromRow(row) },
    ]),
  );
}

const TAIL_COLUMNS = 'rank_band, tail, tail_checksum, runs_until, sales_stale_from';

/**
 * Inserts new products. Returns false when another process inserted one of them first: the caller
 * must then roll back and retry the transaction.
 */
export async function insertProducts(
  tx: Transaction,
  changes: readonly ProductChange[],
): Promise<boolean> {
  if (changes.length === 0) return true;
  const inserted = await tx.query(
    `insert into products (lane, ${COLUMNS}, ${TAIL_COLUMNS})
     select lane, ${COLUMNS}, ${TAIL_COLUMNS}
       from jsonb_populate_recordset(null::products, $1::jsonb)
      order by lane, retailer_product_code
     on conflict do nothing
     returning lane`,
    [JSON.stringify(changes.map(toChangeRow))],
  );
  return inserted.length === changes.length;
}

/** Updates products that this transaction has locked. */
export async function updateProducts(
  tx: Transaction,
  changes: readonly ProductChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(toChangeRow);
  await tx.query(UPDATE_PRODUCTS, [JSON.stringify(rows), plainArray(rows.map((row) => row.lane))]);
}

const CHANGING = COLUMNS.split(',').slice(1);

const UPDATE_PRODUCTS = statement(
  'update-products',
  `update products p
      set ${CHANGING.map((column) => `${column} = n.${column.trim()}`).join(', ')},
          tail = case when n.tail_appended then p.tail || n.tail else n.tail end,
          tail_checksum = n.tail_checksum, runs_until = n.runs_until,
          sales_stale_from = n.sales_stale_from,
          -- A rank that swings around the edge of a band stays in it, so that the update is HOT.
          rank_band = case when n.rank_position between power(2, p.rank_band) / 1.25
                             and power(2, p.rank_band + 1) * 1.25
                           then p.rank_band else n.rank_band end
     from jsonb_to_recordset($1::jsonb) as n (
            lane smallint, retailer_product_code text, gtin text, brand text, product_name text,
            categories jsonb, buybox_price_cents bigint, buybox_seller_name text, offers jsonb,
            offers_complete boolean, rank_position integer, rank_category text,
            customer_rating real, number_of_reviews integer, shipping_weight_lb real,
            seller_type text, observed_at timestamptz,
            tail bytea, tail_checksum bigint, runs_until timestamptz, sales_stale_from integer,
            tail_appended boolean, rank_band smallint)
    where p.lane = n.lane and p.retailer_product_code = n.retailer_product_code
      and ${inLanes('p.lane', '$2')}`,
);

/**
 * Pairs of GTIN and code that this process has stored. Every snapshot repeats them, and rows are
 * never deleted, so a cached pair need not be written again.
 */
const storedPairsByDatabase = new WeakMap<Connection, LRUCache<string, true>>();

const INSERT_GTINS = statement(
  'insert-gtins',
  `insert into product_gtins (lane, gtin, retailer_product_code)
   select * from unnest($1::smallint[], $2::text[], $3::text[]) order by 1, 2, 3
   on conflict do nothing`,
);

/** Stores which products some GTINs identify. */
export async function insertGtins(
  db: Database,
  pairs: readonly { gtin: string; code: string }[],
): Promise<void> {
  const storedPairs =
    storedPairsByDatabase.get(db) ?? boundedCache<string, true>(bounds.gtinPairsCachedMax);
  storedPairsByDatabase.set(db, storedPairs);
  const newPairs = new Map(
    pairs
      .map((pair) => [`${pair.gtin} ${pair.code}`, pair] as const)
      .filter(([key]) => storedPairs.get(key) === undefined),
  );
  if (newPairs.size === 0) return;
  await inGroups(db, [...newPairs.values()], {
    keyOf: ({ gtin }) => gtin,
    work: (rows) =>
      db.query(INSERT_GTINS, [
        plainArray(rows.map((pair) => lane(pair.gtin))),
        textArray(rows.map((pair) => pair.gtin)),
        textArray(rows.map((pair) => pair.code)),
      ]),
  });
  for (const key of newPairs.keys()) storedPairs.set(key, true);
}

/**
 * Lists products, best sellers first, in the lanes of one group. Ranks have no index, because they
 * change with most observations; their bands have one (migration 96).
 */
async function listGroup(db: Database, lanes: readonly number[], limit: number) {
  const read = <Row>(text: string, ...more: unknown[]) =>
    db.read<Row>(text, [plainArray(lanes), limit, ...more]);
  const [last] = await read<{ rank_band: number }>(
    `select p.rank_band from products p
      where p.rank_band is not null and ${inLanes('p.lane', '$1')}
      order by p.rank_band offset $2 - 1 limit 1`,
  );
  const ranked = await read<ProductRow>(
    `select ${READ_COLUMNS} from products p where p.rank_band <= $3 and ${inLanes('p.lane', '$1')}
      order by rank_position, retailer_product_code limit $2`,
    // A product may be stored one band too high.
    (last?.rank_band ?? RANK_BAND_MAX) + 1,
  );
  if (last !== undefined) return ranked;
  const unranked = await read<ProductRow>(
    `select ${READ_COLUMNS} from products p
      where p.rank_band is null and ${inLanes('p.lane', '$1')} limit $2`,
  );
  return [...ranked, ...unranked];
}

const RANK_BAND_MAX = 31;

/** Lists products, best sellers first and those without a rank last. */
export async function listProducts(db: Database, limit: number): Promise<Product[]> {
  const rows = await readAllGroups(db, (lanes) => listGroup(db, lanes, limit));
  const rankOf = ({ rank }: Product) => rank?.position ?? Number.POSITIVE_INFINITY;
  const byRank = (a: Product, b: Product) =>
    rankOf(a) === rankOf(b) ? Number(a.code > b.code) - 0.5 : rankOf(a) - rankOf(b);
  return rows.map(fromRow).sort(byRank).slice(0, limit);
}

const READ_TAILS = statement(
  'read-tails',
  `select retailer_product_code, tail, tail_checksum, runs_until, backfilled_at, sales_stale_from
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join products on products.lane = n.lane and retailer_product_code = n.code
      and ${inLanes('products.lane', '$1')}`,
);

/** Reads the tails of some products' histories; unknown products are absent. */
export async function readTails(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, ProductTail>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.read<TailRow>(READ_TAILS, keyArrays(part)),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, tailFromRow(row)]));
}

/** Records that a product's history was requested from the marketplace. */
export async function noteBackfilled(
  db: Connection,
  { code, nowMs }: { code: string; nowMs: number },
): Promise<void> {
  await db.query(
    'update products set backfilled_at = $3 where lane = $1 and retailer_product_code = $2',
    [lane(code), code, isoTime(nowMs)],
  );
}

/** Locks a product and returns whether its history is unchanged since `tail` was read. */
export async function isUnchanged(
  tx: Transaction,
  { code, tail }: { code: string; tail: ProductTail },
): Promise<boolean> {
  const current = (await lockProducts(tx, [code])).get(code)?.tail;
  return (
    current !== undefined &&
    current.checksum === tail.checksum &&
    current.runsUntilSeconds === tail.runsUntilSeconds &&
    current.salesStaleFromDay === tail.salesStaleFromDay
  );
}

/** Records unconfirmed losses of products; null removes one. */
export async function noteLosses(
  db: Connection,
  losses: readonly { code: string; loss: Loss | null }[],
): Promise<void> {
  if (losses.length === 0) return;
  await db.query(
    `with locked as materialized (
       select p.lane, p.retailer_product_code, n.lost_since, n.lost_count
         from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::smallint[])
                as n(lane, retailer_product_code, lost_since, lost_count)
         join products p on p.lane = n.lane and p.retailer_product_code = n.retailer_product_code
          and ${inLanes('p.lane', '$1')}
        order by p.lane, p.retailer_product_code
          for no key update of p)
     update products p set lost_since = locked.lost_since, lost_count = locked.lost_count
       from locked
      where p.lane = locked.lane and p.retailer_product_code = locked.retailer_product_code
        and ${inLanes('p.lane', '$1')}`,
    [
      ...keyArrays(losses.map(({ code }) => code)),
      plainArray(losses.map(({ loss }) => (loss === null ? 'NULL' : isoTime(loss.sinceMs)))),
      plainArray(losses.map(({ loss }) => loss?.count ?? 'NULL')),
    ],
  );
}

const READ_STATES = statement(
  'read-product-states',
  `select retailer_product_code, observed_at, lost_since, lost_count, delisted_at,
          offers <> '[]' as has_offers,
          buybox_price_cents is not null or jsonb_path_exists(offers, '$[*][3] ? (@ != 0)')
            as is_for_sale
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join products on products.lane = n.lane and retailer_product_code = n.code
      and ${inLanes('products.lane', '$1')}`,
);

/** `isForSale`: somebody holds the buybox, or an offer may have units. */
export type StoredState = ProductState & { hasOffers: boolean; isForSale: boolean };

/** Reads what the crawl guard needs of some products. */
export async function readStates(db: Database, codes: readonly string[]): Promise<StoredState[]> {
  const rows = await readInGroups(db, codes, (part) =>
    db.read<StateRow & { has_offers: boolean; is_for_sale: boolean }>(READ_STATES, keyArrays(part)),
  );
  return rows.map((row) => ({
    ...stateFromRow(row),
    hasOffers: row.has_offers,
    isForSale: row.is_for_sale,
  }));
}

/** Marks products as delisted, except those observed after that instant. */
export async function noteDelisted(
  tx: Transaction,
  { codes, atMs }: { codes: readonly string[]; atMs: number },
): Promise<void> {
  if (codes.length === 0) return;
  await tx.query(
    `update products p set delisted_at = $3, lost_since = null, lost_count = null
       from unnest($1::smallint[], $2::text[]) as n(lane, retailer_product_code)
      where p.lane = n.lane and p.retailer_product_code = n.retailer_product_code
        and ${inLanes('p.lane', '$1')} and p.observed_at <= $3`,
    [...keyArrays(codes), isoTime(atMs)],
  );
}

/** Records that the estimates of units sold include all observations. */
export async function clearSalesStale(tx: Transaction, code: string): Promise<void> {
  await tx.query(
    'update products set sales_stale_from = null where lane = $1 and retailer_product_code = $2',
    [lane(code), code],
  );
}

/** Lists when products were last observed, in key order: some of those after a key. */
export async function listObservedAfter(
  db: Database,
  input: { lanes: readonly number[]; after: { lane: number; code: string }; limit: number },
): Promise<(ProductState & { lane: number })[]> {
  const rows = await db.read<StateRow & { lane: number }>(
    `select lane, retailer_product_code, observed_at, lost_since, lost_count, delisted_at
       from products
      where lane = any($1::smallint[]) and (lane, retailer_product_code) > ($2::smallint, $3::text)
      order by lane, retailer_product_code limit $4`,
    [plainArray(input.lanes), input.after.lane, input.after.code, input.limit],
  );
  return rows.map((row) => ({ lane: row.lane, ...stateFromRow(row) }));
}

export async function listCodesInLane(
  db: Database,
  input: { lane: number; limit: number },
): Promise<string[]> {
  const rows = await db.read<{ retailer_product_code: string }>(
    `select retailer_product_code from products where lane = $1
      order by retailer_product_code limit $2`,
    [input.lane, input.limit],
  );
  return rows.map((row) => row.retailer_product_code);
}
