// Product look-ups, from the catalogue or the marketplace, also when the marketplace is slow or
// unavailable or does not have the product.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { createLookUp, FRESH_MS } from '../../src/collection/look-up.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { type Customer, startService } from '../support/service.ts';

const START = Date.parse('2026-11-14T12:00:00.000Z');
const clock = manualClock(START);
const service = await startService({ clock });
const customer = await service.newCustomer({ plan: 'Scale', perSecond: 1_000_000 });
const { source } = service;
let codes = 600_000_000;

/** Adds a product that only the marketplace has. */
function unstored(change: Partial<Snapshot> = {}): Snapshot {
  const snapshot = {
    code: String(++codes),
    observedAtMs: clock.nowMs(),
    gtins: [],
    name: 'Lamp',
    buybox: { priceCents: 500, sellerName: null },
    offersComplete: false,
    ...change,
  };
  source.shelf.set(snapshot.code, snapshot);
  return snapshot;
}

const details = (query: string, as: Customer = customer) =>
  service.get(as, `/retailer/product/details?${query}`);

beforeEach(() => {
  clock.setMs(START);
  source.calls = 0;
  source.meanwhile = null;
});

describe('a product that is not stored', () => {
  test('is fetched, recorded and served', async () => {
    const { code } = unstored();
    expect((await details(`retailer_product_code=${code}`)).body.product_name).toBe('Lamp');
    source.shelf.delete(code);
    expect((await details(`retailer_product_code=${code}`)).status).toBe(200);
    expect(source.calls).toBe(1);
  });

  test('is fetched once for all concurrent requests', async () => {
    const { code } = unstored();
    let respond = () => {};
    const called = new Promise<void>((resolve) => {
      source.meanwhile = () => {
        resolve();
        return new Promise((done) => {
          respond = () => done(undefined);
        });
      };
    });
    const storm = Array.from({ length: 1000 }, () => details(`retailer_product_code=${code}`));
    await called;
    respond();
    const statuses = new Set((await Promise.all(storm)).map((reply) => reply.status));
    expect([...statuses]).toEqual([200]);
    expect(source.calls).toBe(1);
  });

  test('is not fetched again for a request that read the catalogue before it was recorded', async () => {
    const { code } = unstored();
    const reads: (() => void)[] = [];
    const products = {
      // Both find nothing, each when the test lets it.
      byCode: () => new Promise<undefined>((resolve) => reads.push(() => resolve(undefined))),
      byGtin: async () => [],
      tailOf: async () => undefined,
    };
    const lookUp = createLookUp({ ...service.app, products, source });
    const [first, second] = [lookUp.byCode(code, 'a'), lookUp.byCode(code, 'b')];
    reads[0]?.();
    await first;
    reads[1]?.();
    expect((await second)?.code).toBe(code);
    expect(source.calls).toBe(1);
  });

  test('is found by its GTIN at the marketplace, and by the catalogue afterwards', async () => {
    const { code } = unstored({ gtins: ['00036000291452'] });
    expect((await details('upc=036000291452')).body.retailer_product_code).toBe(code);
    const calls = source.calls;
    expect((await details('ean=0036000291452')).body.retailer_product_code).toBe(code);
    expect(source.calls).toBe(calls);
  });

  test('and not listed by the marketplace is 404, free, and not fetched again for a while', async () => {
    const before = await service.used(customer);
    expect((await details('retailer_product_code=404')).status).toBe(404);
    expect((await details('retailer_product_code=404')).status).toBe(404);
    expect(source.calls).toBe(1);
    expect(await service.used(customer)).toBe(before);
  });

  test.each([
    [
      'unavailable',
      'cannot be reached',
      async () => [{ kind: 'unavailable' as const, reason: 'down' }],
    ],
    [
      'sending bad data',
      'cannot be used',
      async () => [{ kind: 'bad_response' as const, reason: 'no price' }],
    ],
    ['failing', 'cannot be reached', () => Promise.reject(new Error('boom'))],
  ])('is 503 and free while the marketplace is %s', async (_how, says, meanwhile) => {
    const { code } = unstored();
    source.meanwhile = meanwhile;
    const before = await service.used(customer);
    const reply = await details(`retailer_product_code=${code}`);
    expect(reply.status).toBe(503);
    const code503 = says === 'cannot be used' ? 'source_data_unusable' : 'source_unavailable';
    expect(reply.body).toMatchObject({ error: 503, code: code503 });
    expect(reply.body.message).toContain(says);
    expect(await service.used(customer)).toBe(before);
    source.meanwhile = null;
    expect((await details(`retailer_product_code=${code}`)).status).toBe(200);
  });
});

describe('a stored product', () => {
  test('is served from the catalogue while it is fresh, and fetched again when it is not', async () => {
    const { code } = unstored();
    await details(`retailer_product_code=${code}`);
    clock.advanceMs(FRESH_MS - 1);
    unstored({ code, name: 'Lamp, new', observedAtMs: clock.nowMs() });
    expect((await details(`retailer_product_code=${code}`)).body.product_name).toBe('Lamp');
    clock.advanceMs(1);
    expect((await details(`retailer_product_code=${code}`)).body.product_name).toBe('Lamp, new');
    expect(source.calls).toBe(2);
  });

  test('is served with its true time, and charged, while the marketplace is unavailable', async () => {
    const { code } = unstored();
    await details(`retailer_product_code=${code}`);
    clock.advanceMs(10 * FRESH_MS);
    source.meanwhile = async () => [{ kind: 'unavailable', reason: 'down' }];
    const before = await service.used(customer);
    const reply = await details(`retailer_product_code=${code}`);
    expect(reply.body.last_updated).toBe('2026-11-14T12:00:00.000Z');
    expect(await service.used(customer)).toBe(before + 1);
  });

  test('keeps parts that were not observed, and is not changed by an older snapshot', async () => {
    const { code } = unstored({ brand: 'Acme' });
    await details(`retailer_product_code=${code}`);
    clock.advanceMs(FRESH_MS);
    unstored({ code, name: undefined, observedAtMs: clock.nowMs() });
    expect((await details(`retailer_product_code=${code}`)).body).toMatchObject({
      brand: 'Acme',
      product_name: 'Lamp',
    });
    clock.advanceMs(FRESH_MS);
    unstored({ code, name: 'Older', observedAtMs: START - 1000 });
    expect((await details(`retailer_product_code=${code}`)).body.product_name).toBe('Lamp');
  });
});
