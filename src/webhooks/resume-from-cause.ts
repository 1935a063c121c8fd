// Resumes a webhook that the service paused once the cause has ended, without losing events.
import type { Database } from '../database/database.ts';
import { EVENTS_KEPT_MS } from '../events/events.ts';
import type { PauseCause } from './endpoint-health.ts';
import { readHealthOf, type WebhookKey } from './health-records.ts';
import { recoverDeliveries } from './resend.ts';
import { changeSubscription } from './subscriptions.ts';

/**
 * Activates the webhook if this cause paused it; waiting and missed deliveries become due. Returns
 * whether it was resumed. After a crash in between it is still paused and recovered deliveries are
 * held.
 */
export async function resumeFromCause(
  db: Database,
  key: WebhookKey,
  { cause, now }: { cause: PauseCause; now: number },
): Promise<boolean> {
  const health = (await readHealthOf(db, key.accountId)).get(key.webhookId);
  if (health?.status !== 'Paused' || health.pauseCause !== cause) return false;
  const since = Math.max(health.pausedAtMs ?? 0, now - EVENTS_KEPT_MS);
  await recoverDeliveries(db, { ...key, since, now });
  return (await changeSubscription(db, { ...key, status: 'Active', now })) !== undefined;
}
