// Telling the product's side what customers track: watchers and schedule follow the tracked products. Done at once
// by whoever changes one, and again by a loop for what a crash left in between.
import type { HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database, Transaction } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { keepPromises } from './keep-paid-days.ts';
import { readOwner } from './owner.ts';
import {
  ensureScheduleEntry,
  lockScheduleEntry,
  scheduleProduct,
  takeOffSchedule,
} from './schedule.ts';
import { scheduleEntryOf } from './schedule-entry.ts';
import { syncKnown } from './sync-many.ts';
import { intervalSeconds } from './tier.ts';
import {
  listPending,
  markPending,
  markUnnamedPending,
  settlePending,
  stopPending,
  type TrackedProduct,
} from './tracked-products.ts';
import { deleteWatcher, finestTier, upsertWatcher } from './watchers.ts';

type Deps = { db: Database; clock: Clock };

const PENDING_AT_ONCE = 200;
const SYNC_WATCHERS = 'sync-watchers';
/** How long a place is waited for that another session keeps locked. */
const LOCK_WAIT_MS = 250;

/** What the customer sees from the start: the observation, and what change detection remembers of it. */
export type FirstObservation = { seenAt: number; state: unknown };

export async function syncWatcher(
  deps: Deps,
  tracked: TrackedProduct,
  first: FirstObservation | null = null,
): Promise<void> {
  const { code, accountId, trackedId } = tracked;
  const now = deps.clock.nowMs();
  const before = await readOwner(deps.db, accountId);
  const sellerName = tracked.sellerName ?? before.sellerName;
  // For who is closed nothing is collected; whether it was suspended before is kept on the account's side.
  const isSuspended = tracked.isSuspended || before.isClosed;
  await deps.db.transaction(async (tx) => {
    // As whoever records a look: the place first, then its watchers. The other way round the two wait for each other.
    if (tracked.removedAt === null)
      await ensureScheduleEntry(tx, code, intervalSeconds(tracked.tier));
    await lockScheduleEntry(tx, code);
    await keepPromises(
      tx,
      [
        {
          ...{ code, accountId, trackedId, tier: tracked.tier, isSuspended },
          how: tracked.removedAt === null ? 'write' : 'remove',
        },
      ],
      now,
    );
    if (tracked.removedAt !== null) await deleteWatcher(tx, { code, accountId, trackedId });
    else {
      await upsertWatcher(tx, {
        ...{ code, accountId, trackedId, tier: tracked.tier, isSuspended },
        ...{ sinceAt: now, seenAt: first?.seenAt ?? null, servedAt: first === null ? null : now },
        ...{ sellerName, rules: tracked.rules, state: first?.state ?? null },
      });
    }
    await reschedule(tx, { code, now, collectedAt: first === null ? null : now });
  });
  if (!(await settlePending(deps.db, tracked))) {
    // Removed while this was under way: its watcher may have been taken away before it was written here again.
    return syncWatcher(deps, { ...tracked, removedAt: now });
  }
  // The account may have chosen another seller, or been closed, after it was read here and before the row was settled.
  const after = await readOwner(deps.db, accountId);
  if (tracked.sellerName === null && after.sellerName !== before.sellerName) {
    await markUnnamedPending(deps.db, accountId);
  }
  if (after.isClosed !== before.isClosed) await markPending(deps.db, [tracked]);
}

/**
 * Right after a change of one that is committed. The change holds whatever becomes of this: what fails here is still
 * marked as pending, and the loop does it.
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
  { code, now, collectedAt }: { code: string; now: number; collectedAt: number | null },
): Promise<void> {
  const { tier, watchers } = await finestTier(tx, code);
  const known = await lockScheduleEntry(tx, code);
  if (watchers === 0) {
    await takeOffSchedule(tx, code);
    return;
  }
  const lastCollectedAt = latest(known?.lastCollectedAt ?? null, collectedAt);
  const scheduleEntry = scheduleEntryOf({ code, tier, lastCollectedAt, now });
  await scheduleProduct(tx, { code, ...scheduleEntry, lastCollectedAt, isTracked: true });
}

const latest = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** The same for many at once. */
export async function syncWatchers(deps: Deps, tracked: readonly TrackedProduct[]): Promise<void> {
  for (const one of await syncKnown(deps, tracked)) await syncWatcher(deps, one);
}

/**
 * What was only marked on the account's side, or a crash left between the two; true when there may be more. One that
 * cannot be synced is set aside, one that is locked is passed over for a while.
 */
export async function syncPending(
  deps: Deps & { log: Log; heldTracked?: HoldOff },
): Promise<boolean> {
  const { db, clock, log, heldTracked } = deps;
  const pending = await listPending(db, {
    limit: PENDING_AT_ONCE,
    exceptIds: heldTracked?.keys() ?? [],
  });
  const patient = { ...deps, db: withLockTimeout(db, LOCK_WAIT_MS) };
  const { left } = await isolate(pending, {
    ...{ loop: SYNC_WATCHERS, log, keyOf: ({ trackedId }) => trackedId },
    run: (batch) => syncWatchers(patient, batch),
    setAside: (tracked, reason) =>
      db.transaction(async (tx) => {
        const { accountId, trackedId, code } = tracked;
        await putInQuarantine(tx, {
          ...{ owner: accountId, loop: SYNC_WATCHERS, item: trackedId, reason },
          ...{ payload: { code, removedAt: tracked.removedAt }, atMs: clock.nowMs() },
        });
        await stopPending(tx, tracked);
      }),
  });
  heldTracked?.add(left.map(({ trackedId }) => trackedId));
  return pending.length === PENDING_AT_ONCE && left.length < pending.length;
}

export const syncWatchersHandler: QuarantineHandler = {
  loop: SYNC_WATCHERS,
  retry: (deps, item) =>
    release(deps, item, (tx) => markPending(tx, [{ accountId: item.owner, trackedId: item.item }])),
  drop: {
    refusedBecause:
      'The product’s side would keep serving and charging what the customer has changed: mend the product, then retry.',
  },
};
