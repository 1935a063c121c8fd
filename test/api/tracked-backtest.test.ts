// POST /retailer/oversight/products/{id}/backtest, grouped by status.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { EVENT_KINDS } from '../../src/events/kind.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { phaseMs } from '../../src/tracking/slot.ts';
import { type Customer, startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const PATH = '/retailer/oversight/products';

const service = await startService({ clock: manualClock(NOW) });
const { app } = service;
const who = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

const send = (by: Customer | null, method: string, path: string, body?: unknown) =>
  service.send(by, method, `${PATH}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });

let codes = 0;

/** Records a product observed this many hours ago each, in the middle of its hourly slots. */
async function seen(hours: readonly { before: number; cents: number; holder?: string }[]) {
  const code = `${610_000_000 + codes++}`;
  const middle = ((phaseMs(code) % HOUR_MS) + HOUR_MS / 2) % HOUR_MS;
  const observations = hours.map(
    ({ before, cents, holder = 'Acme' }): Snapshot => ({
      code,
      observedAtMs: NOW - before * HOUR_MS - HOUR_MS + middle,
      gtins: [],
      buybox: { priceCents: cents, sellerName: holder },
      offers: ['Acme', 'Bolt'].map((sellerName) => ({
        sellerName,
        priceCents: cents,
        shippingCents: 0,
        unitsInStock: 100,
        lastUpdatedAtMs: null,
      })),
      offersComplete: true,
    }),
  );
  await recordSnapshots(app, observations);
  // A product observed just now is fresh: the marketplace, which does not know it, is not called.
  await recordSnapshots(app, [{ ...(observations.at(-1) as Snapshot), observedAtMs: NOW }]);
  return code;
}

async function track(code: string, more: object = {}): Promise<string> {
  const body = { retailer_product_code: code, tier: 0, ...more };
  const added = await send(who, 'POST', '', body);
  expect(added.status).toBe(201);
  return added.body.id;
}

const runBackTest = (id: string, body: unknown) => send(who, 'POST', `/${id}/backtest`, body);

/** Three drops of 2 % and one of 10 %, an hour apart each, ten to six hours ago. */
const FALLING = [10_000, 9_800, 9_604, 9_411, 8_470].map((cents, index) => ({
  before: 10 - index,
  cents,
}));

describe('200', () => {
  it('counts every kind over the days, by the rules of the request, and costs nothing', async () => {
    const id = await track(await seen(FALLING));
    const usual = await runBackTest(id, { rules: null, days: 30 });
    expect(usual.status).toBe(200);
    expect(usual.body).toEqual({
      from: '2026-10-16T12:00:00.000Z',
      to: '2026-11-15T12:00:00.000Z',
      counts: {
        ...Object.fromEntries(EVENT_KINDS.map((kind) => [kind, 0])),
        'price.drop': 4,
        'seller.price_change': 8,
      },
    });
    expect(Object.keys(usual.body.counts)).toEqual(EVENT_KINDS);
    const strict = await runBackTest(id, { rules: { price: { percent: 10 } }, days: 30 });
    expect(strict.body.counts['price.drop']).toBe(1);
    expect(usual.headers['x-credits-charged']).toBe('0');
    expect(await service.used(who)).toBe(0);
  });

  it('uses the product’s rules when the request has none, and changes none', async () => {
    const rules = { price: { percent: 5 } };
    const id = await track(await seen(FALLING), { rules });
    expect((await runBackTest(id, { days: 30 })).body.counts['price.drop']).toBe(2);
    expect((await runBackTest(id, { rules: null, days: 30 })).body.counts['price.drop']).toBe(4);
    expect((await runBackTest(id, {})).body.from).toBe('2026-10-16T12:00:00.000Z');
    const products = await send(who, 'GET', '');
    expect(products.body.find((one: { id: string }) => one.id === id).rules).toEqual(rules);
  });

  it('counts from the first day on; the observation before it is the baseline', async () => {
    const id = await track(
      await seen([
        { before: 50, cents: 10_000 },
        { before: 40, cents: 9_000 },
        { before: 20, cents: 8_000 },
        { before: 10, cents: 7_000 },
      ]),
    );
    expect((await runBackTest(id, { days: 1 })).body.counts['price.drop']).toBe(2);
    expect((await runBackTest(id, { days: 2 })).body.counts['price.drop']).toBe(3);
    expect((await runBackTest(id, { days: 90 })).body.counts['price.drop']).toBe(3);
  });

  it('uses the observations that the product’s tier would serve', async () => {
    // Up and down within each day: at one observation a day nothing changes.
    const hours = Array.from({ length: 96 }, (_, index) => ({
      before: 96 - index,
      cents: index % 24 < 12 ? 10_000 : 12_000,
    }));
    const code = await seen(hours);
    const id = await track(code);
    const hourly = (await runBackTest(id, { days: 5 })).body.counts;
    expect(hourly['price.drop'] + hourly['price.increase']).toBe(7);
    await send(who, 'PATCH', `/${id}`, { tier: 4 });
    const daily = (await runBackTest(id, { days: 5 })).body.counts;
    expect(daily['price.drop'] + daily['price.increase']).toBeLessThanOrEqual(1);
  });

  it('watches the seller that the product watches', async () => {
    const hours = ['Acme', 'Bolt', 'Acme'].map((holder, index) => ({
      before: 10 - index,
      cents: 5_000,
      holder,
    }));
    const code = await seen(hours);
    const id = await track(code, { seller_name: 'Bolt' });
    const bolt = (await runBackTest(id, {})).body.counts;
    expect([bolt['buybox.won'], bolt['buybox.lost'], bolt['buybox.rotation']]).toEqual([1, 1, 0]);
    // The seller of the request is tried instead; null is that of the account.
    const acme = (await runBackTest(id, { seller_name: 'Acme' })).body.counts;
    expect([acme['buybox.won'], acme['buybox.lost']]).toEqual([1, 1]);
    const none = (await runBackTest(id, { seller_name: null })).body.counts;
    expect(none['buybox.rotation']).toBe(2);
    expect((await runBackTest(id, { seller_name: '' })).status).toBe(400);
    await send(who, 'PATCH', `/${id}`, { seller_name: 'Somebody Else' });
    const other = (await runBackTest(id, {})).body.counts;
    expect([other['buybox.won'], other['buybox.lost'], other['buybox.rotation']]).toEqual([
      0, 0, 2,
    ]);
  });

  it('an observation more than a week before the days is no baseline', async () => {
    const observations = [
      { before: 24 * 9, cents: 20_000 },
      { before: 10, cents: 10_000 },
    ];
    const id = await track(await seen(observations));
    expect((await runBackTest(id, { days: 1 })).body.counts['price.drop']).toBe(0);
    expect((await runBackTest(id, { days: 3 })).body.counts['price.drop']).toBe(1);
  });

  it('does not block other requests for long, even over a long history', async () => {
    const code = `${610_000_000 + codes++}`;
    const observations = Array.from(
      { length: 24 * 60 },
      (_, hour): Snapshot => ({
        code,
        observedAtMs: NOW - hour * HOUR_MS,
        gtins: [],
        offersComplete: true,
        buybox: { priceCents: 5_000, sellerName: 'Seller 0' },
        offers: Array.from({ length: 100 }, (_, seller) => ({
          sellerName: `Seller ${seller}`,
          priceCents: 5_000 + ((hour * seller) % 700),
          shippingCents: 0,
          unitsInStock: 100,
          lastUpdatedAtMs: null,
        })),
      }),
    );
    await recordSnapshots(app, observations);
    const id = await track(code);
    let longestMs = 0;
    const beganMs = performance.now();
    let lastMs = beganMs;
    const turn = () => {
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const response = await runBackTest(id, { days: 90 });
    clearImmediate(next);
    expect(response.body.counts['seller.price_change']).toBeGreaterThan(1_000);
    // In one go it would be nearly all of the time.
    expect(longestMs / (performance.now() - beganMs)).toBeLessThan(0.4);
  });

  it('nothing of days that nobody has paid, once the day cannot be paid', async () => {
    const poor = await service.newCustomer({ plan: 'Free', perSecond: 1_000 });
    const code = await seen(FALLING);
    const added = await send(poor, 'POST', '', { retailer_product_code: code, tier: 0 });
    const backTest = () => send(poor, 'POST', `/${added.body.id}/backtest`, { days: 90 });
    const payable = await backTest();
    expect(payable.body.counts['price.drop']).toBeGreaterThan(0);
    await app.db.query('update balances set used = allocation where account_id = $1', [
      poor.accountId,
    ]);
    const unpaid = await backTest();
    expect(unpaid.status).toBe(200);
    expect(Object.values(unpaid.body.counts)).toEqual(EVENT_KINDS.map(() => 0));
  });

  it('zeros for a product that was seen only once', async () => {
    const id = await track(await seen([{ before: 0, cents: 5_000 }]));
    const { counts } = (await runBackTest(id, { days: 90 })).body;
    expect(Object.values(counts)).toEqual(EVENT_KINDS.map(() => 0));
  });
});

describe('400', async () => {
  const id = await track(await seen(FALLING));
  it.each([
    ['no body', undefined, /body is required/],
    ['no days', { days: 0 }, /days.*1 to 90/],
    ['too many days', { days: 91 }, /days.*1 to 90/],
    ['half a day', { days: 1.5 }, /days.*1 to 90/],
    ['days as text', { days: '30' }, /days.*1 to 90/],
    ['rules as a list', { rules: [] }, /rules/],
    ['an unknown rule', { rules: { pirce: {} } }, /no member "pirce"/],
    ['an unknown threshold', { rules: { price: { cents: 5 } } }, /rules\.price has no member/],
    ['a threshold as text', { rules: { price: { percent: '5' } } }, /rules\.price\.percent/],
    ['a negative threshold', { rules: { rank: { places: -1 } } }, /from 0 to/],
  ])('%s', async (_, body, sentence) => {
    const response = await runBackTest(id, body);
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });
});

describe('401 and 404', () => {
  it('401 without a key', async () => {
    expect((await send(null, 'POST', '/x/backtest', {})).status).toBe(401);
  });

  it('404 for what is not there, and for what is another account’s', async () => {
    const other = await service.newCustomer();
    const id = await track(await seen(FALLING));
    for (const path of [`/${id}`, '/nonsense', '/01a1dd99-01d8-703f-9951-f5e96b148bbf']) {
      expect((await send(other, 'POST', `${path}/backtest`, {})).status).toBe(404);
    }
  });
});
