// Closing an account stops everything at once, and reopening restores it, without effect on other
// accounts and whenever it is interrupted.
import { describe, expect, it } from 'vitest';
import { findAccount, writeClosure } from '../../src/accounts/accounts.ts';
import { closeAccount, reopenAccount, settleClosures } from '../../src/closing/close-account.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { resumeSuspended } from '../../src/tracking/resume-suspended.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { changeSubscription } from '../../src/webhooks/subscriptions.ts';
import { type Customer, startService } from '../support/service.ts';
import { eventually } from '../support/session.ts';
import { driveOversight, track } from '../support/tracking.ts';
import { attemptDue, newEvent, RECEIVED, record, register } from '../support/webhooks.ts';

const START = Date.parse('2026-11-15T10:00:00Z');

/** Two customers track one product; the first also tracks a product that nobody else does. */
async function start() {
  const clock = manualClock(START);
  const service = await startService({ clock });
  const { app } = service;
  const [shared, unshared] = service.products.map(({ code }) => code) as [string, string];
  const leaving = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const staying = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const ids: string[] = [];
  for (const code of [shared, unshared]) {
    ids.push(await track(service, leaving, { retailer_product_code: code, tier: 0 }));
  }
  await track(service, staying, { retailer_product_code: shared, tier: 0 });
  const due = async () => {
    const rows = await app.db.query<{ retailer_product_code: string }>(
      'select retailer_product_code from collection_schedule where due_at is not null',
    );
    return rows.map((row) => row.retailer_product_code).sort();
  };
  return {
    app,
    clock,
    service,
    leaving,
    staying,
    ids,
    shared,
    unshared,
    due,
    worker: driveOversight(service, clock),
    charged: async (who: Customer) => {
      const rows = await app.db.query<{ n: number }>(
        `select count(*) as n from ledger_entries where kind = 'tracking' and account_id = $1`,
        [who.accountId],
      );
      return rows[0]?.n ?? 0;
    },
    suspended: async (who: Customer) => {
      const rows = await app.db.query<{ is_suspended: boolean }>(
        'select is_suspended from watchers where account_id = $1 order by retailer_product_code',
        [who.accountId],
      );
      return rows.map((row) => row.is_suspended);
    },
    close: () => closeAccount(app, leaving.accountId),
    reopen: () => reopenAccount(app, leaving.accountId),
  };
}

