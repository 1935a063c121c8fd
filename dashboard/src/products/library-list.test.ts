// The library as a list of products and searches.
import { describe, expect, it } from 'vitest';
import { libraryRows } from './library-list.ts';

let entries = 0;
const entry = (operation: string, code: string | null, more: object = {}) => ({
  id: `${entries++}`,
  operation,
  retailer_product_code: code,
  product_name: code && `Product ${code}`,
  parameters: {},
  bought_at: `2026-11-15T0${9 - entries}:00:00Z`,
  buybox_price: null,
  ...more,
});

describe('the rows of the library', () => {
  it('are each product once, with what was bought and its newest price, then searches', () => {
    const rows = libraryRows([
      entry('price-history', '1'),
      entry('details', '2', { buybox_price: 5 }),
      entry('search', null, { parameters: { q: 'mat', after: 'x' } }),
      entry('details', '1', { buybox_price: 9, bought_at: 'then' }),
      entry('search', null, { parameters: { q: 'mat' } }),
      entry('details', '1', { buybox_price: 8 }),
      entry('finder', null, { parameters: { filters: {} } }),
    ]);
    expect(rows).toMatchObject([
      { code: '1', operations: ['price-history', 'details'], price: { usd: 9, at: 'then' } },
      { code: '2', name: 'Product 2' },
      { kind: 'search', text: 'mat' },
    ]);
    expect(rows).toHaveLength(3);
  });
});
