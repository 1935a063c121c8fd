// Recording the events of what observations left for accounts, under the accounts' locks.
import type { Transaction } from '../database/database.ts';
import { monthStartMs } from '../database/partitions.ts';
import type { ChangeNotice } from '../events/change-notice.ts';
import type { DetectedEvent } from '../events/detected-event.ts';
import { EVENTS_KEPT_MS, type NewEvent, readLastRecordedAtMs } from '../events/events.ts';
import { valueUnit } from '../events/kind.ts';
import { placedIdFrom } from '../foundation/id.ts';
import type { OutboxRow } from '../tracking/outbox-row.ts';
import { type PayloadThreshold, type PayloadValue, payloadBody } from './payload.ts';
import { recordEvents } from './record-events.ts';

/**
 * What was observed longer ago than events are kept is told to nobody: its month may have no partition, and one such
 * row would stop everything behind it.
 */
export async function recordNotifications(
  tx: Transaction,
  rows: readonly OutboxRow[],
  now: number,
): Promise<void> {
  const oldestAtMs = Math.max(now - EVENTS_KEPT_MS, monthStartMs(now, -1));
  const recent = rows.filter(({ atMs, body }) => body !== null && atMs >= oldestAtMs);
  if (recent.length === 0) return;
  const lastRecordedAtMs = await readLastRecordedAtMs(tx, [
    ...new Set(recent.map(({ accountId }) => accountId)),
  ]);
  const looks = new Map<string, number>();
  const events = recent.flatMap((row) => {
    const told = row.body as ChangeNotice;
    // They come in the order of time: of several looks at a product each is recorded after the one before.
    const look = looks.get(row.trackedId) ?? 0;
    looks.set(row.trackedId, look + 1);
    // Later than whatever was recorded before, also by a machine whose clock is ahead: who reads on misses nothing.
    const recordedAtMs = Math.max(now, (lastRecordedAtMs.get(row.accountId) ?? 0) + 1) + look;
    return told.events.map((event, index) => ({
      ...newEvent(row, told, { event, index }),
      recordedAtMs,
    }));
  });
  if (events.length > 0) await recordEvents(tx, events);
}

/** The same row always makes the same event. */
function newEvent(
  row: OutboxRow,
  told: ChangeNotice,
  { event, index }: { event: DetectedEvent; index: number },
): NewEvent {
  const { accountId, trackedId, code, atMs, tier } = row;
  const { kind } = event;
  // In a list by time, what one look tells keeps its order.
  const eventId = placedIdFrom(
    index,
    'event',
    accountId,
    trackedId,
    String(atMs),
    String(index),
    kind,
  );
  const seen = ({ value, observedAt }: DetectedEvent['before']) => ({
    value: payloadValue(kind, value),
    observedAtMs: observedAt,
  });
  const payload = payloadBody({
    ...{ type: kind, atMs, eventId, oversightProductId: trackedId, code, tier },
    productName: told.productName,
    before: seen(event.before),
    after: seen(event.after),
    rule: { name: event.rule.name, threshold: event.rule.threshold as PayloadThreshold },
    reason: event.reason,
    sellerName: event.sellerName,
    ...{
      buybox: told.buybox,
      unitsInStock: told.unitsInStock,
      rank: told.rank,
      offers: told.offers,
    },
  });
  return { eventId, accountId, atMs, kind, trackedId, code, payload };
}

function payloadValue(kind: DetectedEvent['kind'], value: number | string | null): PayloadValue {
  return valueUnit(kind) === 'cents' && typeof value === 'number' ? { cents: value } : value;
}
