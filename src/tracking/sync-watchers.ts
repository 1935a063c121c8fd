// Syncs the product's side with what customers track: watchers and schedule entries follow the
// tracked products. Runs right after each change, and in a loop for what a crash left unsynced.
import type { HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database, Transaction } from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { finishPending, listPending, markPending, stopPending } from './pending-products.ts';
import { saveBeforeChanges } from './save-settlement-records.ts';
import {
  ensureScheduleEntries,
  lockScheduleEntries,
  scheduleProducts,
  unscheduleProducts,
} from './schedule.ts';
import { scheduleEntryOf } from './schedule-entry.ts';
import type { ScheduleEntry } from './schedule-row.ts';
import {
  asAccountStates,
  markChangedAccounts,
  readAccountStates,
  syncExistingWatchers,
} from './sync-existing-watchers.ts';
import { intervalSeconds } from './tier.ts';
import type { TrackedProduct } from './tracked-product.ts';
import type { Watcher } from './watcher.ts';
import { deleteWatchers, finestTiers, upsertWatchers } from './watchers.ts';

type Deps = { db: Database; clock: Clock };

const PENDING_PER_ROUND = 200;
const SYNC_WATCHERS = 'sync-watchers';
/** How long to wait for a schedule entry that another session has locked. */
const LOCK_WAIT_MS = 250;

/** The first observation that a customer sees, and the change-detection state after it. */
export type FirstObservation = { seenAtMs: number; state: unknown };

/** A tracked product to sync; with its first observation if it was just added. */
export type SyncedChange = { tracked: TrackedProduct; first: FirstObservation | null };

/** So that the schedule entries of few products are locked at a time. */
const WRITTEN_TOGETHER_MAX = 200;

/** Syncs products whatever their watchers are: added, changed and removed ones. */
export async function syncChanges(deps: Deps, changes: readonly SyncedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const tracked = changes.map((change) => change.tracked);
  const accountStates = await readAccountStates(deps, tracked);
  const nowMs = deps.clock.nowMs();
  for (let at = 0; at < changes.length; at += WRITTEN_TOGETHER_MAX) {
    const written = changes.slice(at, at + WRITTEN_TOGETHER_MAX).map((change) => ({
      first: change.first,
      tracked: asAccountStates(change.tracked, accountStates),
    }));
    await inGroups(deps.db, written, {
      keyOf: (change) => change.tracked.code,
      work: (part) => deps.db.transaction((tx) => writeWatchers(tx, part, nowMs)),
    });
  }
  const removedMeanwhile = await finishPending(deps.db, tracked);
  await markChangedAccounts(deps, tracked, accountStates);
  // Their watchers may have been deleted before they were written here again.
  await syncChanges(
    deps,
    removedMeanwhile.map((one) => ({ tracked: { ...one, removedAtMs: nowMs }, first: null })),
  );
}

/** Writes or deletes the watchers of tracked products, and reschedules the products. */
async function writeWatchers(
  tx: Transaction,
  changes: readonly (SyncedChange & { tracked: Pick<Watcher, 'conditions'> })[],
  nowMs: number,
): Promise<void> {
  const tracked = changes.map((change) => change.tracked);
  const removed = tracked.filter(({ removedAtMs }) => removedAtMs !== null);
  const staying = changes.filter((change) => change.tracked.removedAtMs === null);
  const codes = [...new Set(tracked.map(({ code }) => code))];
  // Locks the schedule entries before watchers, as recording does. The other order could deadlock.
  await ensureScheduleEntries(
    tx,
    staying.map(({ tracked: { code, tier } }) => ({
      code,
      intervalSeconds: intervalSeconds(tier),
    })),
  );
  const scheduleEntries = await lockScheduleEntries(tx, codes);
  await saveBeforeChanges(
    tx,
    tracked.map((one) => ({ ...one, how: one.removedAtMs === null ? 'write' : 'remove' })),
    nowMs,
  );
  await deleteWatchers(tx, removed);
  await upsertWatchers(
    tx,
    staying.map(({ tracked: one, first }) => ({
      ...one,
      sinceAtMs: nowMs,
      seenAtMs: first?.seenAtMs ?? null,
      servedAtMs: first === null ? null : nowMs,
      state: first?.state ?? null,
    })),
  );
  const justCollected = new Set(
    staying.flatMap(({ tracked: { code }, first }) => (first === null ? [] : [code])),
  );
  await reschedule(tx, { codes, scheduleEntries, justCollected, nowMs });
}

