// One webhook never harms others: unreadable secrets, exhausted counters, hanging endpoints,
// interrupted pauses.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { listQuarantined } from '../../src/background/quarantined-items.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { idFrom, newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { claimDeliveries, LEASE_MS } from '../../src/webhooks/claim-deliveries.ts';
import { createConcurrencyLimiter } from '../../src/webhooks/concurrency-limiter.ts';
import { retryAbandoned } from '../../src/webhooks/finish-attempts.ts';
import { deliverHandler } from '../../src/webhooks/quarantine-delivery.ts';
import { recoverDeliveries, retryDelivery, sendTest } from '../../src/webhooks/resend.ts';
import { resumeFromCause } from '../../src/webhooks/resume-from-cause.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';
import { rotateSecret } from '../../src/webhooks/subscriptions.ts';
import { poison } from '../support/poison.ts';
import { openSink, type Received, type Sink } from '../support/sink.ts';
import {
  openWebhooks,
  type Registered,
  setStatus,
  startRegistered,
  unlimited,
  verify,
  type Webhooks,
} from '../support/webhooks.ts';

const SOON = { timeout: 10_000, interval: 5 };

const countDue = async ({ db }: Webhooks) =>
  (
    await db.query<{ n: number }>('select count(*) as n from deliveries where due_at is not null')
  )[0]?.n;

describe('an unreadable secret', () => {
  it('pauses only its webhook, with a reason that says what to do', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    const other = await openSink();
    const neighbour = await webhooks.newAccount();
    await webhooks.register(neighbour, other.url);
    await webhooks.db.query('update webhooks set secret = $1 where webhook_id = $2', [
      randomBytes(80),
      who.webhookId,
    ]);
    await webhooks.record(accountId, 3);
    await webhooks.record(neighbour, 3);
    await webhooks.deliver();
    expect([sink.received.length, other.received.length]).toEqual([0, 3]);
    expect(await webhooks.show(who)).toMatchObject({
      status: 'Paused',
      pauseCause: 'secret_unreadable',
      pausedReason: expect.stringContaining('rotate it'),
    });
    expect(await countDue(webhooks)).toBe(0);
  });

  it('is repaired by a rotation: waiting and missed deliveries are sent', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    await webhooks.db.query('update webhooks set secret = $1', [randomBytes(80)]);
    await webhooks.record(accountId, 2);
    await webhooks.deliver();
    webhooks.clock.advanceMs(60_000);
    await webhooks.record(accountId, 1);
    const secret = newWebhookSecret();
    await webhooks.db.transaction((tx) =>
      rotateSecret(tx, { ...who, ...webhooks, secret, realNow: realNowMs() }),
    );
    const ended = { cause: 'secret_unreadable', now: webhooks.clock.nowMs() } as const;
    expect(await resumeFromCause(webhooks.db, who, ended)).toBe(true);
    expect(await webhooks.deliver()).toBe(3);
    for (const received of sink.received) verify(secret, received as Received);
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active', pausedReason: null });
    // The unreadable old secret does not sign and does no harm.
    expect(sink.received[0]?.headers['webhook-signature']).not.toContain(' ');
  });
});

describe('the end of a cause', () => {
  it('does not end a pause by the customer', async () => {
    const { webhooks, who } = await startRegistered();
    await setStatus(webhooks, who, 'Paused');
    const ended = { cause: 'secret_unreadable', now: webhooks.clock.nowMs() } as const;
    expect(await resumeFromCause(webhooks.db, who, ended)).toBe(false);
    expect(await webhooks.show(who)).toMatchObject({ status: 'Paused', pauseCause: null });
  });
});

describe('an interrupted pause or resume', () => {
  it('sends only what was made due by hand, and holds the rest', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    await webhooks.record(accountId, 5);
    // The state after a kill between the two parts of a pause.
    await webhooks.db.query(
      `update webhook_health set status = 'Paused', due_at = null, claimable_at = null`,
    );
    const sent = await webhooks.db.transaction((tx) =>
      sendTest(tx, { subscription: who, now: webhooks.clock.nowMs() }),
    );
    expect(await webhooks.deliver()).toBe(1);
    expect(sink.received.map(({ headers }) => headers['webhook-id'])).toEqual([sent.deliveryId]);
    expect(await countDue(webhooks)).toBe(0);
    await setStatus(webhooks, who, 'Active');
    expect(await webhooks.deliver()).toBe(5);
  });
});

