// A day is refunded exactly when fewer than half of its due slots were served, however late it is
// settled, however it was charged, and whatever has happened to the product since.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { findDayFaults } from '../../src/cli/check-days.ts';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import type { Database } from '../../src/database/database.ts';
import { listDayPartitions } from '../../src/database/partitions.ts';
import { isoTime } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { chargeDays } from '../../src/tracking/charge-tracking.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { insertOutboxRows } from '../../src/tracking/outbox.ts';
import { settleOrRefund } from '../../src/tracking/refund-days.ts';
import { settleDays } from '../../src/tracking/settle-days.ts';
import { type Watching, watchedMarket } from '../support/watched-market.ts';

const PATH = '/retailer/oversight/products';

async function start(products = 1) {
  const market = await watchedMarket({ customers: 1, products });
  const { app, clock, db, service } = market;
  const who = market.customers[0] as Watching;
  return {
    ...market,
    who,
    id: who.trackedIds[0] as string,
    code: market.codes[0] as string,
    /** Collects and charges every hour without settling. */
    async collect(hours: number) {
      for (let hour = 0; hour < hours; hour++) {
        clock.advanceMs(HOUR_MS);
        while ((await collectDue(app, { isTracked: true })) > 0);
        while ((await fanOut(app)) > 0);
      }
    },
    booked: async () => {
      const rows = await db.query<{ credits: number }>(
        `select credits from ledger_entries where account_id = $1 and retailer_product_code is not null
          order by at, id`,
        [who.accountId],
      );
      return rows.map(({ credits }) => credits);
    },
    send: (method: string, path = '', body?: object) =>
      service.send(who, method, `${PATH}/${who.trackedIds[0]}${path}`, {
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
  };
}

describe('a kept day', () => {
  it('is not refunded however late it is settled', async () => {
    const { app, booked, clock, collect, db } = await start();
    await collect(5 * 24);
    await settleDays(app);
    expect((await booked()).filter((credits) => credits > 0)).toEqual([]);
    clock.advanceMs(3 * DAY_MS);
    await settleDays(app);
    expect(await db.query('select 1 from served_days')).toEqual([]);
    expect(await db.query('select 1 from tracked_days')).toEqual([]);
    expect(await db.query('select to_day - from_day + 1 as days, tier from paid_spans')).toEqual([
      { days: 6, tier: 0 },
    ]);
    // The last day was charged at midnight, with its first slot.
    expect(await booked()).toEqual([...Array(6).fill(-150), 150]);
    expect(await findLedgerFaults(db)).toEqual([]);
  });
});

describe('the partition of a day', () => {
  const partitionsOf = async (db: Database) =>
    (await listDayPartitions(db, 'tracked_days')).map((day) => isoTime(day * DAY_MS).slice(0, 10));
  const spansOf = (db: Database) =>
    db.query('select to_day - from_day + 1 as days, tier from paid_spans');

  it('is created before the day and dropped as a whole once the day is settled', async () => {
    const { app, clock, collect, db } = await start();
    const today = Math.floor(clock.nowMs() / DAY_MS);
    await settleDays(app);
    expect(await listDayPartitions(db, 'tracked_days')).toEqual([today + 1, today + 2]);
    for (let day = 0; day < 4; day++) {
      await collect(24);
      await settleDays(app);
    }
    // A charge of the day before may take some minutes.
    clock.advanceMs(HOUR_MS);
    await settleDays(app);
    // Rows of the first day had no partition of their own.
    expect(await db.query('select 1 from only tracked_days_rest')).toEqual([]);
    expect(await listDayPartitions(db, 'tracked_days')).toEqual(
      [3, 4, 5, 6].map((ahead) => today + ahead),
    );
    expect(await spansOf(db)).toEqual([{ days: 3, tier: 0 }]);
  });

  it('stays while one of its days is in quarantine', async () => {
    const { app, clock, collect, db } = await start();
    await settleDays(app);
    await collect(48);
    const day = Math.floor(clock.nowMs() / DAY_MS) - 1;
    await db.query('update tracked_days set settlement = 2 where day = $1', [day]);
    clock.advanceMs(3 * DAY_MS);
    await settleDays(app);
    expect(await listDayPartitions(db, 'tracked_days')).toContain(day);
    await db.query('update tracked_days set settlement = 3 where day = $1', [day]);
    await settleDays(app);
    expect(await listDayPartitions(db, 'tracked_days')).not.toContain(day);
  });

  it('is stored in spans once, however often that is interrupted before it is dropped', async () => {
    const { app, collect, clock, db } = await start();
    await settleDays(app);
    await collect(48);
    clock.advanceMs(DAY_MS + HOUR_MS);
    const before = await partitionsOf(db);
    // Somebody reads the table for long, so that its partition cannot be dropped.
    await db.transaction(async (tx) => {
      await tx.query('set local idle_in_transaction_session_timeout = 0');
      await tx.query('select 1 from tracked_days');
      await expect(settleDays(app)).rejects.toThrow();
    });
    expect(await partitionsOf(db)).toEqual(expect.arrayContaining(before));
    const stored = await spansOf(db);
    expect(stored).toEqual([{ days: 2, tier: 0 }]);
    await settleDays(app);
    expect(await partitionsOf(db)).not.toEqual(expect.arrayContaining(before));
    expect(await spansOf(db)).toEqual(stored);
  });
});

describe('a day that was not kept is refunded once', () => {
  it('even if a GET charged it', async () => {
    const { app, send, booked, clock } = await start();
    expect((await send('GET')).headers['x-credits-charged']).toBe('150');
    clock.advanceMs(DAY_MS + 2 * HOUR_MS);
    for (let round = 0; round < 3; round++) await settleDays(app);
    expect(await booked()).toEqual([-150, 150]);
  });

  it('even if the product was removed before the settlement', async () => {
    const { app, send, booked, clock } = await start();
    await send('GET');
    clock.advanceMs(20 * HOUR_MS);
    await send('DELETE');
    clock.advanceMs(5 * HOUR_MS + DAY_MS);
    await settleDays(app);
    expect(await booked()).toEqual([-150, 150]);
  });

  it('even if the product was suspended before the settlement', async () => {
    const { app, send, booked, clock, db, oversight, who } = await start();
    await send('GET');
    await db.query('update balances set used = allocation where account_id = $1', [who.accountId]);
    clock.advanceMs(DAY_MS);
    await send('GET');
    await oversight.work();
    clock.advanceMs(2 * HOUR_MS);
    await settleDays(app);
    expect(await booked()).toEqual([-150, 150]);
  });

  it('by the slots that were due until the removal, at the tiers of their time', async () => {
    const { app, send, booked, clock, collect } = await start();
    await collect(6);
    // After six of six slots, at most one more is due in the rest of the day.
    await send('PATCH', '', { tier: 4 });
    clock.advanceMs(15 * HOUR_MS);
    await send('DELETE');
    clock.advanceMs(DAY_MS);
    await settleDays(app);
    expect(await booked()).toEqual([-150]);
  });

  it('even if its row is deleted when an earlier version requests the refund', async () => {
    const { app, send, booked, code, db, id, who } = await start();
    await send('GET');
    const day = Math.floor(app.clock.nowMs() / DAY_MS);
    await db.query('delete from tracked_days');
    const row = {
      kind: 'return' as const,
      code,
      accountId: who.accountId,
      trackedId: id,
      tier: 0 as const,
      day,
      atMs: app.clock.nowMs(),
      body: null,
      before: null,
    };
    for (let round = 0; round < 2; round++) {
      await db.transaction((tx) => insertOutboxRows(tx, [row]));
      while ((await fanOut(app)) > 0);
    }
    // Both at the same instant: their order is not defined.
    expect((await booked()).toSorted((a, b) => a - b)).toEqual([-150, 150]);
  });
});

describe('a paid day', () => {
  it('from before there were spans is read from the ledger', async () => {
    const { send, collect, db } = await start();
    await collect(50);
    await send('PATCH', '', { tier: 4 });
    await collect(24);
    await db.query('delete from tracked_days');
    expect((await db.query('select 1 from paid_spans')).length).toBe(0);
    const file = new URL('../../migrations/0080_paid-days.sql', import.meta.url);
    const [statement = ''] =
      /insert into paid_spans[^;]+;/.exec(await readFile(file, 'utf8')) ?? [];
    await db.query(statement);
    const spans = await db.query(
      'select tier, to_day - from_day + 1 as days from paid_spans order by from_day',
    );
    expect(spans).toEqual([
      { tier: 0, days: 3 },
      { tier: 4, days: 1 },
    ]);
  });

  it('is shown after its row has become part of a span, and nothing of the days after it', async () => {
    const { app, send, clock, collect, db, priced, who } = await start();
    await collect(30);
    const shown = (await send('GET')).body.tracking_data;
    await db.query('update balances set used = allocation where account_id = $1', [who.accountId]);
    clock.advanceMs(4 * DAY_MS);
    priced(500);
    await collect(1);
    await settleDays(app);
    const { status, tracking_data } = (await send('GET')).body;
    expect(status).toBe('suspended');
    expect(tracking_data).toEqual(shown);
  });
});

describe('doctor', () => {
  it('finds days that are overdue, both kept and refunded, or lost', async () => {
    const { app, clock, collect, db } = await start();
    const faults = async () =>
      (await findDayFaults(db, clock.nowMs())).map(({ day, fault }) => [day, fault]);
    await collect(30);
    const [first] = await db.query<{ day: number }>('select min(day) as day from tracked_days');
    const day = first?.day as number;
    expect(await faults()).toEqual([]);
    // Nothing is collected or settled for two days: the first day is kept, the second refunded.
    clock.advanceMs(3 * DAY_MS);
    expect(await faults()).toEqual([
      [day, 'is not settled'],
      [day + 1, 'is not settled'],
    ]);
    clock.advanceMs(-2 * DAY_MS);
    await settleDays(app);
    expect(await faults()).toEqual([]);
    await db.query('update tracked_days set is_returned = false');
    expect(await faults()).toEqual([
      [day + 1, expect.stringContaining('charged 150, refunded 150 (1 entries), row says 150')],
    ]);
    await db.query('delete from tracked_days');
    // The first day has become a span, the second is missing.
    expect(await faults()).toEqual([[day + 1, 'charged 150, refunded 150 (1 entries), row gone']]);
  });
});

describe('a billing period that ends', () => {
  it('expires its charges, but none that were made since', async () => {
    const { app, clock, db, who, code } = await start();
    const { accountId } = who;
    // At noon, so that it ends within a day.
    const [balance] = await db.query<{ end: number }>(
      `update balances set anchor_at = anchor_at + (date_trunc('day', period_end_at) + interval '36 hours' - period_end_at),
                           period_end_at = date_trunc('day', period_end_at) + interval '36 hours'
        where account_id = $1 returning period_end_at as end`,
      [accountId],
    );
    const endAt = balance?.end as number;
    const day = Math.floor(endAt / DAY_MS);
    const charge = (on: number) => chargeDays(app, [{ accountId, code, day: on, tier: 0 }]);
    clock.setMs(endAt - HOUR_MS);
    await charge(day);
    clock.setMs(endAt + HOUR_MS);
    // Fanned out late: the day before is charged in the new period.
    await charge(day - 1);
    clock.setMs(endAt + DAY_MS);
    const broken = (on: number) =>
      settleOrRefund(app, [{ accountId, code, day: on, isKept: false }]);
    expect([await broken(day), await broken(day - 1)]).toEqual([0, 150]);
    expect(await findLedgerFaults(db)).toEqual([]);
  });
});
