// Telling the product's side about many tracked products at once, where it knows them already: an account that runs
// out of credits suspends all of its products, and a changed seller name touches all of them. 2,000 took 9.0 s one by
// one, 0.4 s so.
import type { Database, Transaction } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { keepPromises } from './keep-paid-days.ts';
import { type Owner, readOwner } from './owner.ts';
import { changeScheduleEntries, lockScheduleEntries } from './schedule.ts';
import { scheduleEntryOf } from './schedule-entry.ts';
import type { ScheduleEntry } from './schedule-row.ts';
import {
  markPending,
  markUnnamedPending,
  settleAll,
  type TrackedProduct,
} from './tracked-products.ts';
import { finestTiers, updateWatchers } from './watchers.ts';

type Deps = { db: Database; clock: Clock };

/** Answers those that are left: the product's side does not know them yet, or they are to go. */
export async function syncKnown(
  deps: Deps,
  all: readonly TrackedProduct[],
): Promise<TrackedProduct[]> {
  const staying = all.filter(({ removedAt }) => removedAt === null);
  if (staying.length === 0) return [...all];
  const owners = await readOwners(deps, staying);
  const now = deps.clock.nowMs();
  const known = await deps.db.transaction(async (tx) => {
    const scheduleEntries = await lockScheduleEntries(tx, [
      ...new Set(staying.map(({ code }) => code)),
    ]);
    const changes = staying
      .filter(({ code }) => scheduleEntries.has(code))
      .map((one) => ({
        ...one,
        sellerName: one.sellerName ?? owners.get(one.accountId)?.sellerName ?? null,
        isSuspended: one.isSuspended || (owners.get(one.accountId)?.isClosed ?? true),
      }));
    await keepPromises(
      tx,
      changes.map((one) => ({ ...one, how: 'update' as const })),
      now,
    );
    const keys = await updateWatchers(tx, changes, now);
    const updated = staying.filter(({ trackedId }) => keys.has(trackedId));
    await reschedule(tx, { codes: new Set(updated.map(({ code }) => code)), scheduleEntries, now });
    return new Set(updated);
  });
  await settleAll(deps.db, [...known]);
  await markChangedOwners(deps, [...known], owners);
  return all.filter((one) => !known.has(one));
}

/** By account. */
async function readOwners(
  { db }: Deps,
  tracked: readonly TrackedProduct[],
): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>();
  for (const accountId of new Set(tracked.map((one) => one.accountId))) {
    owners.set(accountId, await readOwner(db, accountId));
  }
  return owners;
}

/** An account may have chosen another seller, or been closed, after it was read and before its rows were settled. */
async function markChangedOwners(
  deps: Deps,
  tracked: readonly TrackedProduct[],
  before: ReadonlyMap<string, Owner>,
): Promise<void> {
  for (const [accountId, after] of await readOwners(deps, tracked)) {
    const known = before.get(accountId);
    if (known?.sellerName !== after.sellerName) await markUnnamedPending(deps.db, accountId);
    if (known?.isClosed !== after.isClosed) {
      await markPending(
        deps.db,
        tracked.filter((one) => one.accountId === accountId),
      );
    }
  }
}

async function reschedule(
  tx: Transaction,
  input: {
    codes: ReadonlySet<string>;
    scheduleEntries: ReadonlyMap<string, ScheduleEntry>;
    now: number;
  },
): Promise<void> {
  const tiers = await finestTiers(tx, [...input.codes]);
  await changeScheduleEntries(
    tx,
    [...input.codes].map((code) => {
      const [tier, known] = [tiers.get(code) ?? null, input.scheduleEntries.get(code)];
      const lastCollectedAt = known?.lastCollectedAt ?? null;
      return { code, ...scheduleEntryOf({ code, tier, lastCollectedAt, now: input.now }) };
    }),
  );
}
