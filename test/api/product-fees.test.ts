// GET /retailer/product/fees: exact to the cent, the sum of its parts, 3 credits.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const path = '/retailer/product/fees?retailer_product_code=';
let codes = 700_000_000;

function unstored(change: Partial<Snapshot>): string {
  const code = String(++codes);
  const observedAtMs = Math.floor(service.app.clock.nowMs() / 1000) * 1000;
  const snapshot = { code, observedAtMs, gtins: [], offersComplete: true, ...change };
  service.source.shelf.set(code, snapshot);
  return code;
}
const offer = (priceCents: number, shippingCents: number, sellerName: string) => ({
  priceCents,
  shippingCents,
  sellerName,
  unitsInStock: 1,
  lastUpdatedAtMs: null,
});

describe('200', () => {
  test('the spec’s record, for 3 credits', async () => {
    const customer = await service.newCustomer();
    const code = unstored({ categories: ['Odds'], buybox: { priceCents: 1999, sellerName: null } });
    const reply = await service.get(customer, path + code);
    expect(reply.status).toBe(200);
    expect(reply.headers['x-credits-charged']).toBe('3');
    expect(reply.body).toMatchObject({
      retailer_product_code: code,
      referral_fee: 3,
      closing_fee: 0,
      shipping_fee: 0,
      total_fees: 3,
      category: 'Everything Else',
    });
    expect(await service.used(customer)).toBe(3);
  });

  test('the product’s seller type, or the `seller_type` parameter, decides on shipping', async () => {
    const customer = await service.newCustomer();
    const buybox = { priceCents: 2000, sellerName: null };
    const code = unstored({ buybox, sellerType: 'fulfilled', shippingWeightLb: 2 });
    const byProduct = (await service.get(customer, path + code)).body;
    const bySellerType = (await service.get(customer, `${path}${code}&seller_type=marketplace`))
      .body;
    expect(byProduct.shipping_fee).toBeGreaterThan(0);
    expect(bySellerType.shipping_fee).toBe(0);
    const cents = (usd: number) => Math.round(usd * 100);
    expect(cents(byProduct.total_fees)).toBe(
      cents(byProduct.referral_fee) + cents(byProduct.closing_fee) + cents(byProduct.shipping_fee),
    );
  });

  test('without a buybox the cheapest landed offer is the price', async () => {
    const customer = await service.newCustomer();
    const offers = [offer(1000, 900, 'A'), offer(1500, 0, 'B')];
    const code = unstored({ buybox: null, offers });
    expect((await service.get(customer, path + code)).body.referral_fee).toBe(2.25);
  });
});

test('400 for a seller type that is none, and free', async () => {
  const customer = await service.newCustomer();
  const reply = await service.get(customer, `${path}1&seller_type=wholesale`);
  expect(reply.status).toBe(400);
  expect(reply.body.message).toContain('marketplace, fulfilled or first_party');
  expect(await service.used(customer)).toBe(0);
});

test('404 for a product that nobody knows, or nobody sells, and free', async () => {
  const customer = await service.newCustomer();
  expect((await service.get(customer, `${path}42`)).status).toBe(404);
  const code = unstored({ buybox: null, offers: [] });
  expect((await service.get(customer, path + code)).status).toBe(404);
  expect(await service.used(customer)).toBe(0);
});
