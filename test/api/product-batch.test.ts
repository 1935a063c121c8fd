// POST /retailer/products/batch, grouped by status.
import { describe, expect, it } from 'vitest';
import { setRequestsPerSecond } from '../../src/accounts/accounts.ts';
import type { Product } from '../../src/catalog/product.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock, monotonicMs } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { expectErrorRecord, startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const clock = manualClock(NOW);
const service = await startService({ clock });
const customer = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });
const [first, second] = service.products as [Product, Product];

const send = (body: unknown, headers: Record<string, string> = {}, query = '', by = customer) =>
  service.send(by, 'POST', `/retailer/products/batch${query}`, {
    payload: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

const single = (what: string, code: string, more = '') =>
  service.get(customer, `/retailer/product/${what}?retailer_product_code=${code}${more}`);

type Seen = {
  requested: object;
  status: number;
  credits: number;
  details?: { retailer_product_code: string };
};

let codes = 0;
async function stored(change: Partial<Snapshot> = {}): Promise<string> {
  const code = `${740_000_000 + codes++}`;
  await recordSnapshots(service.app, [
    {
      code,
      observedAtMs: NOW,
      gtins: [],
      buybox: { priceCents: 1999, sellerName: 'Acme' },
      offers: [
        {
          sellerName: 'Acme',
          priceCents: 1999,
          shippingCents: 0,
          unitsInStock: 3,
          lastUpdatedAtMs: null,
        },
      ],
      offersComplete: true,
      ...change,
    },
  ]);
  return code;
}

describe('200', () => {
  it('each part is what a single call returns, and costs the same', async () => {
    const code = await stored();
    const parts = ['details', 'offers', 'fees', 'stats'];
    const before = await service.used(customer);
    const { status, body, headers } = await send({ codes: [code], include: parts });
    expect(status).toBe(200);
    const [result] = body.results;
    expect(Object.keys(result)).toEqual(['requested', 'status', 'credits', ...parts]);
    for (const part of parts) expect(result[part]).toEqual((await single(part, code)).body);
    expect([result.credits, headers['x-credits-charged']]).toEqual([11, '11']);
    expect(await service.used(customer)).toBe(before + 22);
  });

  it('stats have the windows and the explanation of a single call', async () => {
    const code = await stored();
    const body = { codes: [code], include: ['stats'], days: [7, 30], explain: true };
    const { stats, credits } = (await send(body)).body.results[0];
    expect([credits, stats]).toEqual([
      2,
      (await single('stats', code, '&days=7,30&explain=true')).body,
    ]);
    expect(stats.explanation.windows.map(({ days }: { days: number }) => days)).toEqual([7, 30]);
  });

  it('results are in the order requested, found or not, and only found ones cost', async () => {
    const code = await stored();
    const { body, headers } = await send({
      codes: [code, '4', 'x', first.code],
      upcs: [first.gtin?.slice(2), '12'],
      eans: [second.gtin?.slice(1), 7, '4006381333931'],
    });
    const seen = body.results.map((result: Seen) => [
      Object.values(result.requested)[0],
      result.status,
      result.details?.retailer_product_code,
      result.credits,
    ]);
    expect(seen).toEqual([
      [code, 200, code, 1],
      ['4', 404, undefined, 0],
      ['x', 400, undefined, 0],
      [first.code, 200, first.code, 1],
      // The same product by another number is charged once.
      [first.gtin?.slice(2), 200, first.code, 0],
      ['12', 400, undefined, 0],
      [second.gtin?.slice(1), 200, second.code, 1],
      [7, 400, undefined, 0],
      ['4006381333931', 404, undefined, 0],
    ]);
    expect(headers['x-credits-charged']).toBe('3');
    for (const { status, error } of body.results) {
      if (status !== 200) expectErrorRecord(status, error);
    }
    expect(body.results[1].error).toMatchObject({
      code: 'product_not_found',
      field: 'retailer_product_code',
    });
    expect(body.results[5].error).toMatchObject({ code: 'upc_malformed', field: 'upc' });
  });

  it('one ledger entry has the whole charge', async () => {
    const payer = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });
    await send({ codes: [first.code, second.code, first.code] }, {}, '', payer);
    const { body } = await service.get(payer, '/user/credits/ledger');
    const charges = body.filter(({ operation }: { operation: string }) => operation === 'batch');
    expect(charges).toMatchObject([{ credits: -2, operation: 'batch' }]);
  });

  it('a part without data is free and leaves the others', async () => {
    const bare = await stored({ buybox: null, offers: [] });
    const { body, headers } = await send({ codes: [bare], include: ['fees', 'offers'] });
    expect(body.results[0]).toMatchObject({
      status: 200,
      credits: 5,
      offers: { sellers: [] },
      part_errors: { fees: { code: 'product_not_for_sale' } },
    });
    expect(headers['x-credits-charged']).toBe('5');
    const old = await stored({ observedAtMs: NOW - 400 * DAY_MS });
    const stats = await send({ codes: [old], include: ['stats'] });
    expect([stats.body.results[0].credits, stats.headers['x-credits-charged']]).toEqual([0, '0']);
  });

  it('a batch in which nothing is found is free', async () => {
    const before = await service.used(customer);
    const { status, headers } = await send({ codes: ['4', '5'], include: ['details', 'offers'] });
    expect([status, headers['x-credits-charged']]).toEqual([200, '0']);
    expect(await service.used(customer)).toBe(before);
  });

  it('Accept: application/x-ndjson gets one line per item', async () => {
    const reply = await service.server.inject({
      method: 'POST',
      url: '/retailer/products/batch',
      headers: {
        'x-api-key': customer.apiKey,
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      payload: JSON.stringify({ codes: [first.code, '4', second.code] }),
    });
    expect(reply.headers['content-type']).toContain('application/x-ndjson');
    expect(reply.headers['x-credits-charged']).toBe('2');
    const lines = reply.payload
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ status }) => status)).toEqual([200, 404, 200]);
  });

  it('stale products are refreshed from the marketplace, and one that fails is served as stored', async () => {
    const stale = await stored({ observedAtMs: NOW - HOUR_MS });
    const { body } = await send({ codes: [stale, first.code] });
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
    expect(body.results[0].details.last_updated).toBe(new Date(NOW - HOUR_MS).toISOString());
  });

  it('dry_run says the cost if every well-formed item is found, duplicates once', async () => {
    const body = {
      codes: ['1', '1', 'x', '2'],
      upcs: ['036000291452'],
      include: ['offers', 'stats'],
    };
    expect((await send(body, {}, '?dry_run=true')).body).toEqual({ credit_cost: 3 * 7 });
  });

  it('a hundred products with all parts are one request', async () => {
    const many = await Promise.all(Array.from({ length: 100 }, () => stored()));
    const { body, headers } = await send({
      codes: many,
      include: ['details', 'offers', 'fees', 'stats'],
    });
    expect(body.results.every(({ status }: { status: number }) => status === 200)).toBe(true);
    expect(headers['x-credits-charged']).toBe('1100');
  });
});

