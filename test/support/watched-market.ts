// Several customers who watch products whose prices the test sets, for tests of faults in shared
// loops.
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { type Customer, startService } from './service.ts';
import { driveOversight, track } from './tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');

export type Watching = Customer & { trackedIds: string[] };

export async function watchedMarket(input: { customers: number; products: number }) {
  const clock = manualClock(START - HOUR_MS);
  const service = await startService({ clock });
  const { source, app } = service;
  const { db } = app;
  const codes = service.products.slice(0, input.products).map(({ code }) => code);
  let cents = 1_000;
  const snapshotNow = (code: string): Snapshot => ({
    ...(source.shelf.get(code) as Snapshot),
    buybox: { priceCents: cents, sellerName: 'Marlowe Store' },
    observedAtMs: Math.floor(clock.nowMs() / 1000) * 1000,
  });
  source.meanwhile = async (requested) =>
    requested.map((code) => ({ kind: 'snapshot' as const, snapshot: snapshotNow(code) }));
  clock.setMs(START);
  await recordSnapshots(app, codes.map(snapshotNow));
  const customers: Watching[] = [];
  for (let n = 0; n < input.customers; n++) {
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const trackedIds: string[] = [];
    for (const code of codes) {
      trackedIds.push(await track(service, who, { retailer_product_code: code, tier: 0 }));
    }
    customers.push({ ...who, trackedIds });
  }
  const oversight = driveOversight(service, clock);
  return {
    app,
    clock,
    codes,
    customers,
    db,
    oversight,
    service,
    snapshotNow,
    priced(now: number) {
      cents = now;
    },
    /** Events by account. */
    eventsOf: async ({ accountId }: Customer) =>
      (
        await db.query<{ retailer_product_code: string; kind: string }>(
          `select retailer_product_code, kind from events where account_id = $1
            order by at, retailer_product_code`,
          [accountId],
        )
      ).map(({ retailer_product_code: code, kind }) => `${code} ${kind}`),
    /** Days charged for tracking. */
    chargesOf: async ({ accountId }: Customer) =>
      (
        await db.query(`select from ledger_entries where account_id = $1 and kind = 'tracking'`, [
          accountId,
        ])
      ).length,
    lastSeen: async (code: string) =>
      (
        await db.query<{ observed_at: number }>(
          'select observed_at from products where retailer_product_code = $1',
          [code],
        )
      )[0]?.observed_at,
    quarantined: async () =>
      (
        await db.query<{ loop: string; item: string; reason: string }>(
          'select loop, item, reason from quarantined_items order by loop, item',
        )
      ).map(({ loop, item, reason }) => ({ loop, item, reason })),
  };
}

export type WatchedMarket = Awaited<ReturnType<typeof watchedMarket>>;
