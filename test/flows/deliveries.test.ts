// From a recorded event to a customer's endpoint: sending, retries, the last attempt, and the log.

import { describe, expect, it, vi } from 'vitest';
import { isoTime, realNowMs, sleepMs } from '../../src/foundation/clock.ts';
import { idFrom, newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { claimDeliveries, LEASE_MS } from '../../src/webhooks/claim-deliveries.ts';
import type { Deliverer } from '../../src/webhooks/deliver-due.ts';
import { dropOldEvents } from '../../src/webhooks/drop-old-events.ts';
import { retryAbandoned } from '../../src/webhooks/finish-attempts.ts';
import { lockHealth } from '../../src/webhooks/health-records.ts';
import { recordEvents } from '../../src/webhooks/record-events.ts';
import { retryDelivery } from '../../src/webhooks/resend.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';
import { rotateSecret } from '../../src/webhooks/subscriptions.ts';
import { waitingForLocks } from '../support/database.ts';
import { openSink, type Received } from '../support/sink.ts';
import {
  openWebhooks,
  type Registered,
  setStatus,
  startRegistered,
  states,
  unlimited,
  verify,
  type Webhooks,
} from '../support/webhooks.ts';

const silent = createLog('silent');

describe('a delivery', () => {
  it('carries exactly the recorded body, and the standard’s library verifies it', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    const [event] = await webhooks.record(accountId);
    expect(await webhooks.deliver()).toBe(1);
    const [received] = sink.received;
    expect(received?.body).toBe(event?.payload);
    expect(verify(who.secret, received as Received)).toEqual(JSON.parse(event?.payload ?? ''));
    expect(() => verify(newWebhookSecret(), received as Received)).toThrow();
    expect(received?.headers['webhook-id']).toBe(
      idFrom('delivery', who.webhookId, event?.eventId ?? ''),
    );
    expect(await webhooks.log(who)).toEqual([
      expect.objectContaining({
        outcome: 'success',
        status: 200,
        attempt: 1,
        reason: null,
        kind: 'price.drop',
        endpoint: sink.url,
        eventId: event?.eventId,
        atMs: webhooks.clock.nowMs(),
        deliveryId: received?.headers['webhook-id'],
        payloadBytes: Buffer.byteLength(event?.payload ?? ''),
        durationMs: expect.any(Number),
      }),
    ]);
    expect(await webhooks.show(who)).toMatchObject({
      lastDeliveryAtMs: webhooks.clock.nowMs(),
      successRate: 100,
      status: 'Active',
    });
  });

  it('is signed with both secrets for 24 hours after a rotation', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    const secret = newWebhookSecret();
    const realNow = realNowMs();
    await webhooks.db.transaction((tx) =>
      rotateSecret(tx, { ...who, ...webhooks, secret, realNow }),
    );
    await webhooks.record(accountId);
    await webhooks.deliver();
    verify(secret, sink.received[0] as Received);
    verify(who.secret, sink.received[0] as Received);
    const [row] = await webhooks.db.query<{ old_secret_until: number }>(
      'select old_secret_until from webhooks',
    );
    expect(row?.old_secret_until).toBe(realNow + DAY_MS);
    // In real time, whatever the business clock shows.
    await webhooks.db.query('update webhooks set old_secret_until = $1', [isoTime(realNow)]);
    await webhooks.record(accountId);
    await webhooks.deliver();
    verify(secret, sink.received[1] as Received);
    expect(() => verify(who.secret, sink.received[1] as Received)).toThrow();
  });

  it('goes to webhooks that subscribe to its kind, once however often it is recorded', async () => {
    const { webhooks, sink, accountId } = await startRegistered();
    const other = await openSink();
    await webhooks.register(accountId, `${other.url}/stock`, { kinds: ['stock.out'] });
    await webhooks.register(accountId, `${other.url}/price`, { kinds: ['price.drop'] });
    await webhooks.register(await webhooks.newAccount(), `${other.url}/stranger`);
    const events = await webhooks.record(accountId, 3);
    await webhooks.register(accountId, `${other.url}/late`);
    for (let times = 0; times < 3; times++) {
      await webhooks.db.transaction((tx) => recordEvents(tx, [...events, ...events]));
    }
    expect(await webhooks.deliver()).toBe(6);
    expect(sink.received).toHaveLength(3);
    expect(other.received.map(({ path }) => path)).toEqual(Array(3).fill('/hook/price'));
  });

  it.each([
    [200, 'success', null],
    [201, 'success', null],
    [202, 'failed', 'responded with 202; only 200 and 201 count as received'],
    [204, 'failed', 'responded with 204; only 200 and 201 count as received'],
    [302, 'failed', 'responded with 302; redirects are not followed'],
    [500, 'failed', 'responded with 500'],
  ])('with status %i is a %s', async (status, outcome, reason) => {
    const { webhooks, accountId, who } = await startRegistered(status);
    await webhooks.record(accountId);
    await webhooks.deliver();
    expect(await webhooks.log(who)).toMatchObject([{ outcome, reason, status }]);
    expect(await states(webhooks)).toEqual([outcome === 'success' ? 'succeeded' : 'pending']);
  });
});

