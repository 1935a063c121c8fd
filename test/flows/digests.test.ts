// Digests: a webhook that chose them gets one delivery per hour or day that has events, with every
// event in exactly one of them, whatever happens in between.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listQuarantined, type QuarantinedItem } from '../../src/background/quarantined-items.ts';
import type { Database } from '../../src/database/database.ts';
import { listEvents } from '../../src/events/events.ts';
import type { EventKind } from '../../src/events/kind.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/foundation/time.ts';
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts';
import type { Digest } from '../../src/webhooks/digest-period.ts';
import { dropOldEvents } from '../../src/webhooks/drop-old-events.ts';
import { deliverHandler } from '../../src/webhooks/quarantine-delivery.ts';
import { recordEvents } from '../../src/webhooks/record-events.ts';
import { recoverDeliveries, retryDelivery, sendTest } from '../../src/webhooks/resend.ts';
import { changeSubscription, deleteSubscription } from '../../src/webhooks/subscriptions.ts';
import { poison } from '../support/poison.ts';
import { openSink, type Sink } from '../support/sink.ts';
import {
  newEvent,
  openWebhooks,
  type Registered,
  setStatus,
  unlimited,
  verify,
} from '../support/webhooks.ts';

const it = await openWebhooks();
const HOURLY: Digest = { every: 'hour', timeZone: 'UTC' };
const DAILY: Digest = { every: 'day', timeZone: 'Europe/Berlin' };

type Body = { type: string; data: Record<string, unknown> & { events: { type: string }[] } };
const bodies = (sink: Sink): Body[] => sink.received.map(({ body }) => JSON.parse(body));
const counts = (sink: Sink) => bodies(sink).map(({ data }) => data.counts);

/** A webhook with digests at ten in the morning of a day of its own. */
let days = 0;
async function start(digest: Digest | null = HOURLY, status?: number) {
  await it.db.query('delete from webhooks'); // of the tests before
  it.clock.setMs(Date.parse('2026-11-15T10:00:00Z') + ++days * 2 * DAY_MS);
  deliverer = it.newDeliverer();
  const sink = await openSink(status);
  const account = await it.newAccount();
  const who = await it.register(account, sink.url, { digest });
  return { sink, account, who };
}
let deliverer = it.newDeliverer();
const deliver = () => it.deliver(deliverer);
const later = (ms: number) => it.clock.advanceMs(ms);
const change = (who: Registered, digest: Digest | null) =>
  changeSubscription(it.db, { ...who, digest, now: it.clock.nowMs() });

