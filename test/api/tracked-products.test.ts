// /retailer/oversight/products, grouped by method and status.
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { type Customer, startService } from '../support/service.ts';
import { driveOversight } from '../support/tracking.ts';

const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
const source = createSimulatedSource({ clock });
const service = await startService({ clock, source });
const PATH = '/retailer/oversight/products';

let next = 0;
const freshCode = () => source.productAt(1_000 + next++).code;
const customer = (plan = 'Starter') => service.newCustomer({ plan, perSecond: 1_000 });
const send = (who: Customer | null, method: string, path: string, body?: unknown) =>
  service.send(who, method, `${PATH}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
const add = async (who: Customer, more: object = {}) =>
  send(who, 'POST', '', { retailer_product_code: freshCode(), ...more });

/** The rules as JSON, which names the tests, and the expected error message. */
const BAD_RULES: readonly (readonly [string, RegExp])[] = [
  ['[]', /rules must be/],
  ['"strict"', /rules must be/],
  ['{"prices":{}}', /rules has no member "prices"; allowed are price, seller_price/],
  ['{"price":5}', /rules\.price must be an object with any of percent, usd/],
  ['{"price":{"percents":5}}', /rules\.price has no member "percents"/],
  ['{"price":{"percent":"5"}}', /rules\.price\.percent must be a number/],
  ['{"price":{"percent":-1}}', /rules\.price\.percent must be/],
  ['{"price":{"usd":0.005}}', /at most two decimals/],
  ['{"stock_low":{"days":366}}', /whole number from 0 to 365/],
  ['{"rank":{"places":1.5}}', /rules\.rank\.places must be a whole number/],
  ['{"rotation":{"count":25}}', /from 0 to 24/],
];

describe('POST', () => {
  it('201 with the record, tier 4 by default, and costs nothing', async () => {
    const who = await customer();
    const code = freshCode();
    const { status, body, headers } = await send(who, 'POST', '', { retailer_product_code: code });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retailer_product_code: code,
      user_id: who.accountId,
      created_at: '2026-11-15T10:00:00.000Z',
      tier: 4,
      status: 'active',
      seller_name: null,
      rules: null,
      tags: [],
      metadata: null,
      ends_at: null,
    });
    expect(headers['x-credits-charged']).toBe('0');
    expect(await service.used(who)).toBe(0);
  });

  it('200 with the existing record for the same product, 409 for another tier', async () => {
    const who = await customer();
    const first = await add(who, { tier: 2 });
    const code = first.body.retailer_product_code;
    const again = await send(who, 'POST', '', { retailer_product_code: code });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const same = await send(who, 'POST', '', { retailer_product_code: code, tier: 2 });
    expect(same.status).toBe(200);
    const other = await send(who, 'POST', '', { retailer_product_code: code, tier: 1 });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ id: first.body.id, tier: 2 });
  });

  it('needs no credits', async () => {
    const who = await customer('Free');
    await service.app.db.query('update balances set used = allocation where account_id = $1', [
      who.accountId,
    ]);
    expect((await add(who)).status).toBe(201);
  });

  it('400 for an invalid code, tier or rule', async () => {
    const who = await customer();
    for (const body of [
      {},
      { retailer_product_code: 'x' },
      { retailer_product_code: 5 },
      { retailer_product_code: '5', tier: 5 },
      { retailer_product_code: '5', tier: '1' },
      { retailer_product_code: '5', seller_name: '' },
      { retailer_product_code: '5', rules: [] },
    ]) {
      expect((await send(who, 'POST', '', body)).status).toBe(400);
    }
  });

  it.each(BAD_RULES)('400 for rules that are not: %s', async (rules, sentence) => {
    const response = await add(await customer(), { rules: JSON.parse(rules) });
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });

  it('rules are returned unchanged, even before a product is looked up', async () => {
    const who = await customer();
    const rules = { price: { percent: 2.5, usd: null }, rotation: null, stock_low: {} };
    const added = await add(who, { rules });
    expect(added.body.rules).toEqual(rules);
    expect((await send(who, 'GET', '')).body[0].rules).toEqual(rules);
    const nobody = { retailer_product_code: '12345', rules: { nonsense: 1 } };
    expect((await send(who, 'POST', '', nobody)).status).toBe(400);
  });

  it.each(['nul\0inside', 'half\ud83epair'])(
    '400 for a seller name that cannot be stored',
    async (name) => {
      const response = await add(await customer(), { seller_name: name });
      expect(response.status).toBe(400);
      expect(response.body.message).toMatch(/seller_name must be/);
    },
  );

  it('404 for an unknown product', async () => {
    const response = await send(await customer(), 'POST', '', { retailer_product_code: '12345' });
    expect(response.status).toBe(404);
  });

  it('409 beyond the plan’s limit, also with concurrent requests', async () => {
    const who = await customer('Free');
    const responses = await Promise.all(Array.from({ length: 60 }, () => add(who)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = responses.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.body).toMatchObject({ tracked_products_max: 50 });
  });
});

describe('GET list', () => {
  it('newest first, complete without a limit, without tracking data, and free', async () => {
    const who = await customer();
    const added: string[] = [];
    for (let count = 0; count < 5; count++) {
      clock.advanceMs(1_000);
      added.push((await add(who, { tier: 0 })).body.id);
    }
    const { body } = await send(who, 'GET', '');
    expect(body.map(({ id }: { id: string }) => id)).toEqual(added.toReversed());
    expect(body[0]).not.toHaveProperty('tracking_data');
    const pages: string[] = [];
    let path = '?limit=2';
    for (;;) {
      const page = await send(who, 'GET', path);
      pages.push(...page.body.map(({ id }: { id: string }) => id));
      const link = /<[^?]*(\?[^>]*)>; rel="next"/.exec(String(page.headers.link ?? ''));
      if (link === null) break;
      path = link[1] as string;
    }
    expect(pages).toEqual(added.toReversed());
    expect(await service.used(who)).toBe(0);
  });
});

describe('GET one', () => {
  it('shows the first collection at once, and begins the day', async () => {
    const who = await customer();
    const added = await add(who, { tier: 1 });
    const { status, body } = await send(who, 'GET', `/${added.body.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...added.body,
      tracking_data: { last_updated: expect.any(String) },
    });
    expect(Object.keys(body.tracking_data)).toEqual([
      'current_price',
      'units_in_stock',
      'last_updated',
    ]);
    expect(body.collection).toMatchObject({ consecutive_failures: 0 });
    expect(Date.parse(body.collection.next_due_at)).toBeGreaterThan(clock.nowMs());
    expect(await service.used(who)).toBe(90);
    await send(who, 'GET', `/${added.body.id}`);
    expect(await service.used(who)).toBe(90);
  });

  it('tier 0 shows every seller with its prices', async () => {
    const who = await customer();
    const added = await add(who, { tier: 0 });
    const { body } = await send(who, 'GET', `/${added.body.id}?history_days=7`);
    const { sellers, units_in_stock } = body.tracking_data;
    expect(sellers.length).toBeGreaterThan(0);
    for (const seller of sellers) {
      expect(seller.price_history.at(-1)).toEqual({
        date: body.tracking_data.last_updated,
        price: seller.price,
      });
    }
    const units = sellers.map((seller: { units_in_stock: number | null }) => seller.units_in_stock);
    const total = units.includes(null) ? null : units.reduce((a: number, b: number) => a + b, 0);
    expect(units_in_stock).toBe(total);
  });

  it('shows nothing before the first paid day: what cannot be paid is suspended', async () => {
    const who = await customer('Free');
    const added = await add(who, { tier: 0 });
    await service.app.db.query(
      'update balances set used = allocation - 149 where account_id = $1',
      [who.accountId],
    );
    const { status, body, headers } = await send(who, 'GET', `/${added.body.id}?history_days=365`);
    expect([status, headers['x-credits-charged']]).toEqual([200, '0']);
    expect(body.status).toBe('suspended');
    expect(body.tracking_data).toBeNull();
    expect(body.collection.next_due_at).not.toBeUndefined();
    expect((await send(who, 'GET', '')).body[0].status).toBe('suspended');
  });

  it('returns the cost of the day, and never costs more than x-max-credits', async () => {
    const who = await customer();
    const { id } = (await add(who, { tier: 1 })).body;
    const get = (most: string) =>
      service.send(who, 'GET', `${PATH}/${id}`, { headers: { 'x-max-credits': most } });
    const refused = await get('89');
    expect(refused.status).toBe(402);
    expect(refused.body).toMatchObject({ credits_required: 90, credits_max: 89 });
    expect(await service.used(who)).toBe(0);
    expect((await send(who, 'GET', '')).body[0].status).toBe('active');
    const { headers, status } = await get('90');
    expect([status, headers['x-credits-charged']]).toEqual([200, '90']);
    const { allocation } = (
      await service.app.db.query<{ allocation: number }>(
        'select allocation from balances where account_id = $1',
        [who.accountId],
      )
    )[0] as { allocation: number };
    expect(headers['x-credits-remaining']).toBe(String(allocation - 90));
    expect((await get('0')).headers['x-credits-charged']).toBe('0');
  });

  it('402 also when it could not be paid: a request above its cap suspends nothing', async () => {
    const who = await customer('Free');
    const { id } = (await add(who, { tier: 0 })).body;
    await service.app.db.query('update balances set used = allocation where account_id = $1', [
      who.accountId,
    ]);
    const refused = await service.send(who, 'GET', `${PATH}/${id}`, {
      headers: { 'x-max-credits': '100' },
    });
    expect(refused.status).toBe(402);
    expect((await send(who, 'GET', '')).body[0].status).toBe('active');
  });

  it('shows the tier that the day was paid for, not the one chosen since', async () => {
    const who = await customer();
    const { id } = (await add(who, { tier: 0 })).body;
    await send(who, 'GET', `/${id}`);
    await send(who, 'PATCH', `/${id}`, { tier: 4 });
    expect((await send(who, 'GET', `/${id}`)).body.tracking_data.sellers).toBeDefined();
    expect(await service.used(who)).toBe(150);
  });

  it('shows sellers’ prices of the days paid at tier 0 only, and of the moment', async () => {
    const who = await customer();
    const { id } = (await add(who, { tier: 4 })).body;
    const [row] = (await send(who, 'GET', '')).body;
    // Another customer keeps the product collected.
    const other = await customer('Scale');
    await send(other, 'POST', '', { retailer_product_code: row.retailer_product_code, tier: 0 });
    const oversight = driveOversight(service, clock);
    await oversight.pass(2 * DAY_MS, 6 * HOUR_MS);
    await send(who, 'GET', `/${id}`);
    const paidDay = Math.floor(clock.nowMs() / DAY_MS);
    await send(who, 'PATCH', `/${id}`, { tier: 0 });
    const { body } = await send(who, 'GET', `/${id}?history_days=365`);
    const dates: string[] = body.tracking_data.sellers.flatMap(
      (seller: { price_history: { date: string }[] }) =>
        seller.price_history.map(({ date }) => date),
    );
    expect(dates.length).toBeGreaterThan(0);
    for (const date of dates) {
      const isSeenNow = date === body.tracking_data.last_updated;
      expect(isSeenNow || Math.floor(Date.parse(date) / DAY_MS) === paidDay).toBe(true);
    }
  });

  it('404 for an unknown id and for one of another account', async () => {
    const [who, other] = [await customer(), await customer()];
    const { id } = (await add(who)).body;
    for (const path of [`/${id}`, '/nonsense', '/01a1dd99-01d8-703f-9951-f5e96b148bbf']) {
      expect((await send(other, 'GET', path)).status).toBe(404);
      expect((await send(other, 'PATCH', path, { tier: 1 })).status).toBe(404);
      expect((await send(other, 'DELETE', path)).status).toBe(404);
    }
    expect((await send(who, 'GET', `/${id}`)).status).toBe(200);
  });
});

