// The page of a tracked product: it shows the data of paid days at the watcher's slots, and never
// begins a day.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/catalog/snapshot.ts';
import { manualClock } from '../../../src/foundation/clock.ts';
import { HOUR_MS } from '../../../src/foundation/time.ts';
import { startService } from '../../support/service.ts';
import { type Person, sendRequest, signedIn } from '../../support/session.ts';
import { driveOversight } from '../../support/tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');
const clock = manualClock(START);
const service = await startService({ clock });
const oversight = driveOversight(service, clock);
const codes = service.products.map(({ code }) => code);
const code = codes[0] as string;

/** Price, stock and rank encode the hour of the snapshot. */
const hourOf = (at: number) => Math.floor((at - START) / HOUR_MS);
service.source.meanwhile = async (batch) =>
  batch.map((one) => {
    const onShelf = service.source.shelf.get(one) as Snapshot;
    const at = clock.nowMs();
    const seller = { sellerName: 'Acme', shippingCents: 0, lastUpdatedAtMs: null };
    const priceCents = 2_000 + hourOf(at);
    const snapshot: Snapshot = {
      ...onShelf,
      observedAtMs: at,
      buybox: { priceCents, sellerName: 'Acme' },
      offers: [{ ...seller, priceCents, unitsInStock: 100 + hourOf(at) }],
      offersComplete: true,
      rank: { position: 10 + hourOf(at), category: 'Kettles' },
    };
    return { kind: 'snapshot', snapshot };
  });

const get = (who: Person, path: string) =>
  sendRequest(service, who, { method: 'GET', path: `/session/tracked${path}` });
const track = async (who: Person, body: object) =>
  (
    await sendRequest(service, who, {
      method: 'POST',
      path: '/session/retailer/oversight/products',
      body,
    })
  ).body.id as string;
const tracking = (who: Person) =>
  service.app.db.query(`select 1 from ledger_entries where account_id = $1 and kind = 'tracking'`, [
    who.accountId,
  ]);

