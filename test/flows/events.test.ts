// From an observation to the events of its watchers: notified once confirmed, never lost, never
// twice.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { databaseAway } from '../../src/database/failure.ts';
import { lane } from '../../src/database/families.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import type { Source } from '../../src/sources/source.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { phaseMs } from '../../src/tracking/slot.ts';
import { type Customer, type Service, startService } from '../support/service.ts';
import { driveOversight, track } from '../support/tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');

async function start() {
  const clock = manualClock(START);
  const service = await startService({ clock });
  const { source } = service;
  /** What the marketplace shows from now on. */
  const shelf = new Map<string, Partial<Snapshot>>();
  source.meanwhile = async (codes) =>
    codes.map((code) => {
      const product = source.shelf.get(code);
      if (product === undefined) return { kind: 'not_found' };
      const snapshot = {
        ...product,
        ...shelf.get(code),
        observedAtMs: Math.floor(clock.nowMs() / 1000) * 1000,
      };
      return { kind: 'snapshot', snapshot };
    });
  return { clock, service, source, shelf, oversight: driveOversight(service, clock) };
}

const eventsOf = async (service: Service, who: Customer) => {
  const rows = await service.app.db.query<{ kind: string; payload: string }>(
    'select kind, payload from events where account_id = $1 order by at, kind',
    [who.accountId],
  );
  return rows.map(({ kind, payload }) => ({ kind, ...JSON.parse(payload) }));
};

const price = (cents: number): Partial<Snapshot> => ({
  buybox: { priceCents: cents, sellerName: 'Marlowe Store' },
});