describe('PATCH', () => {
  it('changes tier, seller and rules; null resets them', async () => {
    const who = await customer();
    const { id } = (await add(who)).body;
    const rules = { price: { percent: 5 } };
    const changed = await send(who, 'PATCH', `/${id}`, { tier: 2, seller_name: 'Acme', rules });
    expect(changed.body).toMatchObject({ tier: 2, seller_name: 'Acme', rules });
    const back = await send(who, 'PATCH', `/${id}`, { seller_name: null, rules: null });
    expect(back.body).toMatchObject({ tier: 2, seller_name: null, rules: null });
  });

  it('rules change by parts; null resets a part, a member or all of them', async () => {
    const who = await customer();
    const rules = { price: { percent: 5, usd: 1 }, rotation: { count: 5 } };
    const { id } = (await add(who, { rules })).body;
    const change = async (rulesChange: unknown) =>
      (await send(who, 'PATCH', `/${id}`, { rules: rulesChange })).body.rules;
    expect(await change({ rank: { places: 9 } })).toEqual({ ...rules, rank: { places: 9 } });
    expect(await change({ rank: null, price: { percent: 2, usd: null } })).toEqual({
      price: { percent: 2 },
      rotation: { count: 5 },
    });
    expect(await change({ price: null, rotation: { count: null } })).toBeNull();
    await change({ price: { percent: 3 } });
    expect(await change(null)).toBeNull();
  });

  it.each(BAD_RULES)(
    '400 for invalid rules, and nothing is changed: %s',
    async (rules, sentence) => {
      const who = await customer();
      const { id } = (await add(who, { tier: 4, rules: { rotation: { count: 5 } } })).body;
      const refused = await send(who, 'PATCH', `/${id}`, { tier: 1, rules: JSON.parse(rules) });
      expect(refused.status).toBe(400);
      expect(refused.body.message).toMatch(sentence);
      const [kept] = (await send(who, 'GET', '')).body;
      expect(kept).toMatchObject({ tier: 4, rules: { rotation: { count: 5 } } });
    },
  );

  it('a finer tier on a charged day costs the difference, a coarser one refunds nothing', async () => {
    const who = await customer();
    const { id } = (await add(who, { tier: 4 })).body;
    await send(who, 'PATCH', `/${id}`, { tier: 3 });
    expect(await service.used(who)).toBe(0);
    await send(who, 'GET', `/${id}`);
    expect(await service.used(who)).toBe(20);
    await send(who, 'PATCH', `/${id}`, { tier: 0 });
    expect(await service.used(who)).toBe(150);
    await send(who, 'PATCH', `/${id}`, { tier: 4 });
    await send(who, 'GET', `/${id}`);
    await send(who, 'PATCH', `/${id}`, { tier: 1 });
    expect(await service.used(who)).toBe(150);
  });

  it('a finer tier returns its cost, and never costs more than x-max-credits', async () => {
    const who = await customer();
    const { id } = (await add(who, { tier: 4 })).body;
    await send(who, 'GET', `/${id}`);
    const raise = (most: string) =>
      service.send(who, 'PATCH', `${PATH}/${id}`, {
        headers: { 'content-type': 'application/json', 'x-max-credits': most },
        payload: JSON.stringify({ tier: 0 }),
      });
    const refused = await raise('139');
    expect(refused.status).toBe(402);
    expect(refused.body).toMatchObject({ credits_required: 140, credits_max: 139 });
    expect(await service.used(who)).toBe(10);
    expect((await send(who, 'GET', '')).body[0].tier).toBe(4);
    const raised = await raise('140');
    expect([raised.status, raised.headers['x-credits-charged']]).toEqual([200, '140']);
    expect(await service.used(who)).toBe(150);
  });

  it('402 when the difference cannot be paid, and nothing is changed', async () => {
    const who = await customer('Free');
    const { id } = (await add(who, { tier: 4 })).body;
    await send(who, 'GET', `/${id}`);
    await service.app.db.query(
      'update balances set used = allocation - 139 where account_id = $1',
      [who.accountId],
    );
    const { status, body } = await send(who, 'PATCH', `/${id}`, { tier: 0 });
    expect(status).toBe(402);
    expect(body).toMatchObject({ credits_required: 140, credits_remaining: 139 });
    expect((await send(who, 'GET', '')).body[0].tier).toBe(4);
  });
});

describe('DELETE', () => {
  it('204, and adding again on the same day does not charge it twice', async () => {
    const who = await customer();
    const code = freshCode();
    const body = { retailer_product_code: code, tier: 2 };
    const first = (await send(who, 'POST', '', body)).body;
    await send(who, 'GET', `/${first.id}`);
    const gone = await send(who, 'DELETE', `/${first.id}`);
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await send(who, 'GET', `/${first.id}`)).status).toBe(404);
    expect((await send(who, 'DELETE', `/${first.id}`)).status).toBe(404);
    expect((await send(who, 'GET', '')).body).toEqual([]);
    const second = (await send(who, 'POST', '', body)).body;
    expect(second.id).not.toBe(first.id);
    await send(who, 'GET', `/${second.id}`);
    expect(await service.used(who)).toBe(35);
  });
});

describe('401', () => {
  it('without a key', async () => {
    for (const method of ['GET', 'POST']) {
      expect((await send(null, method, '', method === 'POST' ? {} : undefined)).status).toBe(401);
    }
  });
});
