// One bad item in each of the other loops: settle-days, sync-watchers, resume-suspended,
// end-tracked, estimates, the market model, high volume, key uses and old months. The others are
// served in the same round.
import { describe, expect, it } from 'vitest';
import { readTails } from '../../src/catalog/products.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { learnMarket } from '../../src/sales/learn-market.ts';
import { endTracked } from '../../src/tracking/end-tracked.ts';
import { resumeSuspended } from '../../src/tracking/resume-suspended.ts';
import { scheduleHighVolume } from '../../src/tracking/schedule-high-volume.ts';
import { settleDays } from '../../src/tracking/settle-days.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { holdLocked, poison, poisonReads } from '../support/poison.ts';
import { retryAll } from '../support/quarantine.ts';
import { startService } from '../support/service.ts';
import { type Watching, watchedMarket } from '../support/watched-market.ts';

const POISONED = 'poisoned (code P0001)';

async function threeCustomers(products = 1) {
  const market = await watchedMarket({ customers: 3, products });
  const customers = market.customers as [Watching, Watching, Watching];
  return { ...market, customers, bad: customers[1], others: [customers[0], customers[2]] };
}

const accountsOf = (rows: readonly { account_id: string }[]) =>
  rows.map((row) => row.account_id).sort();
const ids = (who: readonly Watching[]) => who.map(({ accountId }) => accountId).sort();

describe('settling days', () => {
  it('refunds the others, and the refused one after a retry', async () => {
    const market = await threeCustomers();
    const { app, bad, clock, customers, db, oversight, others, quarantined } = market;
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    clock.setMs(Math.floor(clock.nowMs() / DAY_MS) * DAY_MS + DAY_MS + 2 * HOUR_MS);
    const cure = await poison(db, { table: 'balances', key: bad.accountId });
    await settleDays(app);
    const refunded = () =>
      db.query<{ account_id: string }>(`select account_id from tracked_days where is_returned`);
    expect(accountsOf(await refunded())).toEqual(ids(others));
    expect((await quarantined()).map(({ loop, reason }) => [loop, reason])).toEqual([
      ['settle-days', POISONED],
    ]);
    await cure();
    await retryAll(market);
    await settleDays(app);
    expect(accountsOf(await refunded())).toEqual(ids(customers));
  });
});

describe('syncing watchers', () => {
  const suspended = `select account_id from watchers where is_suspended`;

  it('syncs the others, and the refused one after a retry', async () => {
    const market = await threeCustomers();
    const { app, bad, customers, db, others, quarantined } = market;
    await db.query('update tracked_products set is_suspended = true, is_pending = true');
    const cure = await poison(db, { table: 'watchers', key: bad.accountId });
    await syncPending(app);
    expect(accountsOf(await db.query(suspended))).toEqual(ids(others));
    expect(await quarantined()).toEqual([
      { loop: 'sync-watchers', item: bad.trackedIds[0], reason: POISONED },
    ]);
    expect(await db.query('select from tracked_products where is_pending')).toEqual([]);
    await cure();
    await retryAll(market);
    await syncPending(app);
    expect(accountsOf(await db.query(suspended))).toEqual(ids(customers));
  });

  it('does not wait for a schedule entry that another session has locked', async () => {
    const { app, codes, db, quarantined, service } = await threeCustomers(2);
    await db.query('update tracked_products set is_suspended = true, is_pending = true');
    const letGo = await holdLocked(
      service.connection,
      'select from collection_schedule where retailer_product_code = $1',
      [codes[0]],
    );
    await syncPending(app);
    const synced = await db.query<{ code: string }>(
      'select distinct retailer_product_code as code from watchers where is_suspended',
    );
    expect(synced.map(({ code }) => code)).toEqual([codes[1]]);
    expect(await quarantined()).toEqual([]);
    await letGo();
    await syncPending(app);
    expect((await db.query(suspended)).length).toBe(6);
  });
});

describe('resuming suspended products', () => {
  it('resumes the others, and the refused account after a retry', async () => {
    const market = await threeCustomers();
    const { app, bad, customers, db, others, quarantined } = market;
    await db.query('update tracked_products set is_suspended = true');
    const cure = await poison(db, { table: 'tracked_products', key: bad.accountId });
    const active = () =>
      db.query<{ account_id: string }>(
        'select account_id from tracked_products where not is_suspended',
      );
    await resumeSuspended(app);
    expect(accountsOf(await active())).toEqual(ids(others));
    expect(await quarantined()).toEqual([
      { loop: 'resume-suspended', item: bad.accountId, reason: POISONED },
    ]);
    await cure();
    await resumeSuspended(app);
    expect(accountsOf(await active())).toEqual(ids(others));
    await retryAll(market);
    await resumeSuspended(app);
    expect(accountsOf(await active())).toEqual(ids(customers));
  });
});

describe('ending tracking by its time to live', () => {
  it('ends that of the others, of many more products than one part, and the refused after a retry', async () => {
    const market = await threeCustomers();
    const { app, bad, clock, customers, db, others, quarantined } = market;
    // More products of the refused account than one part lists, and all before those of the others.
    await db.query(
      `insert into tracked_products (lane, account_id, tracked_id, retailer_product_code, tier,
                                     is_suspended, is_pending, created_at)
       select t.lane, t.account_id, gen_random_uuid(), '9' || n, t.tier, false, false, t.created_at
         from tracked_products t, generate_series(1, 250) as n where t.account_id = $1`,
      [bad.accountId],
    );
    await db.query('update tracked_products set ends_at = created_at where true');
    clock.advanceMs(HOUR_MS);
    const tracked = () =>
      db.query<{ account_id: string }>(
        'select distinct account_id from tracked_products where removed_at is null',
      );
    const cure = await poison(db, { table: 'tracked_products', key: bad.accountId });
    await endTracked(app);
    expect(accountsOf(await tracked())).toEqual([bad.accountId]);
    expect(await quarantined()).toEqual([
      { loop: 'end-tracked', item: bad.accountId, reason: POISONED },
    ]);
    await cure();
    await retryAll(market);
    await endTracked(app);
    expect(accountsOf(await tracked())).toEqual([]);
    expect(others.length + 1).toBe(customers.length);
  });
});

