// Formats, compression and ETags of every history and list.
import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { fastify } from 'fastify';
import type { TSchema } from 'typebox';
import { describe, expect, it, test } from 'vitest';
import { endpoint, openEndpoint } from '../../src/api/metered.ts';
import { allEndpoints } from '../../src/api/server.ts';
import { sessionEndpoints } from '../../src/api/session/session-endpoints.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { startService } from '../support/service.ts';
import { sendRequest, signedIn } from '../support/session.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const clock = manualClock(NOW);
const service = await startService({ clock });
const customer = await signedIn(service, { plan: 'Scale', perSecond: 1_000_000 });
const deps = { ...service.app, notReadyReason: () => null };
const endpoints = sessionEndpoints(deps, allEndpoints(deps));

let products = 0;
async function newProduct(hours: number): Promise<string> {
  const code = `${740_000_000 + products++}`;
  const snapshots = Array.from({ length: hours }, (_, index): Snapshot => {
    // The price changes once in 16 hours, and no hour is exact.
    const priceCents = 1999 + (((index >> 4) * 7919) % 500);
    const buybox = { priceCents, sellerName: 'Acme' };
    const observedAtMs = NOW - (hours - index) * HOUR_MS + ((index * 7919) % 41) * 1000;
    return { code, observedAtMs, gtins: [], buybox, offersComplete: false };
  });
  await recordSnapshots(service.app, snapshots);
  return code;
}

const get = (path: string, headers: Record<string, string> = {}, who = customer) =>
  service.server.inject({ url: path, headers: { 'x-api-key': who.apiKey, ...headers } });

const historyOf = (code: string, more = '') =>
  `/retailer/product/price-history?retailer_product_code=${code}${more}`;

describe('formats', () => {
  const lists = endpoints.filter(({ list }) => list !== undefined);

  test('every list and every history has them', () => {
    const listOf = (schema: TSchema | undefined) =>
      (schema as { type?: string } | undefined)?.type === 'array';
    const without = endpoints.filter(
      ({ list, responses, operation, method }) =>
        method === 'GET' &&
        list === undefined &&
        (listOf(responses[200]) || operation.endsWith('-history')),
    );
    // Keys are few, and the history of a tracked product is drawn by the dashboard.
    expect(without.map(({ operation }) => operation)).toEqual(WITHOUT);
    expect(lists.length).toBeGreaterThan(9);
  });

  test('price history as columns, CSV and NDJSON', async () => {
    const code = await newProduct(3);
    const { priceHistory } = (await get(historyOf(code))).json();
    const columns = (await get(historyOf(code, '&format=columns'))).json();
    expect(columns).toEqual({
      retailer_product_code: code,
      priceHistory: {
        date: priceHistory.map(({ date }: { date: string }) => date),
        price: [19.99, 19.99, 19.99],
      },
    });
    const csv = await get(historyOf(code), { accept: 'text/csv, application/json;q=0.5' });
    expect(csv.headers).toMatchObject({
      'x-credits-charged': '15',
      vary: 'accept-encoding, accept',
    });
    expect(csv.payload).toBe(
      `date,price\r\n${priceHistory.map(({ date }: { date: string }) => `${date},19.99\r\n`).join('')}`,
    );
    const lines = (await get(historyOf(code, '&format=ndjson'))).payload.split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(priceHistory);
  });

  test('a list keeps its format on the next page', async () => {
    const first = await get('/user/credits/ledger?limit=1&format=csv');
    expect(first.headers['content-type']).toContain('text/csv');
    expect(first.headers.link).toMatch(/\?format=csv&limit=1&after=/);
    expect(first.payload.split('\r\n')[0]).toBe(
      'id,at,kind,credits,operation,retailer_product_code,reference',
    );
  });

  test('the whole list of tracked products, streamed as lines', async () => {
    const path = '/retailer/oversight/products';
    const code = await newProduct(1);
    await service.send(customer, 'POST', path, {
      payload: JSON.stringify({ retailer_product_code: code }),
      headers: { 'content-type': 'application/json' },
    });
    const list = (await get(path)).json();
    const lines = (await get(path, { accept: 'application/x-ndjson' })).payload.trim();
    expect(lines.split('\n').map((line) => JSON.parse(line))).toEqual(list);
    const csv = (await get(`${path}?format=csv`)).payload;
    expect(csv.split('\r\n')).toHaveLength(list.length + 2);
  });

  test('an unknown format is refused, free of charge', async () => {
    const reply = await get(historyOf('1', '&format=xml'));
    expect([reply.statusCode, reply.json().field]).toEqual([400, 'format']);
  });
});

