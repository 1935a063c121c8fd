// What a look means to those who watch the product: each is served once in a slot of its own tier.

import { DAY_MS } from '../foundation/time.ts';
import type { ServedDay } from './served-days.ts';
import { dayOf, phaseMs, slotStart, slotsBetween } from './slot.ts';
import { intervalSeconds } from './tier.ts';
import type { WatchSpan } from './watch-spans.ts';
import type { Watcher } from './watcher.ts';

/**
 * How long after a day its last slots may still be served. What comes later does not count for the day, whether or not
 * it is settled by then, so that its settlement does not depend on when it is made.
 */
export const GRACE_MS = 3_600_000;

/**
 * The watcher after a look at `at` that shows the observation of `seenAt`; null when its slot was served already,
 * or nothing is due to it.
 */
export function afterServing(
  watcher: Watcher,
  { at, seenAt }: { at: number; seenAt: number },
): Watcher | null {
  if (watcher.isSuspended) return null;
  const phase = phaseMs(watcher.code);
  const intervalMs = intervalSeconds(watcher.tier) * 1000;
  const slot = slotStart(at, phase, intervalMs);
  if (watcher.servedAt !== null && slotStart(watcher.servedAt, phase, intervalMs) >= slot) {
    return null;
  }
  return {
    ...watcher,
    servedAt: at,
    // Never back: an older look may be the first success of a slot.
    seenAt: Math.max(seenAt, watcher.seenAt ?? 0),
    ...(isInTime(at, dayOf(slot)) ? counted(watcher, dayOf(slot)) : {}),
  };
}

const isInTime = (at: number, day: number) => at < (day + 1) * DAY_MS + GRACE_MS;

/** A slot counts for the day on which it began. */
function counted(
  watcher: Watcher,
  day: number,
): Pick<Watcher, 'countedOn' | 'slotsServed' | 'slotsServedBefore'> {
  const { countedOn, slotsServed } = watcher;
  if (countedOn === day) {
    return {
      countedOn,
      slotsServed: slotsServed + 1,
      slotsServedBefore: watcher.slotsServedBefore,
    };
  }
  const slotsServedBefore = countedOn === day - 1 ? slotsServed : 0;
  return { countedOn: day, slotsServed: 1, slotsServedBefore };
}

/** The counts that a watcher's row forgets when it changes so; a count of none needs no keeping. */
export function forgottenCounts(before: Watcher, after: Watcher | null): ServedDay[] {
  const { code, accountId, trackedId, countedOn } = before;
  if (countedOn === null) return [];
  const isSame = after?.trackedId === trackedId;
  const counts = [
    { day: countedOn, slotsServed: before.slotsServed },
    { day: countedOn - 1, slotsServed: before.slotsServedBefore },
  ];
  return counts
    .filter(
      ({ day, slotsServed }) => slotsServed > 0 && !(isSame && after && remembers(after, day)),
    )
    .map((count) => ({ code, accountId, trackedId, ...count }));
}

const remembers = ({ countedOn }: Watcher, day: number) =>
  countedOn !== null && (day === countedOn || day === countedOn - 1);

/** What settlement knows of a product's day: the stretches at which slots were due, and the counts. */
export type DayRecord = {
  code: string;
  /** The present watcher; undefined after it was removed. */
  watcher: Watcher | undefined;
  spans: readonly WatchSpan[];
  served: readonly ServedDay[];
};

/**
 * How many slots were due on a day and how many were served. Due is what began while it was watched, at the tier of
 * that time; a slot counts for the day on which it began.
 */
export function slotsOf(record: DayRecord, day: number): { due: number; served: number } {
  const { code, watcher, spans } = record;
  const phase = phaseMs(code);
  const [start, end] = [day * DAY_MS, (day + 1) * DAY_MS];
  const dueIn = (span: Pick<WatchSpan, 'tier' | 'fromAt' | 'toAt'>) =>
    slotsBetween(
      { from: Math.max(start, span.fromAt), to: Math.min(end, span.toAt) },
      phase,
      intervalSeconds(span.tier) * 1000,
    );
  // A watcher that was read before it changed is met again as the stretch that ended then.
  const isSame = ({ trackedId, fromAt }: WatchSpan) =>
    watcher?.trackedId === trackedId && fromAt >= watcher.sinceAt && !watcher.isSuspended;
  let due = spans.reduce((sum, span) => (isSame(span) ? sum : sum + dueIn(span)), 0);
  if (watcher !== undefined && !watcher.isSuspended) {
    due += dueIn({ tier: watcher.tier, fromAt: watcher.sinceAt, toAt: end });
  }
  const counts = new Map(
    record.served
      .filter((one) => one.day === day)
      .map(({ trackedId, slotsServed }) => [trackedId, slotsServed]),
  );
  if (watcher !== undefined) {
    const kept = counts.get(watcher.trackedId) ?? 0;
    counts.set(watcher.trackedId, Math.max(kept, servedOn(watcher, day)));
  }
  const served = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { due, served };
}

/** At least half of what was due: a day on which nothing was due is kept. */
export const isKept = ({ due, served }: { due: number; served: number }) => served * 2 >= due;

function servedOn(watcher: Watcher, day: number): number {
  if (watcher.countedOn === day) return watcher.slotsServed;
  return watcher.countedOn === day + 1 ? watcher.slotsServedBefore : 0;
}