describe('estimates and the market model', async () => {
  const service = await startService();
  const { app } = service;
  const { db } = app;
  const now = Math.floor(app.clock.nowMs() / HOUR_MS) * HOUR_MS;
  const [first, bad, last] = ['700000001', '700000002', '700000003'] as const;
  const selling = (code: string): Snapshot[] =>
    Array.from({ length: 400 }, (_, index) => ({
      code,
      observedAtMs: now - (400 - index) * HOUR_MS,
      gtins: [],
      offersComplete: true,
      buybox: { priceCents: 1999, sellerName: 'Acme' },
      offers: [
        {
          sellerName: 'Acme',
          priceCents: 1900 + (index % 7),
          shippingCents: 0,
          unitsInStock: 1_000 - 2 * index,
          lastUpdatedAtMs: null,
        },
      ],
    }));
  for (const code of [first, bad, last]) await recordSnapshots(app, selling(code));
  const entries = async () =>
    (
      await db.query<{ loop: string; item: string }>('select loop, item from quarantined_items')
    ).map(({ loop, item }) => `${loop} ${item}`);

  it('learns from the others when the history of one product cannot be read', async () => {
    const cure = await poisonReads(db, {
      table: 'history_runs',
      column: 'retailer_product_code',
      key: bad,
    });
    expect(await learnMarket(app)).toBe(1);
    const [learned] = await db.query<{ observations: number }>(
      'select observations from market_models',
    );
    expect(learned?.observations).toBeGreaterThanOrEqual(800);
    expect(learned?.observations).toBeLessThan(1_200);
    expect(await entries()).toEqual([`learn-market ${bad}`]);
    await cure();
    await retryAll(service);
    expect(await entries()).toEqual([]);
  });

  it('refreshes the others when one product’s estimates are refused', async () => {
    const tails = await readTails(db, [first, bad, last]);
    for (const [code, tail] of tails) await app.salesEstimates.yearsOf(code, tail);
    const version = await learnMarket(app);
    const cure = await poison(db, { table: 'sales_habits', key: bad });
    await app.salesEstimates.refreshSome(20);
    const current = async () =>
      (
        await db.query<{ code: string }>(
          `select retailer_product_code as code from sales_habits where knowledge_version = $1
            order by 1`,
          [version],
        )
      ).map(({ code }) => code);
    expect(await current()).toEqual([first, last]);
    expect(await entries()).toEqual([`refresh-estimates ${bad}`]);
    await cure();
    await retryAll(service);
    expect(await current()).toEqual([first, bad, last]);
  });

  it('schedules the others when one product’s entry is refused', async () => {
    const cure = await poison(db, { table: 'collection_schedule', key: bad });
    await scheduleHighVolume(app, { snapshotsPerMinute: 60 });
    const placed = async () =>
      (
        await db.query<{ code: string }>(
          `select retailer_product_code as code from collection_schedule
            where retailer_product_code = any ($1) order by 1`,
          [[first, bad, last]],
        )
      ).map(({ code }) => code);
    expect(await placed()).toEqual([first, last]);
    expect(await entries()).toEqual([`place-high-volume ${bad}`]);
    await cure();
    await retryAll(service);
    await scheduleHighVolume(app, { snapshotsPerMinute: 60 });
    expect(await placed()).toEqual([first, bad, last]);
  });

  it('records the uses of the other keys when one is refused or locked', async () => {
    const customers = [];
    for (let n = 0; n < 3; n++) customers.push(await service.newCustomer());
    const [refused, locked, sound] = customers as [Watching, Watching, Watching];
    await poison(db, { table: 'api_keys', key: refused.accountId });
    const letGo = await holdLocked(
      service.connection,
      'select from api_keys where account_id = $1',
      [locked.accountId],
    );
    for (const who of [refused, locked, sound]) {
      await app.callers.identify(who.apiKey, { ip: '127.0.0.1' });
    }
    await app.callers.flushUses(app.log);
    const used = await db.query<{ account_id: string }>(
      'select account_id from api_keys where last_used_at is not null',
    );
    expect(accountsOf(used)).toEqual([sound.accountId]);
    await letGo();
  });
});

describe('high volume beside tracked products', () => {
  it('collects the others when the snapshot of one is refused', async () => {
    const { app, clock, codes, db, lastSeen, quarantined } = await watchedMarket({
      customers: 0,
      products: 3,
    });
    await scheduleHighVolume(app, { snapshotsPerMinute: 60 });
    clock.advanceMs(DAY_MS);
    await poison(db, { table: 'products', key: `"${codes[1]}"` });
    await collectDue(app, { isTracked: false });
    expect(await lastSeen(codes[0] as string)).toBe(clock.nowMs());
    expect(await lastSeen(codes[2] as string)).toBe(clock.nowMs());
    expect((await quarantined()).map(({ item }) => item)).toEqual([codes[1]]);
  });
});
