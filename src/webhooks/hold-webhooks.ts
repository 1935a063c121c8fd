// Webhooks that a claim sends nothing to: those of closed accounts, and those whose secret is
// unreadable.
import { closedAmong } from '../accounts/accounts.ts';
import type { Transaction } from '../database/database.ts';
import { pausedBy } from './endpoint-health.ts';
import { type DueWebhook, saveHealth, setNextDue } from './health-records.ts';

const SECRET_UNREADABLE =
  'the signing secret of this webhook cannot be decrypted: rotate it to send what is waiting';

/** Nothing can be signed for these webhooks: they pause until their secret is rotated. */
export async function pauseUnreadable(
  tx: Transaction,
  webhooks: readonly DueWebhook[],
  now: number,
) {
  const pause = { pauseCause: 'secret_unreadable', pausedReason: SECRET_UNREADABLE } as const;
  await saveHealth(
    tx,
    webhooks.map((webhook) => pausedBy(webhook, { ...pause, pausedAtMs: now })),
  );
  await setNextDue(
    tx,
    webhooks.map((webhook) => ({ ...webhook, dueAtMs: null })),
    now,
  );
}

/** Nothing is sent for closed accounts; reopening an account makes its webhooks due again. */
export async function withoutClosed(
  tx: Transaction,
  webhooks: readonly DueWebhook[],
  now: number,
): Promise<readonly DueWebhook[]> {
  const closed = await closedAmong(tx, [...new Set(webhooks.map(({ accountId }) => accountId))]);
  if (closed.size === 0) return webhooks;
  const held = webhooks.filter(({ accountId }) => closed.has(accountId));
  await setNextDue(
    tx,
    held.map((key) => ({ ...key, dueAtMs: null })),
    now,
  );
  return webhooks.filter(({ accountId }) => !closed.has(accountId));
}
