// Webhooks that are paused, resumed, recovered, tested and removed, by the customer or the service.
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { newId } from '../../src/foundation/id.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { PART } from '../../src/webhooks/deliveries.ts';
import { recoverDeliveries, sendTest } from '../../src/webhooks/resend.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';
import {
  changeSubscription,
  deleteSubscription,
  insertSubscription,
} from '../../src/webhooks/subscriptions.ts';
import type { Received } from '../support/sink.ts';
import { openWebhooks, setStatus, startRegistered, states, verify } from '../support/webhooks.ts';

describe('a webhook', () => {
  it('is paused by 410, keeps waiting deliveries, and sends them when active again', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered(410);
    await webhooks.record(accountId);
    await webhooks.deliver();
    expect(await webhooks.show(who)).toMatchObject({
      status: 'Paused',
      pausedReason: 'the endpoint responded with 410: it is gone',
    });
    webhooks.clock.advanceMs(DAY_MS);
    expect(await webhooks.deliver()).toBe(0);
    sink.respond = 200;
    expect(await setStatus(webhooks, who, 'Active')).toMatchObject({ pausedReason: null });
    expect(await webhooks.deliver()).toBe(1);
    expect(await states(webhooks)).toEqual(['succeeded']);
  });

  it('is paused after five days without success in at least ten attempts, not before', async () => {
    const { webhooks, accountId, who } = await startRegistered(500);
    await webhooks.record(accountId, 4);
    for (let hour = 0; hour < 24 * 5 - 1; hour++) {
      await webhooks.deliver();
      webhooks.clock.advanceMs(HOUR_MS);
    }
    expect(await webhooks.log(who)).toHaveLength(32);
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active' });
    webhooks.clock.advanceMs(HOUR_MS);
    await webhooks.record(accountId, 2);
    await webhooks.deliver();
    expect(await webhooks.show(who)).toMatchObject({
      status: 'Paused',
      pausedReason: expect.stringMatching(/^nothing was received for 5 days, in 3\d attempts$/),
    });
  });

  it('stays active with few attempts in five days, and after a success', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered(500);
    await webhooks.record(accountId);
    await webhooks.deliver();
    webhooks.clock.advanceMs(6 * DAY_MS);
    await webhooks.deliver();
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active' });
    sink.respond = 200;
    await webhooks.record(accountId);
    await webhooks.deliver();
    sink.respond = 500;
    await webhooks.record(accountId, 20);
    await webhooks.deliver();
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active' });
  });

  it('gets nothing while paused; recover then sends what it missed', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    const since = webhooks.clock.nowMs();
    await webhooks.record(accountId, 2);
    await webhooks.deliver();
    await setStatus(webhooks, who, 'Paused');
    webhooks.clock.advanceMs(HOUR_MS);
    await webhooks.record(accountId, 3);
    expect(await webhooks.deliver()).toBe(0);
    await setStatus(webhooks, who, 'Active');
    expect(await webhooks.deliver()).toBe(0);
    const recover = () =>
      recoverDeliveries(webhooks.db, { ...who, since, now: webhooks.clock.nowMs() });
    expect(await recover()).toBe(3);
    expect(await webhooks.deliver()).toBe(3);
    expect(sink.received).toHaveLength(5);
    expect(await recover()).toBe(0);
    expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
  });

  it('sends everything if resumed before the pause has held all deliveries', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    await webhooks.record(accountId, 5);
    const now = webhooks.clock.nowMs();
    let transactions = 0;
    const slow: Database = {
      ...webhooks.db,
      async transaction(work) {
        // The first pauses, the second holds waiting deliveries.
        if (++transactions === 2) await setStatus(webhooks, who, 'Active');
        return webhooks.db.transaction(work);
      },
    };
    await changeSubscription(slow, { ...who, status: 'Paused', now });
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active' });
    expect(await webhooks.deliver()).toBe(5);
    expect(sink.received).toHaveLength(5);
  });

  it('with many waiting deliveries is changed in parts without losing any', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered();
    const since = webhooks.clock.nowMs();
    const many = 2 * PART + 10;
    await webhooks.record(accountId, many);
    await setStatus(webhooks, who, 'Paused');
    expect(await webhooks.deliver()).toBe(0);
    await setStatus(webhooks, who, 'Active');
    const waiting = () =>
      webhooks.db.query(`select from deliveries where state = 'pending' and due_at is not null`);
    expect(await waiting()).toHaveLength(many);
    await webhooks.db.query('delete from deliveries');
    expect(
      await recoverDeliveries(webhooks.db, { ...who, since, now: webhooks.clock.nowMs() }),
    ).toBe(many);
    expect(await waiting()).toHaveLength(many);
    expect(await deleteSubscription(webhooks.db, who)).toBe(true);
    expect(new Set(await states(webhooks))).toEqual(new Set(['failed']));
    expect(sink.received).toEqual([]);
  });

  it('gets nothing after it is removed', async () => {
    const { webhooks, sink, accountId, who } = await startRegistered(500);
    await webhooks.record(accountId, 3);
    await webhooks.deliver();
    await webhooks.record(accountId, 3);
    const remove = () => deleteSubscription(webhooks.db, who);
    expect(await remove()).toBe(true);
    webhooks.clock.advanceMs(DAY_MS);
    expect(await webhooks.deliver()).toBe(0);
    expect(sink.received).toHaveLength(3);
    expect(new Set(await states(webhooks))).toEqual(new Set(['failed']));
    expect(await remove()).toBe(false);
  });

  it('can be tested, even while paused, and the test is in the log', async () => {
    const { webhooks, sink, who } = await startRegistered();
    await setStatus(webhooks, who, 'Paused');
    const sent = await webhooks.db.transaction((tx) =>
      sendTest(tx, { subscription: who, now: webhooks.clock.nowMs() }),
    );
    expect(await webhooks.deliver()).toBe(1);
    const body = verify(who.secret, sink.received[0] as Received);
    expect(body).toMatchObject({ type: 'webhook.test', data: { event_id: sent.eventId } });
    expect(await webhooks.log(who)).toMatchObject([{ ...sent, kind: 'webhook.test' }]);
  });

  it('has a secret that is encrypted in the database', async () => {
    const { webhooks, who } = await startRegistered();
    const [row] = await webhooks.db.query<{ secret: Buffer }>('select secret from webhooks');
    const [everything] = await webhooks.db.query<{ text: string }>(
      'select w::text as text from webhooks w',
    );
    const bytes = Buffer.from(who.secret.slice('whsec_'.length), 'base64');
    expect(row?.secret.includes(bytes)).toBe(false);
    expect(row?.secret.includes(Buffer.from(who.secret))).toBe(false);
    expect(everything?.text).not.toContain(who.secret.slice(6, 20));
    // Bound to its webhook: copied to another it cannot be decrypted.
    const other = await webhooks.register(who.accountId, 'http://127.0.0.1:9/');
    await webhooks.db.query('update webhooks set secret = $1', [row?.secret]);
    await webhooks.record(who.accountId);
    await webhooks.deliver();
    expect(await webhooks.show(other)).toMatchObject({ pauseCause: 'secret_unreadable' });
    expect(await webhooks.show(who)).toMatchObject({ status: 'Active', successRate: 100 });
  });

  it('is one of at most twenty, even with concurrent requests', async () => {
    const webhooks = await openWebhooks();
    const accountId = await webhooks.newAccount();
    const add = () =>
      webhooks.db.transaction((tx) =>
        insertSubscription(tx, {
          accountId,
          webhookId: newId(),
          name: 'One',
          url: 'https://example.com/',
          kinds: null,
          secret: newWebhookSecret(),
          now: webhooks.clock.nowMs(),
          encryptionKeys: webhooks.encryptionKeys,
        }),
      );
    const added = await Promise.allSettled(Array.from({ length: 30 }, add));
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(add()).rejects.toMatchObject({ kind: 'conflict' });
  });
});
