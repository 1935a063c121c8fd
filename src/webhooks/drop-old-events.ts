// Drops events, deliveries and attempts past their retention, whole months at a time, but never a
// delivery that still has to be sent.
import { doAll } from '../background/do-all.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import type { Database, Transaction } from '../database/database.ts';
import { inEachGroup } from '../database/lane-groups.ts';
import { dropMonthPartitions } from '../database/partitions.ts';
import { EVENTS_TABLE, readPayloads } from '../events/events.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import { ATTEMPTS_TABLE } from './attempts.ts';
import { closeDigestEarly } from './close-digests.ts';
import { countUnfinished, DELIVERIES_TABLE, moveUnfinished, readUnfinished } from './deliveries.ts';
import type { Delivery, WebhookKey } from './delivery-row.ts';
import { listOverdueDigests } from './digests.ts';
import { asTemporary } from './finish-attempts.ts';
import { lockHealth, wake } from './health-records.ts';
import { deleteOldDays } from './success-rates.ts';

/** One day more than the promised thirty, so that the previous month is never dropped. */
const RETAINED_MS = 31 * DAY_MS;
const MOVED_AT_ONCE = 500;
const LOCK_WAIT_MS = 500;
/** Digests of active webhooks are closed by claims within seconds. */
const DIGEST_OVERDUE_MS = DAY_MS;

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
  const drop = async (table: string, check?: (tx: Transaction) => Promise<void>) => {
    const names = await dropMonthPartitions(db, table, {
      beforeMs,
      ...(check && { rescue: check }),
    });
    dropped.push(...names);
  };
  await doAll(
    async () => {
      await closeOverdueDigests(deps, now);
      await moveUnfinishedAll(deps, { beforeMs, now });
      await drop(DELIVERIES_TABLE, (tx) => refuseUnfinished(tx, beforeMs));
      await drop(EVENTS_TABLE);
    },
    () => drop(ATTEMPTS_TABLE),
    () => deleteOldDays(db, now),
  );
  return dropped;
}

/**
 * The digest of a paused webhook would lose its events with their month: it becomes a delivery that
 * is held like the others.
 */
async function closeOverdueDigests({ db, log }: Deps, now: number): Promise<void> {
  const except = new Set(await quarantinedKeys(db, DROP_OLD_EVENTS));
  const listed = { beforeMs: now - DIGEST_OVERDUE_MS, limit: MOVED_AT_ONCE };
  const close = async (tx: Transaction, batch: readonly WebhookKey[]) => {
    await tx.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    for (const health of await lockHealth(tx, batch).catch(asTemporary)) {
      const dueAtMs = health.status === 'Active' ? now : null;
      await closeDigestEarly(tx, health, { now, dueAtMs });
      if (dueAtMs !== null) await wake(tx, [{ ...health, dueAtMs }]);
    }
  };
  await inEachGroup(db, async (lanes) => {
    for (;;) {
      const some = await listOverdueDigests(db, { ...listed, lanes, except: [...except] });
      const { quarantined, left } = await isolate(some, {
        loop: DROP_OLD_EVENTS,
        log,
        keyOf: ({ webhookId }) => webhookId,
        run: (batch) => db.transaction((tx) => close(tx, batch)),
        setAside: ({ accountId, webhookId }, reason) =>
          putInQuarantine(db, {
            owner: accountId,
            loop: DROP_OLD_EVENTS,
            item: webhookId,
            reason,
            payload: null,
            atMs: now,
          }),
      });
      if (some.length < MOVED_AT_ONCE) return;
      for (const { item } of quarantined) except.add(item.webhookId);
      for (const { webhookId } of left) except.add(webhookId);
    }
  });
}

/** A retry by hand may have made one pending since they were moved; the next round moves it. */
async function refuseUnfinished(tx: Transaction, beforeMs: number): Promise<void> {
  const count = await countUnfinished(tx, beforeMs);
  if (count > 0) throw new Error(`${count} deliveries have to be moved out of their month first`);
}

type Move = { beforeMs: number; now: number };

/**
 * A delivery that cannot be moved keeps its month and that month's events, and is quarantined. Each
 * lane group moves its own.
 */
async function moveUnfinishedAll(deps: Deps, move: Move): Promise<void> {
  const { db } = deps;
  const stuck = (
    await inEachGroup(db, (lanes) => moveUnfinishedIn(deps, { ...move, lanes }))
  ).flat();
  for (const { item, reason } of stuck) {
    await putInQuarantine(db, {
      owner: item.accountId,
      loop: DROP_OLD_EVENTS,
      item: item.deliveryId,
      reason,
      payload: null,
      atMs: move.now,
    });
  }
  if (stuck.length > 0) {
    throw new Error(`${stuck.length} deliveries cannot be moved out of their month`);
  }
}

/** Returns the deliveries that could not be moved. */
async function moveUnfinishedIn(
  { db, log }: Deps,
  { lanes, beforeMs, now }: Move & { lanes: readonly number[] },
): Promise<{ item: Delivery; reason: string }[]> {
  for (;;) {
    const some = await readUnfinished(db, { lanes, beforeMs, limit: MOVED_AT_ONCE });
    if (some.length === 0) return [];
    const payloads = await readPayloads(
      db,
      some.filter(({ payload }) => payload === null),
    );
    const withPayloads = some.map((one) => ({
      ...one,
      payload: one.payload ?? payloads.get(one.eventId) ?? null,
    }));
    const { quarantined, left } = await isolate(withPayloads, {
      loop: DROP_OLD_EVENTS,
      log,
      keyOf: ({ deliveryId }) => deliveryId,
      run: (batch) => db.transaction((tx) => moveSome(tx, batch, now)),
      setAside: async () => {},
    });
    if (quarantined.length > 0) return quarantined;
    if (left.length > 0) throw new Error(`${left.length} deliveries are locked`);
  }
}

async function moveSome(tx: Transaction, batch: readonly Delivery[], now: number): Promise<void> {
  const webhooks = new Map(batch.map((delivery) => [delivery.webhookId, delivery]));
  await tx.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  // A locked webhook is not its deliveries' fault: the next round tries again.
  await lockHealth(tx, [...webhooks.values()]).catch(asTemporary);
  await moveUnfinished(tx, batch, now);
}

const DROP_OLD_EVENTS = 'drop-old-events';

export const dropOldEventsHandler: QuarantineHandler = {
  loop: DROP_OLD_EVENTS,
  // Every round tries its month again.
  retry: (deps, item) => release(deps, item),
  drop: { refusedBecause: 'The delivery still has to be sent: repair it, then retry.' },
};
