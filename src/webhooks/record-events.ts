// Records events together with their deliveries, in one transaction.
import type { Transaction } from '../database/database.ts';
import { insertEvents, type NewEvent } from '../events/events.ts';
import { insertDeliveries } from './deliveries.ts';
import { deliveryOf } from './delivery-row.ts';
import { gatherEvents } from './gather-events.ts';
import { lockActive, type WebhookKey, wake } from './health-records.ts';
import { type SubscriptionFilter, wants } from './subscription-filter.ts';
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
  const byWebhook = active.flatMap((key): WantedEvents[] => {
    const filter = filters.get(key.webhookId);
    if (filter === undefined) return [];
    const ofWebhook = newEvents.filter(
      (event) => event.accountId === key.accountId && wants(filter, event),
    );
    return ofWebhook.length === 0 ? [] : [{ ...key, filter, events: ofWebhook }];
  });
  await gatherEvents(
    tx,
    byWebhook.flatMap(({ filter: { digest }, ...gathering }) =>
      digest === null
        ? []
        : [{ ...gathering, digest, atMs: Math.max(...gathering.events.map(recordedAtMsOf)) }],
    ),
  );
  await addDeliveries(
    tx,
    byWebhook.filter(({ filter }) => filter.digest === null),
  );
}

type WantedEvents = WebhookKey & { filter: SubscriptionFilter; events: readonly NewEvent[] };

async function addDeliveries(tx: Transaction, byWebhook: readonly WantedEvents[]): Promise<void> {
  const deliveries = byWebhook.flatMap(({ webhookId, events }) =>
    events.map((event) => ({ ...deliveryOf(event, webhookId), dueAtMs: dueAtMsOf(event) })),
  );
  await insertDeliveries(tx, deliveries);
  await wake(
    tx,
    byWebhook.map((key) => ({ ...key, dueAtMs: Math.min(...key.events.map(dueAtMsOf)) })),
  );
}

const recordedAtMsOf = ({ atMs, recordedAtMs = atMs }: NewEvent) => recordedAtMs;

/** An observation may be dated a few minutes ahead; its deliveries are due when it is recorded. */
const dueAtMsOf = ({ atMs, recordedAtMs = atMs }: NewEvent) => Math.min(atMs, recordedAtMs);
