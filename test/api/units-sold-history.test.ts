// GET /retailer/product/units-sold-history, grouped by status, and updates of the stored estimates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTails } from '../../src/catalog/products.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { learnMarket } from '../../src/sales/learn-market.ts';
import { unpackDays } from '../../src/sales/packed-days.ts';
import { startService } from '../support/service.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');

const service = await startService({ clock: manualClock(NOW_MS) });
const { app } = service;
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

let codes = 0;
const freshCode = () => `${600_000_000 + codes++}`;

const snapshot = (code: string, atMs: number, units: number | null): Snapshot => ({
  code,
  observedAtMs: atMs,
  gtins: [],
  buybox: { priceCents: 1999, sellerName: 'Acme' },
  offers: [
    {
      sellerName: 'Acme',
      priceCents: 1999,
      shippingCents: 0,
      unitsInStock: units,
      lastUpdatedAtMs: null,
    },
  ],
  offersComplete: true,
});

/** Records a product that sells two units an hour, observed every six hours for some days. */
async function recordSelling(days: number): Promise<string> {
  const code = freshCode();
  const snapshots = Array.from({ length: days * 4 + 1 }, (_, index) =>
    snapshot(code, NOW_MS - days * DAY_MS + index * 6 * HOUR_MS, 100_000 - index * 12),
  );
  await recordSnapshots(app, snapshots);
  return code;
}

const request = (code: string, period = 'alltime') =>
  service.get(
    customer,
    `/retailer/product/units-sold-history?retailer_product_code=${code}&time_period=${period}`,
  );

type Day = { date: string; units_sold: number; low: number; high: number };
type ExplainedDay = Day & { explanation: { readings: { kind: string }[] } };

