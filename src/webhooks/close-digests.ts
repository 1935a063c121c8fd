// Closes digests: the events gathered for a webhook become one delivery.
import type { Transaction } from '../database/database.ts';
import { monthStartMs } from '../database/partitions.ts';
import { readLastRecordedAtMs, readPayloads } from '../events/events.ts';
import { insertDeliveries, readGathered } from './deliveries.ts';
import type { Gathered, NewDelivery, WebhookKey } from './delivery-row.ts';
import { byImportance, DIGEST_KIND, digestBody, LISTED_MAX } from './digest-payload.ts';
import { digestIdOf, isOpen, type OpenDigest, readDigests, saveDigests } from './digests.ts';

/** Digests closed by one claim, each reads a few bodies; the others follow with the next. */
const CLOSED_AT_ONCE = 50;

/**
 * Closes the digests of some webhooks that have ended. Returns when the others end, by webhook id.
 * The webhooks' health rows are locked.
 */
export async function closeEndedDigests(
  tx: Transaction,
  webhooks: readonly WebhookKey[],
  now: number,
): Promise<Map<string, number>> {
  const open = [...(await readDigests(tx, webhooks)).values()].filter(isOpen);
  const ended = open.filter(({ endsAtMs }) => endsAtMs <= now).slice(0, CLOSED_AT_ONCE);
  await closeDigests(tx, ended, { now, dueAtMs: now });
  const closed = new Set<OpenDigest>(ended);
  return new Map(
    open.filter((one) => !closed.has(one)).map((one) => [one.webhookId, one.endsAtMs]),
  );
}

/** Closes the digest of a webhook now, whenever it would end. Its health row is locked. */
export async function closeDigestEarly(
  tx: Transaction,
  key: WebhookKey,
  when: { now: number; dueAtMs: number | null },
): Promise<void> {
  const open = (await readDigests(tx, [key])).get(key.webhookId);
  if (open === undefined || !isOpen(open)) return;
  // A digest has a length, also if it was opened in this millisecond.
  const endsAtMs = Math.min(open.endsAtMs, Math.max(when.now, open.fromMs + 1));
  await closeDigests(tx, [{ ...open, endsAtMs }], when);
}

/**
 * One delivery per digest, held if `dueAtMs` is null. In the same transaction the next digest
 * begins, so that after a crash all or nothing of this has happened.
 */
async function closeDigests(
  tx: Transaction,
  digests: readonly OpenDigest[],
  { now, dueAtMs }: { now: number; dueAtMs: number | null },
): Promise<void> {
  if (digests.length === 0) return;
  const withIds = digests.map((digest) => ({ ...digest, digestId: digestIdOf(digest) }));
  const gathered = Map.groupBy(await readGathered(tx, withIds), ({ digestId }) => digestId);
  const payloads = await readPayloads(tx, [...gathered.values()].flatMap(candidates));
  const lastRecordedAtMs = await readLastRecordedAtMs(tx, [
    ...new Set(digests.map(({ accountId }) => accountId)),
  ]);
  const deliveries = withIds.flatMap((digest): NewDelivery[] => {
    const events = gathered.get(digest.digestId);
    if (events === undefined) return [];
    const { accountId, webhookId, digestId, fromMs, endsAtMs } = digest;
    const payload = digestBody({
      ...digest,
      fromMs,
      toMs: endsAtMs,
      counts: new Map(events.map(({ kind, count }) => [kind, count])),
      bodies: candidates(events).flatMap(({ eventId }) => payloads.get(eventId) ?? []),
      untilMs: lastRecordedAtMs.get(accountId) ?? endsAtMs,
    });
    // After a long stop there may be no partition for the end of the digest.
    const atMs = Math.max(endsAtMs, monthStartMs(now, -1));
    const ids = { accountId, webhookId, deliveryId: digestId, eventId: digestId };
    return [{ ...ids, atMs, kind: DIGEST_KIND, payload, dueAtMs }];
  });
  await insertDeliveries(tx, deliveries);
  await saveDigests(
    tx,
    digests.map((digest) => ({
      ...digest,
      fromMs: digest.endsAtMs,
      endsAtMs: null,
      afterMs: null,
    })),
  );
}

/** Events that may be listed: twice as many as are, among which the largest changes are found. */
const candidates = (events: readonly Gathered[]) =>
  events.toSorted(byImportance).slice(0, 2 * LISTED_MAX);