describe('a failed delivery', () => {
  it('is attempted eight times by the schedule, with one webhook-id, then ended', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered(500);
    const { clock } = webhooks;
    const begun = clock.nowMs();
    await webhooks.record(accountId);
    await webhooks.deliver();
    const steps = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (const [index, seconds] of steps.entries()) {
      clock.advanceMs(seconds * 790);
      expect(await webhooks.deliver()).toBe(0);
      clock.advanceMs(seconds * 420);
      expect(await webhooks.deliver()).toBe(1);
      expect(sink.received).toHaveLength(index + 2);
    }
    clock.advanceMs(30 * HOUR_MS);
    expect(await webhooks.deliver()).toBe(0);
    expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const log = await webhooks.log(who);
    expect(log.map(({ attempt }) => attempt)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(log.at(-1)?.atMs).toBe(begun);
    expect(await states(webhooks)).toEqual(['failed']);
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active', successRate: 0 });
  });

  it('waits for Retry-After, at most twice the step', async () => {
    const { webhooks, sink, accountId } = await startRegistered((response) =>
      response.writeHead(503, { 'retry-after': '9' }).end(),
    );
    await webhooks.record(accountId);
    await webhooks.deliver();
    webhooks.clock.advanceMs(8_999);
    expect(await webhooks.deliver()).toBe(0);
    webhooks.clock.advanceMs(1);
    expect(await webhooks.deliver()).toBe(1);
    expect(sink.received).toHaveLength(2);
  });

  it('can be retried by hand, even after it failed or was received', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    await webhooks.record(accountId);
    await webhooks.deliver();
    const [first] = await webhooks.log(who);
    const retry = (deliveryId: string, account = accountId) =>
      webhooks.db.transaction((tx) =>
        retryDelivery(tx, { accountId: account, deliveryId, now: webhooks.clock.nowMs() }),
      );
    expect(await retry(first?.deliveryId ?? '')).toBe(true);
    sink.respond = 500;
    expect(await webhooks.deliver()).toBe(1);
    webhooks.clock.advanceMs(30 * HOUR_MS);
    expect(await webhooks.deliver()).toBe(0); // one attempt, not eight
    expect(await states(webhooks)).toEqual(['succeeded']);
    expect((await webhooks.log(who)).map(({ attempt }) => attempt)).toEqual([2, 1]);
    expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await retry(newId())).toBe(false);
    expect(await retry(first?.deliveryId ?? '', await webhooks.newAccount())).toBe(false);
  });
});

const WARM = 8;
/** Lets endpoints respond until they have their full allowance. */
async function warmUp(webhooks: Webhooks, deliverer: Deliverer, accountIds: readonly string[]) {
  for (const accountId of accountIds) await webhooks.record(accountId, WARM);
  await webhooks.deliver(deliverer);
}