/** Lists that are described without formats. */
const WITHOUT = ['session-keys', 'session-tracked-history'];

describe('compression', () => {
  const OPEN = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

  it.each(['zstd', 'br', 'gzip'] as const)(
    '50 KB of history are at most 8 KB as %s',
    async (one) => {
      const code = await newProduct(1_020);
      const plain = await get(historyOf(code), { 'accept-encoding': 'identity' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.rawPayload.length).toBeGreaterThan(50_000);
      for (let round = 0; round < 2; round++) {
        const reply = await get(historyOf(code), { 'accept-encoding': one });
        expect(reply.headers).toMatchObject({
          'content-encoding': one,
          vary: 'accept-encoding, accept',
          'x-credits-charged': '15',
        });
        expect(reply.rawPayload.length).toBeLessThanOrEqual(8_192);
        expect(OPEN[one](reply.rawPayload).equals(plain.rawPayload)).toBe(true);
      }
    },
  );

  it.each(['zstd', 'gzip'] as const)('any range as %s is what it is as plain text', async (one) => {
    const code = await newProduct(5_000);
    const check = async (more: string) => {
      const plain = await get(historyOf(code, more), { 'accept-encoding': 'identity' });
      const reply = await get(historyOf(code, more), { 'accept-encoding': one });
      expect(reply.headers['x-credits-charged']).toBe(plain.headers['x-credits-charged']);
      if (reply.headers['content-encoding'] === undefined) {
        expect(reply.payload).toBe(plain.payload);
      } else {
        expect(OPEN[one](reply.rawPayload).toString()).toBe(plain.payload);
      }
    };
    const ranges = ['', '&from=2026-06-01T00:00:00Z', '&to=2026-07-01T00:00:00Z'];
    ranges.push('&from=2026-07-01T00:00:00Z&to=2026-07-03T00:00:00Z', '&changes_only=true');
    ranges.push('&from=2027-01-01T00:00:00Z', '&to=2020-01-01T00:00:00Z');
    for (const more of ranges) await check(more);
    // The tail is empty after a long batch; now it has a point, then one that lacks the buybox.
    const base = { code, gtins: [], offersComplete: false };
    const buybox = { priceCents: 77, sellerName: 'Acme' };
    await recordSnapshots(service.app, [{ ...base, observedAtMs: NOW, buybox }]);
    for (const more of ranges) await check(more);
  });

  it('small bodies and errors are sent as they are', async () => {
    const small = await get(historyOf(await newProduct(1)), { 'accept-encoding': 'gzip' });
    expect(small.headers['content-encoding']).toBeUndefined();
    expect(small.headers.vary).toContain('accept-encoding');
    const error = await get(historyOf('749999999'), { 'accept-encoding': 'gzip' });
    expect([error.statusCode, error.headers['content-encoding']]).toEqual([404, undefined]);
  });

  it('a streamed response is compressed too', async () => {
    const code = await newProduct(24 * 365);
    const path = `/retailer/product/offer-history?retailer_product_code=${code}`;
    await recordSnapshots(service.app, offersOf(code));
    const plain = await get(path);
    expect(plain.rawPayload.length).toBeGreaterThan(1_000_000);
    const reply = await get(path, { 'accept-encoding': 'br' });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(brotliDecompressSync(reply.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(reply.headers.etag).toBeUndefined();
  });

  it.each(['identity', 'gzip', 'br', 'zstd'])(
    'a response that breaks off is no body as %s',
    async (one) => {
      const server = await brokenServer();
      const reply = await fetch(await server.listen({ port: 0 }), {
        headers: { 'x-api-key': customer.apiKey, 'accept-encoding': one },
      });
      expect(reply.status).toBe(200);
      await expect(reply.text()).rejects.toThrow();
      await server.close();
    },
  );

  it('no response to a GET has a secret in it, so none can be found out by its length', () => {
    const secrets = endpoints
      .filter(({ method }) => method === 'GET')
      .filter(({ responses }) =>
        /"(?:secret|key|api_key|token|password)":/.test(JSON.stringify(responses)),
      );
    expect(secrets.map(({ operation }) => operation)).toEqual([]);
  });
});

/** A server whose only response fails after its first part was sent. */
async function brokenServer() {
  const server = fastify();
  server.decorateRequest('caller', null);
  server.decorateRequest('person', null);
  server.decorateRequest('creditsCharged', 0);
  const parts = async function* () {
    for (let part = 0; part < 20; part++) yield `"${randomBytes(50_000).toString('hex')}"`;
    throw new Error('the database is away');
  };
  const route = endpoint({
    method: 'GET',
    path: '/',
    operation: 'broken',
    operationId: 'broken.get',
    tag: 'Products',
    summary: 'Breaks off',
    bucket: 'product',
    responses: {},
    respond: async () => ({ parts: parts() }),
  });
  openEndpoint(server, service.app, route);
  return server;
}

/** Twelve sellers in every hour of the last 30 days. */
function offersOf(code: string): Snapshot[] {
  return Array.from({ length: 24 * 30 }, (_, hour) => ({
    code,
    observedAtMs: NOW - hour * HOUR_MS,
    gtins: [],
    offers: Array.from({ length: 12 }, (_, seller) => ({
      sellerName: `Seller ${seller}`,
      priceCents: 1000 + hour,
      shippingCents: 0,
      unitsInStock: hour,
      lastUpdatedAtMs: null,
    })),
    offersComplete: true,
  }));
}

describe('ETag', () => {
  it('what was paid today and has not changed is a free 304', async () => {
    const code = await newProduct(100);
    const first = await get(historyOf(code));
    const etag = String(first.headers.etag);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    const before = await service.used(customer);
    const again = await get(historyOf(code), { 'if-none-match': `"other", ${etag}` });
    expect([again.statusCode, again.payload]).toEqual([304, '']);
    expect(again.headers).toMatchObject({
      etag,
      'x-credits-charged': '0',
      vary: first.headers.vary,
    });
    expect(again.headers).not.toHaveProperty('content-type');
    expect(await service.used(customer)).toBe(before);

    const later = { code, observedAtMs: NOW, gtins: [], offersComplete: false } as const;
    await recordSnapshots(service.app, [
      { ...later, buybox: { priceCents: 1, sellerName: 'Acme' } },
    ]);
    const changed = await get(historyOf(code), { 'if-none-match': etag });
    expect([changed.statusCode, changed.headers['x-credits-charged']]).toEqual([200, '15']);
  });

  it('each encoding and format has a tag of its own', async () => {
    const code = await newProduct(100);
    const tags = new Set<unknown>();
    for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
      const { headers } = await get(historyOf(code), { 'accept-encoding': encoding });
      tags.add(headers.etag);
      const same = await get(historyOf(code), {
        'accept-encoding': encoding,
        'if-none-match': String(headers.etag),
      });
      expect(same.statusCode).toBe(304);
    }
    tags.add((await get(historyOf(code, '&format=csv'))).headers.etag);
    expect(tags.size).toBe(5);
  });

  it('another account, another day, a star and a guess are charged', async () => {
    const code = await newProduct(100);
    const etag = String((await get(historyOf(code))).headers.etag);
    const other = await signedIn(service, { plan: 'Pro' });
    const byOther = await get(historyOf(code), { 'if-none-match': etag }, other);
    expect([byOther.statusCode, byOther.headers['x-credits-charged']]).toEqual([200, '15']);
    const star = await get(historyOf(code), { 'if-none-match': '*' });
    expect([star.statusCode, star.headers['x-credits-charged']]).toEqual([200, '15']);
    clock.advanceMs(DAY_MS);
    const tomorrow = await get(historyOf(code), { 'if-none-match': etag });
    expect([tomorrow.statusCode, tomorrow.headers['x-credits-charged']]).toEqual([200, '15']);
    clock.advanceMs(-DAY_MS);
  });

  it('dry runs, free responses and sessions have none', async () => {
    const code = await newProduct(1);
    expect((await get(historyOf(code, '&dry_run=true'))).headers.etag).toBeUndefined();
    const empty = await get(historyOf(code, '&to=2020-01-01T00:00:00Z'));
    expect([empty.headers['x-credits-charged'], empty.headers.etag]).toEqual(['0', undefined]);
    const path = `/session${historyOf(code)}`;
    const reply = await sendRequest(service, customer, { method: 'GET', path });
    expect(reply.headers.etag).toBeUndefined();
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers.vary).toBe('cookie, accept-encoding, accept');
  });

  it('HEAD costs nothing and names what is allowed', async () => {
    const reply = await service.server.inject({
      method: 'HEAD',
      url: historyOf('1'),
      headers: { 'x-api-key': customer.apiKey },
    });
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET']);
  });
});