describe('a closed account', () => {
  it('is not collected or charged, others are; reopened it continues as before', async () => {
    const it = await start();
    await it.worker.pass(2 * HOUR_MS, HOUR_MS);
    expect(await it.charged(it.leaving)).toBe(2);
    await it.close();
    expect(await it.due()).toEqual([it.shared]);
    await it.worker.pass(30 * HOUR_MS, HOUR_MS);
    expect([await it.charged(it.leaving), await it.charged(it.staying)]).toEqual([2, 2]);
    expect(await it.suspended(it.leaving)).toEqual([true, true]);
    await it.reopen();
    expect(await it.due()).toEqual([it.shared, it.unshared].sort());
    await it.worker.pass(2 * HOUR_MS, HOUR_MS);
    expect(await it.charged(it.leaving)).toBe(4);
    const { body } = await it.service.get(it.leaving, `/retailer/oversight/products/${it.ids[0]}`);
    expect(body.status).toBe('active');
  });

  it('does not pay for slots that were served but not charged, and does not see them', async () => {
    const it = await start();
    it.clock.setMs(START + 3 * HOUR_MS);
    await collectDue(it.app, { isTracked: true });
    const served = await it.app.db.query('select 1 from outgoing where account_id = $1', [
      it.leaving.accountId,
    ]);
    expect(served.length).toBeGreaterThan(0);
    // Only the account row is closed, as if the process was killed right after.
    const account = await findAccount(it.app.db, it.leaving.accountId);
    if (account === undefined) throw new Error('no account');
    await it.app.db.transaction((tx) =>
      writeClosure(tx, { ...account, closedAtMs: it.clock.nowMs(), closedBy: 'operator' }),
    );
    while ((await fanOut(it.app)) > 0);
    expect(await it.charged(it.leaving)).toBe(0);
    expect(await it.charged(it.staying)).toBe(1);
    expect(await it.suspended(it.leaving)).toEqual([false, false]);
    await settleClosures(it.app);
    expect(await it.suspended(it.leaving)).toEqual([true, true]);
    const rows = await it.app.db.query('select 1 from accounts where is_settling');
    expect(rows).toEqual([]);
    expect(await it.app.db.query('select 1 from outgoing')).toEqual([]);
  });

  it('is not resumed by credits, by a sync, or by a product added at the same time', async () => {
    const it = await start();
    await it.app.db.query(
      `update tracked_products set is_suspended = true, is_pending = true where tracked_id = $1`,
      [it.ids[0]],
    );
    await syncPending(it.app);
    await it.close();
    await resumeSuspended(it.app);
    await it.app.db.query('update tracked_products set is_pending = true');
    while (await syncPending(it.app));
    expect(await it.suspended(it.leaving)).toEqual([true, true]);
    await it.reopen();
    // What waited for credits waits for the usual rule.
    const states = await it.app.db.query<{ is_suspended: boolean }>(
      'select is_suspended from watchers where account_id = $1 and tracked_id = any($2::uuid[])',
      [it.leaving.accountId, [it.ids[0]]],
    );
    expect(states).toEqual([{ is_suspended: true }]);
    await resumeSuspended(it.app);
    expect(await it.suspended(it.leaving)).toEqual([false, false]);
  });

  it('closed during a sync that read it as open: its watchers still stop', async () => {
    const it = await start();
    const { db } = it.app;
    let closing: Promise<unknown> | null = null;
    // Between reading the account and settling the rows.
    const slow: typeof db = {
      ...db,
      transaction: async (work, options) => {
        if (closing === null) {
          closing = it.close();
          await closing;
        }
        return db.transaction(work, options);
      },
    };
    await db.query('update tracked_products set is_pending = true');
    await syncPending({ ...it.app, db: slow });
    while (await syncPending(it.app));
    expect(await it.suspended(it.leaving)).toEqual([true, true]);
    expect(await it.suspended(it.staying)).toEqual([false]);
  });
});

describe('webhooks of a closed account', () => {
  it('get nothing until it is reopened; what the customer paused stays paused', async () => {
    const it = await start();
    const { accountId } = it.leaving;
    const url = 'https://example.com/hook';
    const active = await register(it.app, { accountId, url });
    const paused = await register(it.app, { accountId, url });
    const now = it.clock.nowMs();
    await changeSubscription(it.app.db, { ...paused, status: 'Paused', now });
    await record(it.service, [newEvent(it.leaving, now)]);
    await it.close();
    expect(await attemptDue(it.service, it.leaving, RECEIVED)).toEqual([]);
    // Nothing is claimed, even when the loop is woken.
    await it.app.db.query('update webhook_health set due_at = $1, claimable_at = $1', [
      new Date(now).toISOString(),
    ]);
    expect(await attemptDue(it.service, it.leaving, RECEIVED)).toEqual([]);
    await it.reopen();
    expect(await attemptDue(it.service, it.leaving, RECEIVED)).toHaveLength(1);
    const rows = await it.app.db.query<{ webhook_id: string; status: string }>(
      'select webhook_id, status from webhook_health',
    );
    const status = new Map(rows.map((row) => [row.webhook_id, row.status]));
    expect([status.get(active.webhookId), status.get(paused.webhookId)]).toEqual([
      'Active',
      'Paused',
    ]);
  });
});

it('keys are refused with 404 while it is closed, and work again afterwards', async () => {
  const it = await start();
  // Keys are cached for less than a second.
  const becomes = (status: number) =>
    eventually(async () => {
      const reply = await it.service.get(it.leaving, '/user/credits');
      return reply.status === status ? true : undefined;
    });
  await becomes(200);
  await it.close();
  await becomes(404);
  await it.reopen();
  await becomes(200);
});

it('closed and reopened concurrently, the last change holds and nothing is half done', async () => {
  const it = await start();
  await Promise.all([it.close(), it.reopen(), it.close(), it.reopen()]);
  await it.reopen();
  await settleClosures(it.app);
  while (await syncPending(it.app));
  expect(await it.suspended(it.leaving)).toEqual([false, false]);
  await it.close();
  while (await syncPending(it.app));
  expect(await it.suspended(it.leaving)).toEqual([true, true]);
});
