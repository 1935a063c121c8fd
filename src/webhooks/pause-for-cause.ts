// Pausing registrations for a cause that is not the customer's, and resuming them when the cause has ended: nothing that
// happened in between is lost.
import type { Database } from '../database/database.ts';
import { EVENTS_KEPT_MS } from './events.ts';
import { recoverDeliveries } from './resend.ts';
import { type Pause, type PauseCause, pausedBy } from './standing.ts';
import {
  lockStandings,
  readStandings,
  saveStandings,
  setTurns,
  type WebhookKey,
} from './standings.ts';
import { changeSubscription, holdWhilePaused } from './subscriptions.ts';

/** Nothing is sent to it any more; what the customer has paused stays the customer's pause. */
export async function pauseByService(db: Database, key: WebhookKey, pause: Pause): Promise<void> {
  await db.transaction(async (tx) => {
    const standings = await lockStandings(tx, [key]);
    await saveStandings(
      tx,
      standings.map((standing) => pausedBy(standing, pause)),
    );
    await setTurns(
      tx,
      standings.map((standing) => ({ ...standing, dueAt: null })),
      pause.pausedAt,
    );
  });
  await holdWhilePaused(db, key);
}

/** All registrations of an account. */
export async function pauseAccountWebhooks(
  db: Database,
  accountId: string,
  pause: Pause,
): Promise<void> {
  const standings = await readStandings(db, accountId);
  for (const key of standings.values()) await pauseByService(db, key, pause);
}

/**
 * Active again, if this is what paused it; what waits and what happened meanwhile is due at once. Returns whether it
 * was resumed. Killed in between, it is still paused, and what was recovered is held.
 */
export async function resumeFromCause(
  db: Database,
  key: WebhookKey,
  { cause, now }: { cause: PauseCause; now: number },
): Promise<boolean> {
  const standing = (await readStandings(db, key.accountId)).get(key.webhookId);
  if (standing?.status !== 'Paused' || standing.pauseCause !== cause) return false;
  const since = Math.max(standing.pausedAt ?? 0, now - EVENTS_KEPT_MS);
  await recoverDeliveries(db, { ...key, since, now });
  return (await changeSubscription(db, { ...key, status: 'Active', now })) !== undefined;
}
