// Untracked products are collected by their sales, within a budget.
import { describe, expect, it } from 'vitest';
import { collectDue } from '../../src/collection/collect-due.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { learnMarket } from '../../src/sales/learn-market.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import {
  createBudget,
  hoursBetween,
  scheduleHighVolume,
} from '../../src/tracking/schedule-high-volume.ts';
import { startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T00:00:00Z');

const clock = manualClock(NOW);
const source = createSimulatedSource({ clock });
const service = await startService({ clock, source });
const { app } = service;
const { db } = app;

describe('untracked products', () => {
  it('are collected more often the more they sell', () => {
    expect([500, 50, 49, 20, 5, 1, 0.5, 0].map(hoursBetween)).toEqual([1, 1, 2, 2, 6, 12, 24, 24]);
  });

  it('are scheduled by their sales, up to the budget; tracked products stay unchanged', async () => {
    const codes = [0, 1, 2, 50_000, 50_001, 110_000].map((index) => source.productAt(index).code);
    for (const code of codes) {
      const observations = [];
      for await (const observation of source.history(code, {
        fromMs: NOW - 60 * DAY_MS,
        toMs: NOW,
      })) {
        observations.push(observation);
      }
      await recordSnapshots(app, observations);
    }
    await learnMarket(app);
    for (const code of codes) {
      await app.salesEstimates.yearsOf(code, (await app.products.tailOf(code)) as never);
    }
    const who = await service.newCustomer();
    await service.send(who, 'POST', '/retailer/oversight/products', {
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ retailer_product_code: codes[1], tier: 3 }),
    });
    // The shelf's dozen are in the catalogue too; all fit.
    expect(await scheduleHighVolume(app, { snapshotsPerMinute: 60 })).toBe(codes.length + 12);
    const rows = await db.query<{
      retailer_product_code: string;
      interval_seconds: number;
      is_tracked: boolean;
    }>('select retailer_product_code, interval_seconds, is_tracked from collection_schedule');
    const entries = new Map(rows.map((row) => [row.retailer_product_code, row]));
    expect(entries.get(codes[0] as string)).toMatchObject({
      interval_seconds: 3600,
      is_tracked: false,
    });
    expect(entries.get(codes[1] as string)).toMatchObject({
      interval_seconds: 43_200,
      is_tracked: true,
    });
    expect(entries.get(codes[5] as string)?.interval_seconds).toBeGreaterThan(3600);
    // One snapshot a minute would allow 60 hourly products; 48 a day allow two.
    expect(await scheduleHighVolume(app, { snapshotsPerMinute: 48 / 1440 })).toBeLessThanOrEqual(2);
    const left = await db.query('select 1 from collection_schedule where not is_tracked');
    expect(left.length).toBeLessThanOrEqual(2);
  });

  it('are collected when due, up to the limit, and nobody is charged', async () => {
    await scheduleHighVolume(app, { snapshotsPerMinute: 60 });
    clock.advanceMs(2 * DAY_MS);
    expect(await collectDue(app, { isTracked: false, limit: 5 })).toBe(5);
    expect(await collectDue(app, { isTracked: false })).toBeGreaterThan(5);
    expect(await collectDue(app, { isTracked: false })).toBeLessThan(15);
    const entries = await db.query(`select 1 from ledger_entries where kind = 'tracking'`);
    expect(entries).toEqual([]);
  });

  it('have a budget that accumulates for at most a minute', () => {
    let nowMs = 0;
    const budget = createBudget(60, () => nowMs);
    expect(budget.take()).toBe(0);
    nowMs = 1_500;
    expect(budget.take()).toBe(1);
    nowMs = 2_000;
    expect(budget.take()).toBe(1);
    nowMs = 600_000;
    expect(budget.take()).toBe(60);
  });
});
