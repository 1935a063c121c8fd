// Days that cannot be paid: they are not shown, their changes are not lost, and no credit is
// misbooked.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { resumeSuspended } from '../../src/tracking/resume-suspended.ts';
import { syncPending, syncWatchers } from '../../src/tracking/sync-watchers.ts';
import type { TrackedProduct } from '../../src/tracking/tracked-product.ts';
import { findTracked } from '../../src/tracking/tracked-products.ts';
import { type Service, startService } from '../support/service.ts';
import { driveOversight, track } from '../support/tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');

/**
 * One customer who tracks one product every hour, on a clock and a marketplace that the test sets.
 */
async function start() {
  const clock = manualClock(START - HOUR_MS);
  const service = await startService({ clock });
  const { source, app } = service;
  const code = service.products[0]?.code as string;
  let cents = 1_000;
  const collectNow = (): Snapshot => ({
    ...(source.shelf.get(code) as Snapshot),
    buybox: { priceCents: cents, sellerName: 'Marlowe Store' },
    observedAtMs: Math.floor(clock.nowMs() / 1000) * 1000,
  });
  source.meanwhile = async (codes) =>
    codes.map((fetched) => ({
      kind: 'snapshot' as const,
      snapshot: { ...collectNow(), ...(fetched === code ? {} : source.shelf.get(fetched)) },
    }));
  clock.setMs(START);
  await recordSnapshots(app, [collectNow()]);
  const who = await service.newCustomer({ plan: 'Free', perSecond: 1_000 });
  const id = await track(service, who, { retailer_product_code: code, tier: 0 });
  return {
    app,
    clock,
    code,
    id,
    service,
    who,
    oversight: driveOversight(service, clock),
    priced(now: number) {
      cents = now;
    },
    /** Leaves the account this many credits. */
    left: (credits: number) =>
      app.db.query(`update balances set used = allocation - $2 where account_id = $1`, [
        who.accountId,
        credits,
      ]),
    show: async () => {
      const { body } = await service.get(who, `/retailer/oversight/products/${id}`);
      const { current_price: price, last_updated: at } = body.tracking_data;
      return { status: body.status, price, at: Date.parse(at) };
    },
    watcher: async () => (await app.db.query('select * from watchers'))[0] as object,
  };
}

const eventsOf = async ({ app }: Service) => {
  const rows = await app.db.query<{ kind: string; payload: string }>(
    'select kind, payload from events order by at, kind',
  );
  return rows.map(({ kind, payload }) => {
    const { before, after } = JSON.parse(payload).data;
    return `${kind} ${before.value} → ${after.value}`;
  });
};

const charges = async ({ app }: Service) => {
  const rows = await app.db.query<{ credits: number }>(
    `select credits from ledger_entries where kind = 'tracking' order by at`,
  );
  return rows.map(({ credits }) => -credits);
};

/** The account's side commits but the product's side does not, as if killed in between. */
function killedBetween(db: Service['app']['db']): Service['app']['db'] {
  let ended = 0;
  return {
    ...db,
    transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]) =>
      db.transaction<T>(async (tx) => {
        const result = await work(tx);
        if (ended++ >= 1) throw new Error('killed');
        return result;
      }),
  };
}

