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

async function ask(path: string, method = 'GET', body?: string) {
  const reply = await fetch(server.address + path, { method, ...(body ? { body } : {}) });
  const text = await reply.text();
  return {
    status: reply.status,
    json: text.startsWith('{') ? JSON.parse(text.split('\n')[0] ?? '') : text,
  };
}
const control = (body: string) => ask('/control', 'PUT', body);
const well = async () => (await ask(`/products/${code}`)).status === 200;

beforeEach(async () => {
  await control('{"delay_ms":0,"fail_rate":0,"nonsense":0,"lost_fraction":0,"emptied_fraction":0}');
});

describe('the feed', () => {
  test('tells a product by its code, its GTIN, and in a batch', async () => {
    expect(await ask(`/products/${code}`)).toMatchObject({
      status: 200,
      json: { retailer_product_code: code, observed_at: '2026-11-14T12:00:00.000Z' },
    });
    expect((await ask(`/products?gtin=${gtin}`)).json).toEqual({ codes: [code] });
    const batch = await ask('/products/batch', 'POST', JSON.stringify({ codes: ['1', code] }));
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
  ])('answers %d with a sentence to %s %s', async (status, method, path, body?: string) => {
    const reply = await ask(path, method, body);
    expect(reply).toEqual({ status, json: { error: status, message: expect.any(String) } });
    expect(await well()).toBe(true);
  });

  test('goes on after what is not HTTP', async () => {
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    socket.end('\0\x01 nonsense\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(await well()).toBe(true);
  });

  test('may want a token', async () => {
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
  test('changes parts and shows the whole', async () => {
    expect((await control('{"delay_ms":5,"nonsense":0.5}')).json).toEqual({
      ...{ delay_ms: 5, fail_rate: 0, nonsense: 0.5, lost_fraction: 0, emptied_fraction: 0 },
    });
    expect((await ask('/control')).json).toMatchObject({ delay_ms: 5, nonsense: 0.5 });
  });

  test.each([
    ['{"delay_ms":-1}', 'delay_ms must be a number from 0 to 600000.'],
    ['{"delay_ms":"5"}', 'delay_ms must be a number from 0 to 600000.'],
    ['{"fail_rate":1.1}', 'fail_rate must be a number from 0 to 1.'],
    ['{"fail_rate":null}', 'fail_rate must be a number from 0 to 1.'],
    ['{"nonsense":"yes"}', 'nonsense must be true, false or a number from 0 to 1.'],
    ['{"lost_fraction":2}', 'lost_fraction must be a number from 0 to 1.'],
    ['[]', 'The body must be a JSON object with any of delay_ms'],
    ['{"delay":5}', '"delay" is not known here; known are delay_ms'],
    ['{"constructor":5}', '"constructor" is not known here; known are delay_ms'],
    ['{', 'The body is not JSON.'],
    ['{"fail_rate":0.5,"delay_ms":-1}', 'delay_ms must be'],
  ])('refuses %s and changes nothing', async (body, message) => {
    expect(await control(body)).toEqual({
      status: 400,
      json: { error: 400, message: expect.stringContaining(message) },
    });
    expect((await ask('/control')).json).toMatchObject({ delay_ms: 0, fail_rate: 0 });
  });

  test('answers at once, whatever the trouble', async () => {
    await control('{"delay_ms":600000,"fail_rate":1,"nonsense":true}');
    expect((await control('{"delay_ms":0,"fail_rate":0,"nonsense":false}')).status).toBe(200);
    expect(await well()).toBe(true);
  });

  test('fails in turn with 503 and a cut connection', async () => {
    await control('{"fail_rate":1}');
    const statuses = [];
    for (let nth = 0; nth < 4; nth++) {
      statuses.push(
        await ask(`/products/${code}`).then(
          ({ status }) => status,
          () => 'cut',
        ),
      );
    }
    expect(statuses.sort()).toEqual([503, 503, 'cut', 'cut']);
  });

  test('loses always the same products, the more the larger the fraction', async () => {
    const codes = Array.from({ length: 100 }, (_, nth) => source.productAt(nth).code);
    const missingAt = async (fraction: number): Promise<Set<string>> => {
      await control(JSON.stringify({ lost_fraction: fraction }));
      const { json } = await ask('/products/batch', 'POST', JSON.stringify({ codes }));
      return new Set(json.missing);
    };
    const [few, half, all] = [await missingAt(0.2), await missingAt(0.5), await missingAt(1)];
    expect([...few].filter((one) => !half.has(one))).toEqual([]);
    expect(half.size).toBeGreaterThan(few.size);
    expect(all.size).toBe(100);
    expect(await missingAt(0.5)).toEqual(half);
    expect((await missingAt(0)).size).toBe(0);
    await control('{"lost_fraction":1}');
    expect((await ask(`/products/${code}`)).status).toBe(404);
    expect((await ask(`/products?gtin=${gtin}`)).json).toEqual({ codes: [] });
  });
});

describe('a history without end', () => {
  /** Counts what is told, and whether it was ended. */
  async function endless() {
    const snapshot = source.snapshotAt(code, NOW) as Snapshot;
    const seen = { told: 0, ended: false };
    async function* history() {
      try {
        for (;;) {
          seen.told += 1;
          yield snapshot;
        }
      } finally {
        seen.ended = true;
      }
    }
    const own = await startFeedServer({ ...at, source: { ...source, history }, token: null });
    const request = get(`${own.address}/products/${code}/history`);
    request.on('error', () => {}); // cut below
    const [response] = await once(request, 'response');
    response.on('error', () => {});
    return { own, request, seen };
  }

  test('waits for a slow reader, and ends when the reader has gone', async () => {
    const { own, request, seen } = await endless();
    // Nobody reads: as soon as all that lies between is full, nothing more is told.
    let before = -1;
    const stands = () => {
      const isSame = seen.told === before;
      before = seen.told;
      return isSame;
    };
    await vi.waitUntil(stands, { interval: 100, timeout: 10_000 });
    request.destroy();
    await vi.waitUntil(() => seen.ended);
    await own.close();
  });

  test('does not keep the server from stopping', async () => {
    const { own, seen } = await endless();
    await own.close();
    await vi.waitUntil(() => seen.ended);
  });
});
