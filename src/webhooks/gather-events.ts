// Gathers events for the digests of webhooks, instead of a delivery for each.
import type { Transaction } from '../database/database.ts';
import type { NewEvent } from '../events/events.ts';
import { insertDeliveries } from './deliveries.ts';
import { deliveryOf, type WebhookKey } from './delivery-row.ts';
import type { Digest } from './digest-period.ts';
import { digestFor, digestIdOf, readDigests, saveDigests } from './digests.ts';
import { wake } from './health-records.ts';

export type Gathering = WebhookKey & {
  digest: Digest;
  events: readonly NewEvent[];
  /** Opens a digest of this hour or day if none is open. */
  atMs: number;
  /** The digest waits until the webhook is active again. */
  isPaused?: boolean;
};

/**
 * Adds events to the webhooks' digests; returns how many were added. An event that was already
 * delivered or gathered stays where it is, by its delivery's key. The health rows are locked.
 */
export async function gatherEvents(
  tx: Transaction,
  gatherings: readonly Gathering[],
): Promise<number> {
  if (gatherings.length === 0) return 0;
  const before = await readDigests(tx, gatherings);
  const planned = gatherings.map(({ accountId, webhookId, ...gathering }) => {
    const input = { ...gathering, gathering: before.get(webhookId) };
    const open = digestFor({ accountId, webhookId }, input);
    const digestId = digestIdOf(open);
    const deliveries = gathering.events.map((event) => ({
      ...deliveryOf(event, webhookId),
      recordedAtMs: event.recordedAtMs ?? event.atMs,
      dueAtMs: null,
      digestId,
    }));
    return { ...gathering, open, deliveries };
  });
  const added = await insertDeliveries(
    tx,
    planned.flatMap(({ deliveries }) => deliveries),
  );
  const grown = planned.flatMap(({ open, deliveries, isPaused = false }) => {
    const times = deliveries
      .filter(({ deliveryId }) => added.has(deliveryId))
      .map(({ recordedAtMs }) => recordedAtMs);
    if (times.length === 0) return [];
    const afterMs = times.reduce((least, time) => Math.min(least, time - 1), Infinity);
    const afterBeforeMs = before.get(open.webhookId)?.afterMs ?? afterMs;
    return [{ ...open, afterMs: Math.min(afterMs, afterBeforeMs), isPaused }];
  });
  await saveDigests(
    tx,
    grown.filter(({ webhookId, afterMs }) => before.get(webhookId)?.afterMs !== afterMs),
  );
  const active = grown.filter(({ isPaused }) => !isPaused);
  await wake(
    tx,
    active.map((open) => ({ ...open, dueAtMs: open.endsAtMs })),
  );
  return added.size;
}