describe('a digest', () => {
  test('is sent once per hour that has events, signed, with the most important ones', async () => {
    const { sink, account, who } = await start();
    later(20 * MINUTE_MS);
    await it.record(account, 3);
    await it.record(account, 1, {
      ...newEvent({ accountId: account }, it.clock.nowMs(), 'stock.out'),
    });
    expect(await deliver()).toBe(0);
    later(39 * MINUTE_MS);
    expect(await deliver()).toBe(0);
    later(MINUTE_MS);
    expect(await deliver()).toBe(1);
    const hour = new Date(it.clock.nowMs() - HOUR_MS).toISOString();
    const [digest] = bodies(sink);
    expect(digest).toMatchObject({
      type: 'events.digest',
      data: {
        from: hour,
        to: new Date(it.clock.nowMs()).toISOString(),
        event_count: 4,
        counts: { 'stock.out': 1, 'price.drop': 3 },
      },
    });
    expect(digest?.data.events.map(({ type }) => type)).toEqual([
      'stock.out',
      'price.drop',
      'price.drop',
      'price.drop',
    ]);
    verify(who.secret, sink.received[0] as (typeof sink.received)[number]);
    expect(await it.log(who)).toMatchObject([{ kind: 'events.digest', outcome: 'success' }]);
    // Nothing happens, and nothing is sent.
    later(5 * HOUR_MS);
    expect(await deliver()).toBe(0);
    await it.record(account, 1);
    later(HOUR_MS);
    expect(await deliver()).toBe(1);
    expect(counts(sink)).toEqual([{ 'stock.out': 1, 'price.drop': 3 }, { 'price.drop': 1 }]);
  });

  test('of a day ends at midnight of its time zone, after the quiet hours', async () => {
    const { sink, account, who } = await start(DAILY);
    const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
    await changeSubscription(it.db, { ...who, quietHours, now: it.clock.nowMs() });
    await it.record(account, 2);
    later(13 * HOUR_MS); // midnight in Berlin
    expect(await deliver()).toBe(0);
    later(7 * HOUR_MS - 1);
    expect(await deliver()).toBe(0);
    later(1);
    expect(await deliver()).toBe(1);
    const midnight = it.clock.nowMs() - 7 * HOUR_MS;
    expect(bodies(sink)[0]?.data).toMatchObject({
      from: new Date(midnight - DAY_MS).toISOString(),
      to: new Date(midnight).toISOString(),
      event_count: 2,
    });
  });

  test('says where to read its events', async () => {
    const { sink, account } = await start();
    await it.record(account, 1); // before the digest is closed
    later(HOUR_MS);
    await deliver();
    const inside = await it.record(account, 2);
    later(HOUR_MS);
    await deliver();
    await it.record(account, 1);
    const url = new URL(bodies(sink)[1]?.data.events_url as string, 'http://service');
    expect(url.pathname).toBe('/retailer/events');
    const at = (name: string) => {
      const text = Buffer.from(url.searchParams.get(name) ?? '', 'base64url').toString();
      const [recordedAtMs, eventId] = JSON.parse(text);
      return { recordedAtMs, eventId };
    };
    const range = { after: at('after'), until: at('until') };
    const listed = await listEvents(it.db, { accountId: account, ...range, limit: 10 });
    expect(listed.map(({ eventId }) => eventId).sort()).toEqual(
      inside.map(({ eventId }) => eventId).sort(),
    );
  });

  test('has the kinds and tags that its webhook wants; others get each event', async () => {
    const { sink, account } = await start();
    const other = await openSink();
    await it.register(account, other.url);
    const stock = await openSink();
    await it.register(account, stock.url, { digest: HOURLY, kinds: ['stock.out'] });
    await it.record(account, 2);
    expect(await deliver()).toBe(2);
    expect(other.received.map(({ body }) => JSON.parse(body).type)).toEqual([
      'price.drop',
      'price.drop',
    ]);
    later(HOUR_MS);
    expect(await deliver()).toBe(1);
    expect([counts(sink), stock.received.length]).toEqual([[{ 'price.drop': 2 }], 0]);
  });

  test('is retried and sent again like every delivery', async () => {
    const { sink, account, who } = await start(HOURLY, 500);
    const [event] = await it.record(account, 1);
    later(HOUR_MS);
    await deliver();
    later(MINUTE_MS);
    await deliver();
    const [attempt] = await it.log(who);
    expect(attempt).toMatchObject({ attempt: 2, outcome: 'failed' });
    const retry = (deliveryId: string) =>
      it.db.transaction((tx) =>
        retryDelivery(tx, { accountId: account, deliveryId, now: it.clock.nowMs() }),
      );
    expect(await retry(attempt?.deliveryId as string)).toBe(true);
    expect(await deliver()).toBe(1);
    expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    // What went out within a digest is not sent by itself.
    const [gathered] = await it.db.query<{ delivery_id: string }>(
      'select delivery_id from deliveries where event_id = $1',
      [event?.eventId],
    );
    expect(await retry(gathered?.delivery_id as string)).toBe(false);
  });
});