describe('two who watch the same product', async () => {
  const [fine, coarse] = [
    await signedIn(service, { plan: 'Scale' }),
    await signedIn(service, { plan: 'Scale' }),
  ];
  clock.advanceMs(20 * 60_000);
  const fineId = await track(fine, { retailer_product_code: code, tier: 0 });
  const coarseId = await track(coarse, { retailer_product_code: code, tier: 3 });
  const addedAt = clock.nowMs();
  await oversight.pass(17 * HOUR_MS, HOUR_MS / 2);

  test.each([
    ['the finer', fine, fineId, 1],
    ['the coarser', coarse, coarseId, 12],
  ] as const)('%s sees each value as of its own slot', async (_name, who, id, hours) => {
    const { status, body } = await get(who, `/${id}`);
    expect(status).toBe(200);
    const seenAt = Date.parse(body.last_updated);
    const hour = hourOf(seenAt);
    expect(clock.nowMs() - seenAt).toBeLessThan(hours * HOUR_MS);
    if (hours === 12) expect(clock.nowMs() - seenAt).toBeGreaterThan(2 * HOUR_MS);
    expect(body).toMatchObject({
      id,
      retailer_product_code: code,
      status: 'active',
      buybox_seller: 'Acme',
      current_price: (2_000 + hour) / 100,
      units_in_stock: 100 + hour,
      attention: null,
      rank: { position: 10 + hour, category: 'Kettles' },
      // Tier 0 includes every seller.
      offers:
        hours === 1
          ? [{ seller_name: 'Acme', price: (2_000 + hour) / 100, units_in_stock: 100 + hour }]
          : [],
    });
    const [row] = (await get(who, '')).body;
    expect(body).toMatchObject(row);
    expect((await get(who, `?retailer_product_code=${code}`)).body).toEqual([row]);
  });

  test('history has one point per slot of the watcher since it was added', async () => {
    const points = async (who: Person, id: string) => {
      const { body } = await get(who, `/${id}/history`);
      const { last_updated: seen } = (await get(who, `/${id}`)).body;
      expect(Date.parse(body.from)).toBe(addedAt);
      expect(body.rank_category).toBe('Kettles');
      for (const { date, ...values } of body.points) {
        expect(Date.parse(date)).toBeGreaterThanOrEqual(addedAt - 15 * 60_000);
        expect(Date.parse(date)).toBeLessThanOrEqual(Date.parse(seen));
        const hour = hourOf(Date.parse(date));
        expect(values).toEqual({
          price: (2_000 + hour) / 100,
          units_in_stock: 100 + hour,
          buybox_seller: 'Acme',
          suppressed: false,
          rank: 10 + hour,
        });
      }
      return body.points.length;
    };
    expect(await points(fine, fineId)).toBeGreaterThanOrEqual(17);
    const few = await points(coarse, coarseId);
    expect(few).toBeGreaterThanOrEqual(2);
    expect(few).toBeLessThanOrEqual(3);
  });

  test('the trend of a row is that of its slots, and of no one else', async () => {
    const trends = async (who: Person, wanted = code) =>
      (await sendRequest(service, who, { method: 'GET', path: `/session/trends?codes=${wanted}` }))
        .body;
    for (const [who, id] of [
      [fine, fineId],
      [coarse, coarseId],
    ] as const) {
      const { current_price: price, rank } = (await get(who, `/${id}`)).body;
      const [trend, ...others] = await trends(who, `${code},${codes[1]},${code}`);
      expect(others).toEqual([]);
      expect(trend).toMatchObject({ retailer_product_code: code, rank: rank.position });
      expect([trend.prices.length, trend.prices.at(-1)]).toEqual([43, price]);
      expect([trend.change_24h, trend.change_7d]).toEqual([null, null]);
    }
    const line = (await trends(fine))[0].prices.filter((price: number | null) => price !== null);
    expect(line.length).toBeGreaterThanOrEqual(4);
    expect(line).toEqual(line.toSorted((a: number, b: number) => a - b));
    expect((await trends(fine, 'x')).code).toBe('parameter_invalid');
  });

  test('sellers over time belong to days paid at tier 0', async () => {
    const { body } = await get(fine, `/${fineId}/sellers`);
    const { last_updated: seen } = (await get(fine, `/${fineId}`)).body;
    expect(body.sellers.map((one: { seller_name: string }) => one.seller_name)).toEqual(['Acme']);
    const [{ at_seconds: times, prices, units_in_stock: units }] = body.sellers;
    expect(times.length).toBeGreaterThanOrEqual(17);
    expect(times.at(-1) * 1000).toBeLessThanOrEqual(Date.parse(seen));
    times.forEach((atSeconds: number, index: number) => {
      const hour = hourOf(atSeconds * 1000);
      expect([prices[index], units[index]]).toEqual([(2_000 + hour) / 100, 100 + hour]);
    });
    expect((await get(coarse, `/${coarseId}/sellers`)).body).toEqual({ to: null, sellers: [] });
  });
});