describe('200', () => {
  it('has one entry per day without gaps, excludes today, and charges for the period', async () => {
    const code = await recordSelling(40);
    const prices = { '1month': 5, '6months': 25, '1year': 50, '3years': 100, alltime: 150 };
    for (const [period, price] of Object.entries(prices)) {
      const before = await service.used(customer);
      const { status, body, headers } = await request(code, period);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        retailer_product_code: code,
        time_period: period,
        credit_cost: price,
      });
      expect(headers['x-credits-charged']).toBe(String(price));
      expect((await service.used(customer)) - before).toBe(price);
      const days = body.sales_history as Day[];
      expect(days).toHaveLength(period === '1month' ? 31 : 40);
      expect(days.at(-1)?.date).toBe('2026-11-14');
      days.forEach(({ date }, index) => {
        expect(Date.parse(date)).toBe(Date.parse(days[0]?.date as string) + index * DAY_MS);
      });
    }
  });

  it('contains units, band, method and confidence of each day', async () => {
    const { body } = await request(await recordSelling(40));
    const middle = (body.sales_history as Day[]).slice(1, -1);
    for (const day of middle) {
      expect(Object.keys(day)).toEqual([
        'date',
        'units_sold',
        'method',
        'confidence',
        'low',
        'high',
      ]);
      expect(day.low).toBeLessThanOrEqual(day.units_sold);
      expect(day.high).toBeGreaterThanOrEqual(day.units_sold);
    }
    const total = middle.reduce((sum, day) => sum + day.units_sold, 0);
    expect(total / middle.length).toBeGreaterThan(46);
    expect(total / middle.length).toBeLessThan(50);
  });

  it('explains each day on request, at the same price and with the same numbers', async () => {
    const code = await recordSelling(40);
    const plain = await request(code);
    const before = await service.used(customer);
    const { body, headers } = await service.get(
      customer,
      `/retailer/product/units-sold-history?retailer_product_code=${code}&time_period=alltime&explain=true`,
    );
    expect(headers['x-credits-charged']).toBe('150');
    expect((await service.used(customer)) - before).toBe(150);
    expect(body.model).toEqual({ version: expect.any(Number) });
    const days = body.sales_history as ExplainedDay[];
    expect(days.map(({ explanation, ...day }) => day)).toEqual(plain.body.sales_history);
    expect(plain.body.model).toBeUndefined();
    const middle = days[20] as ExplainedDay;
    expect(middle.explanation).toMatchObject({
      reason: expect.stringMatching(/\.$/),
      observations: {
        count: 4,
        first_at: `${middle.date}T00:00:00.000Z`,
        last_at: `${middle.date}T18:00:00.000Z`,
        longest_gap_hours: 6,
      },
      sellers: [{ seller_name: 'Acme', units_sold: 48 }],
      other_sellers: 0,
      readings: [],
      other_readings: 0,
    });
  });

  it('explains restocks, miscounts and days that nobody observed', async () => {
    const code = freshCode();
    const start = NOW_MS - 30 * DAY_MS;
    const counts = Array.from({ length: 30 * 24 }, (_, hour) => ({ hour, units: 900 - hour }));
    // On day 10 a restock, on day 15 one wrong count, on days 20 and 21 no observation.
    const seen = counts.filter(({ hour }) => hour < 480 || hour >= 540);
    await recordSnapshots(
      app,
      seen.map(({ hour, units }) => {
        const restocked = units + (hour >= 245 ? 731 : 0);
        return snapshot(code, start + hour * HOUR_MS, hour === 365 ? 17 : restocked);
      }),
    );
    const { body } = await service.get(
      customer,
      `/retailer/product/units-sold-history?retailer_product_code=${code}&time_period=1month&explain=true`,
    );
    const days = body.sales_history as ExplainedDay[];
    const readings = days.flatMap(({ date, explanation }) =>
      explanation.readings.map(({ kind }) => `${date} ${kind}`),
    );
    const dayAt = (hour: number) => new Date(start + hour * HOUR_MS).toISOString().slice(0, 10);
    expect(readings).toContain(`${dayAt(245)} restock`);
    expect(readings).toContain(`${dayAt(365)} miscount`);
    expect(readings).toContain(`${dayAt(500)} not_observed`);
    const unseen = days.find(({ date }) => date === dayAt(516));
    expect(unseen).toMatchObject({
      method: 'typical',
      explanation: {
        observations: { count: 0, first_at: null, last_at: null, longest_gap_hours: 24 },
        reason: expect.stringContaining('Nobody observed'),
      },
    });
    const restocked = days.find(({ date }) => date === dayAt(245));
    expect(restocked?.explanation.readings[0]).toEqual({
      kind: 'restock',
      seller_name: 'Acme',
      from: new Date(start + 244 * HOUR_MS).toISOString(),
      to: new Date(start + 245 * HOUR_MS).toISOString(),
      units_before: 656,
      units_after: 1_386,
    });
  });

  it('is empty and free for a product without an observed day', async () => {
    const code = freshCode();
    await recordSnapshots(app, [snapshot(code, NOW_MS - HOUR_MS, 5)]);
    const before = await service.used(customer);
    const { status, body } = await request(code);
    expect(status).toBe(200);
    expect(body).toMatchObject({ credit_cost: 0, sales_history: [] });
    expect(await service.used(customer)).toBe(before);
  });

  it('is up to date after every snapshot, and equals a new estimate of all days', async () => {
    const code = await recordSelling(200);
    await request(code);
    const more = [1, 7, 13].map((hours) =>
      snapshot(code, NOW_MS - hours * HOUR_MS + 1_000, 100_000 - 200 * 4 * 12 + hours * 2),
    );
    for (const one of more.toReversed()) {
      await recordSnapshots(app, [one]);
      await request(code);
    }
    const tail = (await readTails(app.db, [code])).get(code);
    expect(tail?.salesStaleFromDay).toBeNull();
    const stepwise = (await request(code)).body;
    // Without stored estimates, all days are estimated again.
    await app.db.query('delete from sales_habits where retailer_product_code = $1', [code]);
    await app.db.query('delete from sales_years where retailer_product_code = $1', [code]);
    expect((await request(code)).body).toEqual(stepwise);
  });

  it('does not depend on the order in which snapshots arrive', async () => {
    const contents = fc.uniqueArray(
      fc.tuple(fc.integer({ min: 1, max: 24 * 60 }), fc.option(fc.nat(500), { freq: 8 })),
      { selector: ([hour]) => hour, minLength: 2, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(50), async (list, cut) => {
        const [first, second] = [freshCode(), freshCode()];
        const snapshotsOf = (code: string) =>
          list.map(([hour, units]) => snapshot(code, NOW_MS - hour * HOUR_MS, units));
        await recordSnapshots(app, snapshotsOf(first));
        const late = snapshotsOf(second);
        await recordSnapshots(app, late.slice(cut));
        await request(second);
        await recordSnapshots(app, late.slice(0, cut).toReversed());
        await app.db.query('delete from sales_habits where retailer_product_code = $1', [second]);
        const responses = [await request(first), await request(second)];
        expect(responses[1]?.body.sales_history).toEqual(responses[0]?.body.sales_history);
      }),
      { numRuns: 15 },
    );
  });

  it('is estimated again with a new market model', async () => {
    const code = await recordSelling(60);
    await request(code);
    const version = await learnMarket(app);
    await request(code);
    const [row] = await app.db.query<{ knowledge_version: number }>(
      'select knowledge_version from sales_habits where retailer_product_code = $1',
      [code],
    );
    expect(row?.knowledge_version).toBe(version);
    const years = await app.db.query<{ packed: Buffer }>(
      'select packed from sales_years where retailer_product_code = $1',
      [code],
    );
    expect(years.flatMap(({ packed }) => unpackDays(packed))).toHaveLength(61);
  });
});

describe('400', () => {
  it.each(['', '&time_period=week', '&time_period=1MONTH'])('%s', async (more) => {
    const { status, body } = await service.get(
      customer,
      `/retailer/product/units-sold-history?retailer_product_code=1${more}`,
    );
    expect(status).toBe(400);
    expect(body.message).toContain('time_period');
  });
});

describe('404', () => {
  it('is free for a product that is neither stored nor at the marketplace', async () => {
    const before = await service.used(customer);
    expect((await request(freshCode())).status).toBe(404);
    expect(await service.used(customer)).toBe(before);
  });
});
