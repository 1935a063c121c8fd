// Large responses over a real connection: they are complete, block no other request, and long or
// many responses need no more memory.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { lane } from '../../src/database/families.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { estimateDays } from '../../src/sales/day-estimate.ts';
import { EMPTY_MODEL } from '../../src/sales/market-model.ts';
import { habitOf } from '../../src/sales/product-habit.ts';
import { walkStockObservations } from '../../src/sales/read-stock-observations.ts';
import { addLongHistory, sellerAt } from '../support/long-history.ts';
import { type Customer, startService } from '../support/service.ts';

const SELLERS = 200;
const DAYS = 30;
const CODE = '777000111';
const TRACKED = 20_000;
const PATH = '/retailer/oversight/products';

const service = await startService();
const { app } = service;
await service.server.listen({ port: 0, host: '127.0.0.1' });
const origin = `http://127.0.0.1:${(service.server.server.address() as AddressInfo).port}`;
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
const neighbour = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

const track = async (who: Customer) => {
  const added = await service.send(who, 'POST', PATH, {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ retailer_product_code: CODE, tier: 0 }),
  });
  expect(added.status).toBe(201);
  return added.body.id as string;
};

await addLongHistory(service, {
  code: CODE,
  sellers: SELLERS,
  days: DAYS,
  nowMs: realClock.nowMs() - 1_000,
});
const trackedId = await track(customer);
// The response shows the history of days that were paid at tier 0.
await app.db.query(
  `insert into paid_spans (lane, account_id, retailer_product_code, from_day, to_day, tier)
   values ($1, $2, $3, $4, $5, 0)`,
  [
    lane(customer.accountId),
    customer.accountId,
    CODE,
    Math.floor(realClock.nowMs() / 86_400_000) - DAYS - 1,
    Math.floor(realClock.nowMs() / 86_400_000) - 1,
  ],
);

await app.db.query(
  `insert into tracked_products (lane, account_id, tracked_id, retailer_product_code, tier,
                                 is_suspended, is_pending, created_at)
   select $1, $2, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
          '6' || lpad(n::text, 8, '0'), n % 5, false, false, timestamptz '2026-01-01' + n % 100 * interval '1 second'
     from generate_series(1, $3::int) as n`,
  [lane(customer.accountId), customer.accountId, TRACKED],
);

const script = fileURLToPath(new URL('../support/reading-process.ts', import.meta.url));
type Outcome = { status: number; bytes: number; isWhole: boolean; digest: string };

