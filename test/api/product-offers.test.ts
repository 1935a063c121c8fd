// GET /retailer/product/offers and /units-in-stock: the same record at two endpoints, 5 credits
// each.
import { describe, expect, test } from 'vitest';
import type { Product } from '../../src/catalog/product.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const first = service.products[0] as Product;

describe.each(['offers', 'units-in-stock'])('%s', (endpoint) => {
  const path = `/retailer/product/${endpoint}`;

  describe('200', () => {
    test('every seller with stock, price and shipping, for 5 credits', async () => {
      const customer = await service.newCustomer();
      const reply = await service.get(customer, `${path}?retailer_product_code=${first.code}`);
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'x-credits-charged': '5',
        'ratelimit-policy': '"product";q=10;w=1',
      });
      const last_updated = new Date(first.observedAtMs).toISOString();
      expect(reply.body).toEqual({
        retailer_product_code: first.code,
        sellers: [
          {
            seller_name: 'Marlowe Store',
            units_in_stock: 40,
            price: 42.99,
            shipping: 0,
            last_updated,
          },
          {
            seller_name: 'Second Shop',
            units_in_stock: null,
            price: 45.49,
            shipping: 0,
            last_updated,
          },
        ],
      });
      expect(await service.used(customer)).toBe(5);
      const [entry] = (await service.get(customer, '/user/credits/ledger')).body;
      expect(entry).toMatchObject({
        credits: -5,
        operation: endpoint,
        retailer_product_code: first.code,
      });
    });

    test('a product nobody sells has no sellers, and costs the same', async () => {
      const customer = await service.newCustomer();
      const observedAtMs = Math.floor(service.app.clock.nowMs() / 1000) * 1000;
      service.source.shelf.set('41', {
        code: '41',
        observedAtMs,
        gtins: [],
        offers: [],
        offersComplete: true,
        buybox: null,
      });
      const reply = await service.get(customer, `${path}?retailer_product_code=41`);
      expect(reply.body).toEqual({ retailer_product_code: '41', sellers: [] });
      expect(await service.used(customer)).toBe(5);
    });
  });

  test('400 without a code, and free', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, path);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain('retailer_product_code is required');
    expect(await service.used(customer)).toBe(0);
  });

  test('404 for a product that nobody knows, and free', async () => {
    const customer = await service.newCustomer();
    expect((await service.get(customer, `${path}?retailer_product_code=42`)).status).toBe(404);
    expect(await service.used(customer)).toBe(0);
  });
});
