// Conditions of a customer's own, from the rule to `rule.matched`.
import { beforeEach, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { type Customer, startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-11-15T00:00:00Z'));
const service = await startService({ clock, allowPrivateTargets: true });
const { app } = service;
const RULES = '/retailer/oversight/rules';
const PRODUCTS = '/retailer/oversight/products';
const [code, other] = service.products.map((product) => product.code) as [string, string];

let who: Customer;
beforeEach(async () => {
  who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
});
const send = (method: string, path: string, body?: unknown, customer = who) =>
  service.send(customer, method, path, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
const track = async (more: object = {}, customer = who) =>
  (await send('POST', PRODUCTS, { retailer_product_code: code, tier: 0, ...more }, customer)).body;
const addRule = async (body: object, customer = who) => {
  const added = await send('POST', RULES, { name: 'Cheap', ...body }, customer);
  expect(added.status).toBe(201);
  while (await syncPending(app));
  return added.body;
};
type Event = { type: string; data: Record<string, unknown> & { rule: Record<string, unknown> } };
const matched = async (customer = who): Promise<Event[]> => {
  const events: Event[] = (await send('GET', '/retailer/events?limit=1000', undefined, customer))
    .body;
  return events.filter(({ type }) => type === 'rule.matched');
};

/** The product is observed at this price, an hour later. */
async function observe(priceCents: number, unitsInStock = 5, of = code) {
  clock.advanceMs(HOUR_MS);
  const atMs = clock.nowMs();
  const offer = { sellerName: 'Acme', priceCents, shippingCents: 0, unitsInStock };
  const snapshot: Snapshot = {
    code: of,
    observedAtMs: atMs,
    gtins: [],
    offersComplete: true,
    buybox: { priceCents, sellerName: 'Acme' },
    offers: [{ ...offer, lastUpdatedAtMs: atMs }],
  };
  await recordSnapshots(app, [snapshot]);
  while ((await fanOut(app)) > 0);
}

it('emits rule.matched on each edge, to webhooks that named it and in the feed', async () => {
  const tracked = await track({ tags: ['toys'] });
  await track({ retailer_product_code: other });
  const hook = async (events: string[]) => {
    const added = await send('POST', '/retailer/webhooks', {
      url: 'http://127.0.0.1:9999',
      events,
    });
    expect(added.status).toBe(201);
    return added.body;
  };
  const [all, named, both] = [
    await hook(['*']),
    await hook(['rule.matched']),
    await hook(['*', 'rule.matched']),
  ];
  expect(all.events).toEqual(['*']);
  expect(both.events).toHaveLength(16);
  const rule = await addRule({ tags: ['toys'], condition: 'price < 20 && stock > 0' });
  for (const [price, stock] of [
    [2_500, 5],
    [1_900, 5],
    [1_800, 5],
    [1_800, 0],
    [1_700, 3],
  ] as const) {
    await observe(price, stock);
    await observe(price, stock, other);
  }
  const events = await matched();
  expect(events).toHaveLength(2);
  expect(events[0]?.data).toMatchObject({
    oversight_product_id: tracked.id,
    tags: ['toys'],
    rule: { name: 'condition', id: rule.id, condition: 'price < 20 && stock > 0' },
    reason: 'Cheap: price 19, stock 5',
  });
  const sent = async (id: string) =>
    (
      await app.db.query<{ kind: string }>('select kind from deliveries where webhook_id = $1', [
        id,
      ])
    ).filter(({ kind }) => kind === 'rule.matched').length;
  expect(await sent(all.id)).toBe(0);
  expect(await sent(named.id)).toBe(2);
  expect(await sent(both.id)).toBe(2);
});

it('a removed or changed rule stops matching by its old condition', async () => {
  await track();
  const { id } = await addRule({ condition: 'price < 20' });
  await observe(2_500);
  await observe(1_900);
  expect(await matched()).toHaveLength(1);
  await send('PATCH', `${RULES}/${id}`, { condition: 'price < 10' });
  while (await syncPending(app));
  await observe(2_500);
  await observe(1_900);
  expect(await matched()).toHaveLength(1);
  await observe(900);
  expect(await matched()).toHaveLength(2);
  await send('DELETE', `${RULES}/${id}`);
  while (await syncPending(app));
  await observe(2_500);
  await observe(900);
  expect(await matched()).toHaveLength(2);
});

it('a poisoned condition or state affects neither other rules nor other accounts', async () => {
  const sound = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
  for (const customer of [who, sound]) {
    await track({}, customer);
    await addRule({ condition: 'price < 20' }, customer);
  }
  const broken = [{ id: 'x', name: 'x', text: '(((' }];
  await app.db.query(
    `update watchers set conditions = $2::jsonb || conditions, condition_state = '{"at'
      where account_id = $1`,
    [who.accountId, JSON.stringify(broken)],
  );
  await observe(2_500);
  await observe(1_900);
  expect(await matched()).toHaveLength(1);
  expect(await matched(sound)).toHaveLength(1);
  expect(await app.db.query('select from quarantined_items')).toEqual([]);
});

it('a day that cannot be paid is forgotten: its match is not emitted and happens again', async () => {
  await track();
  await addRule({ condition: 'price < 20' });
  await observe(2_500);
  await app.db.query('update balances set used = allocation where account_id = $1', [
    who.accountId,
  ]);
  clock.advanceMs(24 * HOUR_MS);
  await observe(1_900);
  expect(await matched()).toEqual([]);
  const [watcher] = await app.db.query<{ condition_state: string }>(
    'select condition_state from watchers where account_id = $1',
    [who.accountId],
  );
  expect(Object.values(JSON.parse(watcher?.condition_state ?? '').results)).toEqual([
    ['price < 20', false],
  ]);
});

it('the back-test counts matches with the same evaluator, and warns if there were none', async () => {
  const { id } = await track();
  clock.advanceMs(48 * HOUR_MS);
  for (const price of [2_500, 1_900, 2_500, 1_900, 2_500]) await observe(price);
  const tried = async (condition: string) =>
    (await send('POST', `${PRODUCTS}/${id}/backtest`, { condition, days: 1 })).body;
  const cheap = await tried('price < 20');
  expect(cheap.condition).toMatchObject({ matches: 2, warning: null });
  expect(cheap.counts).not.toHaveProperty('rule.matched');
  expect((await tried('price < 2')).condition).toMatchObject({
    matches: 0,
    last_matched_at: null,
    warning: expect.stringContaining('would not have matched'),
  });
  const added = await addRule({ condition: 'price < 2' });
  expect(added.warnings).toMatchObject([{ code: 'condition_never_matched' }]);
  expect((await addRule({ condition: 'price < 20' })).warnings).toEqual([]);
});

it.each([
  ['price <', 'condition_malformed'],
  ['cost < 2', 'condition_name_unknown'],
  ['price < "2"', 'condition_type_invalid'],
  ['price < -1', 'condition_constant'],
  [`price < ${'1'.repeat(600)}`, 'condition_too_complex'],
])('400 for %s', async (condition, error) => {
  const { id } = await track();
  for (const [path, body] of [
    [RULES, { name: 'x', condition }],
    [`${PRODUCTS}/${id}/backtest`, { condition }],
  ] as const) {
    const { status, body: refused } = await send('POST', path, body);
    expect([status, refused.code, refused.field]).toEqual([400, error, 'condition']);
  }
});
