// GET /retailer/product/offer-history, grouped by status.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { startService } from '../support/service.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const clock = manualClock(START + 24 * HOUR_MS);
const service = await startService({ clock });
const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });

let codes = 0;

type List = { hour: number; offers: Record<string, number>; complete?: boolean };

const snapshotOf = (code: string, { hour, offers, complete = true }: List): Snapshot => ({
  code,
  observedAtMs: START + hour * HOUR_MS,
  gtins: [],
  buybox: undefined,
  offers: Object.entries(offers).map(([sellerName, priceCents]) => ({
    sellerName,
    priceCents,
    shippingCents: 499,
    unitsInStock: 7,
    lastUpdatedAtMs: null,
  })),
  offersComplete: complete,
});

async function stored(lists: readonly List[]): Promise<string> {
  const code = `${730_000_000 + codes++}`;
  await recordSnapshots(
    service.app,
    lists.map((list) => snapshotOf(code, list)),
  );
  return code;
}

const PATH = '/retailer/product/offer-history?retailer_product_code=';
const send = (code: string, more = '') => service.get(customer, `${PATH}${code}${more}`);

const LISTS: readonly List[] = [
  { hour: 0, offers: { Acme: 1000, '=Zeta': 2000 } },
  { hour: 6, offers: { Acme: 1000 }, complete: false },
  { hour: 12, offers: { Acme: 900 } },
];

describe('200', () => {
  it('a point per seller and list; gone only by a complete list; for 20 credits', async () => {
    const code = await stored(LISTS);
    const { status, body, headers } = await send(code);
    expect([status, headers['x-credits-charged']]).toEqual([200, '20']);
    expect(body.offers).toEqual([
      {
        date: '2026-01-01T00:00:00.000Z',
        seller_name: '=Zeta',
        state: 'listed',
        price: 20,
        shipping: 4.99,
        units_in_stock: 7,
      },
      expect.objectContaining({ seller_name: 'Acme', price: 10 }),
      expect.objectContaining({ seller_name: 'Acme', date: '2026-01-01T06:00:00.000Z' }),
      expect.objectContaining({ seller_name: 'Acme', price: 9 }),
      {
        date: '2026-01-01T12:00:00.000Z',
        seller_name: '=Zeta',
        state: 'gone',
        price: null,
        shipping: null,
        units_in_stock: null,
      },
    ]);
    expect(body.sellers[0]).toEqual({
      seller_name: '=Zeta',
      first_seen: '2026-01-01T00:00:00.000Z',
      last_seen: '2026-01-01T00:00:00.000Z',
      observations: 1,
      state: 'gone',
    });
    expect(body).toMatchObject({
      retailer_product_code: code,
      from: '2025-10-04T00:00:00.000Z',
      to: '2026-01-02T00:00:00.000Z',
      observed_share: Math.round(1e6 / 90) / 1e6,
    });
  });

  it('changes_only leaves out what is repeated; a range is cut', async () => {
    const code = await stored(LISTS);
    const changes = await send(code, '&changes_only=true');
    expect(changes.body.offers).toHaveLength(4);
    const range = '&from=2026-01-01T06:00:00Z&to=2026-01-01T12:00:00Z';
    const { body } = await send(code, range);
    expect(body.offers).toHaveLength(1);
    expect(body.observed_share).toBe(1);
  });

  it('columns, CSV and NDJSON hold the same points', async () => {
    const code = await stored(LISTS);
    const { offers } = (await send(code)).body;
    const { body } = await send(code, '&format=columns');
    const names = Object.keys(offers[0]);
    expect(Object.keys(body.offers)).toEqual(names);
    for (const name of names) {
      expect(body.offers[name]).toEqual(offers.map((one: Record<string, unknown>) => one[name]));
    }
    expect(body.sellers).toHaveLength(2);
    const text = async (more: string, headers = {}) =>
      (
        await service.server.inject({
          url: `${PATH}${code}${more}`,
          headers: { 'x-api-key': customer.apiKey, ...headers },
        })
      ).payload;
    const csv = (await text('', { accept: 'text/csv' })).split('\r\n');
    expect(csv[0]).toBe(names.join(','));
    expect(csv[1]).toBe("2026-01-01T00:00:00.000Z,'=Zeta,listed,20,4.99,7");
    expect(csv[5]).toBe("2026-01-01T12:00:00.000Z,'=Zeta,gone,,,");
    const lines = (await text('&format=ndjson')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(offers);
  });

  it('a long history is streamed, run by run', async () => {
    const hours = 24 * 60;
    const lists = Array.from(
      { length: hours },
      (_, index): List => ({
        hour: index - hours,
        offers: { A: 1000 + (index % 3), B: 2000 + index, C: 3000 },
      }),
    );
    const { body } = await send(await stored(lists));
    expect(body.offers).toHaveLength(3 * hours);
  });

  it.each([
    ['without any list of offers', [], ''],
    ['in a range without one', LISTS, '&from=2026-01-01T18:00:00Z'],
  ] as [string, readonly List[], string][])('costs nothing %s', async (_, lists, more) => {
    const code = await stored(lists);
    await recordSnapshots(service.app, [
      { code, observedAtMs: START, gtins: [], buybox: null, offersComplete: false },
    ]);
    const { status, body, headers } = await send(code, more);
    expect([status, headers['x-credits-charged']]).toEqual([200, '0']);
    expect(body.offers).toEqual([]);
  });
});

describe('400', () => {
  it.each([
    ['&from=2024-01-01T00:00:00Z', 'at most 366 days'],
    ['&changes_only=maybe', 'changes_only'],
    ['&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must not be later than to'],
  ])('%s', async (more, sentence) => {
    const { status, body, headers } = await send('1', more);
    expect([status, headers['x-credits-charged']]).toEqual([400, '0']);
    expect(body.message).toContain(sentence);
  });

  it('columns that would not fit into memory are refused free of charge', async () => {
    const code = await stored(LISTS);
    const { columnCharsMax } = bounds;
    const before = await service.used(customer);
    Object.assign(bounds, { columnCharsMax: 100 });
    try {
      const { status, body } = await send(code, '&format=columns');
      expect([status, body.code]).toEqual([400, 'response_too_large']);
    } finally {
      Object.assign(bounds, { columnCharsMax });
    }
    expect(await service.used(customer)).toBe(before);
  });
});

describe('404', () => {
  it('an unknown product is free', async () => {
    expect((await send('739999999')).status).toBe(404);
  });
});
