// One bad item in each loop that many customers share: it is quarantined with its reason, the
// others are served in the same round, and a retry succeeds once the cause is removed.
import { describe, expect, it } from 'vitest';
import { collectDue } from '../../src/collection/collect-due.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { holdLocked, poison } from '../support/poison.ts';
import { retryAll } from '../support/quarantine.ts';
import { type Watching, watchedMarket } from '../support/watched-market.ts';

const untilNothing = async (round: () => Promise<number>) => {
  while ((await round()) > 0);
};

describe('fan-out', () => {
  /** Three customers, each with a day's charge and an event in the outbox. */
  async function outgoing() {
    const market = await watchedMarket({ customers: 3, products: 2 });
    const { app, clock, oversight, priced } = market;
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    clock.advanceMs(DAY_MS);
    priced(800);
    await untilNothing(() => collectDue(app, { isTracked: true }));
    return { ...market, customers: market.customers as [Watching, Watching, Watching] };
  }

  it('serves the others while one account’s events are refused, and that one after a retry', async () => {
    const market = await outgoing();
    const { app, chargesOf, codes, customers, db, eventsOf, quarantined } = market;
    const [first, bad, last] = customers;
    const cure = await poison(db, { table: 'events', key: bad.accountId });
    await fanOut(app);
    const drops = codes.toSorted().map((code) => `${code} price.drop`);
    for (const who of [first, last]) {
      expect(await eventsOf(who)).toEqual(drops);
      expect(await chargesOf(who)).toBe(4);
    }
    expect([await eventsOf(bad), await chargesOf(bad)]).toEqual([[], 2]);
    const items = await quarantined();
    expect(items.map(({ loop, reason }) => ({ loop, reason }))).toEqual([
      ...Array(2).fill({ loop: 'fan-out', reason: 'poisoned (code P0001)' }),
    ]);
    expect(await fanOut(app)).toBe(0);
    await cure();
    await retryAll(market);
    expect(await quarantined()).toEqual([]);
    await fanOut(app);
    expect([await eventsOf(bad), await chargesOf(bad)]).toEqual([drops, 4]);
  });

  it('fans out the rows after a quarantined one, and a retry of it reverses nothing that was paid', async () => {
    const market = await outgoing();
    const { app, chargesOf, clock, customers, db, eventsOf, oversight, priced } = market;
    const [, bad] = customers;
    const cure = await poison(db, { table: 'events', key: bad.accountId });
    await fanOut(app);
    await cure();
    clock.advanceMs(HOUR_MS);
    priced(600);
    await oversight.work();
    expect([await eventsOf(bad), await chargesOf(bad)]).toEqual([
      market.codes.toSorted().map((code) => `${code} price.drop`),
      4,
    ]);
    const watchers = `select * from watchers where account_id = $1 order by retailer_product_code`;
    const before = await db.query(watchers, [bad.accountId]);
    await retryAll(market);
    await fanOut(app);
    expect(await db.query(watchers, [bad.accountId])).toEqual(before);
    expect((await eventsOf(bad)).length).toBe(4);
    expect(await chargesOf(bad)).toBe(4);
  });

  it('does not wait for an account that another session has locked, and serves it later', async () => {
    const { app, chargesOf, customers, db, eventsOf, quarantined, service } = await outgoing();
    const [first, locked, last] = customers;
    const letGo = await holdLocked(
      service.connection,
      'select from balances where account_id = $1',
      [locked.accountId],
    );
    await fanOut(app);
    for (const who of [first, last]) {
      expect([(await eventsOf(who)).length, await chargesOf(who)]).toEqual([2, 4]);
    }
    expect((await db.query('select from outgoing')).length).toBe(2);
    expect(await quarantined()).toEqual([]);
    await letGo();
    await fanOut(app);
    expect([(await eventsOf(locked)).length, await chargesOf(locked)]).toEqual([2, 4]);
  });

  it('continues when one watcher of an unpaid day cannot be reverted', async () => {
    const { app, codes, customers, db, quarantined } = await outgoing();
    const [poor, bad, rich] = customers;
    for (const { accountId } of [poor, bad]) {
      await db.query('update balances set used = allocation where account_id = $1', [accountId]);
    }
    await poison(db, { table: 'watchers', key: bad.accountId });
    await fanOut(app);
    const suspended = await db.query<{ account_id: string }>(
      'select account_id from tracked_products where is_suspended',
    );
    expect(suspended.map((row) => row.account_id).sort()).toEqual(
      [poor, poor, bad, bad].map(({ accountId }) => accountId).sort(),
    );
    expect((await quarantined()).length).toBe(codes.length);
    expect(await db.query('select from outgoing')).toEqual([]);
    expect(
      (await db.query('select from events where account_id = $1', [rich.accountId])).length,
    ).toBe(2);
  });
});
