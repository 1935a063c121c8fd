// One crawl guard for every writer: a loss is held until it is confirmed, whether the schedule, a
// customer's request or an ingested line observed it. A delisted product is no longer sold.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { writeSnapshot } from '../../src/catalog/write-snapshot.ts';
import { ingest } from '../../src/collection/ingest.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { nextSlot, phaseMs } from '../../src/tracking/slot.ts';
import { type Service, startService } from '../support/service.ts';
import { driveOversight, track } from '../support/tracking.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const START = Date.parse('2026-11-15T00:00:00Z');

/** Listed, but without sellers. */
const EMPTY: Partial<Snapshot> = { offers: [], buybox: null, offersComplete: true };

/** Sold out as a page says it: without the list of all sellers, and here without any. */
const SOLD_OUT: Partial<Snapshot> = { offers: [], buybox: null, offersComplete: false };

/** A marketplace whose products all exist; those in `missing` and `emptied` seem lost. */
async function start({ watched, loss = EMPTY }: { watched: number; loss?: Partial<Snapshot> }) {
  const clock = manualClock(START);
  const service = await startService({ clock });
  const { source } = service;
  const [missing, emptied] = [new Set<string>(), new Set<string>()];
  const seen = (code: string): Snapshot => ({
    ...(source.shelf.get(code) as Snapshot),
    ...(emptied.has(code) ? loss : {}),
    observedAtMs: Math.floor(clock.nowMs() / 1000) * 1000,
  });
  const fetchedCodes = new Set<string>();
  const notFoundAt: number[] = [];
  source.meanwhile = async (codes) =>
    codes.map((code) => {
      fetchedCodes.add(code);
      if (missing.has(code)) notFoundAt.push(clock.nowMs());
      return missing.has(code) || !source.shelf.has(code)
        ? { kind: 'not_found' }
        : { kind: 'snapshot', snapshot: seen(code) };
    });
  const codes = service.products.map(({ code }) => code);
  const who = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });
  for (const code of codes.slice(0, watched)) {
    await track(service, who, { retailer_product_code: code, tier: 0 });
  }
  const other = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });
  const get = (endpoint: string, code: string) =>
    service.get(other, `/retailer/product/${endpoint}?retailer_product_code=${code}`);
  const oversight = driveOversight(service, clock);
  return {
    clock,
    service,
    source,
    fetchedCodes,
    notFoundAt,
    missing,
    emptied,
    codes,
    who,
    other,
    get,
    oversight,
    seen,
  };
}

const eventKinds = async ({ app }: Service) =>
  (await app.db.query<{ kind: string }>('select kind from events order by at, kind')).map(
    ({ kind }) => kind,
  );

async function* chunks(lines: readonly Snapshot[]) {
  for (const line of lines) yield Buffer.from(`${JSON.stringify(writeSnapshot(line))}\n`);
}

describe('a request for a product that seems lost', () => {
  test.each(['emptied', 'missing'] as const)(
    'that is %s serves what is stored with its time, and emits nothing',
    async (how) => {
      const market = await start({ watched: 12 });
      const { clock, service, codes, get, oversight } = market;
      const code = codes[0] as string;
      const before = (await get('offers', code)).body;
      market[how].add(code);
      clock.advanceMs(HOUR_MS);
      await oversight.work(); // the schedule holds it
      expect((await get('offers', code)).body).toEqual(before);
      clock.advanceMs(6 * MINUTE_MS);
      expect((await get('offers', code)).body).toEqual(before);
      expect((await get('details', code)).body.last_updated).toBe(new Date(START).toISOString());
      await oversight.work();
      expect(await eventKinds(service)).toEqual([]);
    },
  );

  test('confirms the loss once others were observed since', async () => {
    const { clock, service, codes, emptied, get, oversight } = await start({ watched: 12 });
    emptied.add(codes[0] as string);
    await oversight.pass(2 * HOUR_MS, 5 * MINUTE_MS);
    const reply = await get('offers', codes[0] as string);
    expect(reply.body.sellers).toEqual([]);
    expect(reply.headers['x-credits-charged']).toBe('5');
    expect(await eventKinds(service)).toContain('buybox.lost');
    expect(clock.nowMs()).toBe(START + 2 * HOUR_MS);
  });
});

