// Products as they were last observed, and the GTINs that lead to them.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { createBatch } from '../database/batch.ts';
import { type Database, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { bounds } from '../foundation/bounds.ts';
import { isoTime } from '../foundation/clock.ts';
import { gtin14 } from './gtin.ts';

export type Product = {
  code: string;
  /** GTIN-14 */
  gtin: string | null;
  brand: string | null;
  name: string | null;
  categories: readonly string[];
  buyboxPriceCents: number | null;
  rankPosition: number | null;
  customerRating: number | null;
  reviewCount: number | null;
  observedAt: number;
};

type ProductRow = {
  retailer_product_code: string;
  gtin: string | null;
  brand: string | null;
  product_name: string | null;
  categories: string[];
  buybox_price_cents: number | null;
  rank_position: number | null;
  customer_rating: number | null;
  number_of_reviews: number | null;
  observed_at: number;
};

const fromRow = (row: ProductRow): Product => ({
  code: row.retailer_product_code,
  gtin: row.gtin,
  brand: row.brand,
  name: row.product_name,
  categories: row.categories,
  buyboxPriceCents: row.buybox_price_cents,
  rankPosition: row.rank_position,
  customerRating: row.customer_rating,
  reviewCount: row.number_of_reviews,
  observedAt: row.observed_at,
});

const COLUMNS = `retailer_product_code, gtin, brand, product_name, categories, buybox_price_cents,
  rank_position, customer_rating, number_of_reviews, observed_at`;

/** Products by code. */
const READ_PRODUCTS = statement(
  'read-products',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::text[]) as asked(lane, retailer_product_code)
     join products using (lane, retailer_product_code)`,
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
  /** By a UPC or EAN; of several listings the one with a buybox and the best rank. */
  byGtin(digits: string): Promise<Product | undefined>;
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
      const distinct = [...new Set(asked)];
      const rows = await db.read<ProductRow>(READ_PRODUCTS, [
        plainArray(distinct.map(lane)),
        plainArray(distinct),
      ]);
      const found = new Map(rows.map((row) => [row.retailer_product_code, fromRow(row)]));
      return asked.map((code) => found.get(code));
    },
  });
  const gtins = createBatch<string, string[]>({
    ...reads,
    name: 'GTIN reads',
    run: async (asked) => {
      const distinct = [...new Set(asked)];
      const rows = await db.read<{ gtin: string; retailer_product_code: string }>(READ_GTINS, [
        plainArray(distinct.map(lane)),
        plainArray(distinct),
      ]);
      const found = new Map<string, string[]>();
      for (const row of rows) {
        found.set(row.gtin, [...(found.get(row.gtin) ?? []), row.retailer_product_code]);
      }
      return asked.map((gtin) => found.get(gtin) ?? []);
    },
  });
  return {
    byCode: (code) => codes.add(code),
    async byGtin(digits) {
      const listed = await gtins.add(gtin14(digits));
      const listings = await Promise.all(listed.map((code) => codes.add(code)));
      return listings.filter((product) => product !== undefined).sort(bestListingFirst)[0];
    },
  };
}

function bestListingFirst(a: Product, b: Product): number {
  const boxless = (product: Product) => (product.buyboxPriceCents === null ? 1 : 0);
  const rank = (product: Product) => product.rankPosition ?? Number.MAX_SAFE_INTEGER;
  return boxless(a) - boxless(b) || rank(a) - rank(b) || (a.code < b.code ? -1 : 1);
}

/** Writes products as observed; an older observation never replaces a newer one. */
export async function upsertProducts(tx: Transaction, products: readonly Product[]): Promise<void> {
  const rows = products.map((product) => ({
    lane: lane(product.code),
    retailer_product_code: product.code,
    gtin: product.gtin,
    brand: product.brand,
    product_name: product.name,
    categories: product.categories,
    buybox_price_cents: product.buyboxPriceCents,
    rank_position: product.rankPosition,
    customer_rating: product.customerRating,
    number_of_reviews: product.reviewCount,
    observed_at: isoTime(product.observedAt),
  }));
  await tx.query(
    `insert into products as p (lane, ${COLUMNS})
     select lane, ${COLUMNS} from jsonb_populate_recordset(null::products, $1::jsonb)
      order by lane, retailer_product_code
     on conflict (lane, retailer_product_code) do update
        set gtin = excluded.gtin, brand = excluded.brand, product_name = excluded.product_name,
            categories = excluded.categories, buybox_price_cents = excluded.buybox_price_cents,
            rank_position = excluded.rank_position, customer_rating = excluded.customer_rating,
            number_of_reviews = excluded.number_of_reviews, observed_at = excluded.observed_at
      where p.observed_at <= excluded.observed_at`,
    [JSON.stringify(rows)],
  );
}

/** Makes the GTINs of products lead to them. */
export async function insertGtins(
  tx: Transaction,
  pairs: readonly { gtin: string; code: string }[],
): Promise<void> {
  await tx.query(
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
    `select ${COLUMNS} from products
      order by rank_position nulls last, retailer_product_code limit $1`,
    [limit],
  );
  return rows.map(fromRow);
}