describe('the attempt counter of a delivery', () => {
  it('at the limit of its type blocks nobody, and continues', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered(500);
    await webhooks.record(accountId);
    await webhooks.deliver();
    await webhooks.db.query('update deliveries set attempts = 32767, attempts_uncounted = 32766');
    webhooks.clock.advanceMs(10_000);
    const neighbour = await webhooks.newAccount();
    const other = await openSink();
    await webhooks.register(neighbour, other.url);
    await webhooks.record(neighbour);
    expect(await webhooks.deliver()).toBe(2);
    expect([sink.received.length, other.received.length]).toEqual([2, 1]);
    expect((await webhooks.log(who)).map(({ attempt }) => attempt).sort()).toEqual([1, 32_768]);
    // The schedule continues: this was the second attempt that counts.
    webhooks.clock.advanceMs(200_000);
    expect(await webhooks.deliver()).toBe(0);
    webhooks.clock.advanceMs(200_000);
    expect(await webhooks.deliver()).toBe(1);
    expect((await webhooks.log(who))[0]?.attempt).toBe(32_769);
  });
});

describe('a manual send', () => {
  const refused = (problem: unknown) => problem as { kind: string; details: object };
  const retry = (
    webhooks: Webhooks,
    key: { accountId: string; deliveryId: string },
    realNow: number,
  ) =>
    webhooks.db.transaction((tx) =>
      retryDelivery(tx, { ...key, now: webhooks.clock.nowMs(), realNow }),
    );
  const failedOnce = async (webhooks: Webhooks, who: Registered, count: number) => {
    await webhooks.record(who.accountId, count);
    await webhooks.deliver();
    return (await webhooks.log(who)).map(({ deliveryId }) => deliveryId);
  };

  it('of a delivery is allowed 20 times a day, even with concurrent requests', async () => {
    const { webhooks, accountId, who } = await startRegistered(500);
    const [deliveryId = ''] = await failedOnce(webhooks, who, 1);
    const key = { accountId, deliveryId };
    const realNow = realNowMs();
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, () => retry(webhooks, key, realNow)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const later = await retry(webhooks, key, realNow + DAY_MS / 2).catch(refused);
    expect(later).toMatchObject({
      kind: 'rate_limited',
      details: { retry_after_ms: DAY_MS / 2 },
      message: 'A delivery has at most 20 retries by hand a day. Try again in 12 h.',
    });
    // A refusal spends nothing; after a day retries are possible again.
    expect(await retry(webhooks, key, realNow + DAY_MS)).toBe(true);
  });

  it('counts repeated recoveries, while the first recovery of each delivery is free', async () => {
    const { webhooks, accountId, who } = await startRegistered(500);
    const { db, clock } = webhooks;
    await failedOnce(webhooks, who, 600);
    const realNow = realNowMs();
    const recover = (later = 0) =>
      recoverDeliveries(db, {
        ...who,
        since: clock.nowMs() - 1_000,
        now: clock.nowMs(),
        realNow: realNow + later,
      });
    expect(await recover()).toBe(600);
    await webhooks.deliver();
    expect(await recover()).toBe(600);
    await webhooks.deliver();
    expect(await recover(1_000).catch(refused)).toMatchObject({
      kind: 'rate_limited',
      details: { retry_after_ms: 3_599_000 },
    });
    // Deliveries that were never attempted are still sent.
    await webhooks.record(accountId, 1);
    await db.query('update deliveries set due_at = null where attempts = 0');
    expect(await recover(1_000)).toBe(1);
  });

  it('of a test is allowed 60 times an hour', async () => {
    const { webhooks, who } = await startRegistered();
    const now = webhooks.clock.nowMs();
    const realNow = realNowMs();
    const test = (at: number) =>
      webhooks.db.transaction((tx) => sendTest(tx, { subscription: who, now, realNow: at }));
    for (let times = 0; times < 60; times++) await test(realNow);
    expect(await test(realNow + 60_000).catch(refused)).toMatchObject({
      kind: 'rate_limited',
      details: { retry_after_ms: 59 * 60_000 },
    });
    await test(realNow + 3_600_000);
  });
});

describe('a claim', () => {
  it('loses nothing when slots become free while it reads', async () => {
    const { webhooks, accountId, who } = await startRegistered();
    await webhooks.record(accountId, 10);
    const { db, clock, encryptionKeys } = webhooks;
    // As after a response in between: more room when slots are granted than when rows were read.
    let calls = 0;
    const limiter = createConcurrencyLimiter({ inFlightMax: 64, perEndpointMax: 8 });
    const growing = { ...limiter, roomFor: () => (calls++ === 0 ? 2 : 8) };
    const claimed = await claimDeliveries(
      { db, log: createLog('silent') },
      {
        now: clock.nowMs(),
        realNow: realNowMs(),
        token: newId(),
        limit: 20,
        limiter: growing,
        encryptionKeys,
      },
    );
    expect(claimed.length).toBeGreaterThan(0);
    const [row] = await db.query<{ claimable_at: number | null }>(
      'select claimable_at from webhook_health where webhook_id = $1',
      [who.webhookId],
    );
    expect(row?.claimable_at).not.toBeNull();
  });
});