/** In a separate process, so that only the service is measured. */
async function readAtOnce(path: string, times: number): Promise<Outcome[]> {
  const words = [script, origin + path, customer.apiKey, String(times)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** CPU time of this thread in milliseconds: the wall clock would include other processes. */
const workedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Measures the longest time without yielding while `work` runs. */
async function watched<T>(work: () => Promise<T>) {
  let lastMs = workedMs();
  let standstillMs = 0;
  const timer = setInterval(() => {
    const nowMs = workedMs();
    standstillMs = Math.max(standstillMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 1);
  const result = await work();
  clearInterval(timer);
  return { result, standstillMs };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory in use, without garbage: what else the process holds depends on when it was collected. */
function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Measures the extra memory in use while `work` runs. Collecting garbage takes longer the more the
 * process holds, so that each pause is four times as long as the collection before it.
 */
async function measured<T>(work: () => Promise<T>) {
  const beforeBytes = liveBytes();
  let peakBytes = beforeBytes;
  let timer: NodeJS.Timeout | undefined;
  const measureAfter = (pauseMs: number) => {
    timer = setTimeout(() => {
      const startedAtMs = workedMs();
      peakBytes = Math.max(peakBytes, liveBytes());
      measureAfter(Math.max(200, 4 * (workedMs() - startedAtMs)));
    }, pauseMs);
  };
  measureAfter(200);
  const result = await work();
  clearTimeout(timer);
  return { result, moreBytes: peakBytes - beforeBytes };
}

const HISTORY = `${PATH}/${trackedId}?history_days=${DAYS}`;

describe('the prices of every seller', () => {
  test('are complete, each seller with every observation', async () => {
    const { body } = await service.get(customer, HISTORY);
    const { sellers, ...data } = body.tracking_data;
    expect(Object.keys(body).slice(-2)).toEqual(['tracking_data', 'collection']);
    expect(Object.keys(data)).toEqual(['current_price', 'units_in_stock', 'last_updated']);
    expect(sellers.map((one: { seller_name: string }) => one.seller_name)).toEqual(
      Array.from({ length: SELLERS }, (_, index) => sellerAt(index)),
    );
    for (const { price, price_history, last_updated } of sellers) {
      expect(price_history).toHaveLength(DAYS * 24 + 1);
      expect(price_history.at(-1)).toEqual({ date: last_updated, price });
    }
  });

  // As many as an account may have at once: a further one would wait, and be refused on a machine
  // that is busy for longer than it may wait.
  test('four at once block nobody and need little more memory than one', async () => {
    const one = await measured(() => readAtOnce(HISTORY, 1));
    const four = await measured(() => readAtOnce(HISTORY, 4));
    const outcomes = [...one.result, ...four.result];
    expect(outcomes.map(({ status, isWhole }) => ({ status, isWhole }))).toEqual(
      outcomes.map(() => ({ status: 200, isWhole: true })),
    );
    expect(new Set(outcomes.map(({ digest }) => digest)).size).toBe(1);
    const bytes = four.result.reduce((sum, outcome) => sum + outcome.bytes, 0);
    // All four are 28 MB of text, made of 560,000 offers.
    expect(bytes).toBeGreaterThan(24_000_000);
    expect(four.moreBytes).toBeLessThan(bytes);
  }, 120_000);
});

test('the first estimate of units sold yields to other requests', async () => {
  const observations = await walkStockObservations(app, CODE);
  const fromMs = workedMs();
  const habit = habitOf(observations, EMPTY_MODEL);
  estimateDays(observations, { model: EMPTY_MODEL, habit });
  const estimatedMs = workedMs() - fromMs;
  const path = `/retailer/product/units-sold-history?retailer_product_code=${CODE}&time_period=1month`;
  const first = await watched(() => readAtOnce(path, 1));
  expect(first.result).toMatchObject([{ status: 200, isWhole: true }]);
  expect(first.standstillMs).toBeLessThan(estimatedMs / 2);
});

describe('the whole list of an account', () => {
  test('is complete, each product once, newest first', async () => {
    const { body } = await service.get(customer, PATH);
    expect(body).toHaveLength(TRACKED + 1);
    const ids = body.map((one: { id: string }) => one.id);
    expect(new Set(ids).size).toBe(TRACKED + 1);
    const order = (one: { created_at: string; id: string }) => `${one.created_at} ${one.id}`;
    expect(body.map(order)).toEqual(body.map(order).sort().reverse());
  });

  test('five at once block for less time than writing two of them in one go', async () => {
    const text = JSON.stringify((await service.get(customer, PATH)).body);
    const fromMs = workedMs();
    for (let time = 0; time < 2; time++) JSON.stringify(JSON.parse(text));
    const writtenMs = workedMs() - fromMs;
    const five = await watched(() => readAtOnce(PATH, 5));
    expect(five.result.every(({ status, isWhole }) => status === 200 && isWhole)).toBe(true);
    expect(five.standstillMs).toBeLessThan(writtenMs);
  }, 60_000);

  test('a failure in the middle ends the connection: a part is never mistaken for the whole', async () => {
    const { read } = app.db;
    let pages = 0;
    app.db.read = (what, values) => {
      const isPage = typeof what !== 'string' && what.name === 'list-tracked';
      if (isPage && ++pages > 5) return Promise.reject(new Error('the disk is gone'));
      return read(what, values);
    };
    try {
      const [outcome] = await readAtOnce(PATH, 1);
      expect(outcome).toMatchObject({ status: 200, isWhole: false });
      // Before anything was sent, it is an ordinary error response.
      const failed = await service.get(customer, PATH);
      expect(failed.status).toBe(500);
    } finally {
      app.db.read = read;
    }
  });
});

describe('an account that reads slowly', () => {
  test('waits for its own requests and delays nobody else', async () => {
    const neighbourTrackedId = await track(neighbour);
    const stuck = await Promise.all(Array.from({ length: 4 }, () => openWithoutReading(PATH)));
    const { requests } = app.heavyRequests.usage();
    expect(requests).toEqual({ running: 4, waiting: 0 });
    const waiting = service.get(customer, `${PATH}/${trackedId}?history_days=1`);
    const other = await service.get(neighbour, `${PATH}/${neighbourTrackedId}?history_days=1`);
    expect(other.status).toBe(200);
    expect(app.heavyRequests.usage().requests).toEqual({ running: 4, waiting: 1 });
    for (const end of stuck) end();
    expect((await waiting).status).toBe(200);
    await expect.poll(() => app.heavyRequests.usage().requests).toEqual({ running: 0, waiting: 0 });
  });
});

/** Opens a request and reads only the headers; the returned function ends it. */
async function openWithoutReading(path: string): Promise<() => void> {
  const sent = request(origin + path, { headers: { 'x-api-key': customer.apiKey }, agent: false });
  sent.on('error', () => {});
  sent.end();
  const [response] = await once(sent, 'response');
  response.on('error', () => {});
  response.pause();
  return () => sent.destroy();
}
