// Reads which webhooks are in their quiet hours.
import type { Transaction } from '../database/database.ts';
import type { WebhookKey } from './delivery-row.ts';
import { quietUntilMs } from './quiet-hours.ts';
import { readFilters } from './subscriptions.ts';

/** Webhooks that are in their quiet hours, and until when. */
export async function readQuietUntil(
  tx: Transaction,
  webhooks: readonly WebhookKey[],
  now: number,
): Promise<Map<string, number>> {
  const untilMs = new Map<string, number>();
  for (const [webhookId, { quietHours }] of await readFilters(tx, webhooks)) {
    const endMs = quietHours === null ? null : quietUntilMs(quietHours, now);
    if (endMs !== null) untilMs.set(webhookId, endMs);
  }
  return untilMs;
}
