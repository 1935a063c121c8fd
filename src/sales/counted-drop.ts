// The plain reading of a seller's track: between two counts, less is sold, more is a restock.

import { DAY_SECONDS } from '../foundation/time.ts';
import type { SellerTrack } from './seller-track.ts';
import { dayOf } from './stock-observation.ts';

/** Between looks further apart a restock may hide any number of sales: nothing is counted there. */
export const GAP_SECONDS = 10 * DAY_SECONDS;

/** A day's total stands out above max(10, 5 × median, median + 6 × median deviation) of the days with sales. */
const JUMP_UNITS_MIN = 10;
const JUMP_MEDIANS = 5;
const JUMP_DEVIATIONS = 6;

export type CountedDrop = { fromAtSeconds: number; toAtSeconds: number; units: number };

/** Every interval between two counts in which the stock did not rise, oldest first. */
export function* dropsOf(track: SellerTrack): Generator<CountedDrop> {
  const { at, units } = track;
  for (let index = 1; index < at.length; index++) {
    const before = units[index - 1] as number;
    const after = units[index] as number;
    if (after < 0 || before < after) continue;
    const fromAtSeconds = at[index - 1] as number;
    const toAtSeconds = at[index] as number;
    if (toAtSeconds - fromAtSeconds > GAP_SECONDS) continue;
    yield { fromAtSeconds, toAtSeconds, units: before - after };
  }
}

/** Units of all sellers by the day in which their drops were seen; days without any are not there. */
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

export function jumpLimitOf(soldOnDays: readonly number[]): number {
  const middle = median(soldOnDays);
  const deviation = median(soldOnDays.map((units) => Math.abs(units - middle)));
  return Math.max(JUMP_UNITS_MIN, JUMP_MEDIANS * middle, middle + JUMP_DEVIATIONS * deviation);
}

/** 0 of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
