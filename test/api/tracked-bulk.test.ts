// /retailer/oversight/products/bulk: many items per call, each with its own result.
import { describe, expect, it } from 'vitest';
import { bounds } from '../../src/foundation/bounds.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { trackProducts } from '../../src/tracking/track.ts';
import { type Customer, startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
const source = createSimulatedSource({ clock });
const service = await startService({ clock, source });
const { app } = service;
const PATH = '/retailer/oversight/products';
const BULK = `${PATH}/bulk`;

let next = 0;
const freshCode = () => source.productAt(2_000 + next++).code;
const freshItems = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => ({ retailer_product_code: freshCode(), ...more }));
const customer = (plan = 'Starter') => service.newCustomer({ plan, perSecond: 1_000 });
const send = (who: Customer, method: string, path: string, body?: unknown, headers = {}) =>
  service.send(who, method, path, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
type Result = {
  status: number;
  product?: Record<string, unknown>;
  error?: Record<string, unknown>;
};
const add = async (who: Customer, items: unknown[]): Promise<Result[]> => {
  const { status, body, headers } = await send(who, 'POST', BULK, { items });
  expect([status, headers['x-credits-charged']]).toEqual([200, '0']);
  expect(body.results).toHaveLength(items.length);
  return body.results;
};
const statuses = (results: readonly Result[]) => results.map(({ status }) => status);
const codesOf = (results: readonly Result[]) => results.map(({ error }) => error?.code ?? null);
const listed = async (who: Customer): Promise<Record<string, unknown>[]> =>
  (await send(who, 'GET', PATH)).body;
const idsOf = (results: readonly Result[]) => results.map(({ product }) => product?.id as string);
const left = (who: Customer, credits: number) =>
  app.db.query('update balances set used = allocation - $2 where account_id = $1', [
    who.accountId,
    credits,
  ]);

describe('POST', () => {
  it('adds each product as a single call would, in the order of the items', async () => {
    const who = await customer();
    const items = freshItems(3, { tier: 2, rules: { rotation: { count: 5 } } });
    const results = await add(who, items);
    expect(statuses(results)).toEqual([201, 201, 201]);
    expect(results.map(({ product }) => product?.retailer_product_code)).toEqual(
      items.map((item) => item.retailer_product_code),
    );
    const single = await send(who, 'POST', PATH, items[1]);
    expect([single.status, single.body]).toEqual([200, results[1]?.product]);
    expect(await app.db.query('select from watchers where seen_at is not null')).toHaveLength(3);
    expect(
      await app.db.query('select from tracked_products where is_pending and account_id = $1', [
        who.accountId,
      ]),
    ).toEqual([]);
  });

  it('one bad item never fails the others', async () => {
    const who = await customer();
    const [good, same] = freshItems(2);
    const results = await add(who, [
      good,
      null,
      'x',
      {},
      { retailer_product_code: 'abc' },
      { retailer_product_code: '5', tier: 7 },
      { retailer_product_code: '5', seller_name: 'nul\0inside' },
      { retailer_product_code: '5', rules: { prices: {} } },
      { retailer_product_code: '123456' },
      same,
      same,
      { ...same, tier: 1 },
    ]);
    expect(codesOf(results)).toEqual([
      null,
      'invalid_request',
      'invalid_request',
      'parameter_required',
      'product_code_malformed',
      'parameter_invalid',
      'parameter_invalid',
      'rules_invalid',
      'product_not_found',
      null,
      null,
      'tracked_product_tier_conflict',
    ]);
    expect(results[5]?.error).toMatchObject({ error: 400, field: 'tier' });
    expect([results[0], results[9], results[10]].map((one) => one?.status)).toEqual([
      201, 201, 200,
    ]);
    expect(await listed(who)).toHaveLength(2);
  });

  it('repeated, it returns the same products and changes nothing', async () => {
    const who = await customer();
    const items = freshItems(5);
    const first = await add(who, items);
    const again = await add(who, items);
    expect(statuses(again)).toEqual([200, 200, 200, 200, 200]);
    expect(again.map(({ product }) => product)).toEqual(first.map(({ product }) => product));
    expect(await listed(who)).toHaveLength(5);
  });

  it('fills the plan exactly, also with concurrent calls', async () => {
    const who = await customer('Free');
    const calls = await Promise.all([20, 20, 20].map((count) => add(who, freshItems(count))));
    const results = calls.flat();
    expect(results.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = results.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.error).toMatchObject({
      code: 'tracked_product_limit_reached',
      tracked_products_max: 50,
    });
    expect(await listed(who)).toHaveLength(50);
  });

  it('needs as many statements for many products as for few', async () => {
    const who = await customer('Scale');
    const products = Array.from({ length: 400 }, (_, index) => source.productAt(5_000 + index));
    const counted = async (count: number, from: number) => {
      let statements = 0;
      const counting = <T extends { query: unknown }>(connection: T): T => ({
        ...connection,
        query: (...input: unknown[]) => {
          statements++;
          return (connection.query as (...input: unknown[]) => unknown)(...input);
        },
      });
      const db = {
        ...counting(app.db),
        transaction: <T>(work: Parameters<typeof app.db.transaction<T>>[0]) =>
          app.db.transaction<T>((tx) => work(counting(tx))),
      };
      const items = products.slice(from, from + count).map(({ code }) => ({
        code,
        changes: {},
        first: { seenAtMs: clock.nowMs(), state: null },
      }));
      const results = await trackProducts({ ...app, db }, { accountId: who.accountId, items });
      expect(results.every((one) => 'isNew' in one && one.isNew)).toBe(true);
      return statements;
    };
    // Enough products for every lane group.
    expect(await counted(200, 0)).toBe(await counted(50, 200));
  });

  it.each([
    ['no items', { items: [] }],
    ['no list', { items: {} }],
    ['no member', {}],
    ['too many', { items: Array.from({ length: bounds.bulkItemsMax + 1 }, () => ({})) }],
  ])('400 for %s', async (_, body) => {
    const { status, body: error } = await send(await customer(), 'POST', BULK, body);
    expect(status).toBe(400);
    expect(error.field).toBe('items');
  });

  it('413 beyond the size limit, which it names', async () => {
    const items = ['x'.repeat(bounds.bulkBytesMax)];
    const { status, body } = await send(await customer(), 'POST', BULK, { items });
    expect(status).toBe(413);
    expect(body.message).toContain(String(bounds.bulkBytesMax));
  });
});

describe('PATCH', () => {
  it('changes products by id or code; unknown, repeated and malformed ones change nothing', async () => {
    const who = await customer();
    const [a, b] = await add(who, freshItems(2, { rules: { rotation: { count: 5 } } }));
    const code = b?.product?.retailer_product_code;
    const { status, body } = await send(who, 'PATCH', BULK, {
      items: [
        { id: a?.product?.id, tier: 3, rules: { price: { percent: 9 } } },
        { retailer_product_code: code, seller_name: 'Acme' },
        { id: a?.product?.id, tier: 1 },
        { id: '00000000-0000-0000-0000-000000000000', tier: 1 },
        { tier: 1 },
        { id: a?.product?.id, retailer_product_code: code },
      ],
    });
    expect(status).toBe(200);
    expect(codesOf(body.results)).toEqual([
      null,
      null,
      'item_repeated',
      'tracked_product_not_found',
      'product_selector_missing',
      'product_selector_ambiguous',
    ]);
    expect(body.results[0].product).toMatchObject({
      tier: 3,
      rules: { rotation: { count: 5 }, price: { percent: 9 } },
    });
    expect(body.results[1].product).toMatchObject({ tier: 4, seller_name: 'Acme' });
    const watchers = await app.db.query<{ tier: number; seller_name: string }>(
      'select tier, seller_name from watchers where account_id = $1 order by tier',
      [who.accountId],
    );
    expect(watchers).toEqual([
      { tier: 3, seller_name: null },
      { tier: 4, seller_name: 'Acme' },
    ]);
  });

  it('refuses a raise that cannot be paid whole, and pays the others', async () => {
    const who = await customer('Free');
    const ids = idsOf(await add(who, freshItems(3)));
    for (const id of ids) await send(who, 'GET', `${PATH}/${id}`);
    // Each raise from tier 4 to tier 2 costs 25.
    await left(who, 60);
    const items = ids.map((id) => ({ id, tier: 2, seller_name: 'Acme' }));
    const { body, headers } = await send(who, 'PATCH', BULK, { items });
    expect(statuses(body.results)).toEqual([200, 200, 402]);
    expect(body.results[2].error).toMatchObject({ credits_required: 25, credits_remaining: 10 });
    expect(headers['x-credits-charged']).toBe('50');
    expect(headers['x-credits-remaining']).toBe('10');
    const stored = await listed(who);
    expect(stored.find(({ id }) => id === ids[2])).toMatchObject({ tier: 4, seller_name: null });
  });

  it('a product removed meanwhile is not charged, and does not fail the others', async () => {
    const who = await customer();
    const ids = idsOf(await add(who, freshItems(2)));
    for (const id of ids) await send(who, 'GET', `${PATH}/${id}`);
    const before = await service.used(who);
    const items = ids.map((id) => ({ id, tier: 2 }));
    const [removed, changed] = await Promise.all([
      send(who, 'DELETE', `${PATH}/${ids[0]}`),
      send(who, 'PATCH', BULK, { items }),
    ]);
    expect(removed.status).toBe(204);
    const done = changed.body.results.filter(({ status }: Result) => status === 200).length;
    expect(await service.used(who)).toBe(before + done * 25);
    expect(changed.body.results[1].status).toBe(200);
  });
});

describe('POST remove', () => {
  it('removes products by id or code; a repeated call finds none of them', async () => {
    const who = await customer();
    const [a, b, c] = await add(who, freshItems(3));
    const items = [
      { id: String(a?.product?.id).toUpperCase() },
      { retailer_product_code: b?.product?.retailer_product_code },
      { id: 'x' },
      { id: a?.product?.id },
    ];
    const { body } = await send(who, 'POST', `${BULK}/remove`, { items });
    expect(statuses(body.results)).toEqual([204, 204, 404, 400]);
    expect(body.results[1]).toEqual({
      status: 204,
      id: b?.product?.id,
      retailer_product_code: b?.product?.retailer_product_code,
    });
    expect((await listed(who)).map(({ id }) => id)).toEqual([c?.product?.id]);
    expect(
      await app.db.query('select from watchers where account_id = $1', [who.accountId]),
    ).toHaveLength(1);
    const again = await send(who, 'POST', `${BULK}/remove`, { items });
    expect(statuses(again.body.results)).toEqual([404, 404, 404, 404]);
  });

  it('does not reach the products of another account', async () => {
    const [who, other] = [await customer(), await customer()];
    const [a] = await add(who, freshItems(1));
    const items = [{ id: a?.product?.id }];
    const { body } = await send(other, 'POST', `${BULK}/remove`, { items });
    expect(statuses(body.results)).toEqual([404]);
    expect(await listed(who)).toHaveLength(1);
  });
});
