// GET /retailer/product/buybox-history, grouped by status.
import { describe, expect, it } from 'vitest';
import type { Buybox, Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { startService } from '../support/service.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const clock = manualClock(START + 24 * HOUR_MS);
const service = await startService({ clock });
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

let codes = 0;

type Seen = readonly [hour: number, box: Buybox | null | undefined];

async function stored(seen: readonly Seen[]): Promise<string> {
  const code = `${720_000_000 + codes++}`;
  await recordSnapshots(
    service.app,
    seen.map(
      ([hour, buybox]): Snapshot => ({
        code,
        observedAtMs: START + hour * HOUR_MS,
        gtins: [],
        buybox,
        offersComplete: false,
      }),
    ),
  );
  return code;
}

const send = (code: string, more = '') =>
  service.get(customer, `/retailer/product/buybox-history?retailer_product_code=${code}${more}`);

const text = (code: string, more: string, headers = {}) =>
  service.server.inject({
    url: `/retailer/product/buybox-history?retailer_product_code=${code}${more}`,
    headers: { 'x-api-key': customer.apiKey, ...headers },
  });

const box = (priceCents: number, sellerName: string | null = 'Acme'): Buybox => ({
  priceCents,
  sellerName,
});

const SEEN: readonly Seen[] = [
  [0, box(1000)],
  [6, box(2000)],
  [12, box(1500, '=Zeta')],
  [18, null],
];

describe('200', () => {
  it('intervals, days, sellers and suppression, for 10 credits', async () => {
    const code = await stored(SEEN);
    const { status, body, headers } = await send(code);
    expect([status, headers['x-credits-charged']]).toEqual([200, '10']);
    expect(body).toMatchObject({
      retailer_product_code: code,
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-02T00:00:00.000Z',
      average_price: 15,
      observed_seconds: 86_400,
      observed_share: 1,
      suppressed_seconds: 21_600,
      suppressed_share: 0.25,
    });
    expect(body.intervals).toEqual([
      {
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-01T12:00:00.000Z',
        state: 'held',
        seller_name: 'Acme',
        first_price: 10,
        last_price: 20,
        min_price: 10,
        max_price: 20,
        average_price: 15,
      },
      expect.objectContaining({ state: 'held', seller_name: '=Zeta', first_price: 15 }),
      expect.objectContaining({ state: 'suppressed', seller_name: null, first_price: null }),
    ]);
    expect(body.days).toEqual([
      {
        date: '2026-01-01',
        observed_share: 1,
        suppressed_share: 0.25,
        average_price: 15,
        sellers: [
          { seller_name: 'Acme', share: 0.5 },
          { seller_name: '=Zeta', share: 0.25 },
        ],
      },
    ]);
    expect(body.sellers[0]).toEqual({
      seller_name: 'Acme',
      seconds: 43_200,
      share: 0.5,
      average_price: 15,
    });
  });

  it('a range is cut to what it covers; time nobody observed belongs to no seller', async () => {
    const code = await stored(SEEN);
    const range = '&from=2025-12-31T18:00:00Z&to=2026-01-01T06:00:00Z';
    const { body } = await send(code, range);
    expect(body.intervals.map(({ state }: { state: string }) => state)).toEqual([
      'not_observed',
      'held',
    ]);
    expect(body).toMatchObject({ observed_share: 0.5, sellers: [{ share: 1 }] });
    const inside = await send(code, '&from=2026-01-01T13:00:00Z&to=2026-01-01T14:00:00Z');
    expect(inside.body.sellers).toMatchObject([{ seller_name: '=Zeta', seconds: 3_600 }]);
  });

  it('the present is the end, and an observation holds for 48 hours', async () => {
    const code = await stored([[-60, box(1000)]]);
    const { body } = await send(code, '&to=9999-12-31T23:59:59Z');
    expect(body.to).toBe('2026-01-02T00:00:00.000Z');
    expect(body.observed_seconds).toBe(48 * 3_600);
    expect(body.intervals.at(-1)).toMatchObject({ state: 'not_observed', average_price: null });
  });

  it.each([
    ['without any observation of the buybox', [[0, undefined]], ''],
    ['in a range before the first', [[0, box(1)]], '&to=2025-12-01T00:00:00Z'],
    ['48 hours after the last', [[-48, box(1)]], '&from=2026-01-01T00:00:00Z'],
    ['in the future', [[0, box(1)]], '&from=2027-01-01T00:00:00Z'],
  ] as [string, Seen[], string][])('costs nothing %s', async (_, seen, more) => {
    const code = await stored(seen);
    const { status, body, headers } = await send(code, more);
    expect([status, headers['x-credits-charged']]).toEqual([200, '0']);
    expect(body).toMatchObject({ days: [], sellers: [], average_price: null, observed_share: 0 });
  });

  it('CSV, NDJSON and columns hold the same intervals', async () => {
    const code = await stored(SEEN);
    const { intervals } = (await send(code)).body;
    const csv = await text(code, '&format=csv');
    expect(csv.headers['content-type']).toContain('text/csv');
    expect(csv.payload.split('\r\n')).toEqual([
      'from,to,state,seller_name,first_price,last_price,min_price,max_price,average_price',
      '2026-01-01T00:00:00.000Z,2026-01-01T12:00:00.000Z,held,Acme,10,20,10,20,15',
      // A spreadsheet must not run a seller's name as a formula.
      "2026-01-01T12:00:00.000Z,2026-01-01T18:00:00.000Z,held,'=Zeta,15,15,15,15,15",
      '2026-01-01T18:00:00.000Z,2026-01-02T00:00:00.000Z,suppressed,,,,,,',
      '',
    ]);
    const lines = await text(code, '', { accept: 'application/x-ndjson' });
    expect(lines.headers['x-credits-charged']).toBe('10');
    expect(
      lines.payload
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(intervals);
    const { body } = await send(code, '&format=columns');
    expect(body.intervals.seller_name).toEqual(['Acme', '=Zeta', null]);
    expect(body.sellers).toHaveLength(2);
  });

  it('a long history is streamed whole', async () => {
    const hours = 24 * 200;
    const code = await stored(
      Array.from(
        { length: hours },
        (_, index): Seen => [
          index - hours,
          box(1000 + (index % 7), index % 2 === 0 ? 'Acme' : 'Zeta'),
        ],
      ),
    );
    const { body } = await send(code);
    expect(body.intervals).toHaveLength(hours);
    expect(body.days).toHaveLength(201);
    expect(body.sellers.map(({ share }: { share: number }) => Math.round(share * 10))).toEqual([
      5, 5,
    ]);
  });
});

describe('400', () => {
  it.each([
    ['&from=yesterday', 'from'],
    ['&format=parquet', 'format'],
    ['&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must not be later than to'],
  ])('%s', async (more, sentence) => {
    const { status, body, headers } = await send('1', more);
    expect([status, headers['x-credits-charged']]).toEqual([400, '0']);
    expect(body.message).toContain(sentence);
  });
});

describe('404', () => {
  it('an unknown product is free', async () => {
    const before = await service.used(customer);
    expect((await send('729999999')).status).toBe(404);
    expect(await service.used(customer)).toBe(before);
  });
});
