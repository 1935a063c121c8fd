// GET /retailer/product/stats, grouped by status. test/flows/statistics.test.ts compares the
// numbers with those of random histories.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/foundation/time.ts';
import { startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
/** Windows include the second of the request. */
const END = NOW + SECOND_MS;

const service = await startService({ clock: manualClock(NOW) });
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

let codes = 0;
type Seen = { hoursAgo: number; cents?: number | null; rank?: number; units?: number | null };

async function stored(seen: readonly Seen[]): Promise<string> {
  const code = `${710_000_000 + codes++}`;
  const snapshots = seen.map(
    ({ hoursAgo, cents, rank, units }): Snapshot => ({
      code,
      observedAtMs: END - hoursAgo * HOUR_MS,
      gtins: [],
      buybox: typeof cents === 'number' ? { priceCents: cents, sellerName: 'Acme' } : cents,
      rank: rank === undefined ? undefined : { position: rank, category: 'Kettles' },
      offers:
        units === undefined
          ? undefined
          : [
              {
                sellerName: 'Acme',
                priceCents: 1,
                shippingCents: 0,
                unitsInStock: units,
                lastUpdatedAtMs: null,
              },
            ],
      offersComplete: true,
    }),
  );
  await recordSnapshots(service.app, snapshots);
  return code;
}

const send = (code: string, more = '', headers = {}) =>
  service.get(customer, `/retailer/product/stats?retailer_product_code=${code}${more}`, headers);

const ago = (hours: number) => new Date(END - hours * HOUR_MS).toISOString();

describe('200', () => {
  it('weighs price, rank and stock by time, for 2 credits', async () => {
    const code = await stored([
      { hoursAgo: 24, cents: 1000, rank: 100, units: 5 },
      { hoursAgo: 18, cents: 2000, rank: 300, units: 0 },
      { hoursAgo: 12, cents: null, units: null },
      { hoursAgo: 6, cents: 1500 },
    ]);
    const before = await service.used(customer);
    const { status, body, headers } = await send(code, '&days=1');
    expect(status).toBe(200);
    expect(body).toEqual({
      retailer_product_code: code,
      current: {
        price: 15,
        price_observed_at: ago(6),
        lowest_since: ago(18),
        rank: 300,
        rank_observed_at: ago(18),
        in_stock: true,
        stock_observed_at: ago(12),
      },
      windows: [
        {
          days: 1,
          from: ago(24),
          to: ago(0),
          price: {
            average: 15,
            typical: 15,
            min: { price: 10, at: ago(24) },
            max: { price: 20, at: ago(18) },
            increases: 1,
            decreases: 1,
            suppressed_share: 0.25,
            observed_share: 1,
          },
          rank: {
            average: 250,
            best: { position: 100, at: ago(24) },
            worst: { position: 300, at: ago(18) },
            observed_share: 1,
          },
          stock: { out_of_stock_share: 0.25, times_out_of_stock: 1, observed_share: 1 },
        },
      ],
    });
    expect(headers['x-credits-charged']).toBe('2');
    expect((await service.used(customer)) - before).toBe(2);
  });

  it('the windows are 30, 90 and 365 days unless others are requested, in that order', async () => {
    const code = await stored([{ hoursAgo: 1, cents: 1000 }]);
    const days = ({ windows }: { windows: { days: number }[] }) => windows.map((one) => one.days);
    expect(days((await send(code)).body)).toEqual([30, 90, 365]);
    expect(days((await send(code, '&days=365,7,1095')).body)).toEqual([365, 7, 1095]);
  });

  it('time in which nobody observed is neither 0 nor the last value', async () => {
    // 48 hours of each observation count; the other six days of the window do not.
    const code = await stored([
      { hoursAgo: 240, cents: 1000 },
      { hoursAgo: 48, cents: 3000 },
    ]);
    const { price, rank } = (await send(code, '&days=10')).body.windows[0];
    expect([price.average, price.observed_share]).toEqual([20, 0.4]);
    expect(rank).toEqual({ average: null, best: null, worst: null, observed_share: 0 });
  });

  it('a price observed before the window counts while it holds', async () => {
    const code = await stored([
      { hoursAgo: 36, cents: 1000 },
      { hoursAgo: 12, cents: 2000 },
    ]);
    const { price } = (await send(code, '&days=1')).body.windows[0];
    expect(price).toMatchObject({
      average: 15,
      min: { price: 10, at: ago(24) },
      increases: 1,
      observed_share: 1,
    });
  });

  it('lowest_since begins after the last lower price, or with the longest window', async () => {
    const lower = await stored([
      { hoursAgo: 96, cents: 900 },
      { hoursAgo: 72, cents: 1100 },
      { hoursAgo: 1, cents: 1000 },
    ]);
    const since = (code: string, days: string) =>
      send(code, `&days=${days}`).then(({ body }) => body.current.lowest_since);
    expect(await since(lower, '30')).toBe(ago(72));
    expect(await since(lower, '1,4')).toBe(ago(72));
    expect(await since(lower, '3')).toBe(ago(72));
    expect(await since(lower, '1')).toBe(ago(1));
    expect(await since(await stored([{ hoursAgo: 5, cents: null }]), '30')).toBe(null);
  });

  it('explain=true says which observations and which method led to the numbers, at no cost', async () => {
    const code = await stored([
      { hoursAgo: 240, cents: 900 },
      { hoursAgo: 72, cents: 1000 },
      { hoursAgo: 1, cents: 1000 },
    ]);
    const { body, headers } = await send(code, '&days=30&explain=true');
    expect(headers['x-credits-charged']).toBe('2');
    expect(body.explanation).toMatchObject({
      version: 1,
      holds_seconds: 172_800,
      last_lower_price: { price: 9, at: ago(240) },
    });
    expect(body.explanation.windows[0].price).toEqual({
      observations: 3,
      first_at: ago(240),
      last_at: ago(1),
      observed_seconds: (48 + 48 + 1) * 3_600,
      gaps: 2,
      longest_gap_seconds: 120 * 3_600,
    });
    expect(body.explanation.windows[0].rank.observations).toBe(0);
    expect((await send(code, '&days=30')).body).not.toHaveProperty('explanation');
  });

  it('a product without an observation in any window costs nothing', async () => {
    const code = await stored([{ hoursAgo: 24 * 60, cents: 1000 }]);
    const before = await service.used(customer);
    const { status, body, headers } = await send(code, '&days=1,30');
    expect([status, headers['x-credits-charged']]).toEqual([200, '0']);
    expect(body.current.price).toBe(10);
    expect(body.windows[1].price).toMatchObject({ average: null, min: null, observed_share: 0 });
    expect(await service.used(customer)).toBe(before);
  });

  it('dry_run returns the cost alone', async () => {
    const { body } = await send('1', '&dry_run=true');
    expect(body).toEqual({ credit_cost: 2 });
  });

  it('months of hourly observations are read from small summaries', async () => {
    const seen = Array.from({ length: 6_000 }, (_, hour) => ({
      hoursAgo: 6_000 - hour,
      cents: 1000 + (hour % 24),
      rank: 1 + (hour % 7),
      units: hour % 5,
    }));
    const code = await stored(seen);
    const { body } = await send(code, '&days=30,250');
    expect(body.windows[0].price).toMatchObject({ average: 10.12, typical: 10.11 });
    expect(body.windows[1].stock).toEqual({
      out_of_stock_share: 0.2,
      times_out_of_stock: 1_199,
      observed_share: 1,
    });
    const [row] = await service.app.db.query<{ bytes: number; runs: number }>(
      `select max(octet_length(summary)) as bytes, count(*)::integer as runs from history_runs
        where retailer_product_code = $1`,
      [code],
    );
    expect(row?.runs).toBeGreaterThan(10);
    expect(row?.bytes).toBeLessThan(300);
    expect((NOW - Date.parse(body.windows[1].from)) / DAY_MS).toBeCloseTo(250, 3);
  });
});

describe('400', () => {
  it.each(['0', '1096', '30,0', '30,30', '', 'x', '30,', '1,2,3,4,5,6,7,8,9', '-1', '1.5', '٣'])(
    'days=%s',
    async (days) => {
      const { status, body } = await send('1', `&days=${encodeURIComponent(days)}`);
      expect([status, body.field]).toEqual([400, 'days']);
    },
  );

  it('explain must be true or false', async () => {
    expect((await send('1', '&explain=yes')).body).toMatchObject({ error: 400, field: 'explain' });
  });
});

describe('402', () => {
  it('x-max-credits refuses before any work', async () => {
    const code = await stored([{ hoursAgo: 1, cents: 1 }]);
    expect((await send(code, '', { 'x-max-credits': '1' })).status).toBe(402);
  });
});

describe('404', () => {
  it('an unknown product costs nothing', async () => {
    const { status, body, headers } = await send('4');
    expect([status, body.code]).toEqual([404, 'product_not_found']);
    expect(headers['x-credits-charged']).toBe('0');
  });
});
