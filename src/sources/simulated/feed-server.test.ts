// The stand-alone feed: its endpoints, its configurable faults, and endless histories.
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { manualClock } from '../../foundation/clock.ts';
import { startFeedServer } from './feed-server.ts';
import { createSimulatedSource } from './simulated-source.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');
const clock = manualClock(NOW);
const source = createSimulatedSource({ clock });
const { code, gtin } = source.productAt(0);
const at = { clock, host: '127.0.0.1', port: 0 };
const server = await startFeedServer({ ...at, source, token: null });
afterAll(() => server.close());

async function request(path: string, method = 'GET', body?: string) {
  const response = await fetch(server.address + path, { method, ...(body ? { body } : {}) });
  const text = await response.text();
  return {
    status: response.status,
    json: text.startsWith('{') ? JSON.parse(text.split('\n')[0] ?? '') : text,
  };
}
const control = (body: string) => request('/control', 'PUT', body);
const well = async () => (await request(`/products/${code}`)).status === 200;

beforeEach(async () => {
  await control('{"delay_ms":0,"fail_rate":0,"nonsense":0,"lost_fraction":0,"emptied_fraction":0}');
});

describe('the feed', () => {
  test('serves a product by its code, its GTIN, and in a batch', async () => {
    expect(await request(`/products/${code}`)).toMatchObject({
      status: 200,
      json: { retailer_product_code: code, observed_at: '2026-11-14T12:00:00.000Z' },
    });
    expect((await request(`/products?gtin=${gtin}`)).json).toEqual({ codes: [code] });
    const batch = await request('/products/batch', 'POST', JSON.stringify({ codes: ['1', code] }));
    expect(batch.json).toMatchObject({
      snapshots: [{ retailer_product_code: code }],
      missing: ['1'],
    });
  });

  test.each([
    [404, 'GET', '/products/1'],
    [404, 'GET', '/products/1/history'],
    [404, 'GET', '/products/x'],
    [404, 'GET', '/'],
    [404, 'GET', '//'],
    [404, 'GET', '/products/1/2/3'],
    [404, 'GET', '/%'],
    [405, 'DELETE', '/products/1'],
    [405, 'GET', '/products/batch'],
    [405, 'POST', '/control'],
    [400, 'GET', '/products'],
    [400, 'GET', '/products?gtin=1'],
    [400, 'GET', `/products/${code}/history?from=yesterday`],
    [400, 'POST', '/products/batch', 'no JSON'],
    [400, 'POST', '/products/batch', 'null'],
    [400, 'POST', '/products/batch', '{"codes":"1"}'],
    [400, 'POST', '/products/batch', '{"codes":[1]}'],
    [400, 'POST', '/products/batch', JSON.stringify({ codes: Array(101).fill('1') })],
    [413, 'POST', '/products/batch', ' '.repeat(70_000)],
  ])('responds with %d and a sentence to %s %s', async (status, method, path, body?: string) => {
    const response = await request(path, method, body);
    expect(response).toEqual({ status, json: { error: status, message: expect.any(String) } });
    expect(await well()).toBe(true);
  });

  test('continues after invalid HTTP', async () => {
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    socket.end('\0\x01 nonsense\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(await well()).toBe(true);
  });

  test('may require a token', async () => {
    const guarded = await startFeedServer({ ...at, source, token: 'sesame' });
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${guarded.address}/products/${code}`, { headers })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: 'Bearer x' })).toBe(401);
    expect(await statusWith({ authorization: 'Bearer sesame' })).toBe(200);
    await guarded.close();
  });
});

describe('control', () => {
  test('changes single members and returns all', async () => {
    expect((await control('{"delay_ms":5,"nonsense":0.5}')).json).toEqual({
      delay_ms: 5,
      fail_rate: 0,
      nonsense: 0.5,
      lost_fraction: 0,
      emptied_fraction: 0,
    });
    expect((await request('/control')).json).toMatchObject({ delay_ms: 5, nonsense: 0.5 });
  });

  test.each([
    ['{"delay_ms":-1}', 'delay_ms must be a number from 0 to 600000.'],
    ['{"delay_ms":"5"}', 'delay_ms must be a number from 0 to 600000.'],
    ['{"fail_rate":1.1}', 'fail_rate must be a number from 0 to 1.'],
    ['{"fail_rate":null}', 'fail_rate must be a number from 0 to 1.'],
    ['{"nonsense":"yes"}', 'nonsense must be true, false or a number from 0 to 1.'],
    ['{"lost_fraction":2}', 'lost_fraction must be a number from 0 to 1.'],
    ['[]', 'The body must be a JSON object with any of delay_ms'],
    ['{"delay":5}', '"delay" is not a member; allowed are delay_ms'],
    ['{"constructor":5}', '"constructor" is not a member; allowed are delay_ms'],
    ['{', 'The body is not JSON.'],
    ['{"fail_rate":0.5,"delay_ms":-1}', 'delay_ms must be'],
  ])('refuses %s and changes nothing', async (body, message) => {
    expect(await control(body)).toEqual({
      status: 400,
      json: { error: 400, message: expect.stringContaining(message) },
    });
    expect((await request('/control')).json).toMatchObject({ delay_ms: 0, fail_rate: 0 });
  });

  test('responds at once, whatever the faults', async () => {
    await control('{"delay_ms":600000,"fail_rate":1,"nonsense":true}');
    expect((await control('{"delay_ms":0,"fail_rate":0,"nonsense":false}')).status).toBe(200);
    expect(await well()).toBe(true);
  });

  test('fails alternately with 503 and a cut connection', async () => {
    await control('{"fail_rate":1}');
    const statuses = [];
    for (let nth = 0; nth < 4; nth++) {
      statuses.push(
        await request(`/products/${code}`).then(
          ({ status }) => status,
          () => 'cut',
        ),
      );
    }
    expect(statuses.sort()).toEqual([503, 503, 'cut', 'cut']);
  });

  test('loses always the same products, more with a larger fraction', async () => {
    const codes = Array.from({ length: 100 }, (_, nth) => source.productAt(nth).code);
    const missingAt = async (fraction: number): Promise<Set<string>> => {
      await control(JSON.stringify({ lost_fraction: fraction }));
      const { json } = await request('/products/batch', 'POST', JSON.stringify({ codes }));
      return new Set(json.missing);
    };
    const [few, half, all] = [await missingAt(0.2), await missingAt(0.5), await missingAt(1)];
    expect([...few].filter((one) => !half.has(one))).toEqual([]);
    expect(half.size).toBeGreaterThan(few.size);
    expect(all.size).toBe(100);
    expect(await missingAt(0.5)).toEqual(half);
    expect((await missingAt(0)).size).toBe(0);
    await control('{"lost_fraction":1}');
    expect((await request(`/products/${code}`)).status).toBe(404);
    expect((await request(`/products?gtin=${gtin}`)).json).toEqual({ codes: [] });
  });
});

describe('an endless history', () => {
  /** Counts the snapshots sent, and records the end. */
  async function endless() {
    const snapshot = source.snapshotAt(code, NOW) as Snapshot;
    const seen = { sent: 0, ended: false };
    async function* history() {
      try {
        for (;;) {
          seen.sent += 1;
          yield snapshot;
        }
      } finally {
        seen.ended = true;
      }
    }
    const server = await startFeedServer({ ...at, source: { ...source, history }, token: null });
    const request = get(`${server.address}/products/${code}/history`);
    request.on('error', () => {}); // cut below
    const [response] = await once(request, 'response');
    response.on('error', () => {});
    return { server, request, seen };
  }

  test('waits for a slow reader, and ends when the reader disconnects', async () => {
    const { server, request, seen } = await endless();
    // Nobody reads: as soon as all buffers are full, nothing more is sent.
    let before = -1;
    const isStalled = () => {
      const isSame = seen.sent === before;
      before = seen.sent;
      return isSame;
    };
    await vi.waitUntil(isStalled, { interval: 100, timeout: 10_000 });
    request.destroy();
    await vi.waitUntil(() => seen.ended);
    await server.close();
  });

  test('does not prevent the server from stopping', async () => {
    const { server, seen } = await endless();
    await server.close();
    await vi.waitUntil(() => seen.ended);
  });
});
