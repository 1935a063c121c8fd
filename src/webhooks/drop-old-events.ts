// Forgetting what is older than the customers were promised: whole months at a time, but never what still has to be
// sent.
import { doAll } from '../background/do-all.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database, Transaction } from '../database/database.ts';
import { dropMonthPartitions } from '../database/partitions.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { EVENTS_TABLE, readPayloads } from '../events/events.ts';
import type { Log } from '../foundation/log.ts';
import { ATTEMPTS_TABLE } from './attempts.ts';
import { DELIVERIES_TABLE, keepUnfinished, readUnfinished } from './deliveries.ts';
import type { Delivery } from './delivery-row.ts';
import { deleteOldDays } from './success-rates.ts';

/** One more than the thirty that are promised: the month before this one is then never among the dropped. */
const KEPT_MS = 31 * 86_400_000;
const RESCUED_AT_ONCE = 500;

type Deps = { db: Database; log: Log };

/**
 * Deliveries that wait longer than their month, because their registration is paused, move to this month and take the
 * body of their event along, so that both months can be dropped as a whole. Deliveries go first: as long as one
 * lies in its own month, its event is there.
 */
export async function dropOldEvents(deps: Deps, now: number): Promise<string[]> {
  const { db } = deps;
  const beforeMs = now - KEPT_MS;
  const dropped: string[] = [];
  const drop = async (table: string, rescue?: (tx: Transaction) => Promise<void>) => {
    const names = await dropMonthPartitions(db, table, { beforeMs, ...(rescue && { rescue }) });
    dropped.push(...names);
  };
  await doAll(
    async () => {
      await dropDeliveries(deps, now, drop);
      await drop(EVENTS_TABLE);
    },
    () => drop(ATTEMPTS_TABLE),
    () => deleteOldDays(db, now),
  );
  return dropped;
}

/** A delivery that cannot be moved keeps its month, and that month's events; the rest is dropped. */
async function dropDeliveries(
  deps: Deps,
  now: number,
  drop: (table: string, rescue: (tx: Transaction) => Promise<void>) => Promise<void>,
): Promise<void> {
  const stuck: { one: Delivery; reason: string }[] = [];
  try {
    await drop(DELIVERIES_TABLE, async (tx) => {
      const found = await rescueUnfinished(tx, { log: deps.log, beforeMs: now - KEPT_MS, now });
      if (found.length === 0) return;
      stuck.push(...found);
      throw new Error(`${found.length} deliveries cannot be moved out of their month`);
    });
  } finally {
    for (const { one, reason } of stuck) {
      await putInQuarantine(deps.db, {
        ...{ owner: one.accountId, loop: DROP_OLD_EVENTS, item: one.deliveryId, reason },
        ...{ payload: null, atMs: now },
      });
    }
  }
}

/** Returns those that could not be moved. */
async function rescueUnfinished(
  tx: Transaction,
  { log, beforeMs, now }: { log: Log; beforeMs: number; now: number },
): Promise<{ one: Delivery; reason: string }[]> {
  for (;;) {
    const some = await readUnfinished(tx, { beforeMs, limit: RESCUED_AT_ONCE });
    if (some.length === 0) return [];
    const payloads = await readPayloads(
      tx,
      some.filter(({ payload }) => payload === null),
    );
    const kept = some.map((one) => ({
      ...one,
      payload: one.payload ?? payloads.get(one.eventId) ?? null,
    }));
    const { quarantined } = await isolate(kept, {
      ...{ loop: DROP_OLD_EVENTS, log, keyOf: ({ deliveryId }) => deliveryId },
      run: (batch) => inSavepoint(tx, () => keepUnfinished(tx, batch, now)),
      setAside: async () => {},
    });
    if (quarantined.length > 0)
      return quarantined.map(({ item, reason }) => ({ one: item, reason }));
  }
}

const DROP_OLD_EVENTS = 'drop-old-events';

export const dropOldEventsHandler: QuarantineHandler = {
  loop: DROP_OLD_EVENTS,
  // Its month is tried again in every round.
  retry: (deps, item) => release(deps, item),
  drop: { refusedBecause: 'The delivery still has to be sent: mend it, then retry.' },
};
