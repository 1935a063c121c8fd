// GET /retailer/product/details, and with it every step of a metered route.
import { describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../src/accounts/api-keys.ts';
import { eanOf, upcOf } from '../../src/catalog/gtin.ts';
import type { Product } from '../../src/catalog/product.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { changePlan } from '../../src/credits/change-plan.ts';
import { newSecret } from '../../src/foundation/secret.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const [first, last] = [service.products[0], service.products.at(-1)] as [Product, Product];
const path = '/retailer/product/details';
const byCode = `${path}?retailer_product_code=${first.code}`;

/** A customer who has only this many credits left. */
async function customerWith(remaining: number) {
  const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
  const { accountId } = customer;
  await service.app.charging.charge({
    accountId,
    id: crypto.randomUUID(),
    atMs: service.app.clock.nowMs(),
    kind: 'request',
    credits: remaining - 1000,
    operation: 'test',
    productCode: null,
    reference: 'test',
  });
  return customer;
}

describe('200', () => {
  test('by code, UPC and EAN: the spec’s record for 1 credit', async () => {
    const customer = await service.newCustomer();
    const upc = upcOf(first.gtin as string);
    for (const query of [`retailer_product_code=${first.code}`, `upc=${upc}`, `ean=0${upc}`]) {
      const reply = await service.get(customer, `${path}?${query}`);
      expect(reply.status).toBe(200);
      expect(reply.headers['x-credits-charged']).toBe('1');
      expect(reply.body).toEqual({
        upc,
        ean: `0${upc}`,
        retailer_product_code: first.code,
        brand: first.brand,
        product_name: first.name,
        categories: first.categories,
        buybox_price: 42.99,
        customer_rating: 4.6,
        number_of_reviews: 2140,
        last_updated: new Date(first.observedAtMs).toISOString(),
      });
    }
    expect(await service.used(customer)).toBe(3);
  });

  test('by UPC-E, EAN-8 and GTIN-14, in any parameter that takes them', async () => {
    const listing = (code: string, gtin: string): Snapshot => ({
      code,
      observedAtMs: first.observedAtMs,
      gtins: [gtin],
      offersComplete: false,
    });
    await recordSnapshots(service.app, [
      listing('81', '00042100005264'),
      listing('82', '00000096385074'),
    ]);
    const customer = await service.newCustomer({ perSecond: 1000 });
    for (const [query, code] of [
      ['upc=04252614', '81'],
      ['upc=042100005264', '81'],
      ['upc=00042100005264', '81'],
      ['ean=00042100005264', '81'],
      ['ean=96385074', '82'],
      ['ean=0000096385074', '82'],
      ['upc=00000096385074', '82'],
    ]) {
      const reply = await service.get(customer, `${path}?${query}`);
      expect([query, reply.body.retailer_product_code]).toEqual([query, code]);
    }
    // The same eight digits are two numbers.
    for (const query of ['ean=04252614', 'upc=06385074']) {
      expect([query, (await service.get(customer, `${path}?${query}`)).status]).toEqual([
        query,
        404,
      ]);
    }
    expect(await service.used(customer)).toBe(7);
  });

  test('a product with an EAN that is no UPC has no UPC', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, `${path}?ean=${eanOf(last.gtin as string)}`);
    expect(reply.body).toMatchObject({ upc: null, ean: eanOf(last.gtin as string) });
  });

  test('of several listings for one UPC the one with a buybox and the best rank, still 1 credit', async () => {
    const gtin = '00012345678905';
    const listing = (code: string, position: number, cents: number | null): Snapshot => ({
      code,
      observedAtMs: first.observedAtMs,
      gtins: [gtin],
      offersComplete: false,
      rank: { position, category: 'Kettles' },
      buybox: cents === null ? null : { priceCents: cents, sellerName: 'Acme' },
    });
    const listings = [listing('77', 1, null), listing('78', 9, 500), listing('79', 4, 700)];
    await recordSnapshots(service.app, listings);
    const customer = await service.newCustomer();
    const reply = await service.get(customer, `${path}?upc=012345678905`);
    expect(reply.body).toMatchObject({ retailer_product_code: '79', buybox_price: 7 });
    expect(await service.used(customer)).toBe(1);
  });

  test('returns the exact remaining credits', async () => {
    const customer = await customerWith(2);
    expect((await service.get(customer, byCode)).headers['x-credits-remaining']).toBe('1');
    expect((await service.get(customer, byCode)).headers['x-credits-remaining']).toBe('0');
  });

  test('a dry run returns the cost and is free', async () => {
    const customer = await customerWith(0);
    const reply = await service.get(customer, `${byCode}&dry_run=true`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ credit_cost: 1 });
    expect(reply.headers['x-credits-charged']).toBe('0');
    expect(await service.used(customer)).toBe(1000);
  });

  test('dry_run=false is an ordinary request; x-max-credits that suffices lets it through', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, `${byCode}&dry_run=false`, { 'x-max-credits': '1' });
    expect(reply.status).toBe(200);
    expect(await service.used(customer)).toBe(1);
  });

  test('may carry Content-Type: application/json without a body', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, byCode, { 'content-type': 'application/json' });
    expect(reply.status).toBe(200);
  });

  test('a repeated x-request-id does not make a request free', async () => {
    const customer = await service.newCustomer();
    const headers = { 'x-request-id': '019a0000-0000-7000-8000-000000000000' };
    const replies = [
      await service.get(customer, byCode, headers),
      await service.get(customer, byCode, headers),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect(await service.used(customer)).toBe(2);
  });
});