describe('an observation that changes something', () => {
  it('becomes an event with both values, the rule, and enough to act on', async () => {
    const { clock, service, shelf, oversight } = await start();
    const code = service.products[0]?.code as string;
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const id = await track(service, who, { retailer_product_code: code, tier: 0 });
    shelf.set(code, price(3999));
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    const events = await eventsOf(service, who);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'price.drop',
      timestamp: new Date(START + HOUR_MS).toISOString(),
      data: {
        oversight_product_id: id,
        retailer_product_code: code,
        tier: 0,
        before: { value: 42.99, observed_at: new Date(START).toISOString() },
        after: { value: 39.99, observed_at: new Date(START + HOUR_MS).toISOString() },
        rule: { name: 'price' },
        buybox: { price: 39.99, seller_name: 'Marlowe Store' },
      },
    });
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    expect(await eventsOf(service, who)).toHaveLength(1);
  });

  it('is notified to each watcher at the cadence of its tier and by its rules', async () => {
    const { clock, service, shelf, oversight } = await start();
    const code = service.products[0]?.code as string;
    const [fine, coarse, deaf] = (await Promise.all(
      [0, 1, 2].map(() => service.newCustomer({ plan: 'Scale', perSecond: 1_000 })),
    )) as [Customer, Customer, Customer];
    await track(service, fine, { retailer_product_code: code, tier: 0 });
    await track(service, coarse, { retailer_product_code: code, tier: 2 });
    const rules = { price: { percent: 50 } };
    await track(service, deaf, { retailer_product_code: code, tier: 0, rules });
    for (let hour = 1; hour <= 12; hour++) {
      shelf.set(code, price(4299 - hour * 100));
      clock.advanceMs(HOUR_MS);
      await oversight.work();
    }
    const kinds = async (who: Customer) => (await eventsOf(service, who)).map(({ kind }) => kind);
    expect(await kinds(fine)).toEqual(new Array(12).fill('price.drop'));
    expect(await kinds(coarse)).toEqual(['price.drop', 'price.drop']);
    expect(await kinds(deaf)).toEqual([]);
    expect(phaseMs(code)).toBeGreaterThan(0);
  });

  it('is notified after the day is paid, and never if it cannot be', async () => {
    const { clock, service, shelf, oversight } = await start();
    const code = service.products[0]?.code as string;
    const who = await service.newCustomer({ plan: 'Free', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code, tier: 0 });
    await service.app.db.query(
      'update balances set used = allocation - 100 where account_id = $1',
      [who.accountId],
    );
    shelf.set(code, price(3999));
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    expect(await eventsOf(service, who)).toEqual([]);
    const list = await service.get(who, '/retailer/oversight/products');
    expect(list.body[0].status).toBe('suspended');
  });

  it('exists once after a crash before or during the fan-out', async () => {
    const { clock, service, shelf } = await start();
    const { app } = service;
    const code = service.products[0]?.code as string;
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code, tier: 0 });
    shelf.set(code, price(3999));
    clock.advanceMs(HOUR_MS);
    await collectDue(app, { isTracked: true });
    // The account's side commits, the product's side does not, as after a kill in between.
    let done = 0;
    let isKilled = false;
    const cut = {
      ...app.db,
      transaction: <T>(work: Parameters<typeof app.db.transaction<T>>[0]) =>
        app.db.transaction<T>(async (tx) => {
          const doneBefore = done;
          const result = await work(tx);
          if (done > doneBefore && !isKilled) {
            isKilled = true;
            throw new Error('killed');
          }
          done++;
          return result;
        }),
    };
    await expect(fanOut({ ...app, db: cut })).rejects.toThrow('killed');
    expect(await app.db.query('select 1 from outgoing')).toHaveLength(1);
    expect(await fanOut(app)).toBe(1);
    expect(await fanOut(app)).toBe(0);
    expect(await eventsOf(service, who)).toHaveLength(1);
    expect(await service.used(who)).toBe(150);
  });

  const hasOneGroup = process.env.TEST_LANE_GROUPS === '1';
  it.skipIf(hasOneGroup)('reaches accounts of other shards while one shard is away', async () => {
    const { clock, service, shelf } = await start();
    const { app } = service;
    const code = service.products[0]?.code as string;
    const groupOf = ({ accountId }: Customer) => app.db.groups.groupOf(lane(accountId));
    const away = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    let near = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    while (groupOf(near) === groupOf(away)) {
      near = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    }
    for (const who of [away, near]) {
      await track(service, who, { retailer_product_code: code, tier: 0 });
    }
    shelf.set(code, price(3999));
    clock.advanceMs(HOUR_MS);
    await collectDue(app, { isTracked: true });
    const recordNotifications: typeof app.recordNotifications = async (tx, rows, nowMs) => {
      if (rows.some(({ accountId }) => accountId === away.accountId)) {
        throw databaseAway(new Error('the shard cannot be reached'));
      }
      await app.recordNotifications(tx, rows, nowMs);
    };
    expect(await fanOut({ ...app, recordNotifications })).toBe(1);
    expect(await eventsOf(service, near)).toHaveLength(1);
    expect(await eventsOf(service, away)).toEqual([]);
    expect(await service.used(away)).toBe(0);
    expect(await fanOut(app)).toBe(1);
    expect(await eventsOf(service, away)).toHaveLength(1);
  });

  it('of a lost product is held until confirmed, then notified without a charge', async () => {
    const { clock, service, source, oversight } = await start();
    const code = service.products[0]?.code as string;
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code, tier: 0 });
    source.shelf.delete(code);
    clock.advanceMs(HOUR_MS);
    await oversight.work();
    expect(await eventsOf(service, who)).toEqual([]);
    // A single product: three observations over two hours.
    await oversight.pass(90 * 60_000, 10 * 60_000);
    expect(await eventsOf(service, who)).toEqual([]);
    await oversight.pass(90 * 60_000, 10 * 60_000);
    const events = await eventsOf(service, who);
    expect(events.map(({ kind }) => kind)).toContain('buybox.lost');
    expect(events.find(({ kind }) => kind === 'buybox.lost')?.data.reason).toContain('delisted');
    expect(await service.used(who)).toBe(0);
  });

  it.each([
    [20, 'a fifth', 20],
    [40, 'two fifths', 0],
  ])(
    '%i of 100 snapshots that lose their product (%s) count %i times',
    async (lost, _share, counted) => {
      const clock = manualClock(START);
      const source = createSimulatedSource({ clock });
      const codes = Array.from({ length: 100 }, (_, index) => source.productAt(3_000 + index).code);
      const gone = new Set<string>();
      const losing: Source = {
        ...source,
        fetchBatch: async (codes) =>
          (await source.fetchBatch(codes)).map((outcome, index) =>
            gone.has(codes[index] as string) ? { kind: 'not_found' } : outcome,
          ),
      };
      const service = await startService({ clock, source: losing });
      const oversight = driveOversight(service, clock);
      const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
      for (const code of codes) await track(service, who, { retailer_product_code: code, tier: 4 });
      for (const code of codes.slice(0, lost)) gone.add(code);
      clock.advanceMs(24 * HOUR_MS);
      await oversight.work();
      expect(await delistedOf(service, gone)).toBe(0);
      clock.advanceMs(11 * 60_000);
      await oversight.work();
      expect(await delistedOf(service, gone)).toBe(0);
      // Once the others were observed again, with the next slot.
      if (counted > 0) await oversight.pass(25 * HOUR_MS, HOUR_MS);
      expect(await delistedOf(service, gone)).toBe(counted);
    },
  );
});

