// When events are recorded, due and listed, whatever the times of their observations are.
import { expect, test } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { EVENT_KINDS } from '../../src/events/kind.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { type Customer, startService } from '../support/service.ts';
import { track } from '../support/tracking.ts';

const START = Date.parse('2026-11-15T00:00:00Z');

const clock = manualClock(START);
const service = await startService({ clock, allowPrivateTargets: true });

const [first, second] = service.products.map(({ code }) => code) as [string, string];

async function watching(code: string): Promise<Customer> {
  const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
  await track(service, who, { retailer_product_code: code, tier: 0 });
  return who;
}

/** Everything about the product is different. */
const changed = (code: string, observedAtMs: number): Snapshot => ({
  code,
  observedAtMs,
  gtins: [],
  offersComplete: true,
  buybox: { priceCents: 101 + (observedAtMs % 97), sellerName: `Holder ${observedAtMs}` },
  offers: ['A', 'B', 'C'].map((name) => ({
    sellerName: `${name} ${observedAtMs}`,
    priceCents: 100,
    shippingCents: 0,
    unitsInStock: 1,
    lastUpdatedAtMs: observedAtMs,
  })),
  rank: { position: 1, category: 'Kettles' },
});

const feed = async (who: Customer, query = '') =>
  (await service.send(who, 'GET', `/retailer/events${query}`)).body as {
    id: string;
    type: string;
    timestamp: string;
  }[];

test('events of one observation are listed in the order of the kinds', async () => {
  const who = await watching(first);
  clock.advanceMs(HOUR_MS);
  await recordSnapshots(service.app, [changed(first, clock.nowMs())]);
  await fanOut(service.app);
  const kinds = (await feed(who)).map(({ type }) => EVENT_KINDS.indexOf(type as never));
  expect(kinds.length).toBeGreaterThan(4);
  expect(kinds).toEqual(kinds.toSorted((a, b) => a - b));
});

test('changes older than the retention of events give none, and block no others', async () => {
  const old = await watching(first);
  const who = await watching(second);
  // Nothing was observed for a hundred days; then two observations of that time arrive.
  clock.advanceMs(100 * DAY_MS);
  const lateAt = clock.nowMs() - 70 * DAY_MS;
  await recordSnapshots(service.app, [changed(first, lateAt)]);
  await recordSnapshots(service.app, [changed(second, clock.nowMs())]);
  while ((await fanOut(service.app)) > 0);
  expect(await feed(old)).toEqual([]);
  expect((await feed(who)).length).toBeGreaterThan(0);
});

test('an observation dated ahead is notified at once', async () => {
  const who = await watching(first);
  const registered = await service.send(who, 'POST', '/retailer/webhooks', {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ url: 'http://127.0.0.1:9999', events: ['*'] }),
  });
  expect(registered.status).toBe(201);
  clock.advanceMs(HOUR_MS);
  await recordSnapshots(service.app, [changed(first, clock.nowMs() + 240_000)]);
  await fanOut(service.app);
  const due = await service.app.db.query<{ due_at: number }>(
    'select distinct due_at from deliveries where account_id = $1',
    [who.accountId],
  );
  expect(due).toEqual([{ due_at: clock.nowMs() }]);
});

test('an event recorded by a clock that is behind still follows those before', async () => {
  const who = await watching(second);
  clock.advanceMs(HOUR_MS);
  await recordSnapshots(service.app, [changed(second, clock.nowMs())]);
  await fanOut(service.app);
  const read = await feed(who);
  clock.advanceMs(HOUR_MS);
  await recordSnapshots(service.app, [changed(second, clock.nowMs())]);
  const behind = { ...clock, nowMs: () => clock.nowMs() - 2 * HOUR_MS };
  await fanOut({ ...service.app, clock: behind });
  const all = await feed(who);
  expect(all.slice(0, read.length)).toEqual(read);
  expect(all.length).toBeGreaterThan(read.length);
});

test('several observations of one call are listed in their order', async () => {
  const who = await watching(first);
  const from = clock.nowMs();
  clock.advanceMs(9 * HOUR_MS);
  const observations = Array.from({ length: 8 }, (_, index) =>
    changed(first, from + (index + 1) * HOUR_MS),
  );
  await recordSnapshots(service.app, observations);
  while ((await fanOut(service.app)) > 0);
  const times = (await feed(who)).map(({ timestamp }) => timestamp);
  expect(new Set(times).size).toBe(8);
  expect(times).toEqual(times.toSorted());
});
