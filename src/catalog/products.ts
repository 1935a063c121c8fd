// Products as they were last observed, and the GTINs that lead to them.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { createBatch } from '../database/batch.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { bounds } from '../foundation/bounds.ts';
import { isoTime } from '../foundation/clock.ts';
import { gtin14 } from './gtin.ts';
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

/** Offers are handed on as text and unpacked where they are asked for. */
const READ_COLUMNS = `${COLUMNS.replace(' offers,', ' offers::text as packed_offers,')},
  lost_since, lost_count, delisted_at`;

/** Products by code. */
const READ_PRODUCTS = statement(
  'read-products',
  `select ${READ_COLUMNS}
     from unnest($1::smallint[], $2::text[]) as asked(lane, retailer_product_code)
     join products using (lane, retailer_product_code)`,
);

/** The same with the end of their history, locked in ascending key order, to be changed in this transaction. */
const LOCK_PRODUCTS = statement(
  'lock-products',
  `select ${READ_COLUMNS}, tail, tail_checksum, runs_until, backfilled_at, sales_stale_from
     from unnest($1::smallint[], $2::text[]) as asked(lane, retailer_product_code)
     join products using (lane, retailer_product_code)
    order by lane, retailer_product_code
      for no key update of products`,
);

/** Which codes some GTINs lead to. */
const READ_GTINS = statement(
  'read-product-gtins',
  `select gtin, retailer_product_code
     from unnest($1::smallint[], $2::text[]) as asked(lane, gtin)
     join product_gtins using (lane, gtin)`,
);

export type Products = {
  byCode(code: string): Promise<Product | undefined>;
  /** Every listing that a UPC or EAN leads to. */
  byGtin(digits: string): Promise<Product[]>;
  /** The end of a product's history; undefined for one that is not known. */
  tailOf(code: string): Promise<ProductTail | undefined>;
};

/** Reads gathered over the requests that ask at the same time: one statement for many. */
export function createProducts(db: Database): Products {
  const reads = {
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 1,
  };
  const codes = createBatch<string, Product | undefined>({
    ...reads,
    name: 'product-reads',
    run: async (asked) => {
      const found = await readProducts(db, [...new Set(asked)]);
      return asked.map((code) => found.get(code));
    },
  });
  const gtins = createBatch<string, string[]>({
    ...reads,
    name: 'gtin-reads',
    run: async (asked) => {
      const distinct = [...new Set(asked)];
      const rows = await db.read<{ gtin: string; retailer_product_code: string }>(
        READ_GTINS,
        keyArrays(distinct),
      );
      const found = new Map<string, string[]>();
      for (const row of rows) {
        found.set(row.gtin, [...(found.get(row.gtin) ?? []), row.retailer_product_code]);
      }
      return asked.map((gtin) => found.get(gtin) ?? []);
    },
  });
  const tails = createBatch<string, ProductTail | undefined>({
    ...reads,
    name: 'tail-reads',
    run: async (asked) => {
      const found = await readTails(db, [...new Set(asked)]);
      return asked.map((code) => found.get(code));
    },
  });
  return {
    tailOf: (code) => tails.add(code),
    byCode: (code) => codes.add(code),
    async byGtin(digits) {
      const listed = await gtins.add(gtin14(digits));
      const listings = await Promise.all(listed.map((code) => codes.add(code)));
      return listings.filter((product) => product !== undefined);
    },
  };
}

const keyArrays = (keys: readonly string[]) => [plainArray(keys.map(lane)), plainArray(keys)];

const byCode = (rows: readonly ProductRow[]) =>
  new Map(rows.map((row) => [row.retailer_product_code, fromRow(row)]));

/** Some products by code, without waiting for others who ask. */
export async function readProducts(
  db: Database,
  asked: readonly string[],
): Promise<Map<string, Product>> {
  return byCode(await db.read<ProductRow>(READ_PRODUCTS, keyArrays(asked)));
}

export type LockedProduct = { product: Product; tail: ProductTail };

export async function lockProducts(
  tx: Transaction,
  asked: readonly string[],
): Promise<Map<string, LockedProduct>> {
  const rows = await tx.query<ProductRow & TailRow>(LOCK_PRODUCTS, keyArrays(asked));
  return new Map(
    rows.map((row) => [
      row.retailer_product_code,
      { product: fromRow(row), tail: tailFromRow(row) },
    ]),
  );
}

const TAIL_COLUMNS = 'tail, tail_checksum, runs_until, sales_stale_from';

/**
 * Inserts products that are not there yet. False when another process was faster with one of them: then
 * the transaction is to be given up and made again.
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

/** Writes products, locked before, as they are now. */
export async function updateProducts(
  tx: Transaction,
  changes: readonly ProductChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(UPDATE_PRODUCTS, [JSON.stringify(changes.map(toChangeRow))]);
}

const CHANGING = COLUMNS.split(',').slice(1);

const UPDATE_PRODUCTS = statement(
  'update-products',
  `update products p
      set ${CHANGING.map((column) => `${column} = n.${column.trim()}`).join(', ')},
          tail = case when n.tail_appended then p.tail || n.tail else n.tail end,
          tail_checksum = n.tail_checksum, runs_until = n.runs_until,
          sales_stale_from = n.sales_stale_from
     from jsonb_to_recordset($1::jsonb) as n (
            lane smallint, retailer_product_code text, gtin text, brand text, product_name text,
            categories jsonb, buybox_price_cents bigint, buybox_seller_name text, offers jsonb,
            offers_complete boolean, rank_position integer, rank_category text,
            customer_rating real, number_of_reviews integer, shipping_weight_lb real,
            seller_type text, observed_at timestamptz,
            tail bytea, tail_checksum bigint, runs_until timestamptz, sales_stale_from integer,
            tail_appended boolean)
    where p.lane = n.lane and p.retailer_product_code = n.retailer_product_code`,
);