test('a product that its pages call sold out is notified once that is confirmed, and its return', async () => {
  const { service, codes, emptied, oversight } = await start({ watched: 12, loss: SOLD_OUT });
  await oversight.pass(HOUR_MS, 10 * MINUTE_MS);
  emptied.add(codes[0] as string);
  await oversight.pass(3 * HOUR_MS, 10 * MINUTE_MS);
  expect(await eventKinds(service)).toEqual(['buybox.lost', 'stock.out']);
  emptied.clear();
  await oversight.pass(2 * HOUR_MS, 10 * MINUTE_MS);
  const kinds = await eventKinds(service);
  expect(kinds.toSorted()).toEqual(['buybox.lost', 'buybox.won', 'stock.out', 'stock.restored']);
});

test.each([
  ['empties', EMPTY],
  ['calls sold out', SOLD_OUT],
])(
  'a total outage that %s all products emits nothing; they are there afterwards',
  async (_, loss) => {
    const { service, codes, emptied, oversight } = await start({ watched: 12, loss });
    await oversight.pass(HOUR_MS, 10 * MINUTE_MS);
    for (const code of codes) emptied.add(code);
    await oversight.pass(5 * HOUR_MS, 10 * MINUTE_MS);
    emptied.clear();
    await oversight.pass(2 * HOUR_MS, 10 * MINUTE_MS);
    expect(await eventKinds(service)).toEqual([]);
    const empty = await service.app.db.query(`select 1 from products where offers = '[]'`);
    expect(empty).toEqual([]);
  },
);

test('a source that loses five of twelve products for longer than a slot emits nothing', async () => {
  const { service, codes, emptied, oversight } = await start({ watched: 12 });
  await oversight.pass(HOUR_MS, 10 * MINUTE_MS);
  for (const code of codes.slice(0, 5)) emptied.add(code);
  await oversight.pass(5 * HOUR_MS, 10 * MINUTE_MS);
  expect(await eventKinds(service)).toEqual([]);
  emptied.clear();
  // A real loss is confirmed soon after.
  emptied.add(codes[1] as string);
  await oversight.pass(2 * HOUR_MS, 10 * MINUTE_MS);
  expect(await eventKinds(service)).toContain('buybox.lost');
});

test('a loss of an hourly tier among daily ones is confirmed within minutes; others are collected early, free', async () => {
  const market = await start({ watched: 0 });
  const { service, clock, codes, who, missing, oversight, fetchedCodes } = market;
  for (const [index, code] of codes.slice(0, 12).entries()) {
    await track(service, who, { retailer_product_code: code, tier: index === 0 ? 0 : 4 });
  }
  await oversight.pass(DAY_MS + HOUR_MS, HOUR_MS);
  const code = codes[0] as string;
  missing.add(code);
  fetchedCodes.clear();
  await oversight.pass(HOUR_MS + 20 * MINUTE_MS, 5 * MINUTE_MS);
  expect(await eventKinds(service)).toContain('buybox.lost');
  expect(fetchedCodes).toEqual(new Set(codes.slice(0, 12)));
  // The others keep their slots, and none is served twice.
  const others = await service.app.db.query<{ code: string; due_at: number; slots_served: number }>(
    `select s.retailer_product_code as code, s.due_at, w.slots_served
       from collection_schedule s join watchers w using (lane, retailer_product_code)
      where s.retailer_product_code <> $1`,
    [code],
  );
  expect(others).toHaveLength(11);
  for (const other of others) {
    expect(other.due_at).toBe(nextSlot(clock.nowMs(), phaseMs(other.code), DAY_MS));
    expect(other.slots_served).toBe(1);
  }
});

