// The simplest reading of a seller's track: between two counts, a decrease was sold and an increase
// is a restock.
import { DAY_SECONDS } from '../foundation/time.ts';
import type { SellerTrack } from './seller-track.ts';
import { dayOf } from './stock-observation.ts';

/** Nothing is counted over longer gaps: a restock in between may hide any number of sales. */
export const GAP_SECONDS = 16 * DAY_SECONDS;

/**
 * A day above max(11, 5.2 × median, median + 6 × median deviation) of the days with sales is a
 * jump.
 */
const JUMP_UNITS_MIN = 11;
const JUMP_MEDIANS = 5.2;
const JUMP_DEVIATIONS = 6;

/** How far the count fell to a point, without stock that moved to or from another seller. */
export function droppedAt({ units, moved }: SellerTrack, index: number): number {
  const dropped = (units[index - 1] as number) - (units[index] as number);
  return moved.size === 0 ? dropped : dropped - (moved.get(index) ?? 0);
}

export type CountedDrop = { fromAtSeconds: number; toAtSeconds: number; units: number };

/** Yields every interval between two counts in which the stock did not rise, oldest first. */
export function* dropsOf(track: SellerTrack): Generator<CountedDrop> {
  const { timesSeconds, units } = track;
  for (let index = 1; index < timesSeconds.length; index++) {
    if ((units[index] as number) < 0 || (units[index - 1] as number) < 0) continue;
    const dropped = droppedAt(track, index);
    if (dropped < 0) continue;
    const fromAtSeconds = timesSeconds[index - 1] as number;
    const toAtSeconds = timesSeconds[index] as number;
    if (toAtSeconds - fromAtSeconds > GAP_SECONDS) continue;
    yield { fromAtSeconds, toAtSeconds, units: dropped };
  }
}

/**
 * Units of all sellers by the day on which their drops were observed. Days without drops are
 * absent.
 */
export function soldByDay(tracks: readonly SellerTrack[]): Map<number, number> {
  const days = new Map<number, number>();
  for (const track of tracks) {
    for (const { toAtSeconds, units } of dropsOf(track)) {
      if (units === 0) continue;
      const day = dayOf(toAtSeconds);
      days.set(day, (days.get(day) ?? 0) + units);
    }
  }
  return days;
}

/** The units of a day above which it is a jump. */
export function jumpLimitOf(soldOnDays: readonly number[]): number {
  const middle = median(soldOnDays);
  const deviation = median(soldOnDays.map((units) => Math.abs(units - middle)));
  return Math.max(JUMP_UNITS_MIN, JUMP_MEDIANS * middle, middle + JUMP_DEVIATIONS * deviation);
}

/** 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