describe('many at once', () => {
  it('a hanging and a failing endpoint do not delay the others', async () => {
    const { webhooks, sink, accountId } = await startRegistered();
    const hanging = await openSink(() => {});
    const failing = await openSink(500);
    await webhooks.register(await webhooks.newAccount(), hanging.url);
    await webhooks.register(accountId, hanging.url);
    await webhooks.register(accountId, failing.url);
    await webhooks.record(accountId, 200);
    const deliverer = webhooks.newDeliverer({ inFlightMax: 24, perEndpointMax: 8, stopGraceMs: 0 });
    // Rounds continue while hanging requests hold their slots: nothing waits for a whole batch.
    for (let round = 0; sink.received.length < 200 && round < 500; round++) {
      await deliverer.sendSome();
      await deliverer.slotsFree(AbortSignal.timeout(100));
    }
    expect(sink.received).toHaveLength(200);
    expect(failing.received.length).toBeGreaterThan(100);
    // A new endpoint has two slots until it responds.
    expect(hanging.received.length).toBeLessThanOrEqual(2);
    await deliverer.stop();
    expect(await webhooks.log((await all(webhooks, hanging.url))[0] as Registered)).toMatchObject(
      Array(2).fill({ outcome: 'failed', reason: 'outcome unknown (service restarted)' }),
    );
  });

  it('a long backlog of one does not delay the few of another', async () => {
    const { webhooks, sink, accountId } = await startRegistered();
    const small = await openSink();
    const other = await webhooks.newAccount();
    await webhooks.register(other, small.url);
    const deliverer = webhooks.newDeliverer({ inFlightMax: 10, perEndpointMax: 10 });
    await warmUp(webhooks, deliverer, [accountId, other]);
    await webhooks.record(accountId, 300);
    webhooks.clock.advanceMs(1_000);
    await webhooks.record(other, 4);
    const before = sink.received.length;
    await deliverer.sendSome();
    await deliverer.settled();
    expect(small.received).toHaveLength(WARM + 4);
    // With several lane groups, the next claim also uses slots that responses freed meanwhile.
    const most = webhooks.db.groups.count() === 1 ? 4 : 6;
    expect(sink.received.length - before).toBeGreaterThanOrEqual(4);
    expect(sink.received.length - before).toBeLessThanOrEqual(most);
  });

  it('two deliverers send each once', async () => {
    const { webhooks, sink, accountId } = await startRegistered();
    const two = await openSink();
    await webhooks.register(accountId, two.url);
    await webhooks.record(accountId, 150);
    const limits = { inFlightMax: 20, perEndpointMax: 7 };
    await Promise.all(
      Array.from({ length: 3 }, () => webhooks.deliver(webhooks.newDeliverer(limits))),
    );
    await webhooks.deliver();
    for (const { received } of [sink, two]) {
      expect(received).toHaveLength(150);
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(150);
    }
  });
});