describe('a state from before the product was added or its rules were changed', () => {
  /** A hundred units, observed before anybody tracks the product. */
  async function startWithStock(usualPerDay: number | null) {
    const started = await start();
    const { clock, service, shelf, oversight } = started;
    const code = service.products[0]?.code as string;
    const hold = (units: number) =>
      shelf.set(code, {
        offers: [
          {
            sellerName: 'Marlowe Store',
            priceCents: 4299,
            shippingCents: 0,
            unitsInStock: units,
            lastUpdatedAtMs: null,
          },
        ],
      });
    if (usualPerDay !== null) {
      await service.app.db.query(
        `insert into sales_habits (lane, retailer_product_code, knowledge_version, habit)
         values ($1, $2, 1, $3)`,
        [lane(code), code, JSON.stringify({ unitsPerDay: usualPerDay })],
      );
    }
    hold(100);
    clock.advanceMs(HOUR_MS);
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const kindsAfterSnapshot = async () => {
      clock.advanceMs(HOUR_MS);
      await oversight.work();
      return (await eventsOf(service, who)).map(({ kind }) => kind);
    };
    const change = async (id: string, payload: object) => {
      const response = await service.send(who, 'PATCH', `/retailer/oversight/products/${id}`, {
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(payload),
      });
      expect(response.status).toBe(200);
    };
    const body = { retailer_product_code: code, tier: 0 };
    return { ...started, who, hold, body, kindsAfterSnapshot, change };
  }

  it.each([
    ['by custom rules', { rules: { stock_low: { units: 200 } } }, null],
    ['by the usual sales', {}, 20],
  ])('low stock %s gives no event', async (_, more, usualPerDay) => {
    const { service, who, body, kindsAfterSnapshot } = await startWithStock(usualPerDay);
    await track(service, who, { ...body, ...more });
    expect(await kindsAfterSnapshot()).toEqual([]);
    expect(await kindsAfterSnapshot()).toEqual([]);
  });

  it('a raised threshold gives no event, stock that falls below it does', async () => {
    const { service, who, hold, body, kindsAfterSnapshot, change } = await startWithStock(null);
    const id = await track(service, who, body);
    await change(id, { rules: { stock_low: { units: 200 } } });
    expect(await kindsAfterSnapshot()).toEqual([]);
    await change(id, { rules: { stock_low: { units: 50 } } });
    expect(await kindsAfterSnapshot()).toEqual([]);
    hold(50);
    expect(await kindsAfterSnapshot()).toEqual(['stock.low']);
  });

  it('a newly watched seller that already holds the buybox has not won it', async () => {
    const { service, who, body, kindsAfterSnapshot, change } = await startWithStock(null);
    const id = await track(service, who, body);
    await change(id, { seller_name: 'Marlowe Store' });
    expect(await kindsAfterSnapshot()).toEqual([]);
    await change(id, { seller_name: 'Second Shop' });
    expect(await kindsAfterSnapshot()).toEqual([]);
  });
});

const delistedOf = async ({ app }: Service, codes: ReadonlySet<string>) => {
  const rows = await app.db.query<{ code: string }>(
    `select retailer_product_code as code from products where offers = '[]' and offers_complete`,
  );
  return rows.filter(({ code }) => codes.has(code)).length;
};
