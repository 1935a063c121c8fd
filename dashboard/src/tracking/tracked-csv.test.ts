import { expect, test } from 'vitest';
import { trackedCsv } from './tracked-csv.ts';
import type { Tracked } from './tracked-product.ts';

test('rows become lines; text is quoted, and never a formula', () => {
  const row = {
    retailer_product_code: '500100001',
    product_name: 'Kettle, "1.7 l"',
    brand: '=1+1',
    tier: 0,
    status: 'active',
    current_price: 19.99,
    tags: ['kitchen', 'mine'],
  } as unknown as Tracked;
  const [head, line, end] = trackedCsv([row]).split('\r\n');
  expect(head).toMatch(/^retailer_product_code,product_name,brand,tier,/);
  expect(line).toBe(`500100001,"Kettle, ""1.7 l""",'=1+1,0,active,19.99,,,,,,,kitchen mine,`);
  expect(end).toBe('');
});
