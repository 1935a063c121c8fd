// Quiet hours of a webhook: deliveries are held and sent afterwards, tests go out at once.
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { sendTest } from '../../src/webhooks/resend.ts';
import { changeSubscription } from '../../src/webhooks/subscriptions.ts';
import { openSink } from '../support/sink.ts';
import { openWebhooks } from '../support/webhooks.ts';

const it = await openWebhooks();

test('holds deliveries until the quiet hours end, and loses none', async () => {
  const sink = await openSink();
  const [account, other] = [await it.newAccount(), await it.newAccount()];
  it.clock.setMs(Date.parse('2026-11-15T21:30:00Z'));
  const quietHours = { from: '22:00', to: '23:30', timeZone: 'Europe/Berlin' };
  const quiet = await it.register(account, sink.url, { quietHours });
  const loud = await it.register(other, sink.url);
  await it.record(account, 3);
  await it.record(other, 1);
  expect(await it.deliver()).toBe(1);
  expect(await it.log(quiet)).toEqual([]);
  expect(await it.log(loud)).toHaveLength(1);
  // A test goes out although the others are held.
  await it.db.transaction((tx) => sendTest(tx, { subscription: quiet, now: it.clock.nowMs() }));
  expect(await it.deliver()).toBe(1);
  expect((await it.log(quiet)).map(({ kind }) => kind)).toEqual(['webhook.test']);
  it.clock.advanceMs(HOUR_MS);
  expect(await it.deliver()).toBe(3);
  expect(await it.log(quiet)).toHaveLength(4);
});

test('a change of the quiet hours applies to what is held', async () => {
  const sink = await openSink();
  const account = await it.newAccount();
  it.clock.setMs(Date.parse('2026-11-17T12:00:00Z'));
  const quietHours = { from: '11:00', to: '13:00', timeZone: 'UTC' };
  const who = await it.register(account, sink.url, { quietHours });
  await it.record(account, 2);
  expect(await it.deliver()).toBe(0);
  await changeSubscription(it.db, { ...who, quietHours: null, now: it.clock.nowMs() });
  expect(await it.deliver()).toBe(2);
});
