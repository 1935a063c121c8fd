// Forgetting what is older than the customers were promised: whole months at a time, but never what still has to be
// sent.
import type { Database, Transaction } from '../database/database.ts';
import { dropMonthPartitions } from '../database/partitions.ts';
import { ATTEMPTS_TABLE } from './attempts.ts';
import { DELIVERIES_TABLE, keepUnfinished, readUnfinished } from './deliveries.ts';
import { EVENTS_TABLE, readPayloads } from './events.ts';
import { deleteOldDays } from './success-rates.ts';

/** One more than the thirty that are promised: the month before this one is then never among the dropped. */
const KEPT_MS = 31 * 86_400_000;
const RESCUED_AT_ONCE = 500;

/**
 * Deliveries that wait longer than their month, because their registration is paused, move to this month and take the
 * body of their event along, so that both months can be dropped as a whole. Deliveries go first: as long as one
 * lies in its own month, its event is there.
 */
export async function dropOldEvents(db: Database, now: number): Promise<string[]> {
  const beforeMs = now - KEPT_MS;
  const rescue = (tx: Transaction) => rescueUnfinished(tx, { beforeMs, now });
  const dropped = [
    ...(await dropMonthPartitions(db, DELIVERIES_TABLE, { beforeMs, rescue })),
    ...(await dropMonthPartitions(db, EVENTS_TABLE, { beforeMs })),
    ...(await dropMonthPartitions(db, ATTEMPTS_TABLE, { beforeMs })),
  ];
  await deleteOldDays(db, now);
  return dropped;
}

async function rescueUnfinished(
  tx: Transaction,
  { beforeMs, now }: { beforeMs: number; now: number },
): Promise<void> {
  for (;;) {
    const some = await readUnfinished(tx, { beforeMs, limit: RESCUED_AT_ONCE });
    if (some.length === 0) return;
    const payloads = await readPayloads(
      tx,
      some.filter(({ payload }) => payload === null),
    );
    const kept = some.map((one) => ({
      ...one,
      payload: one.payload ?? payloads.get(one.eventId) ?? null,
    }));
    await keepUnfinished(tx, kept, now);
  }
}