describe('400', () => {
  const CODE = 'retailer_product_code';
  const DIGITS = `${CODE} must be 1 to 20 digits`;
  test.each<[string, string, string | undefined, string]>([
    ['', 'product_selector_missing', undefined, 'exactly one'],
    ['?upc=012345678905&ean=0012345678905', 'product_selector_ambiguous', undefined, 'exactly one'],
    ['?upc=12345678905', 'upc_malformed', 'upc', 'upc must be 12 digits'],
    ['?upc=1.23457E+11', 'upc_malformed', 'upc', 'upc must be 12 digits'],
    ['?upc=96385074', 'upc_malformed', 'upc', 'UPC-E, starts with 0 or 1'],
    ['?ean=123', 'ean_malformed', 'ean', 'ean must be 13 digits'],
    ['?retailer_product_code=', 'product_code_malformed', CODE, DIGITS],
    ['?retailer_product_code=123456789012345678901', 'product_code_malformed', CODE, DIGITS],
    ['?retailer_product_code=%00', 'product_code_malformed', CODE, DIGITS],
    ['?retailer_product_code=1%27%20or%201=1', 'product_code_malformed', CODE, DIGITS],
    ['?upc=012345678905&upc=012345678905', 'upc_malformed', 'upc', 'upc'],
    [`?${CODE}=${first.code}&dry_run=perhaps`, 'parameter_invalid', 'dry_run', 'dry_run'],
  ])('%s is refused with what is allowed, and is free', async (query, code, field, message) => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, path + query);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ error: 400, code });
    expect(reply.body.field).toBe(field);
    expect(reply.body.message).toContain(message);
    expect(reply.body.request_id).toBe(reply.headers['x-request-id']);
    expect(await service.used(customer)).toBe(0);
  });

  test('a request without any of the three is refused before cost and funds are checked', async () => {
    const customer = await customerWith(0);
    expect((await service.get(customer, `${path}?dry_run=true`)).status).toBe(400);
    expect((await service.get(customer, path)).status).toBe(400);
  });

  test('x-max-credits that is not a number', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, byCode, { 'x-max-credits': 'plenty' });
    expect(reply.status).toBe(400);
    expect(await service.used(customer)).toBe(0);
  });
});