describe('a day that cannot be paid', () => {
  it('shows the data of the last paid day; its changes are notified once there are credits again', async () => {
    const { clock, left, oversight, priced, service, show } = await start();
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    const paid = { price: 10, at: clock.nowMs() };
    expect(await show()).toEqual({ status: 'active', ...paid });
    await left(149);
    priced(800);
    clock.advanceMs(DAY_MS);
    await oversight.work();
    expect(await show()).toEqual({ status: 'suspended', ...paid });
    expect(await eventsOf(service)).toEqual([]);
    await left(1_000);
    await oversight.work();
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    expect(await show()).toEqual({ status: 'active', price: 8, at: clock.nowMs() });
    expect(await eventsOf(service)).toEqual(['price.drop 10 → 8']);
    // The second is on the day of the suspension: it was not paid then, and is not free now.
    expect(await charges(service)).toEqual([150, 150]);
  });

  it('leaves the watcher as it was before, however many slots were served meanwhile', async () => {
    const { app, clock, left, oversight, priced, service, watcher } = await start();
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    const before = await watcher();
    await left(149);
    clock.setMs(START + DAY_MS);
    for (const cents of [800, 600, 1_200]) {
      priced(cents);
      clock.advanceMs(HOUR_MS);
      await collectDue(app, { isTracked: true });
    }
    expect(await app.db.query('select 1 from outgoing')).toHaveLength(3);
    await oversight.work();
    expect(await watcher()).toEqual({
      ...before,
      is_suspended: true,
      since_at: clock.nowMs(),
    });
    expect(await eventsOf(service)).toEqual([]);
    expect(await app.db.query('select 1 from outgoing')).toEqual([]);
  });

  it('reverses nothing of the days before it, even if they are fanned out together', async () => {
    const { app, clock, left, priced, service, show } = await start();
    await left(150);
    for (const cents of [900, 700]) {
      priced(cents);
      clock.advanceMs(HOUR_MS);
      await collectDue(app, { isTracked: true });
    }
    const lastPaidAt = clock.nowMs();
    clock.setMs(START + DAY_MS);
    priced(500);
    clock.advanceMs(HOUR_MS);
    await collectDue(app, { isTracked: true });
    while ((await fanOut(app)) > 0);
    expect(await show()).toEqual({ status: 'suspended', price: 7, at: lastPaidAt });
    expect(await eventsOf(service)).toEqual(['price.drop 10 → 9', 'price.drop 9 → 7']);
    expect(await charges(service)).toEqual([150]);
  });

  it('is reversed by the next process if the first is killed between the two sides', async () => {
    const { app, clock, left, oversight, priced, service, show, watcher } = await start();
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    const paid = await show();
    const before = await watcher();
    await left(149);
    priced(800);
    clock.advanceMs(DAY_MS);
    await collectDue(app, { isTracked: true });
    await expect(fanOut({ ...app, db: killedBetween(app.db) })).rejects.toThrow('killed');
    expect(await app.db.query('select 1 from outgoing')).toHaveLength(1);
    // Before it is claimed again another slot is served, which is reversed with it.
    priced(600);
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    expect(await watcher()).toMatchObject({
      ...before,
      is_suspended: true,
      since_at: expect.anything(),
    });
    expect(await show()).toEqual({ ...paid, status: 'suspended' });
    expect(await eventsOf(service)).toEqual([]);
  });

  it('is shown and notified if it can be paid when it is claimed again', async () => {
    const { app, clock, left, oversight, priced, service, show } = await start();
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    await left(149);
    priced(800);
    clock.advanceMs(DAY_MS);
    await collectDue(app, { isTracked: true });
    await expect(fanOut({ ...app, db: killedBetween(app.db) })).rejects.toThrow('killed');
    await left(1_000);
    await oversight.work();
    expect(await show()).toEqual({ status: 'active', price: 8, at: clock.nowMs() });
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    expect(await eventsOf(service)).toEqual(['price.drop 10 → 8']);
    expect(await charges(service)).toEqual([150, 150]);
  });
});

describe('an account that runs out of credits', () => {
  it('needs as many transactions as one that pays, and raises the pending signal', async () => {
    const { app, clock, left, service, who } = await start();
    const more = service.products.slice(1, 6);
    for (const { code } of more)
      await track(service, who, { retailer_product_code: code, tier: 0 });
    const counted = async () => {
      clock.advanceMs(DAY_MS);
      await collectDue(app, { isTracked: true });
      let transactions = 0;
      const db = {
        ...app.db,
        transaction: <T>(work: Parameters<typeof app.db.transaction<T>>[0]) => {
          transactions++;
          return app.db.transaction<T>(work);
        },
      };
      expect(await fanOut({ ...app, db })).toBe(1 + more.length);
      return transactions;
    };
    await left(150 * (1 + more.length));
    const paying = await counted();
    expect(await counted()).toBe(paying);
    await app.pendingSignal.wait(60_000, new AbortController().signal);
    expect(await syncPending(app)).toBe(false);
    expect(await app.db.query('select distinct is_suspended from watchers')).toEqual([
      { is_suspended: true },
    ]);
    expect(await app.db.query('select distinct due_at from collection_schedule')).toEqual([
      { due_at: null },
    ]);
    clock.advanceMs(DAY_MS);
    expect(await collectDue(app, { isTracked: true })).toBe(0);
  });

  it('is not left suspended on one side if another process resumes its products meanwhile', async () => {
    const { app, clock, id, left, oversight, watcher, who } = await start();
    await left(149);
    clock.advanceMs(HOUR_MS);
    await collectDue(app, { isTracked: true });
    await fanOut(app);
    const key = { accountId: who.accountId, trackedId: id };
    const stale = (await findTracked(app.db, key)) as TrackedProduct;
    expect(stale.isSuspended).toBe(true);
    await left(1_000);
    await resumeSuspended(app);
    // Read before it was resumed, synced after.
    await syncWatchers(app, [stale]);
    expect(await watcher()).toMatchObject({ is_suspended: true });
    await oversight.work();
    expect(await watcher()).toMatchObject({ is_suspended: false });
  });
});
