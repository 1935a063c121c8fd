// `ttl` of a tracked product: tracking ends by itself, and nothing is charged afterwards.
import { expect, it } from 'vitest';
import { collectDue } from '../../src/collection/collect-due.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { endTracked } from '../../src/tracking/end-tracked.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
const service = await startService({ clock });
const { app } = service;
const PATH = '/retailer/oversight/products';
const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
const send = (method: string, path: string, body?: unknown) =>
  service.send(who, method, path, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
const [first, second, third] = service.products.map(({ code }) => code) as [string, string, string];
const track = async (code: string, ttl?: number | null) =>
  (await send('POST', PATH, { retailer_product_code: code, tier: 0, ttl })).body;
const collect = async (hours: number) => {
  for (let hour = 0; hour < hours; hour++) {
    clock.advanceMs(HOUR_MS);
    await collectDue(app, { isTracked: true });
    while ((await fanOut(app)) > 0);
  }
};

it('ends at its time even if the loop comes late: not served, charged or shown', async () => {
  const ending = await track(first, 3);
  expect(ending.ends_at).toBe('2026-11-15T13:00:00.000Z');
  const staying = await track(second);
  expect(staying.ends_at).toBeNull();
  await collect(2);
  expect((await send('GET', `${PATH}/${ending.id}`)).status).toBe(200);
  const charged = await service.used(who);
  // The loop does not run for a day.
  await collect(24);
  expect(await service.used(who)).toBe(charged + 150);
  expect((await send('GET', `${PATH}/${ending.id}`)).status).toBe(404);
  await endTracked(app);
  const listed = (await send('GET', PATH)).body.map(({ id }: { id: string }) => id);
  expect(listed).toEqual([staying.id]);
  const watchers = await app.db.query<{ code: string }>(
    'select retailer_product_code as code from watchers where account_id = $1',
    [who.accountId],
  );
  expect(watchers).toEqual([{ code: second }]);
});

it('is counted from the change, cleared by null, and kept by other changes', async () => {
  const { id } = await track(third, 1);
  const path = `${PATH}/${id}`;
  const later = new Date(clock.nowMs() + 5 * HOUR_MS).toISOString();
  expect((await send('PATCH', path, { ttl: 5 })).body.ends_at).toBe(later);
  expect((await send('PATCH', path, { tier: 1 })).body.ends_at).toBe(later);
  const bulk = await send('PATCH', `${PATH}/bulk`, { items: [{ id, ttl: null }] });
  expect(bulk.body.results[0].product.ends_at).toBeNull();
  clock.advanceMs(10 * HOUR_MS);
  await endTracked(app);
  expect((await send('GET', path)).status).toBe(200);
});

it.each([0, -1, 1.5, '3', 87_601])('400 for the time to live %j', async (ttl) => {
  const { status, body } = await send('POST', PATH, { retailer_product_code: first, ttl });
  expect([status, body.field]).toEqual([400, 'ttl']);
});