/**
 * Syncs right after a committed change. The change holds whatever happens here: products that fail
 * stay pending, and the sync-watchers loop syncs them.
 */
export async function syncAfterChanges(
  deps: Deps & { log: Log },
  changes: readonly SyncedChange[],
): Promise<void> {
  try {
    await syncChanges(deps, changes);
  } catch (error) {
    const [first] = changes;
    const { accountId, trackedId } = first?.tracked ?? {};
    deps.log.warn(
      { accountId, trackedId, products: changes.length, reason: String(error) },
      'left to the sync-watchers loop',
    );
  }
}

export const syncAfterChange = (
  deps: Deps & { log: Log },
  tracked: TrackedProduct,
  first: FirstObservation | null = null,
): Promise<void> => syncAfterChanges(deps, [{ tracked, first }]);

async function reschedule(
  tx: Transaction,
  input: {
    codes: readonly string[];
    scheduleEntries: ReadonlyMap<string, ScheduleEntry>;
    justCollected: ReadonlySet<string>;
    nowMs: number;
  },
): Promise<void> {
  const { codes, scheduleEntries, justCollected, nowMs } = input;
  const tiers = await finestTiers(tx, codes);
  await scheduleProducts(
    tx,
    codes.flatMap((code) => {
      const tier = tiers.get(code);
      if (tier === undefined) return [];
      const lastCollectedAtMs = latest(
        scheduleEntries.get(code)?.lastCollectedAtMs ?? null,
        justCollected.has(code) ? nowMs : null,
      );
      const scheduleEntry = scheduleEntryOf({ code, tier, lastCollectedAtMs, nowMs });
      return [{ code, ...scheduleEntry, lastCollectedAtMs }];
    }),
  );
  await unscheduleProducts(
    tx,
    codes.filter((code) => !tiers.has(code)),
  );
}

const latest = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Syncs many products: those with watchers that only change at once, then the others. */
export async function syncWatchers(deps: Deps, tracked: readonly TrackedProduct[]): Promise<void> {
  const others = await syncExistingWatchers(deps, tracked);
  await syncChanges(
    deps,
    others.map((one) => ({ tracked: one, first: null })),
  );
}

/**
 * Syncs pending rows: changes that were only marked on the account's side, or that a crash left.
 * Returns true when there may be more. A product that fails is quarantined; a locked one is skipped
 * for a while.
 */
export async function syncPending(
  deps: Deps & { log: Log; heldTracked?: HoldOff },
): Promise<boolean> {
  const { db, clock, log, heldTracked } = deps;
  const pending = await listPending(db, {
    limit: PENDING_PER_ROUND,
    exceptIds: heldTracked?.keys() ?? [],
  });
  const patient = { ...deps, db: withLockTimeout(db, LOCK_WAIT_MS) };
  const { left } = await isolate(pending, {
    loop: SYNC_WATCHERS,
    log,
    keyOf: ({ trackedId }) => trackedId,
    run: (batch) => syncWatchers(patient, batch),
    setAside: (tracked, reason) =>
      db.transaction(async (tx) => {
        await putInQuarantine(tx, {
          owner: tracked.accountId,
          loop: SYNC_WATCHERS,
          item: tracked.trackedId,
          reason,
          payload: { code: tracked.code, removedAt: tracked.removedAtMs },
          atMs: clock.nowMs(),
        });
        await stopPending(tx, tracked);
      }),
  });
  heldTracked?.add(left.map(({ trackedId }) => trackedId));
  return pending.length === PENDING_PER_ROUND && left.length < pending.length;
}

export const syncWatchersHandler: QuarantineHandler = {
  loop: SYNC_WATCHERS,
  retry: (deps, item) =>
    release(deps, item, (tx) => markPending(tx, [{ accountId: item.owner, trackedId: item.item }])),
  drop: {
    refusedBecause:
      'The product would still be served and charged as before the customer’s change. Repair the product, then retry.',
  },
};