describe('viewing', () => {
  test('begins no day and costs nothing; the API’s endpoint begins one', async () => {
    const who = await signedIn(service, { plan: 'Starter' });
    const id = await track(who, { retailer_product_code: codes[1], tier: 0 });
    for (const path of ['', `/${id}`, `/${id}/history`, `/${id}/sellers`]) {
      const reply = await get(who, path);
      expect([reply.status, reply.headers['x-credits-charged']]).toEqual([200, '0']);
    }
    const nothing = { current_price: null, last_updated: null, shown_day: null, offers: [] };
    expect((await get(who, `/${id}`)).body).toMatchObject({ ...nothing, credits_for_today: 150 });
    expect((await get(who, `/${id}/history`)).body.points).toEqual([]);
    expect(await tracking(who)).toEqual([]);
    expect(await service.used(who)).toBe(0);
    const path = `/session/retailer/oversight/products/${id}`;
    const bought = await sendRequest(service, who, { method: 'GET', path });
    expect([bought.status, bought.headers['x-credits-charged']]).toEqual([200, '150']);
    expect(await tracking(who)).toHaveLength(1);
    expect(await service.used(who)).toBe(150);
    const { body } = await get(who, `/${id}`);
    expect(body).toMatchObject({ shown_day: '2026-11-15', credits_for_today: 0 });
    expect(body.offers).toHaveLength(1);
    expect((await get(who, `/${id}/history`)).body.points).toHaveLength(1);
  });

  test('a finer tier on a day that is not paid shows nothing more', async () => {
    const who = await signedIn(service, { plan: 'Starter' });
    const id = await track(who, { retailer_product_code: codes[4], tier: 4 });
    const path = `/session/retailer/oversight/products/${id}`;
    await sendRequest(service, who, { method: 'PATCH', path, body: { tier: 0 } });
    expect((await get(who, `/${id}`)).body).toMatchObject({ current_price: null, offers: [] });
    expect((await get(who, `/${id}/history`)).body.points).toEqual([]);
    expect((await get(who, `/${id}/sellers`)).body.sellers).toEqual([]);
    expect(await service.used(who)).toBe(0);
  });

  test('is not counted against the API’s limits', async () => {
    const who = await signedIn(service);
    const replies = await Promise.all(Array.from({ length: 50 }, () => get(who, '')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const keyed = await Promise.all(
      Array.from({ length: 10 }, () => service.get(who, '/user/credits')),
    );
    expect(keyed.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  test('has a limit of its own, far above what pages need', async () => {
    const who = await signedIn(service);
    const refusals = async () => {
      // A second's worth at once, so that the next one is too many.
      for (let taken = 0; taken < 100; taken++) {
        await service.app.limiter.take(who.accountId, { bucket: 'session', perSecond: 100 });
      }
      return get(who, '');
    };
    await expect.poll(refusals).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });

  test('a suspended product shows its last paid day, null before the first, and the reason', async () => {
    const who = await signedIn(service, { plan: 'Free' });
    const id = await track(who, { retailer_product_code: codes[2], tier: 4 });
    await service.app.db.query('update balances set used = allocation where account_id = $1', [
      who.accountId,
    ]);
    await service.get(who, `/retailer/oversight/products/${id}`);
    const { body } = await get(who, `/${id}`);
    expect(body).toMatchObject({
      status: 'suspended',
      next_due_at: null,
      attention: 'Not enough credits for today: choose a cheaper tier, or wait for the refresh.',
    });
    expect(body.current_price).toBeNull();
    // The list can be filtered to the products that need attention.
    await track(who, { retailer_product_code: codes[3], tier: 4 });
    const inNeed = await get(who, '?attention=true&limit=5');
    expect(inNeed.body.map((one: { id: string }) => one.id)).toEqual([id]);
  });
});

describe('the list', () => {
  test('is the newest first, in pages, each product once', async () => {
    const who = await signedIn(service);
    const added: string[] = [];
    for (const one of codes.slice(0, 5)) {
      clock.advanceMs(1_000);
      added.push(await track(who, { retailer_product_code: one }));
    }
    const pages: string[] = [];
    for (let path: string | undefined = '/session/tracked?limit=2'; path !== undefined; ) {
      const page = await sendRequest(service, who, { method: 'GET', path });
      pages.push(...page.body.map(({ id }: { id: string }) => id));
      path = /<(\/session\/tracked\?[^>]+)>/.exec(String(page.headers.link))?.[1];
    }
    expect(pages).toEqual(added.toReversed());
    expect((await get(who, '?retailer_product_code=1')).body).toEqual([]);
  });

  test.each(['limit=0', 'limit=1001', 'after=x', 'retailer_product_code=x'])(
    '400 for %s',
    async (query) => {
      const who = await somebody;
      expect((await get(who, `?${query}`)).status).toBe(400);
    },
  );

  test.each(['nonsense', '%00', '01a1dd99-01d8-703f-9951-f5e96b148bbf'])(
    '404 for the id %s',
    async (id) => {
      const who = await somebody;
      for (const path of [`/${id}`, `/${id}/history`, `/${id}/sellers`])
        expect((await get(who, path)).status).toBe(404);
    },
  );
  const somebody = signedIn(service);
});
