// Drops events, deliveries and attempts past their retention, whole months at a time, but never a
// delivery that still has to be sent.
import { doAll } from '../background/do-all.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database, Transaction } from '../database/database.ts';
import { dropMonthPartitions } from '../database/partitions.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { EVENTS_TABLE, readPayloads } from '../events/events.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import { ATTEMPTS_TABLE } from './attempts.ts';
import { DELIVERIES_TABLE, moveUnfinished, readUnfinished } from './deliveries.ts';
import type { Delivery } from './delivery-row.ts';
import { deleteOldDays } from './success-rates.ts';

/** One day more than the promised thirty, so that the previous month is never dropped. */
const RETAINED_MS = 31 * DAY_MS;
const MOVED_AT_ONCE = 500;

type Deps = { db: Database; log: Log };

/**
 * A delivery may wait beyond its month because its webhook is paused. It moves to this month with
 * the payload of its event, so that both months can be dropped whole. Deliveries go first: as long
 * as one is in its original month, its event exists.
 */
export async function dropOldEvents(deps: Deps, now: number): Promise<string[]> {
  const { db } = deps;
  const beforeMs = now - RETAINED_MS;
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

/**
 * A delivery that cannot be moved keeps its month and that month's events; the others are dropped.
 */
async function dropDeliveries(
  deps: Deps,
  now: number,
  drop: (table: string, rescue: (tx: Transaction) => Promise<void>) => Promise<void>,
): Promise<void> {
  const stuck: { one: Delivery; reason: string }[] = [];
  try {
    await drop(DELIVERIES_TABLE, async (tx) => {
      const stuckHere = await moveUnfinishedAll(tx, {
        log: deps.log,
        beforeMs: now - RETAINED_MS,
        now,
      });
      if (stuckHere.length === 0) return;
      stuck.push(...stuckHere);
      throw new Error(`${stuckHere.length} deliveries cannot be moved out of their month`);
    });
  } finally {
    for (const { one, reason } of stuck) {
      await putInQuarantine(deps.db, {
        owner: one.accountId,
        loop: DROP_OLD_EVENTS,
        item: one.deliveryId,
        reason,
        payload: null,
        atMs: now,
      });
    }
  }
}

/** Returns the deliveries that could not be moved. */
async function moveUnfinishedAll(
  tx: Transaction,
  { log, beforeMs, now }: { log: Log; beforeMs: number; now: number },
): Promise<{ one: Delivery; reason: string }[]> {
  for (;;) {
    const some = await readUnfinished(tx, { beforeMs, limit: MOVED_AT_ONCE });
    if (some.length === 0) return [];
    const payloads = await readPayloads(
      tx,
      some.filter(({ payload }) => payload === null),
    );
    const withPayloads = some.map((one) => ({
      ...one,
      payload: one.payload ?? payloads.get(one.eventId) ?? null,
    }));
    const { quarantined } = await isolate(withPayloads, {
      loop: DROP_OLD_EVENTS,
      log,
      keyOf: ({ deliveryId }) => deliveryId,
      run: (batch) => inSavepoint(tx, () => moveUnfinished(tx, batch, now)),
      setAside: async () => {},
    });
    if (quarantined.length > 0)
      return quarantined.map(({ item, reason }) => ({ one: item, reason }));
  }
}

const DROP_OLD_EVENTS = 'drop-old-events';

export const dropOldEventsHandler: QuarantineHandler = {
  loop: DROP_OLD_EVENTS,
  // Every round tries its month again.
  retry: (deps, item) => release(deps, item),
  drop: { refusedBecause: 'The delivery still has to be sent: repair it, then retry.' },
};
