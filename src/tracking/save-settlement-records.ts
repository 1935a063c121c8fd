// Saves what settlement needs before a watcher's row changes: closed watch spans and the counts
// that the row drops. Runs in the transaction that changes the watcher, with its schedule entry
// locked.
import type { Transaction } from '../database/database.ts';
import { type ServedDay, saveServedDays } from './served-days.ts';
import { droppedCounts } from './served-slot.ts';
import { readSettledUpToDay } from './settlement-progress.ts';
import { insertWatchSpans } from './watch-spans.ts';
import type { Watcher } from './watcher.ts';
import { readWatchers } from './watchers.ts';

export type WatcherUpdate = Pick<
  Watcher,
  'code' | 'accountId' | 'trackedId' | 'tier' | 'isSuspended'
> & {
  /** `update` only changes a watcher with this id; `write` also replaces one with another id. */
  how: 'update' | 'write' | 'remove';
};

/**
 * Closes the spans of watchers whose tier or suspension changes and of those that are removed, and
 * saves the counts of the latter.
 */
export async function saveBeforeChanges(
  tx: Transaction,
  updates: readonly WatcherUpdate[],
  nowMs: number,
): Promise<void> {
  const watchers = await readWatchers(tx, updates);
  const keyOf = ({ code, accountId }: Pick<Watcher, 'code' | 'accountId'>) =>
    `${code}/${accountId}`;
  const byKey = new Map(updates.map((update) => [keyOf(update), update]));
  const pairs = watchers.flatMap((watcher) => {
    const update = byKey.get(keyOf(watcher));
    return update === undefined ? [] : [{ watcher, update }];
  });
  const removed = pairs.filter(({ watcher, update }) => isRemoved(watcher, update));
  const changed = pairs.filter(({ watcher, update }) => isChanged(watcher, update));
  await insertWatchSpans(
    tx,
    [...removed, ...changed]
      .filter(({ watcher }) => !watcher.isSuspended && watcher.sinceAtMs < nowMs)
      .map(({ watcher }) => ({ ...watcher, fromAtMs: watcher.sinceAtMs, toAtMs: nowMs })),
  );
  await saveDroppedCounts(
    tx,
    removed.flatMap(({ watcher }) => droppedCounts(watcher, null)),
  );
}

/** Saves counts of days that are not settled. */
export async function saveDroppedCounts(
  tx: Transaction,
  counts: readonly ServedDay[],
): Promise<void> {
  if (counts.length === 0) return;
  const settledDay = await readSettledUpToDay(tx);
  await saveServedDays(
    tx,
    counts.filter(({ day }) => settledDay === null || day > settledDay),
  );
}

/** The watcher is removed, or replaced by one that was removed and added again. */
function isRemoved(watcher: Watcher, { how, trackedId }: WatcherUpdate): boolean {
  if (how === 'remove') return watcher.trackedId === trackedId;
  return how === 'write' && watcher.trackedId !== trackedId;
}

const isChanged = (watcher: Watcher, update: WatcherUpdate) =>
  update.how !== 'remove' &&
  watcher.trackedId === update.trackedId &&
  (watcher.tier !== update.tier || watcher.isSuspended !== update.isSuspended);
