// GET /retailer/product/units-sold-history: single cases that rules of thumb read wrong. Each is
// ingested as snapshots, as an operator's crawler would deliver them.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { startService } from '../support/service.ts';

const NOW_MS = Date.parse('2026-11-15T00:30:00Z');
const service = await startService({ clock: manualClock(NOW_MS) });
const { app } = service;
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

const DAYS = 40;
const FIRST_MS = Date.parse('2026-11-15T00:00:00Z') - DAYS * DAY_MS;

type Day = {
  date: string;
  units_sold: number | null;
  method: string;
  confidence: number;
  low: number | null;
  high: number | null;
};

let codes = 0;

/** Ten units a day: one at the end of each hour from 8 to 18 o'clock. */
const soldBy = (hours: number) =>
  Math.floor(hours / 24) * 10 + Math.min(10, Math.max(0, Math.floor(hours % 24) - 8));
const soldToday = (hours: number) => soldBy(hours) - soldBy(Math.floor(hours / 24) * 24);

/** Records hourly snapshots of the stock of each seller and returns the estimated days. */
async function daysOf(
  stockAt: (hours: number, day: number) => Record<string, number | null> | null,
): Promise<{ days: Day[]; credits: number }> {
  const code = `${640_000_000 + codes++}`;
  const snapshots: Snapshot[] = [];
  for (let hours = 0; hours <= DAYS * 24; hours++) {
    const stock = stockAt(hours, Math.floor(hours / 24));
    if (stock === null) continue;
    snapshots.push({
      code,
      observedAtMs: FIRST_MS + hours * HOUR_MS,
      gtins: [],
      offers: Object.entries(stock).map(([sellerName, unitsInStock]) => ({
        sellerName,
        priceCents: 1_999,
        shippingCents: 0,
        unitsInStock,
        lastUpdatedAtMs: null,
      })),
      offersComplete: true,
    });
  }
  await recordSnapshots(app, snapshots);
  const path = '/retailer/product/units-sold-history';
  const { status, body } = await service.get(
    customer,
    `${path}?retailer_product_code=${code}&time_period=alltime`,
  );
  expect(status).toBe(200);
  return { days: body.sales_history as Day[], credits: body.credit_cost as number };
}

const near = (day: Day | undefined, units: number, tolerance: number) => {
  expect(day?.units_sold).not.toBeNull();
  expect(Math.abs((day?.units_sold ?? 0) - units)).toBeLessThanOrEqual(tolerance);
};

describe('200', () => {
  it('counts a large order on a shelf that is filled every night', async () => {
    const { days } = await daysOf((hours, day) => ({
      Acme: 100 - soldToday(hours) - (day === 20 && hours % 24 >= 12 ? 60 : 0),
    }));
    near(days[20], 70, 2);
    near(days[19], 10, 1);
    expect(days[20]?.confidence).toBeGreaterThan(0.75);
    expect((days[20]?.low ?? 0) <= 70 && 70 <= (days[20]?.high ?? 0)).toBe(true);
  });

  it('does not count stock that moves from one seller to another', async () => {
    const { days } = await daysOf((hours) => {
      const moved = hours >= 20 * 24 + 14 ? 100 : 0;
      return { Acme: 800 - soldBy(hours) - moved, Bolt: 50 + moved };
    });
    near(days[20], 10, 1);
    near(days[21], 10, 1);
  });

  it('is unknown, null and free while the stock rests at a usual cap', async () => {
    const { days, credits } = await daysOf(() => ({ Acme: 999 }));
    expect(days).toHaveLength(DAYS);
    expect(credits).toBe(0);
    for (const day of days)
      expect(day).toMatchObject({
        units_sold: null,
        method: 'unknown',
        confidence: 0,
        low: null,
        high: null,
      });
  });

  it('is at least what is missing from a cap that the stock rests at now and then', async () => {
    // 160 units every 16 days: displayed as 99 until 61 units are sold.
    const { days, credits } = await daysOf((hours) => ({
      Acme: Math.min(99, 160 - (soldBy(hours) % 160)),
    }));
    expect(credits).toBe(150);
    const capped = days.filter(({ method }) => method === 'at_least');
    expect(capped.length).toBeGreaterThan(8);
    for (const day of capped) {
      expect(day.units_sold).toBeLessThanOrEqual(10);
      expect(day.high).toBeGreaterThanOrEqual(10);
      expect(day.confidence).toBeLessThan(0.9);
    }
  });

  it('is typical, not half of it, in a gap of 20 days', async () => {
    const { days } = await daysOf((hours, day) =>
      day >= 12 && day < 32 ? null : { Acme: 900 - soldBy(hours) },
    );
    for (const day of days.slice(13, 31)) {
      expect(day.method).toBe('typical');
      near(day, 10, 2);
      expect((day.low ?? 0) <= 10 && 10 <= (day.high ?? 0)).toBe(true);
    }
  });

  it('is typical in a gap of 8 days in which a restock hides', async () => {
    const { days } = await daysOf((hours, day) =>
      day >= 16 && day < 24 ? null : { Acme: (day < 16 ? 200 : 280) - soldBy(hours) },
    );
    for (const day of days.slice(17, 23)) {
      expect(day.method).toBe('typical');
      near(day, 10, 3);
      expect(day.confidence).toBeLessThan(0.9);
    }
    near(days[10], 10, 0);
    expect(days[10]?.method).toBe('counted');
  });

  it('does not take a unit that comes back for a restock', async () => {
    const { days } = await daysOf((hours) => ({
      Acme: 900 - soldBy(hours) + (hours >= 20 * 24 + 13 ? 1 : 0),
    }));
    near(days[20], 10, 1);
    expect(days.slice(1, -1).every((day) => Math.abs((day.units_sold ?? 0) - 10) <= 1)).toBe(true);
  });
});
