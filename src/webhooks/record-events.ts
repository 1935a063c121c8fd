// Records events together with their deliveries, in one transaction.
import type { Transaction } from '../database/database.ts';
import { insertEvents, type NewEvent } from '../events/events.ts';
import { idFrom } from '../foundation/id.ts';
import { insertDeliveries } from './deliveries.ts';
import { lockActive, wake } from './health-records.ts';
import { readKinds } from './subscriptions.ts';

/**
 * Records events and, with each that is new, a delivery for every active registration that wants its kind. The same
 * again changes nothing, also when registrations were added meanwhile. The months' partitions must be there.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const fresh = await insertEvents(tx, events);
  if (fresh.length === 0) return;
  const active = await lockActive(tx, [...new Set(fresh.map(({ accountId }) => accountId))]);
  if (active.length === 0) return;
  const kinds = await readKinds(tx, active);
  const deliveries = active.flatMap(({ accountId, webhookId }) => {
    const wanted = kinds.get(webhookId);
    return fresh
      .filter((event) => event.accountId === accountId)
      .filter(({ kind }) => wanted === null || wanted?.includes(kind))
      .map((event) => ({ ...deliveryOf(event, webhookId), dueAtMs: dueAtMsOf(event) }));
  });
  await insertDeliveries(tx, deliveries);
  const byWebhook = Map.groupBy(deliveries, ({ webhookId }) => webhookId);
  await wake(
    tx,
    active.flatMap((key) => {
      const times = byWebhook.get(key.webhookId)?.map(({ dueAtMs }) => dueAtMs);
      return times === undefined ? [] : [{ ...key, dueAtMs: Math.min(...times) }];
    }),
  );
}

/** An observation may be dated a few minutes ahead; what it tells is due when it is here. */
const dueAtMsOf = ({ atMs, recordedAtMs = atMs }: NewEvent) => Math.min(atMs, recordedAtMs);

/** The same event has the same delivery to a registration, whenever it is made. */
export function deliveryOf({ accountId, eventId, atMs, kind }: NewEvent, webhookId: string) {
  const deliveryId = idFrom('delivery', webhookId, eventId);
  return { accountId, webhookId, deliveryId, eventId, atMs, kind, payload: null };
}
