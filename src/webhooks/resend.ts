// Sending because somebody asks for it: one delivery again, all that was missed, or a test.
import type { Database, Transaction } from '../database/database.ts';
import { newId } from '../foundation/id.ts';
import { findDelivery, insertDeliveries, makeDueNow } from './deliveries.ts';
import { deliveryOf, type EventPosition, listEvents } from './events.ts';
import { testPayloadBody } from './payload.ts';
import { ATTEMPTS_MAX } from './retry-schedule.ts';
import { lockStandings, type WebhookKey, wake } from './standings.ts';
import { readKinds } from './subscriptions.ts';

export const TEST_KIND = 'webhook.test';

const EVENTS_AT_ONCE = 1_000;

/** A new attempt at once, with the same webhook-id; false: there is no such delivery, or nobody to receive it. */
export async function retryDelivery(
  tx: Transaction,
  input: { accountId: string; deliveryId: string; now: number },
): Promise<boolean> {
  const key = await findDelivery(tx, input);
  if (key === undefined || (await lockStandings(tx, [key])).length === 0) return false;
  await makeDueNow(tx, { ...input, attemptsMax: ATTEMPTS_MAX });
  await wake(tx, [{ ...key, dueAt: input.now }]);
  return true;
}

/**
 * Sends what the registration wants of the events since then and has not received, whether it was tried or not;
 * while it is paused, as soon as it is active again. Answers how many deliveries that are.
 */
export async function recoverDeliveries(
  db: Database,
  input: WebhookKey & { since: number; now: number },
): Promise<number> {
  let count = 0;
  // Just before the first that may belong to it.
  let after: EventPosition | null = {
    recordedAt: input.since - 1,
    eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  };
  // A transaction for each part: while it runs nobody can add or finish deliveries of this registration, and fan-out,
  // which waits for it, holds the balances of others.
  while (after !== null) {
    const from: EventPosition = after;
    const part = await db.transaction((tx) => recoverSome(tx, input, from));
    count += part.count;
    after = part.after;
  }
  return count;
}

async function recoverSome(
  tx: Transaction,
  { accountId, webhookId, now }: WebhookKey & { now: number },
  after: EventPosition,
): Promise<{ count: number; after: EventPosition | null }> {
  const [standing] = await lockStandings(tx, [{ accountId, webhookId }]);
  if (standing === undefined) return { count: 0, after: null };
  const kinds = (await readKinds(tx, [{ accountId, webhookId }])).get(webhookId) ?? null;
  const dueAt = standing.status === 'Active' ? now : null;
  const events = await listEvents(tx, { accountId, after, limit: EVENTS_AT_ONCE, kinds });
  const last = events.at(-1);
  if (last === undefined) return { count: 0, after: null };
  const missed = events.map((event) => ({ ...deliveryOf(event, webhookId), dueAt }));
  const count = await insertDeliveries(tx, missed, { repeats: true });
  if (count > 0 && dueAt !== null) await wake(tx, [{ accountId, webhookId, dueAt }]);
  const lastAt = last.recordedAt ?? last.at;
  // What is recorded from now on is delivered anyway.
  const isDone = events.length < EVENTS_AT_ONCE || lastAt > now;
  return { count, after: isDone ? null : { recordedAt: lastAt, eventId: last.eventId } };
}

/** A delivery without an event, also to a registration that is paused: to see whether it works before resuming. */
export async function sendTest(
  tx: Transaction,
  { subscription, now }: { subscription: WebhookKey; now: number },
): Promise<{ deliveryId: string; eventId: string }> {
  const { accountId, webhookId } = subscription;
  const [deliveryId, eventId] = [newId(), newId()];
  await lockStandings(tx, [subscription]);
  const payload = testPayloadBody({ eventId, at: now });
  await insertDeliveries(tx, [
    { accountId, webhookId, deliveryId, eventId, at: now, kind: TEST_KIND, payload, dueAt: now },
  ]);
  await wake(tx, [{ accountId, webhookId, dueAt: now }]);
  return { deliveryId, eventId };
}