describe('endpoints that hang', () => {
  /**
   * An account with two healthy endpoints, and a deliverer that sends what is recorded for them.
   */
  const openInnocent = async (hanging: Sink) => {
    const webhooks = await openWebhooks();
    const open: ServerResponse[] = [];
    const sink = await openSink((response) => open.push(response));
    const account = await webhooks.newAccount();
    for (let each = 0; each < 2; each++) await webhooks.register(account, sink.url);
    const deliverer = webhooks.newDeliverer({ inFlightMax: 64, perEndpointMax: 8, stopGraceMs: 0 });
    let sent = 0;
    /**
     * Sends `count` events to both endpoints, which respond only once everything that was claimed
     * has reached them. Returns how many requests each round brought: the slots that the account
     * got. Fewer slots are less throughput, and unlike a time they do not depend on what else the
     * machine does.
     */
    const slotsFor = async (count: number) => {
      await webhooks.record(account, count);
      const slots: number[] = [];
      for (const end = sink.received.length + 2 * count; sink.received.length < end; ) {
        for (let claimed = 1; claimed > 0; sent += claimed) claimed = await deliverer.sendSome();
        const arrived = () => expect(sink.received.length + hanging.received.length).toBe(sent);
        await vi.waitFor(arrived, SOON);
        slots.push(open.length);
        for (const response of open.splice(0)) response.writeHead(200).end();
        await vi.waitFor(async () => expect(await leased(webhooks, account)).toBe(0), SOON);
      }
      return slots;
    };
    // Fast from now on: new endpoints share a quarter of all slots.
    await slotsFor(30);
    return { webhooks, deliverer, slotsFor };
  };
  const leased = async ({ db }: Webhooks, account: string) =>
    (
      await db.query<{ n: number }>(
        'select count(*) as n from deliveries where account_id = $1 and lease_until is not null',
        [account],
      )
    )[0]?.n;

  it('of many new accounts leave another account all of its slots', async () => {
    const nobody = await openSink();
    const hanging = await openSink(() => {});
    const alone = await openInnocent(nobody);
    const beside = await openInnocent(hanging);
    for (let accounts = 0; accounts < 26; accounts++) {
      const accountId = await beside.webhooks.newAccount();
      for (let each = 0; each < 5; each++) await beside.webhooks.register(accountId, hanging.url);
      await beside.webhooks.record(accountId, 8);
    }
    const slots = await alone.slotsFor(60);
    expect(Math.max(...slots)).toBe(16);
    expect(await beside.slotsFor(60)).toEqual(slots);
    // They hold slots all the time, but only some.
    expect(hanging.received.length).toBeGreaterThan(8);
    expect(hanging.received.length).toBeLessThanOrEqual(16);
    await Promise.all([alone.deliverer.stop(), beside.deliverer.stop()]);
  });
});

