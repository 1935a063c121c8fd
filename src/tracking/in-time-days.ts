// The slots of a watcher that were served in time, by UTC day, and their share of the due ones.
// Kept as text in the watcher's row: the last day, and a digit in base 36 for it and each day
// before, as in "20773:3oo". A million watchers take 16 MB with it.
import { DAY_MS, SECOND_MS } from '../foundation/time.ts';
import { isSlotInTime } from './freshness.ts';
import { dayOf, phaseMs, slotStart, slotsBetween } from './slot.ts';
import { intervalSeconds } from './tier.ts';
import type { Watcher } from './watcher.ts';

/** The present day and the six before it. */
export const IN_TIME_DAYS = 7;
/** Digits in base 36, which is more than the 24 slots that a day can have. */
const RADIX = 36;

export type InTimeShare = { due: number; inTime: number };

type Watched = Pick<
  Watcher,
  'code' | 'tier' | 'isSuspended' | 'sinceAtMs' | 'servedAtMs' | 'inTimeDays'
>;

/** Returns the text after a slot was served at `atMs`; unchanged if that was late. */
export function afterServedAt(
  watcher: Pick<Watched, 'code' | 'tier' | 'sinceAtMs' | 'inTimeDays'>,
  atMs: number,
): string | null {
  const { inTimeDays, sinceAtMs } = watcher;
  const intervalMs = intervalSeconds(watcher.tier) * SECOND_MS;
  const slotAtMs = slotStart(atMs, phaseMs(watcher.code), intervalMs);
  // A slot that began before the product was watched was not due.
  const counts = slotAtMs >= sinceAtMs && isSlotInTime({ slotAtMs, intervalMs, atMs });
  if (!counts) return inTimeDays;
  const day = dayOf(slotAtMs);
  const before = countsOf(inTimeDays);
  const lastDay = Math.max(day, ...before.keys());
  let digits = '';
  for (let one = lastDay; one > lastDay - IN_TIME_DAYS; one--) {
    const count = (before.get(one) ?? 0) + (one === day ? 1 : 0);
    digits += Math.min(count, RADIX - 1).toString(RADIX);
  }
  return `${lastDay}:${digits.replace(/0+$/, '')}`;
}

/** By day. A text that cannot be read counts as none: the share is no reason to fail. */
function countsOf(text: string | null): Map<number, number> {
  const [, lastDay, digits = ''] = /^(\d{1,6}):([0-9a-z]+)$/.exec(text ?? '') ?? [];
  return new Map(
    [...digits].map((digit, age) => [Number(lastDay) - age, Number.parseInt(digit, RADIX)]),
  );
}

/**
 * Counts the slots that began since the start of `fromDay` while the product was watched at its
 * present tier. The slot under way is due once it was served, or can no longer be in time.
 */
export function inTimeShare(
  watcher: Watched,
  { fromDay, nowMs }: { fromDay: number; nowMs: number },
): InTimeShare {
  if (watcher.isSuspended) return { due: 0, inTime: 0 };
  const { sinceAtMs, servedAtMs } = watcher;
  const intervalMs = intervalSeconds(watcher.tier) * SECOND_MS;
  const phase = phaseMs(watcher.code);
  const slotAtMs = slotStart(nowMs, phase, intervalMs);
  const isOpen =
    (servedAtMs ?? 0) < slotAtMs && isSlotInTime({ slotAtMs, intervalMs, atMs: nowMs });
  const endAtMs = isOpen ? slotAtMs : slotAtMs + 1;
  const counts = countsOf(watcher.inTimeDays);
  const share = { due: 0, inTime: 0 };
  for (let day = fromDay; day <= dayOf(nowMs); day++) {
    const span = {
      fromAtMs: Math.max(day * DAY_MS, sinceAtMs),
      toAtMs: Math.min((day + 1) * DAY_MS, endAtMs),
    };
    const due = slotsBetween(span, phase, intervalMs);
    share.due += due;
    // On the day of a change, slots of the tier before may be counted too.
    share.inTime += Math.min(due, counts.get(day) ?? 0);
  }
  return share;
}
