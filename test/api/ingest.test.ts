// Ingest of snapshot lines: over HTTP with an operator token, and by the command.
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOperatorToken } from '../../src/accounts/operator-tokens.ts';
import { ingest } from '../../src/collection/ingest.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { app, server } = service;
const now = () => app.clock.nowMs();
let token = '';
beforeAll(async () => {
  token = (await createOperatorToken(app.db, { scope: 'ingest', now: now() })).token;
});

let codes = 0;
const freshCode = () => `${800_000_000 + codes++}`;

const snapshot = (code: string, hour: number, more: object = {}) => ({
  retailer_product_code: code,
  observed_at: new Date(now() - hour * 3_600_000).toISOString(),
  buybox: { price: 10 + hour, seller_name: 'Acme' },
  offers: [{ seller_name: 'Acme', price: 10 + hour, units_in_stock: 2_000 - hour }],
  offers_complete: true,
  ...more,
});
const lines = (values: readonly unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  server.inject({
    method: 'POST',
    url: '/ingest/snapshots',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-ndjson',
      ...headers,
    },
    payload,
  });

async function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

describe('POST /ingest/snapshots', () => {
  it('200: ingests each line, newest or late, and reports the outcome of each', async () => {
    const code = freshCode();
    const body = lines([snapshot(code, 1), snapshot(code, 3), 'nonsense', snapshot(code, 2), '']);
    const first = await post(body);
    expect(first.statusCode).toBe(200);
    expect(first.json()).toEqual({
      lines: 4,
      accepted: 3,
      held: 0,
      held_lines: [],
      unchanged: 0,
      refused: [{ line: 3, reason: expect.stringContaining('not JSON') }],
      refused_count: 1,
    });
    const again = await post(body);
    expect(again.json()).toMatchObject({ lines: 4, accepted: 0, unchanged: 3 });
    const observations = await readObservations(app, code);
    expect(observations.map((observation) => observation.buybox?.priceCents)).toEqual([
      1300, 1200, 1100,
    ]);
  });

  it('200: with any content type, and without a body', async () => {
    const code = freshCode();
    const json = await post(lines([snapshot(code, 1)]), { 'content-type': 'application/json' });
    expect(json.json()).toMatchObject({ lines: 1, accepted: 1 });
    const nothing = await post('');
    expect(nothing.json()).toMatchObject({ lines: 0, accepted: 0, refused: [] });
  });

  it('200: the product is served from it at once, by UPC, EAN and code', async () => {
    const code = freshCode();
    await post(lines([snapshot(code, 0, { upc: '044579413717', product_name: 'Acme Kettle' })]));
    const customer = await service.newCustomer();
    for (const query of [
      'upc=044579413717',
      'ean=0044579413717',
      `retailer_product_code=${code}`,
    ]) {
      const response = await service.send(customer, 'GET', `/retailer/product/details?${query}`);
      expect(response.body).toMatchObject({ retailer_product_code: code, buybox_price: 10 });
    }
  });

  it('401 without a token, or with one of another scope', async () => {
    const other = await createOperatorToken(app.db, { scope: 'metrics', now: now() });
    for (const authorization of ['', 'Bearer nothing', `Bearer ${other.token}`, `Basic ${token}`]) {
      expect((await post('{}', { authorization })).statusCode).toBe(401);
    }
  });

  it('413 for more than 100 MB, before it is sent', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({
        port,
        method: 'POST',
        path: '/ingest/snapshots',
        headers: { authorization: `Bearer ${token}`, 'content-length': 100_000_001 },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  it('415 for a compressed body', async () => {
    expect((await post('x', { 'content-encoding': 'gzip' })).statusCode).toBe(415);
  });
});

describe('ingest', () => {
  it('reads lines however they are split into chunks', async () => {
    const values = Array.from({ length: 20 }, (_, hour) =>
      snapshot('899000001', hour, { brand: 'Ünïcödé 上海' }),
    );
    for (const size of [1, 7, 1000]) {
      const done = await ingest(app, inChunks(`${lines(values)}\r\n`, size));
      expect(done).toMatchObject({ lines: 20, refusedCount: 0 });
    }
    expect(await readObservations(app, '899000001')).toHaveLength(20);
  });

  it('lists bad lines with their number and continues; beyond a thousand it only counts', async () => {
    const code = freshCode();
    const values = Array.from({ length: 1_500 }, (_, index) =>
      index % 100 === 99 ? snapshot(code, index) : '{',
    );
    const done = await ingest(app, inChunks(lines(values), 4096));
    expect(done).toMatchObject({ lines: 1_500, accepted: 15, refusedCount: 1_485 });
    expect(done.refused).toHaveLength(1_000);
    expect(done.refused.map(({ line }) => line)).toEqual(
      done.refused.map(({ line }) => line).toSorted((a, b) => a - b),
    );
    expect(done.refused[0]).toMatchObject({ line: 1 });
  });

  it('refuses a line of more than a megabyte without buffering it', async () => {
    const code = freshCode();
    const long = `{"retailer_product_code":"${'9'.repeat(10_000_000)}"}`;
    const done = await ingest(app, inChunks(lines([long, snapshot(code, 1)]), 65_536));
    expect(done).toMatchObject({ lines: 2, accepted: 1, refusedCount: 1 });
    expect(done.refused).toEqual([{ line: 1, reason: 'the line is longer than 1000000 bytes' }]);
  });

  it('if interrupted keeps what arrived; a repeat from the start loses and doubles nothing', async () => {
    const code = freshCode();
    const values = Array.from({ length: 50 }, (_, hour) => snapshot(code, hour));
    async function* broken() {
      yield Buffer.from(`${lines(values.slice(0, 20))}\n{"retailer_pro`);
      throw new Error('cable pulled');
    }
    await expect(ingest(app, broken())).rejects.toThrow('cable pulled');
    expect(await readObservations(app, code)).toHaveLength(20);
    const done = await ingest(app, inChunks(lines(values), 999));
    expect(done).toMatchObject({ accepted: 30, unchanged: 20 });
    expect(await readObservations(app, code)).toHaveLength(50);
  });

  it.each([
    ['a price of 0', { buybox: { price: 0 } }, 'buybox.price must be'],
    ['a price with three decimals', { buybox: { price: 1.001 } }, 'buybox.price must be'],
    [
      'a negative stock',
      { offers: [{ seller_name: 'A', price: 1, units_in_stock: -1 }] },
      'units_in_stock',
    ],
    ['a UPC in scientific notation', { upc: '4.45794E+11' }, 'upc must be a text of 12 digits'],
    ['a UPC without its leading zero', { upc: '44579413717' }, 'upc must be a text of 12 digits'],
    ['a UPC as a number', { upc: 44579413717 }, 'upc must be a text of 12 digits'],
    ['an EAN of 14 digits', { ean: '00044579413717' }, 'ean must be a text of 13 digits'],
    ['a time ahead', { observed_at: '2030-01-01T00:00:00Z' }, '5 minutes ahead'],
    ['a time without an offset', { observed_at: '2026-01-01T00:00:00' }, 'a time such as'],
  ])('refuses %s with a sentence that says what is allowed', async (_what, more, sentence) => {
    const code = freshCode();
    const done = await ingest(app, inChunks(lines([snapshot(code, 0, more)]), 100));
    expect(done).toMatchObject({ lines: 1, accepted: 0, refusedCount: 1 });
    expect(done.refused[0]?.reason).toContain(sentence);
    expect(await readObservations(app, code)).toEqual([]);
  });

  it('reads a sentinel stock as unknown, and one seller twice as one', async () => {
    const code = freshCode();
    const offers = [
      { seller_name: 'A', price: 5, units_in_stock: 2147483439 },
      { seller_name: 'B', price: 7, units_in_stock: 3 },
      { seller_name: 'B', price: 6, units_in_stock: 4 },
    ];
    await ingest(app, inChunks(lines([snapshot(code, 0, { offers })]), 100));
    const [observation] = await readObservations(app, code);
    expect(observation?.offers).toEqual([
      { sellerName: 'A', priceCents: 500, shippingCents: 0, unitsInStock: null },
      { sellerName: 'B', priceCents: 600, shippingCents: 0, unitsInStock: 7 },
    ]);
  });
});
