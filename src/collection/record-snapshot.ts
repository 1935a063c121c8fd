// Recording looks at the marketplace: the only writer of what the catalogue knows.
import { afterLook, type Product } from '../catalog/product.ts';
import { insertGtins, lockProducts, writeProducts } from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';

/** Records looks at different products; answers them as they are afterwards, in order. */
export async function recordSnapshots(
  db: Database,
  looks: readonly Snapshot[],
): Promise<Product[]> {
  // First what leads to the products, in the GTINs' own lanes: killed in between, a GTIN leads to
  // nothing, the product is looked up and recorded again.
  await insertGtins(
    db,
    looks.flatMap(({ gtins, code }) => gtins.map((gtin) => ({ gtin, code }))),
  );
  return db.transaction(async (tx) => {
    const known = await lockProducts(
      tx,
      looks.map((look) => look.code),
    );
    const products = looks.map((look) => afterLook(known.get(look.code), look));
    await writeProducts(tx, products);
    return products;
  });
}
