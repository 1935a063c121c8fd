// POST /retailer/product/profit, grouped by status. src/catalog/break-even.test.ts proves the
// break-even price against all prices.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { expectErrorRecord, startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const service = await startService({ clock: manualClock(NOW) });
const customer = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });

let codes = 0;
async function stored(cents: readonly (number | null)[], change: Partial<Snapshot> = {}) {
  const code = `${750_000_000 + codes++}`;
  const snapshots = cents.map(
    (one, index): Snapshot => ({
      code,
      observedAtMs: NOW - (cents.length - 1 - index) * DAY_MS,
      gtins: [],
      categories: ['Home', 'Kitchen'],
      buybox: one === null ? null : { priceCents: one, sellerName: 'Acme' },
      offersComplete: false,
      shippingWeightLb: 1,
      ...change,
    }),
  );
  await recordSnapshots(service.app, snapshots);
  return code;
}

const send = (items: unknown, headers: Record<string, string> = {}, query = '') =>
  service.send(customer, 'POST', `/retailer/product/profit${query}`, {
    payload: JSON.stringify({ items }),
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('200', () => {
  it('profit at the buybox, at the wanted and at the typical price, for 3 credits', async () => {
    const code = await stored([2000, 2000, 4000]);
    const before = await service.used(customer);
    const { status, body, headers } = await send([
      { retailer_product_code: code, cost: 10, shipping: 2.5, price: 30 },
    ]);
    expect([status, headers['x-credits-charged']]).toEqual([200, '3']);
    expect((await service.used(customer)) - before).toBe(3);
    const [result] = body.results;
    // Kitchen: 15 percent of the price.
    expect(result).toMatchObject({
      status: 200,
      credits: 3,
      retailer_product_code: code,
      at_buybox: {
        price: 40,
        referral_fee: 6,
        total_fees: 6,
        proceeds: 34,
        profit: 21.5,
        margin: 0.5375,
        roi: 1.72,
      },
      at_price: { price: 30, proceeds: 25.5, profit: 13, margin: 0.4333, roi: 1.04 },
      at_typical: { price: 20, proceeds: 17, profit: 4.5, margin: 0.225, roi: 0.36 },
      break_even_price: 14.71,
      category: 'Kitchen',
      unsettled: false,
    });
    const fees = await service.get(
      customer,
      `/retailer/product/fees?retailer_product_code=${code}`,
    );
    expect(result.at_buybox.total_fees).toBe(fees.body.total_fees);
  });

  it('a price that is not known gives null, a loss is negative', async () => {
    const code = await stored([null]);
    const { body } = await send([{ retailer_product_code: code, cost: 10, price: 5 }]);
    const [result] = body.results;
    expect([result.at_buybox, result.at_typical]).toEqual([null, null]);
    expect(result.at_price).toMatchObject({ profit: -5.75, margin: -1.15, roi: -0.575 });
    const free = await send([{ retailer_product_code: code, cost: 0, price: 0 }]);
    expect(free.body.results[0].at_price).toMatchObject({ margin: null, roi: null });
  });

  it('seller_type decides about the fees of fulfilment', async () => {
    const code = await stored([2000]);
    const { body, headers } = await send([
      { retailer_product_code: code, cost: 1, seller_type: 'fulfilled' },
      { retailer_product_code: code, cost: 1, seller_type: 'marketplace' },
    ]);
    const [fulfilled, marketplace] = body.results;
    expect(fulfilled.at_buybox.shipping_fee).toBeGreaterThan(0);
    expect(marketplace.at_buybox.shipping_fee).toBe(0);
    expect(fulfilled.break_even_price).toBeGreaterThan(marketplace.break_even_price);
    // The same product with two costs is charged once.
    expect([fulfilled.credits, marketplace.credits, headers['x-credits-charged']]).toEqual([
      3,
      0,
      '3',
    ]);
  });

  it('one bad item fails alone and is free', async () => {
    const code = await stored([2000]);
    const { status, body, headers } = await send([
      { retailer_product_code: code },
      { retailer_product_code: 'x', cost: 1 },
      { retailer_product_code: '4', cost: 1 },
      { retailer_product_code: code, cost: 1.005 },
      { retailer_product_code: code, cost: -1 },
      { retailer_product_code: code, cost: '1' },
      { retailer_product_code: code, cost: 1, price: 1e9 },
      { retailer_product_code: code, cost: 1, seller_type: 'me' },
      7,
      { retailer_product_code: code, cost: 19.99 },
    ]);
    const results: { status: number; error?: { field?: string } }[] = body.results;
    expect([status, headers['x-credits-charged']]).toEqual([200, '3']);
    expect(results.map((result) => [result.status, result.error?.field])).toEqual([
      [400, 'cost'],
      [400, 'retailer_product_code'],
      [404, 'retailer_product_code'],
      [400, 'cost'],
      [400, 'cost'],
      [400, 'cost'],
      [400, 'price'],
      [400, 'seller_type'],
      [400, undefined],
      [200, undefined],
    ]);
    for (const { status: one, error } of results) if (error) expectErrorRecord(one, error);
  });

  it('dry_run counts every well-formed product once', async () => {
    const item = { retailer_product_code: '1', cost: 1 };
    const other = { ...item, retailer_product_code: '2' };
    expect((await send([item, item, other, {}], {}, '?dry_run=true')).body).toEqual({
      credit_cost: 6,
    });
  });
});

describe('400', () => {
  it.each([
    ['no item', []],
    ['101 items', Array.from({ length: 101 }, () => ({}))],
    ['no list', 'x'],
  ])('%s', async (_, items) => {
    const { status, body } = await send(items);
    expect([status, body.field]).toEqual([400, 'items']);
  });
});

describe('402', () => {
  it('x-max-credits is compared with the worst case', async () => {
    const items = [{ retailer_product_code: '4', cost: 1 }];
    expect((await send(items, { 'x-max-credits': '2' })).status).toBe(402);
  });
});
