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
import type { Product } from './product.ts';
import type { Offer, SellerType } from './snapshot.ts';

/** Offers as they lie in the row: name, price, shipping, units, time in seconds. */
type PackedOffer = [string, number, number, number | null, number | null];

type ProductRow = {
  retailer_product_code: string;
  gtin: string | null;
  brand: string | null;
  product_name: string | null;
  categories: string[];
  buybox_price_cents: number | null;
  buybox_seller_name: string | null;
  /** As text: most doors never look into it. */
  packed_offers: string;
  offers_complete: boolean;
  rank_position: number | null;
  rank_category: string | null;
  customer_rating: number | null;
  number_of_reviews: number | null;
  shipping_weight_lb: number | null;
  seller_type: SellerType | null;
  observed_at: number;
};

const fromRow = (row: ProductRow): Product => ({
  code: row.retailer_product_code,
  gtin: row.gtin,
  brand: row.brand,
  name: row.product_name,
  categories: row.categories,
  buybox:
    row.buybox_price_cents === null
      ? null
      : { priceCents: row.buybox_price_cents, sellerName: row.buybox_seller_name },
  get offers() {
    return (JSON.parse(row.packed_offers) as PackedOffer[]).map(unpackOffer);
  },
  offersComplete: row.offers_complete,
  rank:
    row.rank_position === null
      ? null
      : { position: row.rank_position, category: row.rank_category ?? '' },
  customerRating: row.customer_rating,
  reviewCount: row.number_of_reviews,
  shippingWeightLb: row.shipping_weight_lb,
  sellerType: row.seller_type,
  observedAt: row.observed_at,
});

const unpackOffer = ([name, price, shipping, units, seconds]: PackedOffer): Offer => ({
  sellerName: name,
  priceCents: price,
  shippingCents: shipping,
  unitsInStock: units,
  lastUpdatedAt: seconds === null ? null : seconds * 1000,
});

const packOffer = (offer: Offer): PackedOffer => [
  offer.sellerName,
  offer.priceCents,
  offer.shippingCents,
  offer.unitsInStock,
  offer.lastUpdatedAt === null ? null : Math.floor(offer.lastUpdatedAt / 1000),
];

const toRow = (product: Product) => ({
  lane: lane(product.code),
  retailer_product_code: product.code,
  gtin: product.gtin,
  brand: product.brand,
  product_name: product.name,
  categories: product.categories,
  buybox_price_cents: product.buybox?.priceCents ?? null,
  buybox_seller_name: product.buybox?.sellerName ?? null,
  offers: product.offers.map(packOffer),
  offers_complete: product.offersComplete,
  rank_position: product.rank?.position ?? null,
  rank_category: product.rank?.category ?? null,
  customer_rating: product.customerRating,
  number_of_reviews: product.reviewCount,
  shipping_weight_lb: product.shippingWeightLb,
  seller_type: product.sellerType,
  observed_at: isoTime(product.observedAt),
});

const COLUMNS = `retailer_product_code, gtin, brand, product_name, categories, buybox_price_cents,
  buybox_seller_name, offers, offers_complete, rank_position, rank_category, customer_rating,
  number_of_reviews, shipping_weight_lb, seller_type, observed_at`;

/** Offers are handed on as text and unpacked where they are asked for. */
const READ_COLUMNS = COLUMNS.replace(' offers,', ' offers::text as packed_offers,');

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
  `select ${READ_COLUMNS}, tail, tail_checksum, runs_until, backfilled_at
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
    name: 'product reads',
    run: async (asked) => {
      const found = await readProducts(db, [...new Set(asked)]);
      return asked.map((code) => found.get(code));
    },
  });
  const gtins = createBatch<string, string[]>({
    ...reads,
    name: 'GTIN reads',
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
    name: 'tail reads',
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

async function readProducts(db: Database, asked: readonly string[]): Promise<Map<string, Product>> {
  return byCode(await db.read<ProductRow>(READ_PRODUCTS, keyArrays(asked)));
}

/** The newest of a product's history, packed: bytes whose meaning is the history room's. */
export type ProductTail = {
  bytes: Buffer;
  checksum: number;
  /** Seconds; older looks lie in runs. */
  runsUntil: number | null;
  /** When the marketplace was asked for its own history of it. */
  backfilledAt: number | null;
};

export type LockedProduct = { product: Product; tail: ProductTail };

type TailRow = {
  retailer_product_code: string;
  tail: Buffer;
  tail_checksum: number;
  runs_until: number | null;
  backfilled_at: number | null;
};

const tailFromRow = (row: TailRow): ProductTail => ({
  bytes: row.tail,
  checksum: row.tail_checksum,
  runsUntil: row.runs_until === null ? null : row.runs_until / 1000,
  backfilledAt: row.backfilled_at,
});

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

export type ProductChange = {
  product: Product;
  tail: ProductTail;
  /** Bytes to write behind the stored tail; null: the tail is written whole. */
  appended: Buffer | null;
};

const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

const toChangeRow = ({ product, tail, appended }: ProductChange) => ({
  ...toRow(product),
  tail: hex(appended ?? tail.bytes),
  tail_checksum: tail.checksum,
  runs_until: tail.runsUntil === null ? null : isoTime(tail.runsUntil * 1000),
  tail_appended: appended !== null,
});

const TAIL_COLUMNS = 'tail, tail_checksum, runs_until';

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
          tail_checksum = n.tail_checksum, runs_until = n.runs_until
     from jsonb_to_recordset($1::jsonb) as n (
            lane smallint, retailer_product_code text, gtin text, brand text, product_name text,
            categories jsonb, buybox_price_cents bigint, buybox_seller_name text, offers jsonb,
            offers_complete boolean, rank_position integer, rank_category text,
            customer_rating real, number_of_reviews integer, shipping_weight_lb real,
            seller_type text, observed_at timestamptz,
            tail bytea, tail_checksum bigint, runs_until timestamptz, tail_appended boolean)
    where p.lane = n.lane and p.retailer_product_code = n.retailer_product_code`,
);

/** Makes GTINs lead to products. */
export async function insertGtins(
  db: Connection,
  pairs: readonly { gtin: string; code: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await db.query(
    `insert into product_gtins (lane, gtin, retailer_product_code)
     select * from unnest($1::smallint[], $2::text[], $3::text[]) order by 1, 2, 3
     on conflict do nothing`,
    [
      plainArray(pairs.map((pair) => lane(pair.gtin))),
      textArray(pairs.map((pair) => pair.gtin)),
      textArray(pairs.map((pair) => pair.code)),
    ],
  );
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
  `select retailer_product_code, tail, tail_checksum, runs_until, backfilled_at
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
