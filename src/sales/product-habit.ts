// What the whole history of one product says about any of its days: how much it sells, what stands out, which
// counts are capped, when it sells. Made anew when the knowledge is; the estimate of a day needs nothing else
// from far away.
import { atOnce, type Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { dropsOf, GAP_SECONDS, jumpLimitOf, soldByDay } from './counted-drop.ts';
import { addHours, emptyHourSums, ownProfile } from './hour-sums.ts';
import type { MarketModel } from './market-model.ts';
import { lastCategory } from './market-sums.ts';
import { curveUnits } from './rank-curve.ts';
import { ABSENT, type SellerTrack, trackSteps } from './seller-track.ts';
import { capsOf } from './stock-cap.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** As JSON it is what it was. */
export type ProductHabit = {
  /** Version of the knowledge it was made with. */
  version: number;
  category: string | null;
  unitsPerDay: number;
  /** Of those drops that were any. */
  unitsPerDrop: number;
  /** Against what the category's curve says for its ranks. */
  curveRatio: number;
  /** Units of a day above which it stands out; null without enough days to tell. */
  jumpUnits: number | null;
  /** Days stand out too often to be mistakes. */
  lumpy: boolean;
  caps: Record<string, number>;
  /** The product's own, else its category's, else null. */
  profile: readonly number[] | null;
};

const JUMP_DAYS_MIN = 10;
const LUMPY_DAYS_MIN = 3;

/** All looks of one product, ascending. */
export const habitOf = (
  observations: readonly StockObservation[],
  model: MarketModel,
): ProductHabit => atOnce(habitSteps(observations, model));

/** The same, a step for each look and each seller. */
export function* habitSteps(
  observations: readonly StockObservation[],
  model: MarketModel,
): Steps<ProductHabit> {
  const category = lastCategory(observations);
  const known = category === null ? undefined : model.categories[category];
  const plain = yield* trackSteps(observations);
  const curve = known?.curve ?? null;
  const byRank = curve === null ? null : rankDays(observations, (rank) => curveUnits(curve, rank));
  const caps = capsOf(plain, byRank === null ? null : byRank.units / byRank.days);
  const tracks = Object.keys(caps).length === 0 ? plain : yield* trackSteps(observations, caps);
  yield;
  const sold = [...soldByDay(tracks).values()];
  const jumpUnits = sold.length < JUMP_DAYS_MIN ? null : jumpLimitOf(sold);
  const jumps = sold.filter((units) => jumpUnits !== null && units > jumpUnits).length;
  const lumpy = model.lumpy || jumps >= LUMPY_DAYS_MIN;
  const unitsPerDay = yield* dailyUnits(tracks, lumpy ? null : jumpUnits);
  const hours = emptyHourSums();
  for (const track of plain) {
    addHours(hours, track);
    yield;
  }
  const unitsPerDrop = yield* meanDrop(tracks);
  return {
    version: model.version,
    category,
    unitsPerDay,
    unitsPerDrop,
    // What a capped seller shows says nothing about the product against others.
    curveRatio:
      byRank === null || Object.keys(caps).length > 0
        ? 1
        : ratio(unitsPerDay * byRank.days, byRank.units),
    jumpUnits,
    lumpy,
    caps,
    profile: ownProfile(hours, known?.profile ?? model.shape.profile) ?? known?.profile ?? null,
  };
}

/** Pulled to 1 by five units. */
function ratio(units: number, expected: number): number {
  return (units + 5) / (expected + 5);
}

function rankDays(observations: readonly StockObservation[], unitsAt: (rank: number) => number) {
  const ranks = new Map<number, number>();
  for (const { atSeconds, rankPosition } of observations)
    if (rankPosition !== null) ranks.set(dayOf(atSeconds), rankPosition);
  let units = 0;
  for (const rank of ranks.values()) units += unitsAt(rank);
  return ranks.size === 0 ? null : { units, days: ranks.size };
}

/** Of each seller the rate while counted, times the part of the time in which the seller was there. */
function* dailyUnits(tracks: readonly SellerTrack[], jumpUnits: number | null): Steps<number> {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { at } of tracks) {
    first = Math.min(first, at[0] as number);
    last = Math.max(last, at.at(-1) as number);
  }
  const span = last - first;
  if (!(span > 0)) return 0;
  let rate = 0;
  for (const track of tracks) {
    let units = 0;
    let seconds = 0;
    for (const drop of dropsOf(track)) {
      units += jumpUnits === null ? drop.units : Math.min(drop.units, jumpUnits);
      seconds += drop.toAtSeconds - drop.fromAtSeconds;
    }
    yield;
    if (seconds > 0) rate += (units / seconds) * (secondsThere(track) / span);
  }
  return rate * DAY_SECONDS;
}

function* meanDrop(tracks: readonly SellerTrack[]): Steps<number> {
  let units = 0;
  let drops = 0;
  for (const track of tracks) {
    for (const drop of dropsOf(track)) {
      units += drop.units;
      if (drop.units > 0) drops++;
    }
    yield;
  }
  return drops === 0 ? 1 : units / drops;
}

function secondsThere({ at, units }: SellerTrack): number {
  let seconds = 0;
  for (let index = 1; index < at.length; index++) {
    const length = (at[index] as number) - (at[index - 1] as number);
    if (units[index] !== ABSENT && units[index - 1] !== ABSENT && length <= GAP_SECONDS)
      seconds += length;
  }
  return seconds;
}
