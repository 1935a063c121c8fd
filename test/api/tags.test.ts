// Tags and metadata of tracked products, and what follows from them: filters, rules for many
// products, webhooks limited to tags, and what events carry.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { type Customer, startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
const service = await startService({ clock, allowPrivateTargets: true });
const { app } = service;
const PATH = '/retailer/oversight/products';
const RULES = '/retailer/oversight/rules';
const [first, second, third] = service.products.map(({ code }) => code) as [string, string, string];

let who: Customer;
beforeEach(async () => {
  who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
});
const send = (method: string, path: string, body?: unknown) =>
  service.send(who, method, path, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
const track = async (code: string, more: object = {}) =>
  (await send('POST', PATH, { retailer_product_code: code, tier: 0, ...more })).body;
const listed = async (query: string) =>
  (await send('GET', `${PATH}${query}`)).body.map(
    (row: { retailer_product_code: string }) => row.retailer_product_code,
  );

let cents = 1_000;
/** Every price of these products falls by a tenth. */
async function dropPrices(codes: readonly string[]) {
  clock.advanceMs(HOUR_MS);
  cents = Math.round(cents * 0.9);
  const snapshots = codes.map(
    (code): Snapshot => ({
      code,
      observedAtMs: clock.nowMs(),
      gtins: [],
      offersComplete: false,
      buybox: { priceCents: cents, sellerName: 'Acme' },
    }),
  );
  await recordSnapshots(app, snapshots);
  while ((await fanOut(app)) > 0);
}

describe('tags and metadata', () => {
  it('are returned, kept by other changes, replaced and cleared', async () => {
    const metadata = { sku: 'A-1', bins: [1, { shelf: 'ü' }] };
    const added = await track(first, { tags: ['toys', 'eu:de'], metadata });
    expect(added).toMatchObject({ tags: ['toys', 'eu:de'], metadata });
    const path = `${PATH}/${added.id}`;
    const kept = await send('PATCH', path, { tier: 1 });
    expect(kept.body).toMatchObject({ tags: ['toys', 'eu:de'], metadata });
    const changed = await send('PATCH', path, { tags: ['x'], metadata: { a: 1 } });
    expect(changed.body).toMatchObject({ tags: ['x'], metadata: { a: 1 } });
    const cleared = await send('PATCH', path, { tags: [], metadata: null });
    expect(cleared.body).toMatchObject({ tags: [], metadata: null });
    expect((await send('GET', path)).body).toMatchObject({ tags: [], metadata: null });
  });

  it.each([
    ['too many tags', { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, 'tags'],
    ['a tag twice', { tags: ['a', 'a'] }, 'tags'],
    ['an empty tag', { tags: [''] }, 'tags.0'],
    ['a long tag', { tags: ['a'.repeat(33)] }, 'tags.0'],
    ['a tag with a space', { tags: ['a b'] }, 'tags.0'],
    ['a tag with a comma', { tags: ['a,b'] }, 'tags.0'],
    ['a list as metadata', { metadata: [] }, 'metadata'],
    ['a text as metadata', { metadata: 'x' }, 'metadata'],
    ['large metadata', { metadata: { a: 'ü'.repeat(150) } }, 'metadata'],
  ])('400 for %s', async (_, more, field) => {
    const body = { retailer_product_code: first, ...more };
    const single = await send('POST', PATH, body);
    expect([single.status, single.body.field]).toEqual([400, field]);
    const bulk = await send('POST', `${PATH}/bulk`, { items: [body] });
    expect(bulk.body.results[0].error).toMatchObject({ error: 400, field });
  });

  it('accepts metadata of exactly the limit', async () => {
    const metadata = { a: 'x'.repeat(bounds.metadataBytesMax - '{"a":""}'.length) };
    expect((await track(first, { metadata })).metadata).toEqual(metadata);
  });

  it('filter the list; all tags and all members must match', async () => {
    await track(first, { tags: ['a', 'b'], metadata: { sku: '1', size: { w: 2 } } });
    clock.advanceMs(1_000);
    await track(second, { tags: ['a'], metadata: { sku: '2' } });
    clock.advanceMs(1_000);
    await track(third);
    expect(await listed('?tags=a')).toEqual([second, first]);
    expect(await listed('?tags=b,a')).toEqual([first]);
    expect(await listed('?tags=c')).toEqual([]);
    const metadata = (value: object) => `?metadata=${encodeURIComponent(JSON.stringify(value))}`;
    expect(await listed(metadata({ sku: '2' }))).toEqual([second]);
    expect(await listed(metadata({ size: { w: 2 } }))).toEqual([first]);
    expect(await listed(metadata({ sku: 2 }))).toEqual([]);
    const page = await send('GET', `${PATH}?tags=a&limit=1`);
    expect(page.headers.link).toContain('tags=a');
    expect(await listed(`?${/\?([^>]*)/.exec(String(page.headers.link))?.[1]}`)).toEqual([first]);
  });

  it.each([
    'tags=a%20b',
    'tags=',
    'metadata=x',
    'metadata=[]',
    'metadata=%7B%22a%22%3A%22%5Cu0000%22%7D',
  ])('400 for the filter %s', async (query) => {
    expect((await send('GET', `${PATH}?${query}`)).status).toBe(400);
  });
});

describe('events', () => {
  it('carry tags and metadata, and reach webhooks limited to one of the tags', async () => {
    await track(first, { tags: ['toys', 'slow'], metadata: { sku: 'A-1' } });
    await track(second, { tags: ['books'] });
    const hook = async (tags: string[] | null) => {
      const body = { url: 'http://127.0.0.1:9999', events: ['*'], tags };
      return (await send('POST', '/retailer/webhooks', body)).body;
    };
    const [toys, both, all] = [
      await hook(['toys']),
      await hook(['books', 'slow']),
      await hook(null),
    ];
    expect(toys.tags).toEqual(['toys']);
    await dropPrices([first, second]);
    const events = (await send('GET', '/retailer/events')).body;
    const drops = events.filter(({ type }: { type: string }) => type === 'price.drop');
    const labels = (code: string) =>
      drops.find(
        (event: { data: { retailer_product_code: string } }) =>
          event.data.retailer_product_code === code,
      ).data;
    expect(labels(first)).toMatchObject({ tags: ['toys', 'slow'], metadata: { sku: 'A-1' } });
    expect(labels(second)).toMatchObject({ tags: ['books'], metadata: null });
    const sent = async (id: string) =>
      (
        await app.db.query<{ code: string }>(
          `select distinct e.retailer_product_code as code from deliveries d
             join events e on e.lane = d.lane and e.event_id = d.event_id where d.webhook_id = $1`,
          [id],
        )
      )
        .map(({ code }) => code)
        .sort();
    expect(await sent(toys.id)).toEqual([first]);
    expect(await sent(both.id)).toEqual([first, second].sort());
    expect(await sent(all.id)).toEqual([first, second].sort());
    // Recovery keeps to the tags, too.
    await app.db.query('delete from deliveries where webhook_id = $1', [toys.id]);
    await send('POST', `/retailer/webhooks/${toys.id}/recover`, { since: '2026-11-15T00:00:00Z' });
    expect(await sent(toys.id)).toEqual([first]);
  });
});

describe('rules for many products', () => {
  it('apply by tag, follow changes of tags and rules, and end with their removal', async () => {
    const { id } = await track(first, { tags: ['quiet'] });
    await track(second);
    const drops = async () => {
      await dropPrices([first, second]);
      const events = (await send('GET', '/retailer/events?limit=1000')).body;
      return [first, second].map(
        (code) =>
          events.filter(
            (event: { type: string; data: { retailer_product_code: string } }) =>
              event.type === 'price.drop' && event.data.retailer_product_code === code,
          ).length,
      );
    };
    await drops();
    const baseline = await drops();
    const more = (counts: number[]) =>
      counts.map((count, index) => count - (baseline[index] as number));
    const body = { name: 'Quiet', tags: ['quiet'], rules: { price: { percent: 900 } } };
    const added = await send('POST', RULES, body);
    expect([added.status, added.body]).toMatchObject([201, body]);
    await syncPending(app);
    expect(more(await drops())).toEqual([0, 1]);
    await send('PATCH', `${PATH}/${id}`, { rules: { price: { percent: 1 } } });
    expect(more(await drops())).toEqual([1, 2]);
    await send('PATCH', `${PATH}/${id}`, { rules: null });
    await send('PATCH', `${RULES}/${added.body.id}`, { tags: null });
    await syncPending(app);
    expect(more(await drops())).toEqual([1, 2]);
    expect((await send('DELETE', `${RULES}/${added.body.id}`)).status).toBe(204);
    await syncPending(app);
    expect(more(await drops())).toEqual([2, 3]);
    expect((await send('GET', RULES)).body).toEqual([]);
  });

  it('are refused without parts, with invalid ones, and beyond the limit', async () => {
    const body = { name: 'x', rules: { price: { percent: 2 } } };
    for (const rules of [null, {}, { prices: {} }]) {
      expect((await send('POST', RULES, { ...body, rules })).status).toBe(400);
    }
    for (const tags of [[], ['a b'], 'a']) {
      expect((await send('POST', RULES, { ...body, tags })).status).toBe(400);
    }
    const some = Array.from({ length: bounds.accountRulesMax + 2 }, () =>
      send('POST', RULES, body),
    );
    const statuses = (await Promise.all(some)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(bounds.accountRulesMax);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2);
  });

  it('404 for the rule of another account', async () => {
    const { body } = await send('POST', RULES, { name: 'x', rules: { price: { percent: 2 } } });
    who = await service.newCustomer({ perSecond: 1_000 });
    expect((await send('PATCH', `${RULES}/${body.id}`, { name: 'y' })).status).toBe(404);
    expect((await send('DELETE', `${RULES}/${body.id}`)).status).toBe(404);
  });
});
