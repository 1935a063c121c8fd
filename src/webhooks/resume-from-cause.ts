// Resuming a registration that the service has paused, when the cause has ended: nothing that happened in between is
// lost.
import type { Database } from '../database/database.ts';
import { EVENTS_KEPT_MS } from '../events/events.ts';
import type { PauseCause } from './endpoint-health.ts';
import { readCollectionStatuses, type WebhookKey } from './health-records.ts';
import { recoverDeliveries } from './resend.ts';
import { changeSubscription } from './subscriptions.ts';

/**
 * Active again, if this is what paused it; what waits and what happened meanwhile is due at once. Returns whether it
 * was resumed. Killed in between, it is still paused, and what was recovered is held.
 */
export async function resumeFromCause(
  db: Database,
  key: WebhookKey,
  { cause, now }: { cause: PauseCause; now: number },
): Promise<boolean> {
  const health = (await readCollectionStatuses(db, key.accountId)).get(key.webhookId);
  if (health?.status !== 'Paused' || health.pauseCause !== cause) return false;
  const since = Math.max(health.pausedAtMs ?? 0, now - EVENTS_KEPT_MS);
  await recoverDeliveries(db, { ...key, since, now });
  return (await changeSubscription(db, { ...key, status: 'Active', now })) !== undefined;
}
