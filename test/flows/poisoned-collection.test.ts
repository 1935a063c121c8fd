// One bad product, snapshot or watcher in collection and ingest: it is quarantined or listed, and
// the others are served in the same round.
import { describe, expect, it } from 'vitest';
import { writeSnapshot } from '../../src/catalog/write-snapshot.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { ingest } from '../../src/collection/ingest.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { holdLocked, poison } from '../support/poison.ts';
import { retryAll } from '../support/quarantine.ts';
import { type Watching, watchedMarket } from '../support/watched-market.ts';

async function dueMarket(input: { customers: number; products: number }) {
  const market = await watchedMarket(input);
  market.clock.advanceMs(HOUR_MS);
  const { app, codes, lastSeen } = market;
  return {
    ...market,
    bad: codes[1] as string,
    others: codes.filter((_, index) => index !== 1),
    round: () => collectDue(app, { isTracked: true }),
    seenNow: async (some: readonly string[]) => {
      const seen = await Promise.all(some.map(lastSeen));
      return seen.map((at) => at === market.clock.nowMs());
    },
  };
}

const all = (codes: readonly string[]) => codes.map(() => true);

describe('collection', () => {
  it.each(['products', 'product_gtins'])(
    'records the others when %s refuse one product',
    async (table) => {
      const market = await dueMarket({ customers: 1, products: 4 });
      const { app, bad, clock, codes, db, others, quarantined, round, seenNow } = market;
      const cure = await poison(db, { table, key: `"${bad}"` });
      // Without remembered GTINs all are written again.
      await db.query('delete from product_gtins');
      const fresh = { ...app, db: { ...db } };
      expect(await collectDue(fresh, { isTracked: true })).toBe(4);
      expect(await seenNow(others)).toEqual(all(others));
      expect(await seenNow([bad])).toEqual([false]);
      expect(await quarantined()).toEqual([
        { loop: 'collect-due', item: bad, reason: 'poisoned (code P0001)' },
      ]);
      // It is not claimed in every round, but retried like a bad response.
      expect(await round()).toBe(0);
      const lost = clock.nowMs();
      await cure();
      await retryAll(market);
      expect(await market.lastSeen(bad)).toBe(lost);
      expect(await quarantined()).toEqual([]);
      clock.advanceMs(HOUR_MS);
      await round();
      expect(await seenNow(codes)).toEqual(all(codes));
    },
  );

  it('claims the others when the schedule refuses one product', async () => {
    const { bad, db, others, quarantined, round, seenNow } = await dueMarket({
      customers: 1,
      products: 4,
    });
    await poison(db, { table: 'collection_schedule', key: `"${bad}"`, on: 'update' });
    expect(await round()).toBe(3);
    expect(await seenNow(others)).toEqual(all(others));
    expect((await quarantined()).map(({ item }) => item)).toEqual([bad]);
    expect(await round()).toBe(0);
  });

  it('does not wait for a product that another session has locked', async () => {
    const { bad, clock, others, quarantined, round, seenNow, service } = await dueMarket({
      customers: 1,
      products: 4,
    });
    const letGo = await holdLocked(
      service.connection,
      'select from products where retailer_product_code = $1',
      [bad],
    );
    await round();
    expect(await seenNow(others)).toEqual(all(others));
    expect(await quarantined()).toEqual([]);
    await letGo();
    clock.advanceMs(60_000);
    await round();
    expect(await seenNow([bad])).toEqual([true]);
  });

  it('judges the others when the record of a product cannot be read', async () => {
    const { app, bad, db, others, quarantined, round, seenNow } = await dueMarket({
      customers: 1,
      products: 4,
    });
    await db.query(`update products set offers = '[7]' where retailer_product_code = $1`, [bad]);
    const usual = app.source.fetchBatch;
    app.source.fetchBatch = async (codes) =>
      (await usual(codes)).map((outcome, index) =>
        codes[index] === bad ? { kind: 'not_found' as const } : outcome,
      );
    await round();
    expect(await seenNow(others)).toEqual(all(others));
    expect((await quarantined()).map(({ item }) => item)).toEqual([bad]);
  });

  it.each([
    ['whose row is refused', (key: string) => ({ table: 'watchers', key })],
    ['whose outbox is refused', (key: string) => ({ table: 'outgoing', key })],
    ['whose state is damaged', null],
  ])('serves the other watchers of a product beside one %s', async (_, poisoned) => {
    const { customers, db, lastSeen, clock, codes, quarantined, round } = await dueMarket({
      customers: 3,
      products: 1,
    });
    const [, bad] = customers as [Watching, Watching, Watching];
    if (poisoned !== null) await poison(db, poisoned(bad.accountId));
    else await db.query(`update watchers set state = '{' where account_id = $1`, [bad.accountId]);
    await round();
    const code = codes[0] as string;
    expect(await lastSeen(code)).toBe(clock.nowMs());
    const served = await db.query<{ account_id: string }>(
      'select account_id from watchers where served_at = $1',
      [new Date(clock.nowMs()).toISOString()],
    );
    const others = customers.filter((who) => who !== bad).map(({ accountId }) => accountId);
    expect(served.map((row) => row.account_id).sort()).toEqual(others.sort());
    expect((await quarantined()).map(({ loop, item }) => ({ loop, item }))).toEqual([
      { loop: 'serve-watchers', item: `${code}/${bad.accountId}` },
    ]);
  });
});

describe('ingest', () => {
  const lines = (texts: readonly string[]) =>
    (async function* () {
      yield Buffer.from(`${texts.join('\n')}\n`);
    })();

  it('lists the line that the database refuses, and records the others, also of the same product', async () => {
    const { app, bad, clock, codes, db, others, seenNow, snapshotNow } = await dueMarket({
      customers: 1,
      products: 4,
    });
    await poison(db, { table: 'products', key: 'Poisoned Name' });
    const wire = (code: string) => JSON.stringify(writeSnapshot(snapshotNow(code)));
    const older = { ...snapshotNow(bad), observedAtMs: clock.nowMs() - 60_000 };
    const result = await ingest(
      app,
      lines([
        ...codes.slice(0, 1).map(wire),
        JSON.stringify({ ...writeSnapshot(snapshotNow(bad)), product_name: 'Poisoned Name' }),
        JSON.stringify(writeSnapshot(older)),
        ...codes.slice(2).map(wire),
      ]),
    );
    expect(result).toMatchObject({ lines: 5, accepted: 4, refusedCount: 1 });
    expect(result.refused).toEqual([
      { line: 2, reason: 'cannot be stored: poisoned (code P0001)' },
    ]);
    expect(await seenNow(others)).toEqual(all(others));
  });

  it('lists a line whose weight is out of range', async () => {
    const { app, codes, seenNow, snapshotNow } = await dueMarket({ customers: 1, products: 2 });
    const [first, second] = codes.map((code) => writeSnapshot(snapshotNow(code)));
    const result = await ingest(
      app,
      lines([JSON.stringify({ ...first, shipping_weight_lb: 1e-46 }), JSON.stringify(second)]),
    );
    expect(result.refused).toEqual([
      { line: 1, reason: 'shipping_weight_lb must be a number from above 0 to 10000; got 1e-46' },
    ]);
    expect(await seenNow(codes)).toEqual([false, true]);
  });
});
