// Live snapshots of watched products: however they are split into calls, the same is served,
// notified and stored.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { startService } from '../support/service.ts';
import { track } from '../support/tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');

const clock = manualClock(START);
const service = await startService({ clock });
const { app, products, source } = service;
const codes = products.slice(0, 3).map(({ code }) => code);

const newCustomer = () => service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
/** The first is watched by two, the second by one, the third by nobody. */
const [fine, coarse] = [await newCustomer(), await newCustomer()];
await track(service, fine, { retailer_product_code: codes[0], tier: 0 });
await track(service, coarse, {
  retailer_product_code: codes[0],
  tier: 2,
  seller_name: 'Second Shop',
});
await track(service, fine, { retailer_product_code: codes[1], tier: 1 });

/** The tables that recording changes; their first state is kept in copies. */
const TABLES = [
  'products',
  'history_runs',
  'watchers',
  'collection_schedule',
  'outgoing',
  'events',
];
for (const table of TABLES) await app.db.query(`create table first_${table} as table ${table}`);
async function backToTheStart(): Promise<void> {
  for (const table of TABLES) {
    await app.db.query(`delete from ${table}`);
    await app.db.query(`insert into ${table} select * from first_${table}`);
  }
}

const left = async () => ({
  watchers: await app.db.query('select * from watchers order by retailer_product_code, account_id'),
  schedule: await app.db.query('select * from collection_schedule order by retailer_product_code'),
  outgoing: await app.db.query(
    'select * from outgoing order by retailer_product_code, account_id, kind, at',
  ),
  products: await app.db.query(
    'select retailer_product_code, offers, observed_at from products order by 1',
  ),
});

type Seen = { product: number; cents: number; units: number; emitted: number };

const snapshotOf = ({ product, cents, units, emitted }: Seen, observedAtMs: number): Snapshot => {
  const onShelf = source.shelf.get(codes[product] as string) as Snapshot;
  const offers = onShelf.offers?.slice(0, 1 + (units % 2)).map((offer, index) => ({
    ...offer,
    priceCents: cents + index * 100,
    unitsInStock: index === 0 ? units : 3,
  }));
  return {
    code: onShelf.code,
    observedAtMs,
    gtins: [],
    // A sell-out that is stated without all sellers goes through the crawl guard, which serves it
    // only at the end of a call.
    offersComplete: units === 0 || emitted % 3 !== 0,
    ...(emitted % 4 === 1 ? {} : { offers }),
    ...(emitted % 5 === 1 ? {} : { rank: { position: cents, category: 'Kettles' } }),
    buybox: units === 0 ? null : { priceCents: cents, sellerName: 'Marlowe Store' },
  };
};

async function recordCut(snapshots: readonly Snapshot[], sizes: readonly number[]) {
  await backToTheStart();
  let from = 0;
  for (let turn = 0; from < snapshots.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    // Snapshots of one call may be in any order.
    await recordSnapshots(app, snapshots.slice(from, from + size).toReversed());
    from += size;
  }
  return left();
}

it('four hourly snapshots in one call are notified and served like four single ones', async () => {
  await backToTheStart();
  const seen = [
    { product: 0, cents: 4_299, units: 40, emitted: 2 },
    { product: 0, cents: 4_299, units: 0, emitted: 2 },
    { product: 0, cents: 3_000, units: 40, emitted: 2 },
    { product: 0, cents: 4_500, units: 40, emitted: 2 },
  ];
  const snapshots = seen.map((one, index) => snapshotOf(one, START + (index + 1) * HOUR_MS));
  await recordSnapshots(app, snapshots);
  clock.advanceMs(4 * HOUR_MS);
  while ((await fanOut(app)) > 0);
  const kinds = await app.db.query<{ at: number; kind: string }>(
    `select at, kind from events where account_id = $1 and kind ~ '^(stock|price)' order by at, kind`,
    [fine.accountId],
  );
  expect(kinds.map(({ at, kind }) => `${(at - START) / HOUR_MS} ${kind}`)).toEqual([
    '2 stock.out',
    '3 price.drop',
    '3 stock.restored',
    '4 price.increase',
  ]);
  const [watcher] = await app.db.query<{ slots_served: number }>(
    'select slots_served from watchers where account_id = $1 and retailer_product_code = $2',
    [fine.accountId, codes[0]],
  );
  expect(watcher?.slots_served).toBe(4);
});

it('any split of the same snapshots leaves the same notices, served slots and stored state', async () => {
  const anySeen = fc.record({
    product: fc.integer({ min: 0, max: 2 }),
    cents: fc.constantFrom(3_000, 3_020, 4_000, 4_299),
    units: fc.constantFrom(0, 1, 8, 40),
    emitted: fc.integer({ min: 0, max: 59 }),
    gapMinutes: fc.integer({ min: 1, max: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySeen, { minLength: 2, maxLength: 25 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      async (seen, sizes) => {
        let at = START;
        const snapshots = seen.map((one) => {
          at += one.gapMinutes * MINUTE_MS;
          return snapshotOf(one, at);
        });
        expect(await recordCut(snapshots, sizes)).toEqual(await recordCut(snapshots, [1]));
      },
    ),
    { numRuns: 60 },
  );
});
