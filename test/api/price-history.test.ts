// GET /retailer/product/price-history, grouped by status.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import type { Source } from '../../src/sources/source.ts';
import { type Service, startService } from '../support/service.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

const service = await startService();
const simulated = createSimulatedSource({ clock: realClock });
const backfilling = await startService({ source: simulated });
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

let codes = 0;
const freshCode = () => `${700_000_000 + codes++}`;

const observation = (code: string, hour: number, cents: number | null | undefined): Snapshot => ({
  code,
  observedAtMs: START + hour * HOUR_MS,
  gtins: [],
  buybox: typeof cents === 'number' ? { priceCents: cents, sellerName: 'Acme' } : cents,
  offersComplete: false,
});

async function stored(prices: readonly (number | null | undefined)[]): Promise<string> {
  const code = freshCode();
  await recordSnapshots(
    service.app,
    prices.map((cents, hour) => observation(code, hour, cents)),
  );
  return code;
}

const send = (code: string, more = '', of: Service = service) =>
  of.get(customer, `/retailer/product/price-history?retailer_product_code=${code}${more}`);

const hours = (points: { date: string; price: number }[]) =>
  points.map(({ date, price }) => [(Date.parse(date) - START) / HOUR_MS, price]);

describe('200', () => {
  it('every point that had a buybox, ascending, to the cent, for 15 credits', async () => {
    const code = await stored([1999, null, 1990, undefined, 2000, 2000, 100_000_000]);
    const before = await service.used(customer);
    const { status, body, headers } = await send(code);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['retailer_product_code', 'priceHistory']);
    expect(body.retailer_product_code).toBe(code);
    expect(hours(body.priceHistory)).toEqual([
      [0, 19.99],
      [2, 19.9],
      [4, 20],
      [5, 20],
      [6, 1_000_000],
    ]);
    expect(body.priceHistory[0].date).toBe('2026-01-01T00:00:00.000Z');
    expect(headers['x-credits-charged']).toBe('15');
    expect((await service.used(customer)) - before).toBe(15);
  });

  it('from is inclusive, to is exclusive', async () => {
    const code = await stored([1, 2, 3, 4, 5]);
    const within = (from: string, to: string) =>
      send(code, `&from=2026-01-01T${from}&to=2026-01-01T${to}`).then(({ body }) =>
        hours(body.priceHistory).map(([hour]) => hour),
      );
    expect(await within('01:00:00Z', '03:00:00Z')).toEqual([1, 2]);
    expect(await within('01:00:00.001Z', '03:00:00.001Z')).toEqual([2, 3]);
    expect(await within('02:00:00%2B01:00', '04:00:00%2B01:00')).toEqual([1, 2]);
  });

  it('changes_only leaves out points whose price is that of the one before', async () => {
    const code = await stored([5, 5, null, 5, 6, 6, 5]);
    const { body } = await send(code, '&changes_only=true');
    expect(hours(body.priceHistory)).toEqual([
      [0, 0.05],
      [4, 0.06],
      [6, 0.05],
    ]);
  });

  it('is the same for runs rendered now or before, in runs and in the tail', async () => {
    const prices = Array.from({ length: 5_000 }, (_, hour) => 1000 + ((hour * 7919) % 50));
    const code = await stored(prices);
    await recordSnapshots(service.app, [observation(code, 5_000, 77)]);
    const expected = [...prices, 77].map((cents, hour) => [hour, cents / 100]);
    const responses = [await send(code), await send(code)];
    for (const { body } of responses) expect(hours(body.priceHistory)).toEqual(expected);
    await recordSnapshots(service.app, [observation(code, 100.5, 1)]);
    const { body } = await send(code);
    expect(hours(body.priceHistory)).toEqual(expected.toSpliced(101, 0, [100.5, 0.01]));
    const part = await send(code, '&from=2026-03-01T00:00:00Z&to=2026-03-05T00:00:00Z');
    expect(part.body.priceHistory).toHaveLength(96);
  });

  it('a range may exceed the stored history on both sides', async () => {
    const prices = Array.from({ length: 1_500 }, () => 100);
    const code = await stored(prices);
    for (const more of [
      '&from=0000-01-01T00:00:00Z',
      '&to=9999-12-31T23:59:59.999Z',
      '&from=0000-01-01T00:00:00%2B23:59&to=9999-12-31T23:59:59-23:59',
    ]) {
      const { status, body } = await send(code, more);
      expect([more, status, body.priceHistory?.length]).toEqual([more, 200, 1_500]);
    }
    const after = await send(code, '&from=9999-12-31T23:59:59-23:59');
    expect([after.status, after.body.priceHistory]).toEqual([200, []]);
  });

  it('a known product without points in the range gives an empty list and costs nothing', async () => {
    const code = await stored([null, undefined]);
    const before = await service.used(customer);
    for (const more of ['', '&from=2026-02-01T00:00:00Z']) {
      const { status, body, headers } = await send(code, more);
      expect(status).toBe(200);
      expect(body).toEqual({ retailer_product_code: code, priceHistory: [] });
      expect(headers['x-credits-charged']).toBe('0');
    }
    expect(await service.used(customer)).toBe(before);
  });

  it('a product requested for the first time is looked up, and its history fetched, once', async () => {
    const { code } = simulated.productAt(4_711);
    const newcomer = await backfilling.newCustomer();
    const url = `/retailer/product/price-history?retailer_product_code=${code}`;
    const [first, again] = [
      await backfilling.get(newcomer, url),
      await backfilling.get(newcomer, url),
    ];
    expect(first.status).toBe(200);
    expect(first.body.priceHistory.length).toBeGreaterThan(1_500);
    expect(again.body).toEqual(first.body);
  });

  it('while the marketplace is down, a known product is served from storage', async () => {
    const away: Source = {
      ...simulated,
      fetchBatch: async (batch) => batch.map(() => ({ kind: 'unavailable', reason: 'down' })),
      // biome-ignore lint/correctness/useYield: it fails before the first
      history: async function* () {
        throw new Error('down');
      },
    };
    const cut = await startService({ source: away });
    const code = freshCode();
    await recordSnapshots(cut.app, [observation(code, 0, 5)]);
    const cutCustomer = await cut.newCustomer();
    const url = '/retailer/product/price-history?retailer_product_code=';
    expect((await cut.get(cutCustomer, `${url}${code}`)).body.priceHistory).toHaveLength(1);
    expect((await cut.get(cutCustomer, `${url}${freshCode()}`)).status).toBe(503);
    expect(await cut.used(cutCustomer)).toBe(15);
  });
});

describe('400', () => {
  it.each([
    ['&from=yesterday', 'from'],
    ['&from=2026-01-01', 'from'],
    ['&to=2026-13-01T00:00:00Z', 'to'],
    ['&to=2016-12-31T23:59:60Z', 'to must be a time'],
    [`&from=2026-01-01T00:00:00.${'0'.repeat(100)}Z`, 'from'],
    ['&changes_only=maybe', 'changes_only'],
    ['&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must not be later than to'],
  ])('%s', async (more, sentence) => {
    const { status, body } = await send('1', more);
    expect(status).toBe(400);
    expect(body.message).toContain(sentence);
  });
});

describe('404', () => {
  it('neither stored nor at the marketplace: free', async () => {
    const before = await service.used(customer);
    const { status, body } = await send(freshCode());
    expect(status).toBe(404);
    expect(body.message).toContain('There is no product with the code');
    expect(await service.used(customer)).toBe(before);
  });
});
