// The whole service on a feed that is down, slow, malformed or missing half of its products: stored
// products are served with their true time, others get a free 503, and the service recovers by
// itself.
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { FRESH_MS } from '../../src/collection/look-up.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createMetrics } from '../../src/foundation/metrics.ts';
import { createFeedSource } from '../../src/sources/feed/feed-source.ts';
import { startFeedServer } from '../../src/sources/simulated/feed-server.ts';
import { NONSENSE } from '../../src/sources/simulated/nonsense.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import type { Source } from '../../src/sources/source.ts';
import { startService } from '../support/service.ts';

const START = Date.parse('2026-11-14T12:00:00.000Z');
const clock = manualClock(START);
const simulated = createSimulatedSource({ clock });
const at = { source: simulated, clock, token: null, host: '127.0.0.1' };
let marketplace = await startFeedServer({ ...at, port: 0 });
const url = marketplace.address;
afterAll(() => marketplace.close());

const log = createLog('silent');
const limits = { backoffMs: 2, firstProbeMs: 10, probeEveryMaxMs: 20 };
const feed = (more: { wholeMs?: number }) =>
  createFeedSource({
    url,
    token: null,
    clock,
    log,
    metrics: createMetrics(),
    limits: { ...limits, ...more },
  });
const patient = feed({});
/**
 * Only for a marketplace that never responds in time: on a busy machine a good one may be as slow.
 */
const hurried = feed({ wholeMs: 500 });
let isHurried = false;
const source: Source = {
  ...patient,
  fetchBatch: (codes) => (isHurried ? hurried : patient).fetchBatch(codes),
  async close() {
    await Promise.all([patient.close(), hurried.close()]);
  },
};
const service = await startService({ clock, source });
const customer = await service.newCustomer({ plan: 'Scale', perSecond: 1_000_000 });

let products = 0;
const nextCode = () => simulated.productAt(products++).code;
const details = (code: string) =>
  service.get(customer, `/retailer/product/details?retailer_product_code=${code}`);
const put = async (trouble: object) => {
  const response = await fetch(`${url}/control`, { method: 'PUT', body: JSON.stringify(trouble) });
  expect(response.status).toBe(200);
};
const goDown = () => marketplace.close();
const comeBack = async () => {
  marketplace = await startFeedServer({ ...at, port: Number(new URL(url).port) });
};
const untilServed = (codeOf: () => string) =>
  vi.waitUntil(async () => (await details(codeOf())).status === 200);
/** A stored product that is no longer fresh. */
async function staleCode(): Promise<string> {
  const code = nextCode();
  expect((await details(code)).status).toBe(200);
  clock.advanceMs(2 * FRESH_MS);
  return code;
}

beforeEach(async () => {
  isHurried = false;
  clock.setMs(START);
  await put({ delay_ms: 0, fail_rate: 0, nonsense: false, lost_fraction: 0, emptied_fraction: 0 });
  await untilServed(nextCode);
});

const TROUBLES: Readonly<Record<string, { begin(): Promise<unknown>; end(): Promise<unknown> }>> = {
  down: { begin: goDown, end: comeBack },
  slow: {
    begin() {
      isHurried = true;
      return put({ delay_ms: 60_000 });
    },
    end() {
      isHurried = false;
      return put({ delay_ms: 0 });
    },
  },
  failing: { begin: () => put({ fail_rate: 1 }), end: () => put({ fail_rate: 0 }) },
  malformed: { begin: () => put({ nonsense: true }), end: () => put({ nonsense: false }) },
};

describe.each(Object.entries(TROUBLES))('a marketplace that is %s', (_how, { begin, end }) => {
  test('a stored product is served with its true time and charged', async () => {
    const code = await staleCode();
    await begin();
    const before = await service.used(customer);
    const response = await details(code);
    expect(response).toMatchObject({
      status: 200,
      body: { last_updated: '2026-11-14T12:00:00.000Z' },
    });
    expect(await service.used(customer)).toBe(before + 1);
    await end();
  });

  test('a product that is not stored gets a free 503, and is served after recovery', async () => {
    const code = nextCode();
    await begin();
    const before = await service.used(customer);
    expect(await details(code)).toMatchObject({ status: 503, body: { error: 503 } });
    expect(await service.used(customer)).toBe(before);
    await end();
    await untilServed(() => code);
    expect(await service.used(customer)).toBe(before + 1);
  });
});

describe('a marketplace', () => {
  test('that fails occasionally affects few requests', async () => {
    await put({ fail_rate: 0.2 });
    const outcomes = await source.fetchBatch([nextCode(), nextCode()]);
    const kinds = new Set(outcomes.map(({ kind }) => kind));
    expect(kinds.size).toBe(1); // a batch is one request, however it ends
    const many = Array.from({ length: 40 }, () => details(nextCode()));
    const well = (await Promise.all(many)).filter(({ status }) => status === 200);
    expect(well.length).toBeGreaterThan(30);
  });

  test('that sends any kind of nonsense has the response or the bad records refused', async () => {
    await put({ nonsense: true });
    for (const _ of Object.keys(NONSENSE)) {
      expect(await source.fetchBatch([nextCode()])).toMatchObject([{ kind: 'bad_response' }]);
    }
    for (const _ of Object.keys(NONSENSE)) {
      const outcomes = await source.fetchBatch([nextCode(), nextCode(), nextCode()]);
      expect(outcomes.map(({ kind }) => kind)).toContain('bad_response');
      expect(await source.findByGtin(simulated.productAt(3).gtin)).toMatchObject({
        kind: 'bad_response',
      });
    }
    const history = source.history(nextCode(), { fromMs: START - 3e9, toMs: START }) ?? [];
    for await (const one of history) expect.unreachable(`a line was accepted: ${one.code}`);
  });

  test('that loses half of its products serves the other half; stored ones stay', async () => {
    const codes = Array.from({ length: 200 }, nextCode);
    const stored = codes.slice(0, 40);
    for (const code of stored) await details(code);
    clock.advanceMs(2 * FRESH_MS);
    await put({ lost_fraction: 0.5 });
    const outcomes = await source.fetchBatch(codes);
    const lost = codes.filter((_, index) => outcomes[index]?.kind === 'not_found');
    const listed = codes.filter((_, index) => outcomes[index]?.kind === 'snapshot');
    expect(lost.length + listed.length).toBe(200);
    expect(lost.length).toBeGreaterThan(60);
    expect(lost.length).toBeLessThan(140);
    expect(await source.fetchBatch(lost)).toEqual(lost.map(() => ({ kind: 'not_found' })));
    const lostStored = stored.find((code) => lost.includes(code)) as string;
    expect(await details(lostStored)).toMatchObject({
      status: 200,
      body: { last_updated: '2026-11-14T12:00:00.000Z' },
    });
    const lostUnstored = lost.find((code) => !stored.includes(code)) as string;
    expect((await details(lostUnstored)).status).toBe(404);
  });

  test('without any offers still lists its products', async () => {
    await put({ emptied_fraction: 1 });
    expect(await source.fetchBatch([nextCode()])).toMatchObject([
      { kind: 'snapshot', snapshot: { buybox: null, offers: [], offersComplete: true } },
    ]);
  });
});