describe('a change', () => {
  test('to each event sends what was gathered, and events one by one from then on', async () => {
    const { sink, account, who } = await start();
    await it.record(account, 2);
    later(MINUTE_MS);
    await change(who, null);
    expect(await deliver()).toBe(1);
    await it.record(account, 1);
    expect(await deliver()).toBe(1);
    later(DAY_MS);
    expect(await deliver()).toBe(0);
    expect(bodies(sink).map(({ type }) => type)).toEqual(['events.digest', 'price.drop']);
  });

  test('and back within the hour begins a digest of the rest of the hour', async () => {
    const { sink, account, who } = await start();
    await it.record(account, 2);
    later(MINUTE_MS);
    await change(who, null);
    later(MINUTE_MS);
    await change(who, HOURLY);
    await it.record(account, 1);
    later(58 * MINUTE_MS);
    expect(await deliver()).toBe(2);
    const [first, rest] = bodies(sink).map(({ data }) => data);
    expect([first?.event_count, rest?.event_count, rest?.from]).toEqual([2, 1, first?.to]);
  });

  test('of the period sends what was gathered; the same choice again does not', async () => {
    const { sink, account, who } = await start();
    await it.record(account, 2);
    await change(who, HOURLY);
    expect(await deliver()).toBe(0);
    await change(who, DAILY);
    expect(await deliver()).toBe(1);
    await it.record(account, 1);
    later(HOUR_MS);
    expect(await deliver()).toBe(0);
    later(DAY_MS);
    expect(await deliver()).toBe(1);
    expect(counts(sink)).toEqual([{ 'price.drop': 2 }, { 'price.drop': 1 }]);
  });

  test('to digests leaves what was due before as it is', async () => {
    const { sink, account, who } = await start(null);
    await it.record(account, 1);
    await change(who, HOURLY);
    await it.record(account, 1);
    expect(await deliver()).toBe(1);
    later(HOUR_MS);
    expect(await deliver()).toBe(1);
    expect(bodies(sink).map(({ type }) => type)).toEqual(['price.drop', 'events.digest']);
  });

  test('a paused webhook gets its digest when it is active again, and missed events by recover', async () => {
    const { sink, account, who } = await start();
    await it.record(account, 1);
    const since = it.clock.nowMs();
    await setStatus(it, who, 'Paused');
    later(MINUTE_MS);
    await it.record(account, 3);
    later(2 * HOUR_MS);
    expect(await deliver()).toBe(0);
    await it.db.transaction((tx) => sendTest(tx, { subscription: who, now: it.clock.nowMs() }));
    expect(await deliver()).toBe(1); // a test is no digest, and closes none
    await setStatus(it, who, 'Active');
    expect(await deliver()).toBe(1);
    const recover = () => recoverDeliveries(it.db, { ...who, since, now: it.clock.nowMs() });
    expect(await recover()).toBe(3);
    expect(await recover()).toBe(0);
    expect(await deliver()).toBe(0);
    later(HOUR_MS);
    expect(await deliver()).toBe(1);
    const digests = bodies(sink).filter(({ type }) => type === 'events.digest');
    expect(digests.map(({ data }) => data.counts)).toEqual([
      { 'price.drop': 1 },
      { 'price.drop': 3 },
    ]);
  });

  test('what is recovered while paused is sent when the webhook is active again', async () => {
    const { sink, account, who } = await start();
    const since = it.clock.nowMs();
    await setStatus(it, who, 'Paused');
    await it.record(account, 2);
    const now = it.clock.nowMs();
    expect(await recoverDeliveries(it.db, { ...who, since, now })).toBe(2);
    later(2 * HOUR_MS);
    expect(await deliver()).toBe(0);
    await setStatus(it, who, 'Active');
    expect(await deliver()).toBe(1);
    expect(counts(sink)).toEqual([{ 'price.drop': 2 }]);
  });

  test('recover repeats a digest that was not received, and none that was', async () => {
    const { sink, account, who } = await start(HOURLY, 500);
    const since = it.clock.nowMs();
    await it.record(account, 2);
    later(HOUR_MS);
    await deliver();
    sink.respond = 200;
    const recover = () => recoverDeliveries(it.db, { ...who, since, now: it.clock.nowMs() });
    expect(await recover()).toBe(1);
    expect(await deliver()).toBe(1);
    expect(await recover()).toBe(0);
    expect(counts(sink)).toEqual([{ 'price.drop': 2 }, { 'price.drop': 2 }]);
  });

  test('a removed webhook gets nothing', async () => {
    const { sink, account, who } = await start();
    await it.record(account, 1);
    await deleteSubscription(it.db, who);
    later(HOUR_MS);
    expect(await deliver()).toBe(0);
    expect([
      sink.received.length,
      await it.db.query('select from webhook_digests where webhook_id = $1', [who.webhookId]),
    ]).toEqual([0, []]);
  });
});

test('one webhook whose digest fails does not stop the others, and gets it after a retry', async () => {
  const { sink, account, who } = await start();
  const [other, neighbour] = [await openSink(), await it.newAccount()];
  await it.register(neighbour, other.url, { digest: HOURLY });
  await it.record(account, 2);
  await it.record(neighbour, 1);
  const cure = await poison(it.db, { table: 'webhook_digests', key: who.webhookId, on: 'update' });
  later(HOUR_MS);
  expect(await deliver()).toBe(1);
  expect([sink.received.length, counts(other)]).toEqual([0, [{ 'price.drop': 1 }]]);
  const [item] = await listQuarantined(it.db, { limit: 10 });
  expect(item).toMatchObject({ loop: 'deliver', item: who.webhookId });
  await cure();
  const deps = { db: it.db, clock: it.clock, log: createLog('silent') };
  await deliverHandler.retry(deps, item as QuarantinedItem);
  deliverer = it.newDeliverer(); // another process, which does not hold it off
  expect(await deliver()).toBe(1);
  expect(counts(sink)).toEqual([{ 'price.drop': 2 }]);
});

test('two processes that close a digest at once make one', async () => {
  const { account, who } = await start();
  await it.record(account, 5);
  later(HOUR_MS);
  const claims = await Promise.all([claim(), claim(), claim()]);
  expect(claims.flat().filter(({ webhookId }) => webhookId === who.webhookId)).toHaveLength(1);
});

const claim = (db: Database = it.db) =>
  claimDeliveries(
    { db, log: createLog('silent') },
    {
      now: it.clock.nowMs(),
      realNow: realNowMs(),
      token: newId(),
      limit: 1_000,
      limiter: unlimited(),
      encryptionKeys: it.encryptionKeys,
    },
  );

