// Records events together with their deliveries, in one transaction.
import type { Transaction } from '../database/database.ts';
import { insertEvents, type NewEvent } from '../events/events.ts';
import { idFrom } from '../foundation/id.ts';
import { insertDeliveries } from './deliveries.ts';
import { lockActive, wake } from './health-records.ts';
import { wants } from './subscription-filter.ts';
import { readFilters } from './subscriptions.ts';

/**
 * Records events and, for each new one, a delivery to every active webhook that wants
 * it. Recording the same event again changes nothing, even if webhooks were added since. The
 * partitions of the events' months must exist.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const newEvents = await insertEvents(tx, events);
  if (newEvents.length === 0) return;
  const active = await lockActive(tx, [...new Set(newEvents.map(({ accountId }) => accountId))]);
  if (active.length === 0) return;
  const filters = await readFilters(tx, active);
  const deliveries = active.flatMap(({ accountId, webhookId }) => {
    const filter = filters.get(webhookId);
    return newEvents
      .filter((event) => event.accountId === accountId)
      .filter((event) => filter !== undefined && wants(filter, event))
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

/** An observation may be dated a few minutes ahead; its deliveries are due when it is recorded. */
const dueAtMsOf = ({ atMs, recordedAtMs = atMs }: NewEvent) => Math.min(atMs, recordedAtMs);

/** The id is derived: an event always has the same delivery to a webhook. */
export function deliveryOf({ accountId, eventId, atMs, kind }: NewEvent, webhookId: string) {
  const deliveryId = idFrom('delivery', webhookId, eventId);
  return { accountId, webhookId, deliveryId, eventId, atMs, kind, payload: null };
}