/** Pairs that this process has seen in the table: they stay there, and are written with every look. */
const PAIRS_REMEMBERED_MAX = 200_000;
const rememberedPairs = new WeakMap<Connection, Set<string>>();

/** Makes GTINs lead to products. */
export async function insertGtins(
  db: Connection,
  pairs: readonly { gtin: string; code: string }[],
): Promise<void> {
  const remembered = rememberedPairs.get(db) ?? new Set();
  rememberedPairs.set(db, remembered);
  const unseen = new Map(
    pairs
      .map((pair) => [`${pair.gtin} ${pair.code}`, pair] as const)
      .filter(([key]) => !remembered.has(key)),
  );
  if (unseen.size === 0) return;
  const rows = [...unseen.values()];
  await db.query(
    `insert into product_gtins (lane, gtin, retailer_product_code)
     select * from unnest($1::smallint[], $2::text[], $3::text[]) order by 1, 2, 3
     on conflict do nothing`,
    [
      plainArray(rows.map((pair) => lane(pair.gtin))),
      textArray(rows.map((pair) => pair.gtin)),
      textArray(rows.map((pair) => pair.code)),
    ],
  );
  if (remembered.size + unseen.size > PAIRS_REMEMBERED_MAX) remembered.clear();
  for (const key of unseen.keys()) remembered.add(key);
}

/** The catalogue for an operator, best sellers first. */
export async function listProducts(db: Database, limit: number): Promise<Product[]> {
  const rows = await db.read<ProductRow>(
    `select ${READ_COLUMNS} from products
      order by rank_position nulls last, retailer_product_code limit $1`,
    [limit],
  );
  return rows.map(fromRow);
}

const READ_TAILS = statement(
  'read-tails',
  `select retailer_product_code, tail, tail_checksum, runs_until, backfilled_at, sales_stale_from
     from unnest($1::smallint[], $2::text[]) as asked(lane, retailer_product_code)
     join products using (lane, retailer_product_code)`,
);

/** The ends of some products' histories; none for a product that is not known. */
export async function readTails(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, ProductTail>> {
  const rows = await db.read<TailRow>(READ_TAILS, keyArrays(codes));
  return new Map(rows.map((row) => [row.retailer_product_code, tailFromRow(row)]));
}

/** Notes that the marketplace was asked for its history of a product. */
export async function noteBackfilled(
  db: Connection,
  { code, now }: { code: string; now: number },
): Promise<void> {
  await db.query(
    'update products set backfilled_at = $3 where lane = $1 and retailer_product_code = $2',
    [lane(code), code, isoTime(now)],
  );
}

/** Locks a product and says whether its history is still what it was when the tail was read. */
export async function isUnchanged(
  tx: Transaction,
  { code, tail }: { code: string; tail: ProductTail },
): Promise<boolean> {
  const now = (await lockProducts(tx, [code])).get(code)?.tail;
  return (
    now !== undefined &&
    now.checksum === tail.checksum &&
    now.runsUntilSeconds === tail.runsUntilSeconds &&
    now.salesStaleFromDay === tail.salesStaleFromDay
  );
}

/** Notes that products were observed as lost; null: they no longer wait to be confirmed. */
export async function noteLosses(
  db: Connection,
  losses: readonly { code: string; loss: Loss | null }[],
): Promise<void> {
  if (losses.length === 0) return;
  await db.query(
    `with noted as materialized (
       select p.lane, p.retailer_product_code, n.lost_since, n.lost_count
         from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::smallint[])
                as n(lane, retailer_product_code, lost_since, lost_count)
         join products p using (lane, retailer_product_code)
        order by p.lane, p.retailer_product_code
          for no key update of p)
     update products p set lost_since = noted.lost_since, lost_count = noted.lost_count
       from noted
      where p.lane = noted.lane and p.retailer_product_code = noted.retailer_product_code`,
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
          offers <> '[]' as has_offers
     from unnest($1::smallint[], $2::text[]) as asked(lane, retailer_product_code)
     join products using (lane, retailer_product_code)`,
);

/** What the guard needs to know of some products. */
export async function readStates(
  db: Database,
  codes: readonly string[],
): Promise<(ProductState & { hasOffers: boolean })[]> {
  const rows = await db.read<StateRow & { has_offers: boolean }>(READ_STATES, keyArrays(codes));
  return rows.map((row) => ({ ...stateFromRow(row), hasOffers: row.has_offers }));
}

/** Notes that the marketplace no longer lists products that were observed until then at most. */
export async function noteDelisted(
  tx: Transaction,
  { codes, at }: { codes: readonly string[]; at: number },
): Promise<void> {
  if (codes.length === 0) return;
  await tx.query(
    `update products p set delisted_at = $3, lost_since = null, lost_count = null
       from unnest($1::smallint[], $2::text[]) as n(lane, retailer_product_code)
      where p.lane = n.lane and p.retailer_product_code = n.retailer_product_code
        and p.observed_at <= $3`,
    [...keyArrays(codes), isoTime(at)],
  );
}

/** Notes that the estimates of units sold know all looks. */
export async function clearSalesStale(tx: Transaction, code: string): Promise<void> {
  await tx.query(
    'update products set sales_stale_from = null where lane = $1 and retailer_product_code = $2',
    [lane(code), code],
  );
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
