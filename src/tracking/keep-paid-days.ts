// Before a watcher changes: what the settlement of its days needs and its row is about to forget is kept, in the same
// transaction, under the lock of its place.
import type { Transaction } from '../database/database.ts';
import { keepServedDays, type ServedDay } from './served-days.ts';
import { forgottenCounts } from './serving.ts';
import { readSettledDay } from './settled-day.ts';
import { insertWatchSpans } from './watch-spans.ts';
import type { Watcher } from './watcher.ts';
import { readWatchers } from './watchers.ts';

export type WatcherChange = Pick<
  Watcher,
  'code' | 'accountId' | 'trackedId' | 'tier' | 'isSuspended'
> & {
  /** update: only of a watcher with this id; write: also in the place of one with another id. */
  how: 'update' | 'write' | 'remove';
};

/** Closes the stretches of those whose tier changes, who are suspended or who go, and keeps the counts of the latter. */
export async function keepPromises(
  tx: Transaction,
  changes: readonly WatcherChange[],
  now: number,
): Promise<void> {
  const watchers = await readWatchers(tx, changes);
  const keyOf = ({ code, accountId }: Pick<Watcher, 'code' | 'accountId'>) =>
    `${code}/${accountId}`;
  const byKey = new Map(changes.map((change) => [keyOf(change), change]));
  const ending = watchers.filter((watcher) => {
    const change = byKey.get(keyOf(watcher));
    return change !== undefined && (isGoing(watcher, change) || isOther(watcher, change));
  });
  await insertWatchSpans(
    tx,
    ending
      .filter(({ isSuspended, sinceAt }) => !isSuspended && sinceAt < now)
      .map((watcher) => ({ ...watcher, fromAt: watcher.sinceAt, toAt: now })),
  );
  const going = ending.filter((watcher) =>
    isGoing(watcher, byKey.get(keyOf(watcher)) as WatcherChange),
  );
  await keepForgotten(
    tx,
    going.flatMap((watcher) => forgottenCounts(watcher, null)),
  );
}

/** Keeps counts of days that are not settled. */
export async function keepForgotten(tx: Transaction, counts: readonly ServedDay[]): Promise<void> {
  if (counts.length === 0) return;
  const settled = await readSettledDay(tx);
  await keepServedDays(
    tx,
    counts.filter(({ day }) => settled === null || day > settled),
  );
}

/** Removed, or in the place of another that was removed and added again. */
function isGoing(watcher: Watcher, { how, trackedId }: WatcherChange): boolean {
  if (how === 'remove') return watcher.trackedId === trackedId;
  return how === 'write' && watcher.trackedId !== trackedId;
}

const isOther = (watcher: Watcher, change: WatcherChange) =>
  change.how !== 'remove' &&
  watcher.trackedId === change.trackedId &&
  (watcher.tier !== change.tier || watcher.isSuspended !== change.isSuspended);