describe('400', () => {
  const numbers = (length: number) => Array.from({ length }, () => '1');
  it.each([
    ['no item', {}, 'codes'],
    ['an empty list', { codes: [] }, 'codes'],
    ['101 items together', { codes: numbers(60), upcs: numbers(41) }, 'codes'],
    ['101 items of one kind', { eans: numbers(101) }, 'eans'],
    ['a text instead of a list', { codes: '1' }, 'codes'],
    ['no part', { codes: ['1'], include: [] }, 'include'],
    ['an unknown part', { codes: ['1'], include: ['price-history'] }, 'include.0'],
    ['a window of no days', { codes: ['1'], include: ['stats'], days: [0] }, 'days.0'],
    ['the same window twice', { codes: ['1'], include: ['stats'], days: [7, 7] }, 'days'],
    ['windows without stats', { codes: ['1'], days: [7] }, 'days'],
    ['an explanation without stats', { codes: ['1'], explain: true }, 'explain'],
    ['a text instead of parts', { codes: ['1'], include: 'details' }, 'include'],
  ])('%s', async (_, body, field) => {
    const { status, body: error, headers } = await send(body);
    expect([status, error.field, headers['x-credits-charged']]).toEqual([400, field, '0']);
  });

  it('format must be one that exists', async () => {
    const { status, body } = await send({ codes: ['1'] }, {}, '?format=xml');
    expect([status, body.field]).toEqual([400, 'format']);
  });
});

describe('402', () => {
  it('x-max-credits is compared with the worst case before any work', async () => {
    const { status, body } = await send(
      { codes: ['4', '5'], include: ['offers'] },
      { 'x-max-credits': '9' },
    );
    expect([status, body.credits_required]).toEqual([402, 10]);
  });
});

describe('429', () => {
  it('offers count as one request per product, details as one per ten', async () => {
    const slow = await service.newCustomer({ plan: 'Scale' });
    await setRequestsPerSecond(service.app.db, {
      accountId: slow.accountId,
      buckets: ['product', 'details'],
      perSecond: 5,
    });
    // 80 products at 5 per second take more than 15 seconds.
    const many = Array.from({ length: 80 }, (_, index) => `${index + 1}`);
    const refused = await send({ codes: many, include: ['offers'] }, {}, '', slow);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(refused.body.message).toContain('counts as 80 requests');
    // Ten wait for the second second; fifty items of details are five requests.
    const startMs = monotonicMs();
    const waited = await send({ codes: many.slice(0, 10), include: ['offers'] }, {}, '', slow);
    expect(waited.status).toBe(200);
    expect(monotonicMs() - startMs).toBeGreaterThan(900);
    const light = await send({ codes: many.slice(0, 30) }, {}, '', slow);
    expect(light.status).toBe(200);
  });

  it('items that do not exist count against the miss budget, and the others are served', async () => {
    const vain = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });
    const codesOf = (start: number) => Array.from({ length: 99 }, (_, i) => `${start + i}`);
    await send({ codes: codesOf(20_000) }, {}, '', vain);
    await send({ codes: codesOf(21_000) }, {}, '', vain);
    const { body } = await send({ codes: [...codesOf(22_000), first.code] }, {}, '', vain);
    const statuses = body.results.map(({ status }: { status: number }) => status);
    expect(statuses).toContain(429);
    expect(statuses.at(-1)).toBe(200);
  });
});
