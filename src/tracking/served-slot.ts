// Serving slots: a watcher is served once per slot of its tier, and a day is kept when at least
// half of its due slots were served.
import { DAY_MS, HOUR_MS, SECOND_MS } from '../foundation/time.ts';
import { afterServedAt } from './in-time-days.ts';
import type { ServedDay } from './served-days.ts';
import { dayOf, phaseMs, slotStart, slotsBetween } from './slot.ts';
import { intervalSeconds } from './tier.ts';
import type { WatchSpan } from './watch-spans.ts';
import type { Watcher } from './watcher.ts';

/**
 * How long after a day its last slots may still be served. Anything later does not count for the
 * day, settled or not, so that the settlement does not depend on when it runs.
 */
export const GRACE_MS = HOUR_MS;

/**
 * Returns the watcher after the observation of `seenAtMs` was served at `atMs`; null when its slot
 * was served already or the watcher is suspended.
 */
export function afterServing(
  watcher: Watcher,
  { atMs, seenAtMs }: { atMs: number; seenAtMs: number },
): Watcher | null {
  if (watcher.isSuspended) return null;
  const phase = phaseMs(watcher.code);
  const intervalMs = intervalSeconds(watcher.tier) * SECOND_MS;
  const slotAtMs = slotStart(atMs, phase, intervalMs);
  if (watcher.servedAtMs !== null && slotStart(watcher.servedAtMs, phase, intervalMs) >= slotAtMs) {
    return null;
  }
  return {
    ...watcher,
    servedAtMs: atMs,
    inTimeDays: afterServedAt(watcher, atMs),
    // Never moves back: an older observation may be the first success of a slot.
    seenAtMs: Math.max(seenAtMs, watcher.seenAtMs ?? 0),
    ...(isBeforeGraceEnds(atMs, dayOf(slotAtMs)) ? countedOn(watcher, dayOf(slotAtMs)) : {}),
  };
}

const isBeforeGraceEnds = (atMs: number, day: number) => atMs < (day + 1) * DAY_MS + GRACE_MS;

/** A slot counts for the day on which it began. */
function countedOn(
  watcher: Watcher,
  day: number,
): Pick<Watcher, 'countedDay' | 'slotsServed' | 'slotsServedBefore'> {
  const { countedDay, slotsServed } = watcher;
  if (countedDay === day) {
    return {
      countedDay,
      slotsServed: slotsServed + 1,
      slotsServedBefore: watcher.slotsServedBefore,
    };
  }
  const slotsServedBefore = countedDay === day - 1 ? slotsServed : 0;
  return { countedDay: day, slotsServed: 1, slotsServedBefore };
}

/**
 * Returns the counts that a watcher's row loses by this change; `after` is null when the row is
 * deleted. Counts of zero need not be saved.
 */
export function droppedCounts(before: Watcher, after: Watcher | null): ServedDay[] {
  const { code, accountId, trackedId, countedDay } = before;
  if (countedDay === null) return [];
  const isSame = after?.trackedId === trackedId;
  const counts = [
    { day: countedDay, slotsServed: before.slotsServed },
    { day: countedDay - 1, slotsServed: before.slotsServedBefore },
  ];
  return counts
    .filter(({ day, slotsServed }) => slotsServed > 0 && !(isSame && after && hasDay(after, day)))
    .map((count) => ({ code, accountId, trackedId, ...count }));
}

const hasDay = ({ countedDay }: Watcher, day: number) =>
  countedDay !== null && (day === countedDay || day === countedDay - 1);

/** What settlement reads about a product's days. */
export type DayRecord = {
  code: string;
  /** The present watcher; undefined after it was removed. */
  watcher: Watcher | undefined;
  /** Closed spans in which slots were due. */
  spans: readonly WatchSpan[];
  /** Counts that the watcher's row no longer holds. */
  served: readonly ServedDay[];
};

/**
 * Counts the slots that were due on a day and the slots that were served. A slot is due when it
 * began while the product was watched, at the tier of that time; it counts for the day on which it
 * began.
 */
export function slotsOf(record: DayRecord, day: number): { due: number; served: number } {
  const { code, watcher, spans } = record;
  const phase = phaseMs(code);
  const [dayStartMs, dayEndMs] = [day * DAY_MS, (day + 1) * DAY_MS];
  const dueIn = (span: Pick<WatchSpan, 'tier' | 'fromAtMs' | 'toAtMs'>) =>
    slotsBetween(
      {
        fromAtMs: Math.max(dayStartMs, span.fromAtMs),
        toAtMs: Math.min(dayEndMs, span.toAtMs),
      },
      phase,
      intervalSeconds(span.tier) * SECOND_MS,
    );
  // A watcher that was read before it changed appears again as the span that ended then.
  const isOfWatcher = ({ trackedId, fromAtMs }: WatchSpan) =>
    watcher?.trackedId === trackedId && fromAtMs >= watcher.sinceAtMs && !watcher.isSuspended;
  let due = spans.reduce((sum, span) => (isOfWatcher(span) ? sum : sum + dueIn(span)), 0);
  if (watcher !== undefined && !watcher.isSuspended) {
    due += dueIn({ tier: watcher.tier, fromAtMs: watcher.sinceAtMs, toAtMs: dayEndMs });
  }
  const counts = new Map(
    record.served
      .filter((count) => count.day === day)
      .map(({ trackedId, slotsServed }) => [trackedId, slotsServed]),
  );
  if (watcher !== undefined) {
    const saved = counts.get(watcher.trackedId) ?? 0;
    counts.set(watcher.trackedId, Math.max(saved, servedOn(watcher, day)));
  }
  const served = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { due, served };
}

/** A day is kept when at least half of its due slots were served; also when none was due. */
export const isKept = ({ due, served }: { due: number; served: number }) => served * 2 >= due;

function servedOn(watcher: Watcher, day: number): number {
  if (watcher.countedDay === day) return watcher.slotsServed;
  return watcher.countedDay === day + 1 ? watcher.slotsServedBefore : 0;
}