describe('401', () => {
  test('without a key', async () => {
    const reply = await service.get(null, byCode);
    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject({ error: 401, code: 'unauthenticated' });
  });

  test.each([
    ['a key nobody has', newSecret('ovs_')],
    ['an operator’s token', newSecret('ovt_')],
    ['rubbish', 'x'.repeat(5000)],
    ['nothing', ''],
  ])('with %s', async (_name, apiKey) => {
    expect((await service.get(null, byCode, { 'x-api-key': apiKey })).status).toBe(401);
  });

  test('with a revoked key, within a second, while the account’s other key works', async () => {
    const customer = await service.newCustomer({ perSecond: 1000 });
    expect((await service.get(customer, byCode)).status).toBe(200);
    const [row] = await service.app.db.read<{ key_id: string }>(
      'select key_id from api_keys where account_id = $1',
      [customer.accountId],
    );
    await revokeApiKey(service.app.db, {
      accountId: customer.accountId,
      keyId: row?.key_id as string,
      now: Date.now(),
    });
    const revokedMs = performance.now();
    let status = 200;
    while (status === 200 && performance.now() - revokedMs < 5000) {
      status = (await service.get(customer, byCode)).status;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(status).toBe(401);
    expect(performance.now() - revokedMs).toBeLessThan(1000);
  });
});

describe('402', () => {
  test('before any work, with what is required and what remains, and free', async () => {
    const customer = await customerWith(0);
    const reply = await service.get(customer, `${path}?retailer_product_code=1`);
    expect(reply.status).toBe(402);
    expect(reply.body).toMatchObject({
      error: 402,
      code: 'insufficient_credits',
      credits_required: 1,
      credits_remaining: 0,
    });
    expect(await service.used(customer)).toBe(1000);
  });

  test('when the request costs more than x-max-credits', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, byCode, { 'x-max-credits': '0' });
    expect(reply.status).toBe(402);
    expect(await service.used(customer)).toBe(0);
  });

  test('two hundred requests at once cannot spend ten credits twice', async () => {
    const customer = await customerWith(10);
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => service.get(customer, byCode)),
    );
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect([count(200), count(402)]).toEqual([10, 190]);
    const left = replies
      .filter((reply) => reply.status === 200)
      .map((reply) => Number(reply.headers['x-credits-remaining']));
    expect(left.sort((a, b) => b - a)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await service.used(customer)).toBe(1000);
  });

  test('ends at once after an upgrade', async () => {
    const customer = await customerWith(0);
    expect((await service.get(customer, byCode)).status).toBe(402);
    await changePlan(service.app, { accountId: customer.accountId, plan: 'Starter' });
    expect((await service.get(customer, byCode)).status).toBe(200);
  });
});

describe('404', () => {
  test('an unknown code is free', async () => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, `${path}?retailer_product_code=999`);
    expect(reply.status).toBe(404);
    expect(reply.headers['x-credits-charged']).toBe('0');
    expect(await service.used(customer)).toBe(0);
  });

  test('an unknown UPC says when its check digit does not match', async () => {
    const customer = await service.newCustomer();
    const right = await service.get(customer, `${path}?upc=036000291452`);
    const wrong = await service.get(customer, `${path}?upc=036000291453`);
    expect([right.status, wrong.status]).toEqual([404, 404]);
    expect(right.body.message).not.toContain('check digit');
    expect(wrong.body.message).toContain('check digit does not match');
  });
});

describe('429', () => {
  test('a rate-limited request costs nothing and says how long to wait', async () => {
    const customer = await service.newCustomer();
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => service.get(customer, byCode)),
    );
    const refused = replies.filter((reply) => reply.status === 429);
    expect(replies.filter((reply) => reply.status === 200).length).toBe(10);
    expect(refused.length).toBe(20);
    expect(refused[0]?.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"details";q=10;w=1',
      ratelimit: '"details";r=0;t=1',
      'x-credits-charged': '0',
    });
    expect(refused[0]?.body).toMatchObject({ error: 429, code: 'rate_limited' });
    expect(refused[0]?.body.retry_after_ms).toBeGreaterThan(0);
    expect(await service.used(customer)).toBe(10);
  });

  test('the other buckets, and other accounts, are not touched', async () => {
    const [customer, other] = [await service.newCustomer(), await service.newCustomer()];
    await Promise.all(Array.from({ length: 12 }, () => service.get(customer, byCode)));
    expect((await service.get(customer, byCode)).status).toBe(429);
    const credits = await service.get(customer, '/user/credits');
    expect(credits.status).toBe(200);
    expect(credits.headers['ratelimit-policy']).toBe('"account";q=10;w=1');
    expect((await service.get(other, byCode)).status).toBe(200);
  });
});
