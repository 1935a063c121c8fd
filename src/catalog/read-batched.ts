// Batched reads of products, GTINs and tails: concurrent requests share one statement.
import { createGroupedBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Product } from './product.ts';
import type { ProductTail } from './product-row.ts';
import { readGtins, readProducts, readTails } from './products.ts';

export type Products = ReturnType<typeof createProducts>;

/** Batched reads: concurrent requests share one statement. */
export function createProducts(db: Database) {
  const limits = {
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 1,
    keyOf: (key: string) => key,
  };
  const codes = createGroupedBatch<string, Product | undefined>(db, {
    ...limits,
    name: 'product-reads',
    run: async (keys) => {
      const products = await readProducts(db, [...new Set(keys)]);
      return keys.map((code) => products.get(code));
    },
  });
  const gtins = createGroupedBatch<string, string[]>(db, {
    ...limits,
    name: 'gtin-reads',
    run: async (keys) => {
      const rows = await readGtins(db, [...new Set(keys)]);
      const rowsByGtin = Map.groupBy(rows, (row) => row.gtin);
      return keys.map((gtin) =>
        (rowsByGtin.get(gtin) ?? []).map((row) => row.retailer_product_code),
      );
    },
  });
  const tails = createGroupedBatch<string, ProductTail | undefined>(db, {
    ...limits,
    name: 'tail-reads',
    run: async (keys) => {
      const tailsByCode = await readTails(db, [...new Set(keys)]);
      return keys.map((code) => tailsByCode.get(code));
    },
  });
  return {
    /** The tail of a product's history; undefined for an unknown product. */
    tailOf: (code: string): Promise<ProductTail | undefined> => tails.add(code),
    byCode: (code: string): Promise<Product | undefined> => codes.add(code),
    /** All listings of a GTIN-14. */
    async byGtin(gtin: string): Promise<Product[]> {
      const listed = await gtins.add(gtin);
      const listings = await Promise.all(listed.map((code) => codes.add(code)));
      return listings.filter((product) => product !== undefined);
    },
  };
}
