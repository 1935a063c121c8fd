// Turns change notices from the outbox into recorded events, under the accounts' locks.
import type { Transaction } from '../database/database.ts';
import { monthStartMs } from '../database/partitions.ts';
import type { ChangeNotice } from '../events/change-notice.ts';
import type { DetectedEvent } from '../events/detected-event.ts';
import { EVENTS_KEPT_MS, type NewEvent, readLastRecordedAtMs } from '../events/events.ts';
import { valueUnit } from '../events/kind.ts';
import { placedIdFrom } from '../foundation/id.ts';
import type { OutboxRow } from '../tracking/outbox-row.ts';
import { readLabels, type TrackedLabels } from '../tracking/tracked-products.ts';
import { type PayloadThreshold, type PayloadValue, payloadBody } from './payload.ts';
import { recordEvents } from './record-events.ts';

/**
 * Skips changes older than the retention of events: their month may have no partition, and one such
 * row would block every row behind it.
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
  const labels = await readLabels(tx, recent);
  const indexByProduct = new Map<string, number>();
  const events = recent.flatMap((row) => {
    const notice = row.body as ChangeNotice;
    // Rows ascend by time: of several observations of a product each is recorded after the one
    // before.
    const index = indexByProduct.get(row.trackedId) ?? 0;
    indexByProduct.set(row.trackedId, index + 1);
    // Later than anything recorded before, even by a machine whose clock is ahead, so that a reader
    // who continues from a cursor misses nothing.
    const recordedAtMs = Math.max(now, (lastRecordedAtMs.get(row.accountId) ?? 0) + 1) + index;
    return notice.events.map((event, eventIndex) => ({
      ...newEvent(row, notice, { event, eventIndex, ...labels.get(row.trackedId) }),
      recordedAtMs,
    }));
  });
  if (events.length > 0) await recordEvents(tx, events);
}

/** The same row always gives the same event ids. */
function newEvent(
  row: OutboxRow,
  notice: ChangeNotice,
  {
    event,
    eventIndex,
    tags = [],
    metadata = null,
  }: { event: DetectedEvent; eventIndex: number } & Partial<TrackedLabels>,
): NewEvent {
  const { accountId, trackedId, code, atMs, tier } = row;
  const { kind } = event;
  // Keeps the order of one observation's events in a list by time.
  const eventId = placedIdFrom(
    eventIndex,
    'event',
    accountId,
    trackedId,
    String(atMs),
    String(eventIndex),
    kind,
  );
  const inPayload = ({ value, observedAt }: DetectedEvent['before']) => ({
    value: payloadValue(kind, value),
    observedAtMs: observedAt,
  });
  const payload = payloadBody({
    type: kind,
    atMs,
    eventId,
    oversightProductId: trackedId,
    code,
    tier,
    tags,
    metadata,
    productName: notice.productName,
    before: inPayload(event.before),
    after: inPayload(event.after),
    rule: { ...event.rule, threshold: event.rule.threshold as PayloadThreshold },
    reason: event.reason,
    sellerName: event.sellerName,
    buybox: notice.buybox,
    unitsInStock: notice.unitsInStock,
    rank: notice.rank,
    offers: notice.offers,
  });
  const explanation = notice.explanation && JSON.stringify(notice.explanation);
  return { eventId, accountId, atMs, kind, trackedId, code, payload, explanation };
}

function payloadValue(kind: DetectedEvent['kind'], value: number | string | null): PayloadValue {
  return valueUnit(kind) === 'cents' && typeof value === 'number' ? { cents: value } : value;
}
