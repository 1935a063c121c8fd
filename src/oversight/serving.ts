// What a look means to those who watch the product: each is served once in a slot of its own tier.
import { DAY_MS, dayOf, phaseMs, slotStart, slotsBetween } from './slot.ts';
import { intervalSeconds } from './tier.ts';
import type { Watcher } from './watchers.ts';

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
    ...counted(watcher, dayOf(slot)),
  };
}

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

/** Whether fewer than half of the slots that were due on a day were served. */
export function brokePromise(watcher: Watcher, day: number): boolean {
  const due = slotsBetween(
    { from: Math.max(day * DAY_MS, watcher.sinceAt), to: (day + 1) * DAY_MS },
    phaseMs(watcher.code),
    intervalSeconds(watcher.tier) * 1000,
  );
  return servedOn(watcher, day) * 2 < due;
}

function servedOn(watcher: Watcher, day: number): number {
  if (watcher.countedOn === day) return watcher.slotsServed;
  return watcher.countedOn === day + 1 ? watcher.slotsServedBefore : 0;
}