/** Fails at a statement and at every later one, as if the process were killed there. */
function dyingAt(statement: number): Database {
  let left = statement;
  const spend = () => {
    left -= 1;
    if (left < 0) throw new Error('killed');
  };
  return {
    ...it.db,
    query: async (what, values) => {
      spend();
      return it.db.query(what, values);
    },
    transaction: (work, options) =>
      it.db.transaction(
        (tx) =>
          work({
            ...tx,
            query: async (what, values) => {
              spend();
              return tx.query(what, values);
            },
          }),
        options,
      ),
  };
}

type Step =
  | { act: 'record'; kinds: readonly EventKind[]; diesAt: number }
  | { act: 'claim'; diesAt: number }
  | { act: 'wait'; minutes: number }
  | { act: 'status'; status: 'Active' | 'Paused' }
  | { act: 'choose'; digest: Digest | null; diesAt: number }
  | { act: 'recover' };

const diesAt = fc.integer({ min: 0, max: 15 });
const kind = fc.constantFrom<EventKind>('price.drop', 'stock.out', 'rank.lost');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('record' as const),
      diesAt,
      kinds: fc.array(kind, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('claim' as const), diesAt }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('wait' as const),
      minutes: fc.constantFrom(1, 30, 61, 1_500),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('status' as const),
      status: fc.constantFrom('Active' as const, 'Paused' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('choose' as const),
      digest: fc.constantFrom(HOURLY, DAILY, null),
      diesAt,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ act: 'recover' as const }) },
);

/** Does a step, first in a process that is killed in the middle of it. */
async function take(one: Step, who: Registered, since: number): Promise<number> {
  const now = it.clock.nowMs();
  const twice = async (diesAt: number, work: (db: Database) => Promise<unknown>) => {
    await work(dyingAt(diesAt)).catch(() => {});
    await work(it.db);
  };
  if (one.act === 'wait') later(one.minutes * MINUTE_MS);
  if (one.act === 'status') await setStatus(it, who, one.status);
  if (one.act === 'recover') await recoverDeliveries(it.db, { ...who, since, now });
  if (one.act === 'claim') await twice(one.diesAt, claim);
  if (one.act === 'choose') {
    const change = { ...who, digest: one.digest, now };
    await twice(one.diesAt, (db) => changeSubscription(db, change));
  }
  if (one.act !== 'record') return 0;
  const events = one.kinds.map((name) => newEvent(who, now, name));
  await twice(one.diesAt, (db) => db.transaction((tx) => recordEvents(tx, events)));
  return events.length;
}

test('killed at any moment, every event is in one digest or delivery, and digests do not overlap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const { who } = await start();
      const since = it.clock.nowMs();
      let recorded = 0;
      for (const one of steps) recorded += await take(one, who, since);
      // What was missed while paused is recovered; then everything is claimed.
      await setStatus(it, who, 'Active');
      await recoverDeliveries(it.db, { ...who, since, now: it.clock.nowMs() });
      for (let round = 0; round < 3; round++) {
        while ((await claim()).length > 0);
        later(DAY_MS + HOUR_MS);
      }
      const rows = await it.db.query<{
        payload: string | null;
        digest_id: string | null;
        n: number;
      }>(
        `select d.payload, d.digest_id, (select count(*) from deliveries m where m.digest_id = d.delivery_id) as n
           from deliveries d where d.webhook_id = $1`,
        [who.webhookId],
      );
      const digests = rows.flatMap(({ payload, n }) =>
        payload === null ? [] : [{ ...JSON.parse(payload).data, n }],
      );
      const singles = rows.filter((row) => row.payload === null && row.digest_id === null);
      const inDigests = digests.reduce((sum, { event_count }) => sum + event_count, 0);
      expect(inDigests + singles.length).toBe(recorded);
      for (const { event_count, n } of digests) expect(event_count).toBe(n);
      const periods = digests.toSorted((a, b) => a.from.localeCompare(b.from));
      for (const [index, { to }] of periods.entries()) {
        expect(to <= (periods[index + 1]?.from ?? '9')).toBe(true);
      }
    }),
    { numRuns: 8 },
  );
});

// The last one: it drops the months of the others.
test('a webhook paused for months loses nothing that was gathered', async () => {
  const { sink, account, who } = await start();
  await it.record(account, 2);
  await setStatus(it, who, 'Paused');
  const deps = { db: it.db, log: createLog('silent') };
  for (let month = 0; month < 3; month++) {
    later(30 * DAY_MS);
    await deliver(); // creates partitions
    await dropOldEvents(deps, it.clock.nowMs());
  }
  await setStatus(it, who, 'Active');
  expect(await deliver()).toBe(1);
  expect(counts(sink)).toEqual([{ 'price.drop': 2 }]);
});
