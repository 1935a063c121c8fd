// Deleting an account: it waits, it can be cancelled, and afterwards only sums are left.
import { expect, it } from 'vitest';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { HANDLED, newAnonymousId } from '../../src/closing/account-tables.ts';
import {
  closeAccount,
  reopenAccount,
  requestDeletion,
  restoreAccount,
} from '../../src/closing/close-account.ts';
import { deleteAccount, deleteDueAccounts } from '../../src/closing/delete-account.ts';
import { lane, TABLES } from '../../src/database/families.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { type Customer, type Service, startService } from '../support/service.ts';
import { eventually, signedIn } from '../support/session.ts';
import { driveOversight, track } from '../support/tracking.ts';
import { attemptDue, FAILED, newEvent, RECEIVED, record, register } from '../support/webhooks.ts';

async function start() {
  const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
  const service = await startService({ clock });
  const { app } = service;
  const fill = async (who: Customer) => {
    for (const { code } of service.products.slice(0, 2)) {
      await track(service, who, { retailer_product_code: code, tier: 0, seller_name: 'My Shop' });
    }
    await register(app, { accountId: who.accountId, url: 'https://example.com/hook' });
    await record(service, [newEvent(who, clock.nowMs()), newEvent(who, clock.nowMs())]);
    await attemptDue(service, who, RECEIVED);
    await record(service, [newEvent(who, clock.nowMs())]);
    await attemptDue(service, who, FAILED);
    await service.get(
      who,
      `/retailer/product/details?retailer_product_code=${service.products[0]?.code}`,
    );
  };
  const leaving = await signedIn(service, { plan: 'Pro', perSecond: 1_000 });
  const staying = await signedIn(service, { plan: 'Pro', perSecond: 1_000 });
  await fill(leaving);
  await fill(staying);
  const worker = driveOversight(service, clock);
  await worker.pass(2 * HOUR_MS, HOUR_MS);
  /** Every row of every table, as text, by table. */
  const everything = async () => {
    const texts: [string, string[]][] = [];
    const names = [...Object.keys(TABLES), 'auth.users', 'auth.sessions', 'auth.credentials'];
    for (const name of [...names, 'auth.verifications']) {
      const rows = await app.db.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.push([name, rows.map(({ row }) => row).sort()]);
    }
    return texts;
  };
  const naming = async (...words: string[]) =>
    (await everything()).flatMap(([name, rows]) =>
      rows.some((row) => words.some((word) => row.includes(word))) ? [name] : [],
    );
  const sums = async () => {
    const [row] = await app.db.query(
      `select sum(credits) as all, count(*) as n, sum(credits) filter (where kind = 'tracking') as tracking
         from ledger_entries`,
    );
    return row;
  };
  return { app, clock, service, leaving, staying, worker, everything, naming, sums };
}

/** Keys are cached for less than a second. */
const becomes = (service: Service, who: Customer, status: number) =>
  eventually(async () => {
    const reply = await service.get(who, '/user/credits');
    return reply.status === status ? true : undefined;
  });

it('every table of accounts is handled', () => {
  const ofAccounts = Object.entries(TABLES).flatMap(([name, table]) =>
    table.kind === 'lane' && table.family === 'account' ? [name] : [],
  );
  expect(Object.keys(HANDLED).sort()).toEqual(ofAccounts.sort());
});

it('waits 30 days closed; then its rows are gone, the ledger sums, and others lost nothing', async () => {
  const it = await start();
  const { accountId, email } = it.leaving;
  const [before, others] = [await it.sums(), await rowsOf(it, it.staying)];
  const deletion = await requestDeletion(it.app, accountId);
  expect(deletion.deleteAtMs).toBe(it.clock.nowMs() + 30 * DAY_MS);
  // Before the month ends: a request that is still admitted then would book the refresh of its
  // credits.
  await becomes(it.service, it.leaving, 404);
  it.clock.advanceMs(30 * DAY_MS - 1);
  await deleteDueAccounts(it.app);
  expect(await it.naming(accountId)).toContain('accounts');
  it.clock.advanceMs(1);
  await deleteDueAccounts(it.app);
  expect(await it.naming(accountId, email)).toEqual([]);
  expect(await it.sums()).toEqual(before);
  expect(await findLedgerFaults(it.app.db)).toEqual([]);
  expect(await rowsOf(it, it.staying)).toEqual(others);
  // The e-mail is free again.
  expect(await it.app.signIn.isRegistered(email)).toBe(false);
  await becomes(it.service, it.leaving, 401);
  await it.worker.pass(HOUR_MS, HOUR_MS);
});

/** The rows of another account by table, without times of use. */
async function rowsOf(it: Awaited<ReturnType<typeof start>>, who: Customer) {
  return (await it.everything()).map(([name, rows]) => [
    name,
    rows.filter((row) => row.includes(who.accountId)).length,
  ]);
}

it('killed at any statement, the next round completes it with the same result', async () => {
  const it = await start();
  const { accountId, email } = it.leaving;
  const before = await it.sums();
  await requestDeletion(it.app, accountId);
  it.clock.advanceMs(30 * DAY_MS);
  const { db } = it.app;
  for (let allowed = 1; ; allowed += 3) {
    let left = allowed;
    const spend = () => {
      left -= 1;
      if (left < 0) throw new Error('killed');
    };
    const dying: typeof db = {
      ...db,
      query: async (what, values) => {
        spend();
        return db.query(what, values);
      },
      transaction: async (work, options) => {
        spend();
        return db.transaction(work, options);
      },
    };
    const isDone = await deleteAccount({ ...it.app, db: dying }, accountId).catch(() => false);
    expect(await it.sums()).toEqual(before);
    if (isDone) break;
    if (allowed > 300) throw new Error('it never ends');
  }
  expect(await it.naming(accountId, email)).toEqual([]);
});

it('is cancelled by restoring: open as before, or closed if the operator closed it', async () => {
  const it = await start();
  const { accountId } = it.leaving;
  await requestDeletion(it.app, accountId);
  await expect(reopenAccount(it.app, accountId)).rejects.toThrow('Restore');
  it.clock.advanceMs(29 * DAY_MS);
  const restored = await restoreAccount(it.app, accountId);
  expect(restored).toMatchObject({ closedAtMs: null, closedBy: null, deleteAtMs: null });
  await becomes(it.service, it.leaving, 200);
  it.clock.advanceMs(30 * DAY_MS);
  await deleteDueAccounts(it.app);
  expect(await it.naming(accountId)).toContain('tracked_products');
  await closeAccount(it.app, accountId);
  await requestDeletion(it.app, accountId);
  expect(await restoreAccount(it.app, accountId)).toMatchObject({ closedBy: 'operator' });
  await expect(restoreAccount(it.app, accountId)).rejects.toThrow('is not scheduled');
});

it('moves ledger entries within their lane, so that one transaction stays on one shard', () => {
  for (let n = 0; n < 5; n++) {
    const accountId = newId();
    expect(lane(newAnonymousId(accountId))).toBe(lane(accountId));
  }
});
