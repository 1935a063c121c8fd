// Tracked products that are changed, removed, paid and added at the same time: no change is lost.
import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import type { Database } from '../../src/database/database.ts';
import { lane } from '../../src/database/families.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { markAccountSellerPending } from '../../src/tracking/pending-products.ts';
import { resumeSuspended } from '../../src/tracking/resume-suspended.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { changeTracked, trackProduct } from '../../src/tracking/track.ts';
import { waitingForLocks } from '../support/database.ts';
import { type Customer, startService } from '../support/service.ts';
import { track } from '../support/tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');

/** A database on which something happens just before its first transaction. */
function beforeFirst(db: Database, act: () => Promise<unknown>): Database {
  let isFirst = true;
  return {
    ...db,
    async transaction(work) {
      if (isFirst) {
        isFirst = false;
        await act();
      }
      return db.transaction(work);
    },
  };
}

test('an account with many suspended products keeps nobody else suspended', async () => {
  const clock = manualClock(START);
  const service = await startService({ clock });
  const { app } = service;
  const two = [
    await service.newCustomer({ plan: 'Pro' }),
    await service.newCustomer({ plan: 'Pro' }),
  ].sort((a, b) => lane(a.accountId) - lane(b.accountId) || (a.accountId < b.accountId ? -1 : 1));
  const [poor, rich] = two as [Customer, Customer];
  const id = await track(service, rich, { retailer_product_code: service.products[0]?.code });
  await app.db.query('update tracked_products set is_suspended = true where tracked_id = $1', [id]);
  await app.db.query('update balances set used = allocation where account_id = $1', [
    poor.accountId,
  ]);
  await app.db.query(
    `insert into tracked_products (lane, account_id, tracked_id, retailer_product_code, tier,
                                   is_suspended, is_pending, created_at)
     select $1, $2, gen_random_uuid(), (700000000 + i)::text, 0, true, false, $3
       from generate_series(1, 1000) as i`,
    [lane(poor.accountId), poor.accountId, new Date(START).toISOString()],
  );
  await resumeSuspended(app);
  await resumeSuspended(app);
  const [row] = await app.db.query<{ is_suspended: boolean }>(
    'select is_suspended from tracked_products where tracked_id = $1',
    [id],
  );
  expect(row?.is_suspended).toBe(false);
});

test('a product that is removed while it is synced stays removed', async () => {
  const service = await startService({ clock: manualClock(START) });
  const { app } = service;
  const who = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const id = await track(service, who, { retailer_product_code: service.products[0]?.code });
  await markAccountSellerPending(app.db, who.accountId);
  const db = beforeFirst(app.db, async () => {
    expect((await service.send(who, 'DELETE', `/retailer/oversight/products/${id}`)).status).toBe(
      204,
    );
  });
  await syncPending({ ...app, db });
  while (await syncPending(app));
  expect(await app.db.query('select tier from watchers')).toEqual([]);
});

test('a product that is removed while it is changed stays removed', async () => {
  const service = await startService({ clock: manualClock(START) });
  const { app } = service;
  const who = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const id = await track(service, who, { retailer_product_code: service.products[0]?.code });
  const db = beforeFirst(app.db, async () => {
    expect((await service.send(who, 'DELETE', `/retailer/oversight/products/${id}`)).status).toBe(
      204,
    );
  });
  await changeTracked({ ...app, db }, { accountId: who.accountId, trackedId: id }, { tier: 3 });
  while (await syncPending(app));
  expect(await app.db.query('select tier from watchers')).toEqual([]);
});

test('two accounts that track a new product at once get the finer interval', async () => {
  const service = await startService({ clock: manualClock(START) });
  const { app } = service;
  const code = service.products[1]?.code as string;
  const [a, b] = [
    await service.newCustomer({ plan: 'Pro' }),
    await service.newCustomer({ plan: 'Pro' }),
  ];
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const db: Database = {
    ...app.db,
    transaction: (work) =>
      app.db.transaction(async (tx) => {
        const done = await work(tx);
        // The first transaction writes the tracked product, the second its watcher and entry.
        if (++begun === 2) {
          reached.resolve();
          await released.promise;
        }
        return done;
      }),
  };
  const first = { seenAtMs: START, state: null };
  const fine = trackProduct(
    { ...app, db },
    { accountId: a.accountId, code, first, changes: { tier: 0 } },
  );
  await reached.promise;
  const coarse = trackProduct(app, { accountId: b.accountId, code, first, changes: { tier: 4 } });
  await vi.waitFor(async () => expect(await waitingForLocks(app.db)).toBe(1));
  released.resolve();
  await Promise.all([fine, coarse]);
  const rows = await app.db.query(
    'select interval_seconds from collection_schedule where retailer_product_code = $1',
    [code],
  );
  expect(rows).toEqual([{ interval_seconds: 3_600 }]);
});

test('two changes of different parts of the rules at once both hold', async () => {
  const service = await startService({ clock: manualClock(START) });
  const { app } = service;
  const who = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const id = await track(service, who, { retailer_product_code: service.products[0]?.code });
  const patch = (rules: object) =>
    service.send(who, 'PATCH', `/retailer/oversight/products/${id}`, {
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ rules }),
    });
  await Promise.all([
    patch({ price: { percent: 5 } }),
    patch({ stock_low: { units: 3 } }),
    patch({ rotation: { count: 7 } }),
  ]);
  const [row] = await app.db.query<{ rules: object }>('select rules from tracked_products');
  expect(row?.rules).toEqual({
    price: { percent: 5 },
    stock_low: { units: 3 },
    rotation: { count: 7 },
  });
});

test('a change at the same time as a suspension does not undo it', async () => {
  const service = await startService({ clock: manualClock(START) });
  const { app } = service;
  const who = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const id = await track(service, who, { retailer_product_code: service.products[0]?.code });
  const db = beforeFirst(app.db, () =>
    app.db.query('update tracked_products set is_suspended = true, is_pending = true'),
  );
  await changeTracked(
    { ...app, db },
    { accountId: who.accountId, trackedId: id },
    { sellerName: 'Acme' },
  );
  expect(await app.db.query('select is_suspended from tracked_products')).toEqual([
    { is_suspended: true },
  ]);
});

test('an ingested snapshot does not make a product due that nobody pays for', async () => {
  const clock = manualClock(START);
  const service = await startService({ clock });
  const { app, source } = service;
  const code = service.products[0]?.code as string;
  const who = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  await track(service, who, { retailer_product_code: code });
  // One failed collection, then suspended.
  await app.db.query(
    'update collection_schedule set failures = 1 where retailer_product_code = $1',
    [code],
  );
  await app.db.query('update tracked_products set is_suspended = true, is_pending = true');
  while (await syncPending(app));
  expect(
    await app.db.query('select due_at from collection_schedule where retailer_product_code = $1', [
      code,
    ]),
  ).toEqual([{ due_at: null }]);
  clock.advanceMs(HOUR_MS);
  await recordSnapshots(app, [
    { ...(source.shelf.get(code) as Snapshot), observedAtMs: START + HOUR_MS },
  ]);
  expect(
    await app.db.query('select due_at from collection_schedule where retailer_product_code = $1', [
      code,
    ]),
  ).toEqual([{ due_at: null }]);
});