describe('ingest', () => {
  /** A crawl of all products: one file, or one call per line. */
  const crawl = async (
    { service, codes, seen, clock }: Awaited<ReturnType<typeof start>>,
    how: 'one file' | 'line by line',
  ) => {
    const parts = how === 'one file' ? [codes] : codes.map((code) => [code]);
    let held = 0;
    for (const part of parts) {
      if (how === 'line by line') clock.advanceMs(20_000);
      held += (await ingest(service.app, chunks(part.map(seen)))).held;
    }
    await driveFanOut(service, clock);
    return held;
  };
  const driveFanOut = async (service: Service, clock: ReturnType<typeof manualClock>) => {
    service.source.meanwhile = async (batch) =>
      batch.map(() => ({ kind: 'unavailable', reason: 'only ingested here' }));
    await driveOversight(service, clock).work();
  };

  test.each([
    ['one file', EMPTY],
    ['line by line', EMPTY],
    ['one file', SOLD_OUT],
  ] as const)(
    'of failed crawls, in %s: held and said so, no event, and the next good one is recorded',
    async (how, loss) => {
      const market = await start({ watched: 12, loss });
      const { clock, service, codes, emptied } = market;
      for (const code of codes) emptied.add(code);
      for (let crawls = 0; crawls < 3; crawls++) {
        clock.advanceMs(HOUR_MS);
        expect(await crawl(market, how)).toBe(12);
      }
      emptied.clear();
      clock.advanceMs(HOUR_MS);
      expect(await crawl(market, how)).toBe(0);
      expect(await eventKinds(service)).toEqual([]);
    },
  );

  test.each(['one file', 'line by line'] as const)(
    'of a real delisting, in %s: confirmed by the second crawl',
    async (how) => {
      const market = await start({ watched: 12 });
      const { clock, service, codes, emptied, get } = market;
      emptied.add(codes[5] as string);
      clock.advanceMs(HOUR_MS);
      expect(await crawl(market, how)).toBe(1);
      expect(await eventKinds(service)).toEqual([]);
      clock.advanceMs(HOUR_MS);
      expect(await crawl(market, how)).toBe(0);
      expect(await eventKinds(service)).toContain('buybox.lost');
      expect((await get('offers', codes[5] as string)).body.sellers).toEqual([]);
    },
  );

  test('of a product that is said to be sold out, and of its return: both are notified', async () => {
    const market = await start({ watched: 12, loss: SOLD_OUT });
    const { clock, service, codes, emptied, get } = market;
    const code = codes[5] as string;
    emptied.add(code);
    const heldLines: number[] = [];
    for (let crawls = 0; crawls < 3; crawls++) {
      clock.advanceMs(HOUR_MS);
      heldLines.push(await crawl(market, 'one file'));
    }
    expect(heldLines).toEqual([1, 0, 0]);
    expect(await eventKinds(service)).toEqual(['buybox.lost', 'stock.out']);
    expect((await get('details', code)).body.buybox_price).toBeNull();
    emptied.delete(code);
    clock.advanceMs(HOUR_MS);
    expect(await crawl(market, 'one file')).toBe(0);
    expect(await eventKinds(service)).toEqual([
      'buybox.lost',
      'stock.out',
      'buybox.won',
      'stock.restored',
    ]);
  });

  test('of late history, or of lines that a newer line of the same file corrects, holds nothing', async () => {
    const { clock, service, codes, seen } = await start({ watched: 12 });
    const one = seen(codes[0] as string);
    const late = { ...one, ...EMPTY, observedAtMs: START - DAY_MS };
    expect(await ingest(service.app, chunks([late]))).toMatchObject({ accepted: 1, held: 0 });
    clock.advanceMs(2 * HOUR_MS);
    const corrected = [
      { ...one, ...EMPTY, observedAtMs: START + HOUR_MS },
      { ...one, observedAtMs: START + 2 * HOUR_MS },
    ];
    expect(await ingest(service.app, chunks(corrected))).toMatchObject({ accepted: 2, held: 0 });
    await driveFanOut(service, clock);
    expect(await eventKinds(service)).toEqual([]);
  });
});

