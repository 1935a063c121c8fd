// Applies the schedules that customers chose for their webhooks: quiet hours and digests.
import type { Transaction } from '../database/database.ts';
import { closeEndedDigests } from './close-digests.ts';
import type { WebhookKey } from './delivery-row.ts';
import { quietUntilMs } from './quiet-hours.ts';
import { readFilters } from './subscriptions.ts';

/** By webhook id: until when it is in its quiet hours, and when its digest ends. */
export type Schedules = {
  quietUntil: ReadonlyMap<string, number>;
  digestsEnd: ReadonlyMap<string, number>;
};

/**
 * Digests that have ended become deliveries, which are held while their webhook is paused. The
 * webhooks' health rows are locked.
 */
export async function applySchedules(
  tx: Transaction,
  webhooks: readonly WebhookKey[],
  now: number,
): Promise<Schedules> {
  const filters = await readFilters(tx, webhooks);
  const quietUntil = new Map<string, number>();
  for (const [webhookId, { quietHours }] of filters) {
    const endMs = quietHours === null ? null : quietUntilMs(quietHours, now);
    if (endMs !== null) quietUntil.set(webhookId, endMs);
  }
  const gathering = webhooks.filter(({ webhookId }) => filters.get(webhookId)?.digest);
  return { quietUntil, digestsEnd: await closeEndedDigests(tx, gathering, now) };
}

/** The earliest of some times; null without any. */
export function earliest(times: readonly (number | undefined)[]): number | null {
  const present = times.filter((time) => time !== undefined);
  return present.length === 0 ? null : Math.min(...present);
}
