// Products are collected on time and charged once a day: whole weeks on a clock that the test sets.
import { describe, expect, it } from 'vitest';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { lane } from '../../src/database/families.ts';
import { type ManualClock, manualClock, realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import type { FetchOutcome, Source } from '../../src/sources/source.ts';
import { claimDue } from '../../src/tracking/schedule.ts';
import { nextSlot, phaseMs } from '../../src/tracking/slot.ts';
import { intervalSeconds, TIERS, type Tier } from '../../src/tracking/tier.ts';
import { type Customer, type Service, startService } from '../support/service.ts';
import { driveOversight, track } from '../support/tracking.ts';

type CountingSource = Source & {
  /** Every product fetched, with the time. */
  fetches: { code: string; atMs: number }[];
  response: ((code: string) => FetchOutcome | undefined) | null;
};

function countingSource(clock: ManualClock): CountingSource {
  const source = createSimulatedSource({ clock });
  const counting: CountingSource = {
    ...source,
    fetches: [],
    response: null,
    async fetchBatch(codes) {
      counting.fetches.push(...codes.map((code) => ({ code, atMs: clock.nowMs() })));
      const outcomes = await source.fetchBatch(codes);
      return codes.map(
        (code, index) => counting.response?.(code) ?? (outcomes[index] as FetchOutcome),
      );
    },
  };
  return counting;
}

async function start(at = '2026-11-15T10:00:00Z') {
  const clock = manualClock(Date.parse(at));
  const source = countingSource(clock);
  const service = await startService({ clock, source });
  return { clock, source, service, oversight: driveOversight(service, clock) };
}

const simulated = createSimulatedSource({ clock: manualClock(0) });
const code = (index: number) => simulated.productAt(2_000 + index).code;

const ledger = (service: Service, who: Customer) =>
  service.app.db.query<{
    kind: string;
    credits: number;
    at: number;
    retailer_product_code: string;
  }>(
    `select kind, credits, at, retailer_product_code from ledger_entries
      where account_id = $1 and kind in ('tracking', 'return') order by at, id`,
    [who.accountId],
  );

const show = (service: Service, who: Customer, id: string) =>
  service.get(who, `/retailer/oversight/products/${id}`).then(({ body }) => body);

describe('the schedule', () => {
  it('collects exactly 168, 84, 28, 14 and 7 times in seven days, by tier', async () => {
    const { clock, source, service, oversight } = await start();
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    for (const tier of TIERS)
      await track(service, who, { retailer_product_code: code(tier), tier });
    const from = TIERS.map((tier) =>
      nextSlot(clock.nowMs(), phaseMs(code(tier)), intervalSeconds(tier) * 1000),
    );
    source.fetches.length = 0;
    await oversight.pass(8 * DAY_MS, 30 * 60_000);
    const counts = TIERS.map(
      (tier) =>
        source.fetches.filter(
          ({ code: fetched, atMs }) =>
            fetched === code(tier) &&
            atMs >= (from[tier] as number) &&
            atMs < (from[tier] as number) + 7 * DAY_MS,
        ).length,
    );
    expect(counts).toEqual([168, 84, 28, 14, 7]);
    expect(await findLedgerFaults(service.app.db)).toEqual([]);
  });

  it('collects a late product once after downtime, then on time again', async () => {
    const { clock, source, service, oversight } = await start();
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    for (let index = 0; index < 20; index++) {
      await track(service, who, { retailer_product_code: code(index), tier: index % 5 });
    }
    source.fetches.length = 0;
    clock.advanceMs(3 * DAY_MS);
    await oversight.work();
    expect(source.fetches).toHaveLength(20);
    await oversight.work();
    expect(source.fetches).toHaveLength(20);
    source.fetches.length = 0;
    await oversight.pass(DAY_MS, 30 * 60_000);
    expect(source.fetches).toHaveLength(4 * (24 + 12 + 4 + 2 + 1));
  });

  it('collects each slot once with concurrent workers', async () => {
    const { clock, source, service } = await start();
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    for (let index = 0; index < 40; index++) {
      await track(service, who, { retailer_product_code: code(index), tier: 0 });
    }
    source.fetches.length = 0;
    for (let hour = 0; hour < 5; hour++) {
      clock.advanceMs(HOUR_MS);
      const limits = { perCall: 3, callsMax: 2, claimMax: 7 };
      const worker = async () => {
        while ((await collectDue(service.app, { isTracked: true, limits })) > 0);
      };
      await Promise.all([worker(), worker(), worker()]);
    }
    const perSlot = Map.groupBy(source.fetches, ({ code: fetched, atMs }) => `${fetched} ${atMs}`);
    expect([...perSlot.values()].every((times) => times.length === 1)).toBe(true);
    expect(source.fetches).toHaveLength(200);
  });

  it('gives the products of a worker that died after its claim to another once the lease expires', async () => {
    const { clock, source, service, oversight } = await start();
    const who = await service.newCustomer({ plan: 'Scale' });
    await track(service, who, { retailer_product_code: code(0), tier: 0 });
    clock.advanceMs(HOUR_MS);
    const lanes = [lane(code(0))];
    const dead = { nowMs: clock.nowMs(), token: newId(), limit: 10, isTracked: true, lanes };
    expect(await claimDue(service.app.db, { ...dead, realNowMs: realNowMs() })).toHaveLength(1);
    source.fetches.length = 0;
    await oversight.work();
    expect(source.fetches).toHaveLength(0);
    await service.app.db.query(`update collection_schedule set lease_until = '2020-01-01'`);
    await oversight.work();
    expect(source.fetches).toHaveLength(1);
    // If the dead worker returns, its snapshot is for a slot that was served, and is dropped.
    const late = { ...(await source.fetchBatch([code(0)]))[0] } as { snapshot: never };
    const dropped = await recordSnapshots(service.app, [late.snapshot], {
      collectedAtMs: clock.nowMs(),
      leaseToken: dead.token,
    });
    expect(dropped).toEqual([]);
  });

  it('loses no slot and charges no day twice while the marketplace fails a third of the time', async () => {
    const { source, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      ids.push(await track(service, who, { retailer_product_code: code(index), tier: 2 }));
    }
    let turn = 0;
    source.response = () =>
      ++turn % 3 === 0 ? { kind: 'unavailable', reason: 'it is Tuesday' } : undefined;
    source.fetches.length = 0;
    await oversight.pass(2 * DAY_MS, 20 * 60_000);
    const served = await service.app.db.query<{
      slots_served: number;
      slots_served_before: number;
    }>('select slots_served, slots_served_before from watchers');
    for (const row of served) expect(row.slots_served_before).toBe(4);
    const charges = await ledger(service, who);
    const perDay = Map.groupBy(
      charges,
      (row) => `${row.retailer_product_code} ${Math.floor(row.at / DAY_MS)}`,
    );
    expect([...perDay.values()].every((rows) => rows.length === 1)).toBe(true);
    const one = await show(service, who, ids[0] as string);
    expect(one.collection.consecutive_failures).toBeLessThan(3);
    expect(await findLedgerFaults(service.app.db)).toEqual([]);
  });

  it('skips and repeats no slot when a tier changes or a watcher is removed', async () => {
    const { clock, source, service, oversight } = await start();
    const [first, second] = [
      await service.newCustomer({ plan: 'Scale', perSecond: 1_000 }),
      await service.newCustomer({ plan: 'Scale', perSecond: 1_000 }),
    ];
    const fine = await track(service, first, { retailer_product_code: code(0), tier: 0 });
    await track(service, second, { retailer_product_code: code(0), tier: 2 });
    await oversight.pass(3 * HOUR_MS, 60_000 * 10);
    source.fetches.length = 0;
    await service.send(first, 'DELETE', `/retailer/oversight/products/${fine}`);
    const from = clock.nowMs();
    await oversight.pass(DAY_MS, 10 * 60_000);
    const phase = phaseMs(code(0));
    const slots = source.fetches.map(({ atMs }) => nextSlot(atMs, phase, 6 * HOUR_MS));
    expect(new Set(slots).size).toBe(slots.length);
    expect(source.fetches).toHaveLength(4);
    expect(source.fetches[0]?.atMs).toBeGreaterThanOrEqual(from);
  });

  it('delists a product once its loss is confirmed, charges nothing and fetches it once a day', async () => {
    const { source, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const id = await track(service, who, { retailer_product_code: code(0), tier: 0 });
    source.response = () => ({ kind: 'not_found' });
    source.fetches.length = 0;
    await oversight.pass(4 * DAY_MS, 30 * 60_000);
    expect(source.fetches.length).toBeGreaterThanOrEqual(4);
    // A single product takes two hours of repeats to confirm.
    expect(source.fetches.length).toBeLessThanOrEqual(10);
    expect(await ledger(service, who)).toEqual([]);
    const details = await service.get(
      who,
      `/retailer/product/offers?retailer_product_code=${code(0)}`,
    );
    expect(details).toMatchObject({ status: 404, body: { delisted_at: expect.any(String) } });
    source.response = null;
    await oversight.pass(2 * DAY_MS, 30 * 60_000);
    expect((await ledger(service, who)).length).toBeGreaterThan(0);
    expect((await show(service, who, id)).tracking_data.units_in_stock).not.toBe(0);
  });
});

describe('each watcher', () => {
  it('sees the product at its own tier even if a finer tier of another collects more often', async () => {
    const { clock, service, oversight } = await start('2026-11-15T00:00:00Z');
    const [fine, coarse] = [
      await service.newCustomer({ plan: 'Scale', perSecond: 1_000 }),
      await service.newCustomer({ plan: 'Scale', perSecond: 1_000 }),
    ];
    const fineId = await track(service, fine, { retailer_product_code: code(0), tier: 0 });
    const coarseId = await track(service, coarse, { retailer_product_code: code(0), tier: 3 });
    const seen = { fine: new Set<string>(), coarse: new Set<string>() };
    const end = clock.nowMs() + 2 * DAY_MS;
    seen.fine.add((await show(service, fine, fineId)).tracking_data.last_updated);
    seen.coarse.add((await show(service, coarse, coarseId)).tracking_data.last_updated);
    while (clock.nowMs() < end) {
      await oversight.pass(30 * 60_000, 30 * 60_000);
      seen.fine.add((await show(service, fine, fineId)).tracking_data.last_updated);
      seen.coarse.add((await show(service, coarse, coarseId)).tracking_data.last_updated);
    }
    expect(seen.fine.size).toBe(48 + 1);
    expect(seen.coarse.size).toBe(4 + 1);
    const data = (await show(service, coarse, coarseId)).tracking_data;
    const truth = simulated.snapshotAt(code(0), Date.parse(data.last_updated));
    expect(data.current_price).toBe(
      truth?.buybox === null || truth?.buybox === undefined ? null : truth.buybox.priceCents / 100,
    );
  });
});

describe('days', () => {
  it('are charged exactly seven times in seven UTC days, also for products added in the evening', async () => {
    const { service, oversight } = await start('2026-11-15T18:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    for (const tier of TIERS)
      await track(service, who, { retailer_product_code: code(tier), tier });
    await oversight.pass(8 * DAY_MS, 30 * 60_000);
    const charges = await ledger(service, who);
    for (const tier of TIERS) {
      const ofProduct = charges.filter((row) => row.retailer_product_code === code(tier));
      const days = ofProduct.map((row) => Math.floor(row.at / DAY_MS));
      expect(new Set(days).size).toBe(days.length);
      const whole = days.filter(
        (day) =>
          day * DAY_MS >= Date.parse('2026-11-16') && day * DAY_MS < Date.parse('2026-11-23'),
      );
      expect(whole).toHaveLength(7);
      expect(
        ofProduct.every(
          (row) => -row.credits === { 0: 150, 1: 90, 2: 35, 3: 20, 4: 10 }[tier as Tier],
        ),
      ).toBe(true);
    }
  });

  it('are refunded once when fewer than half of the slots were served', async () => {
    const { clock, source, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code(0), tier: 0 });
    await oversight.pass(DAY_MS, 30 * 60_000); // a whole kept day
    await oversight.pass(10 * HOUR_MS, 30 * 60_000);
    source.response = () => ({ kind: 'unavailable', reason: 'down' });
    await oversight.pass(14 * HOUR_MS, 30 * 60_000); // ten of twenty-four
    source.response = null;
    await oversight.pass(2 * DAY_MS, 30 * 60_000);
    const entries = await ledger(service, who);
    const returned = entries.filter(({ kind }) => kind === 'return');
    expect(returned).toMatchObject([{ credits: 150 }]);
    expect(Math.floor((returned[0]?.at ?? 0) / DAY_MS)).toBe(
      Math.floor(Date.parse('2026-11-17') / DAY_MS),
    );
    expect(clock.nowMs()).toBe(Date.parse('2026-11-19'));
    expect(await findLedgerFaults(service.app.db)).toEqual([]);
  });

  it('suspend the product when they cannot be paid; a grant resumes the oldest first', async () => {
    const { source, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Free', perSecond: 1_000 });
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      ids.push(await track(service, who, { retailer_product_code: code(index), tier: 0 }));
    }
    await oversight.pass(5 * DAY_MS, 30 * 60_000); // 1,000 credits: six days of 150, then none
    expect(await service.used(who)).toBeLessThanOrEqual(1_000);
    const statuses = () =>
      service
        .get(who, '/retailer/oversight/products')
        .then(({ body }) => body.map(({ status }: { status: string }) => status));
    expect(await statuses()).toEqual(['suspended', 'suspended', 'suspended']);
    source.fetches.length = 0;
    await oversight.pass(DAY_MS, HOUR_MS);
    expect(source.fetches).toEqual([]);
    const { grantCredits } = await import('../../src/credits/grant-credits.ts');
    const missing = 150 - (1_000 - (await service.used(who)));
    await grantCredits(service.app, {
      accountId: who.accountId,
      credits: Math.max(1, missing),
      reason: 'test',
    });
    await oversight.pass(2 * HOUR_MS, 10 * 60_000);
    expect((await statuses()).toReversed()).toEqual(['active', 'suspended', 'suspended']);
    expect(source.fetches.every(({ code: fetched }) => fetched === code(0))).toBe(true);
    expect(await findLedgerFaults(service.app.db)).toEqual([]);
  });

  it('are charged again after the refresh of the billing period, in the middle of a day', async () => {
    const { service, oversight } = await start('2026-11-15T15:30:00Z');
    const who = await service.newCustomer({ plan: 'Free', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code(0), tier: 0 });
    await oversight.pass(8 * DAY_MS, 2 * HOUR_MS); // six days are paid, then it is suspended
    await oversight.pass(21 * DAY_MS, 12 * HOUR_MS);
    expect(await service.used(who)).toBe(900);
    await oversight.pass(3 * DAY_MS, HOUR_MS);
    const after = (await ledger(service, who)).filter(
      ({ at }) => at >= Date.parse('2026-12-15T15:30:00Z'),
    );
    expect(after.length).toBeGreaterThanOrEqual(2);
    expect(await findLedgerFaults(service.app.db)).toEqual([]);
  });

  it('delete old tallies of the source when they are settled', async () => {
    const { clock, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code(0), tier: 2 });
    await oversight.pass(4 * DAY_MS, 6 * HOUR_MS);
    const [row] = await service.app.db.query<{ oldest: number }>(
      'select min(stretch) * 10000 as oldest from crawl_tallies',
    );
    expect(row?.oldest).toBeGreaterThan(clock.nowMs() - 3 * DAY_MS);
  });

  it('are charged if they were served, and not if a clock that jumps ahead skips them', async () => {
    const { clock, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    await track(service, who, { retailer_product_code: code(0), tier: 0 });
    await oversight.pass(6 * HOUR_MS, HOUR_MS);
    clock.advanceMs(10 * DAY_MS);
    await oversight.pass(2 * HOUR_MS, HOUR_MS);
    expect((await ledger(service, who)).filter(({ kind }) => kind === 'tracking')).toHaveLength(2);
  });

  it('are not charged any more once the product is deleted', async () => {
    const { source, service, oversight } = await start('2026-11-15T00:00:00Z');
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const id = await track(service, who, { retailer_product_code: code(0), tier: 0 });
    await service.send(who, 'DELETE', `/retailer/oversight/products/${id}`);
    source.fetches.length = 0;
    await oversight.pass(2 * DAY_MS, HOUR_MS);
    expect(await ledger(service, who)).toEqual([]);
    expect(source.fetches).toEqual([]);
    const left = await service.app.db.query(
      'select 1 from collection_schedule union all select 1 from watchers',
    );
    expect(left).toEqual([]);
  });
});

describe('between the two sides', () => {
  it('the sync-watchers loop adds, changes and removes what a crash left unsynced', async () => {
    const { service, oversight } = await start();
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    const id = await track(service, who, { retailer_product_code: code(0), tier: 3 });
    const { db } = service.app;
    await db.query('delete from watchers');
    await db.query('delete from collection_schedule');
    await db.query('update tracked_products set is_pending = true, tier = 1');
    await oversight.work();
    expect(await db.query('select tier from watchers')).toEqual([{ tier: 1 }]);
    expect(await db.query('select interval_seconds from collection_schedule')).toEqual([
      { interval_seconds: 7200 },
    ]);
    await db.query('update tracked_products set is_pending = true, removed_at = created_at');
    await oversight.work();
    expect(await db.query('select 1 from watchers')).toEqual([]);
    expect(await db.query('select 1 from tracked_products')).toEqual([]);
    expect((await service.get(who, `/retailer/oversight/products/${id}`)).status).toBe(404);
  });
});