describe('ingest of products that nobody watches', () => {
  test('holds a mass loss, lists its lines, and records the same lines once others are there', async () => {
    const { clock, service, codes, emptied, seen, get } = await start({ watched: 0 });
    for (const code of codes.slice(0, 5)) emptied.add(code);
    clock.advanceMs(HOUR_MS);
    const failed = await ingest(service.app, chunks(codes.slice(0, 12).map(seen)));
    expect(failed).toMatchObject({ lines: 12, accepted: 7, held: 5 });
    expect(failed.heldLines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
    expect(failed.heldLines[0]?.reason).toContain('a third or more');
    expect((await get('offers', codes[0] as string)).body.sellers).toHaveLength(2);
    // Only one of them is really lost.
    emptied.clear();
    emptied.add(codes[0] as string);
    clock.advanceMs(HOUR_MS);
    const good = await ingest(service.app, chunks(codes.slice(0, 12).map(seen)));
    expect(good).toMatchObject({ accepted: 12, held: 0 });
    expect((await get('offers', codes[0] as string)).body.sellers).toEqual([]);
  });

  test('is judged with watched ones where few are watched: failed crawls confirm nothing, however often', async () => {
    const { clock, service, codes, emptied, seen } = await start({ watched: 2 });
    for (const code of codes) emptied.add(code);
    for (let crawls = 0; crawls < 5; crawls++) {
      clock.advanceMs(HOUR_MS);
      const done = await ingest(service.app, chunks(codes.slice(0, 12).map(seen)));
      expect(done).toMatchObject({ accepted: 0, held: 12 });
    }
    expect(await eventKinds(service)).toEqual([]);
  });
});

test('a held line that is sent again stays held; once the loss is confirmed it is history', async () => {
  const { clock, service, codes, emptied, seen } = await start({ watched: 12 });
  emptied.add(codes[0] as string);
  clock.advanceMs(HOUR_MS);
  const first = codes.slice(0, 12).map(seen);
  expect(await ingest(service.app, chunks(first))).toMatchObject({ accepted: 11, held: 1 });
  expect(await ingest(service.app, chunks(first))).toMatchObject({ unchanged: 11, held: 1 });
  clock.advanceMs(HOUR_MS);
  expect(await ingest(service.app, chunks(codes.slice(0, 12).map(seen)))).toMatchObject({
    held: 0,
  });
  const again = await ingest(service.app, chunks(first));
  expect(again).toMatchObject({ accepted: 1, unchanged: 11, held: 0 });
});

describe('backfill', () => {
  const past = ({ seen, codes }: Awaited<ReturnType<typeof start>>, times: readonly number[]) =>
    times.map((observedAtMs) => ({
      ...seen(codes[0] as string),
      observedAtMs,
      ...(observedAtMs > START ? EMPTY : {}),
    }));

  test('holds an end that loses the product, and records the past', async () => {
    const market = await start({ watched: 12 });
    const { clock, service, codes, get, source } = market;
    clock.advanceMs(10 * MINUTE_MS);
    const times = [START - 2 * HOUR_MS, START - HOUR_MS, START + 5 * MINUTE_MS];
    source.history = async function* () {
      yield* past(market, times);
    };
    const code = codes[0] as string;
    const reply = await get('price-history', code);
    expect(reply.status).toBe(200);
    expect(await eventKinds(service)).toEqual([]);
    expect((await get('offers', code)).body.sellers).toHaveLength(2);
    const observations = await readObservations(service.app, code);
    expect(observations.map(({ atSeconds }) => atSeconds * 1000)).toEqual([
      ...times.slice(0, 2),
      START,
    ]);
  });
});

describe('a product that the marketplace no longer lists', () => {
  const ENDPOINTS = ['details', 'offers', 'units-in-stock', 'fees'];

  test('has delisted_at, and from a day after the second 404 on it is 404, free', async () => {
    const market = await start({ watched: 12 });
    const { clock, service, codes, missing, notFoundAt, other, who, get, oversight } = market;
    const code = codes[0] as string;
    const trackedOf = async () =>
      (await service.get(who, '/retailer/oversight/products')).body.find(
        (one: { retailer_product_code: string }) => one.retailer_product_code === code,
      );
    expect(await trackedOf()).not.toHaveProperty('delisted_at');
    missing.add(code);
    await oversight.pass(80 * MINUTE_MS, 2 * MINUTE_MS);
    const { body, status } = await get('offers', code);
    expect({ status, sellers: body.sellers }).toEqual({ status: 200, sellers: [] });
    const delistedAtMs = Date.parse(body.delisted_at);
    expect(delistedAtMs).toBe(notFoundAt[1]);
    expect((await get('details', code)).body.delisted_at).toBe(body.delisted_at);
    const tracked = await trackedOf();
    expect(tracked.delisted_at).toBe(body.delisted_at);
    const single = await service.get(who, `/retailer/oversight/products/${tracked.id}`);
    expect(single.body.delisted_at).toBe(body.delisted_at);
    clock.setMs(delistedAtMs + DAY_MS - 1_000);
    expect((await get('offers', code)).status).toBe(200);
    clock.setMs(delistedAtMs + DAY_MS);
    const used = await service.used(other);
    for (const endpoint of ENDPOINTS) {
      const reply = await get(endpoint, code);
      expect(reply).toMatchObject({
        status: 404,
        body: { code: 'product_delisted', delisted_at: body.delisted_at },
      });
    }
    expect(await service.used(other)).toBe(used);
    // No day of a delisted product is charged.
    const before = await service.used(who);
    const later = await service.get(who, `/retailer/oversight/products/${tracked.id}`);
    expect([later.status, later.headers['x-credits-charged']]).toEqual([200, '0']);
    expect(await service.used(who)).toBe(before);
    // Observed again by anybody, it is served at once.
    missing.delete(code);
    clock.advanceMs(MINUTE_MS);
    await ingest(service.app, chunks([market.seen(code)]));
    for (const endpoint of ENDPOINTS) {
      const reply = await get(endpoint, code);
      expect(reply.status).toBe(200);
      expect(reply.body).not.toHaveProperty('delisted_at');
    }
    expect((await get('offers', code)).body.sellers).toHaveLength(2);
    expect(await trackedOf()).not.toHaveProperty('delisted_at');
  });

  test('is detected by requests alone', async () => {
    const { clock, codes, missing, get } = await start({ watched: 0 });
    const code = codes[0] as string;
    missing.add(code);
    for (let hours = 0; hours < 3; hours++) {
      clock.advanceMs(HOUR_MS + MINUTE_MS);
      expect((await get('offers', code)).status).toBe(200);
    }
    clock.advanceMs(DAY_MS);
    expect((await get('offers', code)).status).toBe(404);
  });

  test('is not one without sellers: that is 200 with [], for 5 credits', async () => {
    const { clock, codes, emptied, get } = await start({ watched: 0 });
    const code = codes[0] as string;
    emptied.add(code);
    for (let hours = 0; hours < 3; hours++) {
      clock.advanceMs(HOUR_MS + MINUTE_MS);
      await get('offers', code);
    }
    clock.advanceMs(3 * DAY_MS);
    const reply = await get('offers', code);
    expect(reply).toMatchObject({
      status: 200,
      body: { retailer_product_code: code, sellers: [] },
      headers: { 'x-credits-charged': '5' },
    });
  });
});

test('a source that has none of the products does not keep ingest from confirming real losses', async () => {
  const { clock, service, oversight } = await start({ watched: 0 });
  const codes = Array.from({ length: 60 }, (_, index) => `${910_000_000 + index}`);
  const lost = codes.filter((_, index) => index % 12 === 9);
  const [shelf] = service.source.shelf.values();
  const seen = (code: string, isLost: boolean): Snapshot => ({
    ...(shelf as Snapshot),
    ...(isLost ? EMPTY : {}),
    code,
    gtins: [],
    observedAtMs: Math.floor(clock.nowMs() / 1000) * 1000,
  });
  const file = (isLost: (code: string) => boolean) =>
    ingest(service.app, chunks(codes.map((code) => seen(code, isLost(code)))));
  await file(() => false);
  const who = await service.newCustomer({ plan: 'Scale', perSecond: 100_000 });
  for (const code of codes) await track(service, who, { retailer_product_code: code, tier: 0 });
  for (let hour = 0; hour < 3; hour++) {
    await oversight.pass(HOUR_MS, 2 * MINUTE_MS);
    await file(() => false);
  }
  for (let files = 0; files < 7; files++) {
    await file((code) => lost.includes(code));
    await oversight.pass(17 * MINUTE_MS, MINUTE_MS);
  }
  const rows = await service.app.db.query<{ retailer_product_code: string }>(
    `select retailer_product_code from events where kind = 'buybox.lost' order by 1`,
  );
  expect(rows.map((row) => row.retailer_product_code)).toEqual(lost);
});
