// Syncs the product's side with what customers track: watchers and schedule entries follow the
// tracked products. Runs right after each change, and in a loop for what a crash left unsynced.
import type { HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database, Transaction } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { readAccountState } from './read-account-state.ts';
import { saveBeforeChanges } from './save-settlement-records.ts';
import {
  ensureScheduleEntry,
  lockScheduleEntry,
  scheduleProduct,
  unscheduleProduct,
} from './schedule.ts';
import { scheduleEntryOf } from './schedule-entry.ts';
import { syncExistingWatchers } from './sync-existing-watchers.ts';
import { intervalSeconds } from './tier.ts';
import type { TrackedProduct } from './tracked-product.ts';
import {
  finishPending,
  listPending,
  markAccountSellerPending,
  markPending,
  stopPending,
} from './tracked-products.ts';
import { deleteWatcher, finestTier, upsertWatcher } from './watchers.ts';

type Deps = { db: Database; clock: Clock };

const PENDING_PER_ROUND = 200;
const SYNC_WATCHERS = 'sync-watchers';
/** How long to wait for a schedule entry that another session has locked. */
const LOCK_WAIT_MS = 250;

/** The first observation that a customer sees, and the change-detection state after it. */
export type FirstObservation = { seenAtMs: number; state: unknown };

export async function syncWatcher(
  deps: Deps,
  tracked: TrackedProduct,
  first: FirstObservation | null = null,
): Promise<void> {
  const { accountId } = tracked;
  const nowMs = deps.clock.nowMs();
  const before = await readAccountState(deps.db, accountId);
  await deps.db.transaction((tx) =>
    writeWatcher(tx, {
      tracked: {
        ...tracked,
        sellerName: tracked.sellerName ?? before.sellerName,
        // Nothing is collected for a closed account. The account's side keeps whether the product
        // was suspended before.
        isSuspended: tracked.isSuspended || before.isClosed,
      },
      first,
      nowMs,
    }),
  );
  if (!(await finishPending(deps.db, tracked))) {
    // Removed meanwhile: its watcher may have been deleted before it was written here again.
    return syncWatcher(deps, { ...tracked, removedAtMs: nowMs });
  }
  // The account may have changed its seller or been closed after it was read above.
  const after = await readAccountState(deps.db, accountId);
  if (tracked.sellerName === null && after.sellerName !== before.sellerName) {
    await markAccountSellerPending(deps.db, accountId);
  }
  if (after.isClosed !== before.isClosed) await markPending(deps.db, [tracked]);
}

/** Writes or deletes the watcher of a tracked product, and reschedules the product. */
async function writeWatcher(
  tx: Transaction,
  input: { tracked: TrackedProduct; first: FirstObservation | null; nowMs: number },
): Promise<void> {
  const { tracked, first, nowMs } = input;
  const { code, accountId, trackedId, tier, isSuspended } = tracked;
  const isRemoved = tracked.removedAtMs !== null;
  // Locks the schedule entry before watchers, as recording does. The other order could deadlock.
  if (!isRemoved) await ensureScheduleEntry(tx, code, intervalSeconds(tier));
  await lockScheduleEntry(tx, code);
  const how = isRemoved ? 'remove' : 'write';
  await saveBeforeChanges(tx, [{ code, accountId, trackedId, tier, isSuspended, how }], nowMs);
  if (isRemoved) await deleteWatcher(tx, { code, accountId, trackedId });
  else {
    await upsertWatcher(tx, {
      code,
      accountId,
      trackedId,
      tier,
      isSuspended,
      sinceAtMs: nowMs,
      seenAtMs: first?.seenAtMs ?? null,
      servedAtMs: first === null ? null : nowMs,
      sellerName: tracked.sellerName,
      rules: tracked.rules,
      state: first?.state ?? null,
    });
  }
  await reschedule(tx, { code, nowMs, collectedAtMs: first === null ? null : nowMs });
}

/**
 * Syncs right after a committed change. The change holds whatever happens here: a product that
 * fails stays pending, and the sync-watchers loop syncs it.
 */
export async function syncAfterChange(
  deps: Deps & { log: Log },
  tracked: TrackedProduct,
  first: FirstObservation | null = null,
): Promise<void> {
  try {
    await syncWatcher(deps, tracked, first);
  } catch (error) {
    const { accountId, trackedId } = tracked;
    deps.log.warn(
      { accountId, trackedId, reason: String(error) },
      'left to the sync-watchers loop',
    );
  }
}

async function reschedule(
  tx: Transaction,
  { code, nowMs, collectedAtMs }: { code: string; nowMs: number; collectedAtMs: number | null },
): Promise<void> {
  const { tier, watchers } = await finestTier(tx, code);
  const locked = await lockScheduleEntry(tx, code);
  if (watchers === 0) {
    await unscheduleProduct(tx, code);
    return;
  }
  const lastCollectedAtMs = latest(locked?.lastCollectedAtMs ?? null, collectedAtMs);
  const scheduleEntry = scheduleEntryOf({ code, tier, lastCollectedAtMs, nowMs });
  await scheduleProduct(tx, { code, ...scheduleEntry, lastCollectedAtMs, isTracked: true });
}

const latest = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Syncs many products: existing watchers at once, the others one by one. */
export async function syncWatchers(deps: Deps, tracked: readonly TrackedProduct[]): Promise<void> {
  for (const one of await syncExistingWatchers(deps, tracked)) await syncWatcher(deps, one);
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