describe('a database that is behind', () => {
  it('slows the sending, and does not block the process', async () => {
    const { webhooks, sink, accountId } = await startRegistered();
    const { db } = webhooks;
    const deliverer = webhooks.newDeliverer({ inFlightMax: 10, perEndpointMax: 10 });
    const accounts = [accountId];
    for (let more = 0; more < 5; more++) {
      const other = await webhooks.newAccount();
      await webhooks.register(other, sink.url);
      accounts.push(other);
    }
    await warmUp(webhooks, deliverer, accounts);
    const before = sink.received.length;
    for (const account of accounts) await webhooks.record(account, 5);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    // The last statement of saving an outcome is blocked.
    const slow = db.transaction(async (tx) => {
      await tx.query('lock table webhook_days in exclusive mode');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    let sent = 0;
    for (let some = await deliverer.sendSome(); some > 0; some = await deliverer.sendSome()) {
      sent += some;
      await vi.waitFor(() => expect(sink.received.length - before).toBe(sent));
      await deliverer.slotsFree(AbortSignal.timeout(1_000));
    }
    // Twice as many as may be in flight, then no more.
    expect(sent).toBeGreaterThanOrEqual(10);
    expect(sent).toBeLessThanOrEqual(20);
    let rounds = 0;
    for (const ended = AbortSignal.timeout(300); rounds < 1_000 && !ended.aborted; rounds++) {
      expect(await deliverer.sendSome()).toBe(0);
      await Promise.race([deliverer.slotsFree(ended), sleepMs(50)]);
    }
    expect(rounds).toBeLessThan(50);
    held.resolve();
    await slow;
    await deliverer.settled();
    await webhooks.deliver();
    expect(sink.received).toHaveLength(before + 30);
  });
});

describe('a webhook whose outcomes are being saved', () => {
  it('is skipped, and claimed again as soon as they are saved', async () => {
    const { webhooks, sink, accountId } = await startRegistered();
    const deliverer = webhooks.newDeliverer({ perEndpointMax: 1 });
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const slow = webhooks.db.transaction(async (tx) => {
      await tx.query('lock table webhook_days in exclusive mode');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    await webhooks.record(accountId, 2);
    expect(await deliverer.sendSome()).toBe(1);
    await vi.waitFor(async () => expect(await waitingForLocks(webhooks.db)).toBe(1));
    expect(await deliverer.sendSome()).toBe(0);
    const ended = AbortSignal.timeout(5_000);
    const again = deliverer.slotsFree(ended);
    held.resolve();
    await slow;
    await again;
    expect(ended.aborted).toBe(false);
    expect(await deliverer.sendSome()).toBe(1);
    await deliverer.settled();
    expect(sink.received).toHaveLength(2);
  });
});

describe('a restart', () => {
  it('between claim and outcome repeats the attempt after its lease, and logs that', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    const { db, clock } = webhooks;
    await webhooks.record(accountId);
    const realNow = realNowMs() - LEASE_MS;
    const dead = await claimDeliveries(
      { db, log: createLog('silent') },
      {
        now: clock.nowMs(),
        token: newId(),
        limit: 10,
        limiter: unlimited(),
        realNow,
        encryptionKeys: webhooks.encryptionKeys,
      },
    );
    expect(dead).toHaveLength(1);
    expect(await webhooks.log(who)).toMatchObject([{ outcome: 'pending', reason: null }]);
    const lost = (at: number) =>
      retryAbandoned(
        { db, log: createLog('silent') },
        { now: clock.nowMs(), realNow: at, token: null },
      );
    expect(await lost(realNow + LEASE_MS - 1)).toBe(0);
    expect(await webhooks.deliver()).toBe(0);
    expect(await lost(realNow + LEASE_MS + 1)).toBe(1);
    expect(await webhooks.deliver()).toBe(1);
    expect(sink.received).toHaveLength(1);
    expect(await webhooks.log(who)).toMatchObject([
      { outcome: 'success', attempt: 2 },
      {
        outcome: 'failed',
        attempt: 1,
        reason: 'outcome unknown (service restarted)',
        status: null,
      },
    ]);
  });
});

describe('data older than a month', () => {
  it('is dropped whole, except waiting deliveries and their payloads', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered(500);
    const { db, clock } = webhooks;
    const [waiting] = await webhooks.record(accountId);
    await webhooks.deliver();
    await setStatus(webhooks, who, 'Paused');
    const other = await webhooks.register(accountId, (await openSink()).url);
    await webhooks.record(accountId, 5);
    await webhooks.deliver();
    clock.setMs(Date.parse('2026-12-30T00:00:00Z'));
    expect(await dropOldEvents({ db, log: silent }, clock.nowMs())).toEqual([
      'deliveries_2026_10',
      'events_2026_10',
      'delivery_attempts_2026_10',
    ]);
    clock.setMs(Date.parse('2027-01-02T00:00:00Z'));
    expect(await dropOldEvents({ db, log: silent }, clock.nowMs())).toContain('events_2026_11');
    expect(await webhooks.log(other)).toEqual([]);
    expect(await states(webhooks)).toEqual(['pending']);
    sink.respond = 200;
    await setStatus(webhooks, who, 'Active');
    expect(await webhooks.deliver()).toBe(1);
    expect(sink.received.at(-1)?.body).toBe(waiting?.payload);
    expect(await states(webhooks)).toEqual(['succeeded']);
  });

  it('stays while a waiting delivery cannot be moved because its webhook is locked', async () => {
    const { webhooks, accountId, who } = await startRegistered(500);
    const { db, clock } = webhooks;
    await webhooks.record(accountId);
    await setStatus(webhooks, who, 'Paused');
    clock.setMs(Date.parse('2027-01-02T00:00:00Z'));
    const drop = () => dropOldEvents({ db, log: silent }, clock.nowMs());
    await db.background.transaction(async (tx) => {
      await lockHealth(tx, [who]);
      await expect(drop()).rejects.toThrow('database is busy');
    });
    expect(await states(webhooks)).toEqual(['pending']);
    expect(await drop()).toEqual(expect.arrayContaining(['deliveries_2026_11', 'events_2026_11']));
    expect(await states(webhooks)).toEqual(['pending']);
  });
});

describe('a claim', () => {
  it('of several lane groups takes no more than the slots, and the rest comes next', async () => {
    const webhooks = await openWebhooks();
    const { db, clock, encryptionKeys } = webhooks;
    const sink = await openSink();
    for (let n = 0; n < 12; n++) {
      const accountId = await webhooks.newAccount();
      await webhooks.register(accountId, sink.url);
      await webhooks.record(accountId);
    }
    const begun: string[] = [];
    const claim = (limit: number) =>
      claimDeliveries(
        { db, log: silent },
        {
          now: clock.nowMs(),
          realNow: realNowMs(),
          token: newId(),
          limit,
          limiter: unlimited(),
          encryptionKeys,
          begin: ({ deliveryId }) => begun.push(deliveryId),
        },
      );
    const claimed = [];
    for (let left = 12; left > 0; ) {
      const part = await claim(5);
      expect(part.length).toBeGreaterThan(0);
      expect(part.length).toBeLessThanOrEqual(5);
      claimed.push(...part);
      left -= part.length;
    }
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual(begun);
    expect(new Set(begun).size).toBe(12);
  });
});

const all = ({ db }: Webhooks, url: string) =>
  db
    .query<{ account_id: string; webhook_id: string }>(
      `select w.account_id, w.webhook_id from webhooks w where w.url = $1
        order by (select count(*) from deliveries d where d.webhook_id = w.webhook_id) desc`,
      [url],
    )
    .then((rows) =>
      rows.map((row) => ({ accountId: row.account_id, webhookId: row.webhook_id, secret: '' })),
    );
