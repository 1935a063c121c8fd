// Command products: lists the products in the catalogue, best sellers first.
import { eanOf, upcOf } from '../catalog/gtin.ts';
import { listProducts } from '../catalog/products.ts';
import { type Command, table, wholeNumber } from './command.ts';

export const productCommands: readonly Command[] = [
  {
    name: 'products',
    words: [],
    usage: 'products [--limit N]',
    options: { limit: { type: 'string', default: '20' } },
    on: 'app',
    async run(app, { options }) {
      const limit = wholeNumber(options.limit as string, '--limit', 1_000_000);
      const rows = (await listProducts(app.db, limit)).map((product) => ({
        retailer_product_code: product.code,
        upc: product.gtin && upcOf(product.gtin),
        ean: product.gtin && eanOf(product.gtin),
        product_name: product.name,
      }));
      const heading = ['code', 'UPC', 'EAN', 'name'];
      return { json: rows, text: table([heading, ...rows.map((row) => Object.values(row))]) };
    },
  },
];
