// Facts and words follow the catalogue: of what this process recorded, of what others recorded, and
// with time. One product that cannot be stored does not stop the others.
import { expect, test } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { createFactsRefresher } from '../../src/search/refresh-facts.ts';
import { createStaleProducts } from '../../src/search/stale-products.ts';
import { CITUS_URL } from '../support/citus.ts';
import { poison } from '../support/poison.ts';
import { retryAll } from '../support/quarantine.ts';
import { startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

async function newWorld() {
  const clock = manualClock(NOW);
  const service = await startService({ clock, isStocked: false, isDurable: false });
  const { app } = service;
  const refresher = createFactsRefresher(app, app.staleProducts, { sweeps: true });
  const work = async () => {
    while ((await refresher.refreshSome()) > 0);
  };
  /** A worker that has recorded nothing itself, and has not swept yet. */
  const sweepAgain = async () => {
    const other = createFactsRefresher(app, createStaleProducts(), { sweeps: true });
    for (let round = 0; round < 2 * app.db.groups.count(); round++) await other.refreshSome();
  };
  const facts = async () => {
    const rows = await app.db.query<{ code: string; price: number; sellers: number }>(
      `select retailer_product_code as code, price, sellers from product_facts order by 1`,
    );
    return rows.map(({ code, price }) => [code, price]);
  };
  return { ...service, clock, work, sweepAgain, facts };
}

const snapshot = (code: string, priceCents: number, observedAtMs = NOW): Snapshot => ({
  code,
  observedAtMs,
  gtins: [],
  name: `Kettle ${code}`,
  buybox: { priceCents, sellerName: 'Acme' },
  offers: [
    { sellerName: 'Acme', priceCents, shippingCents: 0, unitsInStock: 5, lastUpdatedAtMs: null },
  ],
  offersComplete: true,
});

test('a recorded product has facts and words after a round, and new ones after a change', async () => {
  const { app, work, facts, clock } = await newWorld();
  await recordSnapshots(app, [snapshot('71', 1000), snapshot('72', 2000)]);
  await work();
  expect(await facts()).toEqual([
    ['71', 1000],
    ['72', 2000],
  ]);
  clock.advanceMs(HOUR_MS);
  await recordSnapshots(app, [{ ...snapshot('71', 1100, clock.nowMs()), name: 'Teapot 71' }]);
  await work();
  expect(await facts()).toEqual([
    ['71', 1100],
    ['72', 2000],
  ]);
  const [row] = await app.db.query(
    `select words::text from product_words where retailer_product_code = '71'`,
  );
  expect(row).toEqual({ words: `'71' 'teapot'` });
});

test('a sweep finds what another process recorded, and what is a day old', async () => {
  const { app, sweepAgain, facts, clock } = await newWorld();
  await recordSnapshots({ ...app, staleProducts: createStaleProducts() }, [snapshot('71', 1000)]);
  await sweepAgain();
  expect(await facts()).toEqual([['71', 1000]]);
  const refreshedAtMs = async () =>
    (await app.db.query<{ at: number }>('select refreshed_at as at from product_facts'))[0]?.at;
  clock.advanceMs(DAY_MS - 1);
  await sweepAgain();
  expect(await refreshedAtMs()).toBe(NOW);
  clock.advanceMs(1);
  await sweepAgain();
  expect(await refreshedAtMs()).toBe(NOW + DAY_MS);
});

test('a product that is no longer listed is no longer found', async () => {
  const { app, work, sweepAgain, facts, clock } = await newWorld();
  await recordSnapshots(app, [snapshot('71', 1000)]);
  await work();
  clock.advanceMs(HOUR_MS);
  const gone = { ...snapshot('71', 1000, clock.nowMs()), buybox: null, offers: [] };
  await recordSnapshots(app, [gone], { isDelisting: true });
  clock.advanceMs(DAY_MS);
  await sweepAgain();
  expect(await facts()).toEqual([]);
  expect(await app.db.query('select from product_words')).toEqual([]);
});

// Citus has no triggers on distributed tables.
test.skipIf(CITUS_URL !== undefined)(
  'one product that cannot be stored is quarantined, the others have facts',
  async () => {
    const world = await newWorld();
    const { app, work, facts } = world;
    const cure = await poison(app.db, { table: 'product_facts', key: '700000071' });
    await recordSnapshots(
      app,
      ['700000070', '700000071', '700000072', '700000073'].map((code) => snapshot(code, 1000)),
    );
    await work();
    expect((await facts()).map(([code]) => code)).toEqual(['700000070', '700000072', '700000073']);
    const items = () => app.db.query('select loop, item from quarantined_items');
    expect(await items()).toEqual([{ loop: 'refresh-facts', item: '700000071' }]);
    await cure();
    await retryAll(world);
    expect(await facts()).toHaveLength(4);
    expect(await items()).toEqual([]);
  },
);
