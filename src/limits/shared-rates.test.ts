// Rates over several processes of one database: each `createSharedRates` is what one process has.
import { expect, test } from 'vitest';
import { cloneDatabase } from '../../test/support/database.ts';
import { createLog } from '../foundation/log.ts';
import { createRequestQueue } from '../sources/feed/request-queue.ts';
import { createSharedRates } from './shared-rates.ts';

const { db } = await cloneDatabase({ isDurable: false });
const log = createLog('silent');
const process = () => createSharedRates({ db, log, processCount: () => 4 });
const slots = { count: 1, everyMs: 1_000, burstMs: 0, withinMs: 60_000 };

test('two processes get times that are one interval apart, whoever reserves first', async () => {
  const [a, b] = [process().of('pages/shop'), process().of('pages/shop')];
  const reserved = await Promise.all([a, b, a, b, b].map((rate) => rate.reserve(slots)));
  expect(reserved.every(({ isReserved }) => isReserved)).toBe(true);
  const waits = reserved.map(({ waitMs }) => waitMs).sort((x, y) => x - y);
  waits.forEach((waitMs, index) => {
    // Time passes between the reservations, so that later ones wait a little less.
    expect(waitMs).toBeLessThanOrEqual(index * 1_000);
    expect(waitMs).toBeGreaterThan(index * 1_000 - 900);
  });
});

test('what would come too late is refused with its time and not used up', async () => {
  const rate = process().of('pages/late');
  await rate.reserve(slots);
  for (let tries = 0; tries < 3; tries++) {
    const refused = await process()
      .of('pages/late')
      .reserve({ ...slots, withinMs: 50 });
    expect(refused.isReserved).toBe(false);
    expect(refused.waitMs).toBeLessThanOrEqual(1_000);
  }
});

test('a pause holds for every process, and a clock set back does not stop them for ever', async () => {
  const rate = process().of('feed/shop');
  await rate.reserve(slots);
  await rate.pause(30_000);
  const other = process().of('feed/shop');
  expect((await other.reserve(slots)).waitMs).toBeGreaterThan(29_000);
  await db.query(`update shared_rates set free_at = free_at + interval '3 years'`);
  expect((await other.reserve({ ...slots, withinMs: 0 })).waitMs).toBeLessThanOrEqual(3_600_000);
});

test('what was not used may be caught up with, up to the burst', async () => {
  const rate = process().of('feed/burst');
  const ten = { count: 10, everyMs: 10, burstMs: 100, withinMs: 60_000 };
  expect((await rate.reserve(ten)).waitMs).toBeLessThanOrEqual(-99);
  expect((await rate.reserve(ten)).waitMs).toBeGreaterThan(-100);
});

test('without the database each process keeps to its part of the rate', async () => {
  const broken = { ...db, query: () => Promise.reject(new Error('away')) } as typeof db;
  const rate = createSharedRates({ db: broken, log, processCount: () => 4 }).of('feed/shop');
  const waits = [await rate.reserve(slots), await rate.reserve(slots), await rate.reserve(slots)];
  expect(waits.map(({ waitMs }) => Math.round(waitMs / 1_000))).toEqual([0, 4, 8]);
});

test('rows that nobody used for an hour are deleted', async () => {
  await db.query(`update shared_rates set free_at = free_at - interval '10 years'`);
  await process().of('feed/new').reserve(slots);
  await process().dropIdle();
  expect(await db.query('select name from shared_rates')).toEqual([{ name: 'feed/new' }]);
});

test('the queues of two processes together keep to the rate of a feed', async () => {
  const perSecond = 40;
  const queue = () =>
    createRequestQueue({
      atOnceMax: 100,
      perSecond,
      waitingMax: 100,
      rate: process().of('feed/two'),
    });
  const signal = new AbortController().signal;
  const startedAtMs = performance.now();
  const [a, b] = [queue(), queue()];
  const starts = await Promise.all(
    Array.from({ length: 40 }, async (_, nth) => {
      await (nth % 2 === 0 ? a : b).acquire({ signal, isUrgent: true });
      return performance.now() - startedAtMs;
    }),
  );
  starts.sort((x, y) => x - y);
  // By any moment no more have started than the rate, a tenth of a second and two portions allow.
  starts.forEach((ms, index) => {
    expect(index + 1).toBeLessThanOrEqual((perSecond * (ms + 100)) / 1_000 + 2 * 4);
  });
  expect(starts.at(-1)).toBeGreaterThan(600);
});