describe('a row that cannot be changed', () => {
  const SILENT = createLog('silent');
  const received = (sinks: readonly Sink[]) => sinks.map((sink) => sink.received.length);
  /** Five accounts, each with one endpoint and two deliveries. */
  const openFive = async () => {
    const webhooks = await openWebhooks();
    const five: { who: Registered; sink: Sink; deliveryId: string }[] = [];
    for (let index = 0; index < 5; index++) {
      const sink = await openSink();
      const who = await webhooks.register(await webhooks.newAccount(), sink.url);
      const [event] = await webhooks.record(who.accountId, 2);
      five.push({ who, sink, deliveryId: idFrom('delivery', who.webhookId, event?.eventId ?? '') });
    }
    const [first, bad, ...more] = five as [(typeof five)[number], (typeof five)[number]];
    return { webhooks, bad, others: [first, ...more], sinks: five.map(({ sink }) => sink) };
  };
  const quarantined = async ({ db }: Webhooks) =>
    (await listQuarantined(db, { limit: 10 })).map(({ loop, item, reason }) => [
      loop,
      item,
      reason,
    ]);

  it.each(['deliveries', 'delivery_attempts'])(
    'of %s when it is claimed is set aside, and all others go out in the same round',
    async (table) => {
      const { webhooks, bad, sinks } = await openFive();
      const cure = await poison(webhooks.db, { table, key: bad.deliveryId });
      const deliverer = webhooks.newDeliverer();
      await deliverer.sendSome();
      await deliverer.settled();
      expect(received(sinks)).toEqual([2, 1, 2, 2, 2]);
      expect(await quarantined(webhooks)).toEqual([
        ['deliver', bad.deliveryId, 'poisoned (code P0001)'],
      ]);
      expect(await deliverer.sendSome()).toBe(0);
      await cure();
      for (const item of await listQuarantined(webhooks.db, { limit: 10 })) {
        await deliverHandler.retry({ ...webhooks, log: SILENT }, item);
      }
      expect(await quarantined(webhooks)).toEqual([]);
      await webhooks.deliver(webhooks.newDeliverer());
      expect(received(sinks)).toEqual([2, 2, 2, 2, 2]);
    },
  );

  it('of a webhook skips that webhook; all others are sent in the same round', async () => {
    const { webhooks, bad, sinks } = await openFive();
    const key = bad.who.webhookId;
    const cure = await poison(webhooks.db, { table: 'webhook_health', key });
    await webhooks.deliver();
    expect(received(sinks)).toEqual([2, 0, 2, 2, 2]);
    expect(await quarantined(webhooks)).toEqual([['deliver', key, 'poisoned (code P0001)']]);
    await cure();
    await webhooks.deliver(webhooks.newDeliverer());
    expect(received(sinks)).toEqual([2, 2, 2, 2, 2]);
  });

  it('is quarantined when its outcome is saved; all other outcomes are saved', async () => {
    const { webhooks, bad, others } = await openFive();
    const key = bad.deliveryId;
    for (const { sink } of others) sink.respond = 200;
    bad.sink.respond = (response, { headers }) =>
      response.writeHead(headers['webhook-id'] === key ? 500 : 200).end();
    const cure = await poison(webhooks.db, { table: 'delivery_attempts', key, on: 'update' });
    await webhooks.deliver();
    const rows = await webhooks.db.query<{ state: string }>('select state from deliveries');
    expect(rows.map(({ state }) => state).sort()).toEqual([
      'failed',
      ...Array(9).fill('succeeded'),
    ]);
    expect(await quarantined(webhooks)).toEqual([['deliver', key, 'poisoned (code P0001)']]);
    await cure();
  });

  it('is quarantined when its attempt was abandoned; all others are retried', async () => {
    const { webhooks, bad } = await openFive();
    const { db, clock } = webhooks;
    const realNow = realNowMs();
    const isolation = { db, log: SILENT };
    await claimDeliveries(isolation, {
      now: clock.nowMs(),
      realNow,
      token: newId(),
      limit: 100,
      limiter: unlimited(),
      encryptionKeys: webhooks.encryptionKeys,
    });
    await poison(db, { table: 'deliveries', key: bad.deliveryId, on: 'update' });
    const late = { now: clock.nowMs(), realNow: realNow + 2 * LEASE_MS, token: null };
    expect(await retryAbandoned(isolation, late)).toBe(9);
    expect(await countDue(webhooks)).toBe(9);
    expect(await quarantined(webhooks)).toMatchObject([
      ['deliver', bad.deliveryId, expect.stringContaining('poisoned')],
    ]);
  });

  it('that stays locked delays no others', async () => {
    const { webhooks, bad, others, sinks } = await openFive();
    const { db } = webhooks;
    const respond = Promise.withResolvers<void>();
    const [sent, locked, letGo] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [
      ...[PromiseWithResolvers<void>, PromiseWithResolvers<void>, PromiseWithResolvers<void>],
    ];
    bad.sink.respond = (response) => {
      sent.resolve();
      void respond.promise.then(() => response.writeHead(200).end());
    };
    const deliverer = webhooks.newDeliverer();
    await deliverer.sendSome();
    await sent.promise;
    const holding = db.transaction(async (tx) => {
      await tx.query('select 1 from webhook_health where webhook_id = $1 for update', [
        bad.who.webhookId,
      ]);
      locked.resolve();
      await letGo.promise;
    });
    await locked.promise;
    respond.resolve();
    for (const { who } of others) await webhooks.record(who.accountId, 1);
    const written = async () =>
      (await db.query(`select 1 from deliveries where state = 'succeeded'`)).length;
    const othersDone = async () => {
      await deliverer.sendSome();
      expect(await written()).toBe(12);
    };
    await vi.waitFor(othersDone, 5_000);
    letGo.resolve();
    await holding;
    await deliverer.settled();
    expect(await written()).toBe(14);
    expect(received(sinks)).toEqual([3, 2, 3, 3, 3]);
  });
});
