// Applies the schedules that customers chose for their webhooks: quiet hours and digests.
import type { Transaction } from '../database/database.ts';
import { closeEndedDigests } from './close-digests.ts';
import type { HealthRecord } from './health-records.ts';
import { quietUntilMs } from './quiet-hours.ts';
import { readFilters } from './subscriptions.ts';

/** By webhook id: until when it is in its quiet hours, and when its digest ends. */
export type Schedules = {
  quietUntil: ReadonlyMap<string, number>;
  digestsEnd: ReadonlyMap<string, number>;
};

/** Digests that have ended become deliveries. The webhooks' health rows are locked. */
export async function applySchedules(
  tx: Transaction,
  webhooks: readonly HealthRecord[],
  now: number,
): Promise<Schedules> {
  const filters = await readFilters(tx, webhooks);
  const quietUntil = new Map<string, number>();
  for (const [webhookId, { quietHours }] of filters) {
    const endMs = quietHours === null ? null : quietUntilMs(quietHours, now);
    if (endMs !== null) quietUntil.set(webhookId, endMs);
  }
  // A paused webhook gets its digests when it is active again.
  const gathering = webhooks.filter(
    ({ webhookId, status }) =>
      status === 'Active' && (filters.get(webhookId)?.digest ?? null) !== null,
  );
  return { quietUntil, digestsEnd: await closeEndedDigests(tx, gathering, now) };
}

/** The earliest of some times; null without any. */
export function earliest(times: readonly (number | undefined)[]): number | null {
  const present = times.filter((time) => time !== undefined);
  return present.length === 0 ? null : Math.min(...present);
}
