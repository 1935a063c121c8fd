// GET /retailer/product/units-sold-history, grouped by status; and how its estimates are kept up to date.
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

const NOW = Date.parse('2026-11-15T12:00:00Z');

const service = await startService({ clock: manualClock(NOW) });
const { app } = service;
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

let codes = 0;
const freshCode = () => `${600_000_000 + codes++}`;

const observation = (code: string, atMs: number, units: number | null): Snapshot => ({
  code,
  observedAtMs: atMs,
  gtins: [],
  buybox: { priceCents: 1999, sellerName: 'Acme' },
  offers: [
    {
      ...{ sellerName: 'Acme', priceCents: 1999, shippingCents: 0 },
      ...{ unitsInStock: units, lastUpdatedAtMs: null },
    },
  ],
  offersComplete: true,
});

/** A product that sells two units an hour, seen every six hours over the last so many days. */
async function selling(days: number): Promise<string> {
  const code = freshCode();
  const observations = Array.from({ length: days * 4 + 1 }, (_, index) =>
    observation(code, NOW - days * DAY_MS + index * 6 * HOUR_MS, 100_000 - index * 12),
  );
  await recordSnapshots(app, observations);
  return code;
}

const ask = (code: string, period = 'alltime') =>
  service.get(
    customer,
    `/retailer/product/units-sold-history?retailer_product_code=${code}&time_period=${period}`,
  );

type Day = { date: string; units_sold: number; low: number; high: number };

describe('200', () => {
  it('one entry a day, ascending and gapless, today left out, for what the period costs', async () => {
    const code = await selling(40);
    const prices = { '1month': 5, '6months': 25, '1year': 50, '3years': 100, alltime: 150 };
    for (const [period, price] of Object.entries(prices)) {
      const before = await service.used(customer);
      const { status, body, headers } = await ask(code, period);
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

  it('says how many, between what, how it was found and how sure that is', async () => {
    const { body } = await ask(await selling(40));
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

  it('a known product without an observed day is an empty answer and costs nothing', async () => {
    const code = freshCode();
    await recordSnapshots(app, [observation(code, NOW - HOUR_MS, 5)]);
    const before = await service.used(customer);
    const { status, body } = await ask(code);
    expect(status).toBe(200);
    expect(body).toMatchObject({ credit_cost: 0, sales_history: [] });
    expect(await service.used(customer)).toBe(before);
  });

  it('is up to date after every look, and the same as if worked out from the start', async () => {
    const code = await selling(200);
    await ask(code);
    const more = [1, 7, 13].map((hours) =>
      observation(code, NOW - hours * HOUR_MS + 1_000, 90_000 - hours),
    );
    for (const one of more.toReversed()) {
      await recordSnapshots(app, [one]);
      await ask(code);
    }
    const tail = (await readTails(app.db, [code])).get(code);
    expect(tail?.salesStaleFromDay).toBeNull();
    const stepwise = (await ask(code)).body;
    // Learned anew from the same looks: everything is worked out again.
    await app.db.query('delete from sales_habits where retailer_product_code = $1', [code]);
    await app.db.query('delete from sales_years where retailer_product_code = $1', [code]);
    expect((await ask(code)).body).toEqual(stepwise);
  });

  it('any order of arrival gives the same estimate', async () => {
    const servings = fc.uniqueArray(
      fc.tuple(fc.integer({ min: 1, max: 24 * 60 }), fc.option(fc.nat(500), { freq: 8 })),
      { selector: ([hour]) => hour, minLength: 2, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(servings, fc.nat(50), async (list, cut) => {
        const [first, second] = [freshCode(), freshCode()];
        const observationsOf = (code: string) =>
          list.map(([hour, units]) => observation(code, NOW - hour * HOUR_MS, units));
        await recordSnapshots(app, observationsOf(first));
        const late = observationsOf(second);
        await recordSnapshots(app, late.slice(cut));
        await ask(second);
        await recordSnapshots(app, late.slice(0, cut).toReversed());
        await app.db.query('delete from sales_habits where retailer_product_code = $1', [second]);
        const responses = [await ask(first), await ask(second)];
        expect(responses[1]?.body.sales_history).toEqual(responses[0]?.body.sales_history);
      }),
      { numRuns: 15 },
    );
  });

  it('days worked out with older knowledge are worked out anew with the newest', async () => {
    const code = await selling(60);
    await ask(code);
    const version = await learnMarket(app);
    await ask(code);
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
  it('neither stored nor at the marketplace: free', async () => {
    const before = await service.used(customer);
    expect((await ask(freshCode())).status).toBe(404);
    expect(await service.used(customer)).toBe(before);
  });
});
