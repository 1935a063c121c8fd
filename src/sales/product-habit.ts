// The habit of one product, computed from its whole history: how much it sells, which drops are
// jumps, which counts are capped, when it sells. It is recomputed with each new market model. With
// it, the estimate of a day needs only the observations around that day.
import { atOnce, type Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { dropsOf, GAP_SECONDS, jumpLimitOf, soldByDay } from './counted-drop.ts';
import { addHours, emptyHourSums, productProfile } from './hour-sums.ts';
import type { MarketModel } from './market-model.ts';
import { lastCategory } from './market-sums.ts';
import { curveUnits } from './rank-curve.ts';
import { ABSENT, type SellerTrack, trackSteps } from './seller-track.ts';
import { capsOf } from './stock-cap.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** Survives JSON unchanged: it is stored as JSON. */
export type ProductHabit = {
  /** The version of the market model it was computed with. */
  version: number;
  category: string | null;
  unitsPerDay: number;
  /** Mean units of a drop; 1 without any. */
  unitsPerDrop: number;
  /** Sales relative to what the category's rank curve says for its ranks. */
  curveRatio: number;
  /** Units of a day above which it is a jump; null with too few days. */
  jumpUnits: number | null;
  /** Jumps are too frequent to be mistakes. */
  lumpy: boolean;
  caps: Record<string, number>;
  /** The profile of the product, else of its category, else null. */
  profile: readonly number[] | null;
};

/**
 * What a day is estimated with besides observations. habit null: the product is too new for one.
 */
export type Fit = { model: MarketModel; habit: ProductHabit | null };

const JUMP_DAYS_MIN = 10;
const LUMPY_DAYS_MIN = 3;

/** The habit of a product from all its observations, ascending. */
export const habitOf = (
  observations: readonly StockObservation[],
  model: MarketModel,
): ProductHabit => atOnce(habitSteps(observations, model));

/** The same in steps, one per observation and seller. */
export function* habitSteps(
  observations: readonly StockObservation[],
  model: MarketModel,
): Steps<ProductHabit> {
  const category = lastCategory(observations);
  const categoryModel = category === null ? undefined : model.categories[category];
  const uncappedTracks = yield* trackSteps(observations);
  const curve = categoryModel?.curve ?? null;
  const byRank = curve === null ? null : rankDays(observations, (rank) => curveUnits(curve, rank));
  const caps = capsOf(uncappedTracks, byRank === null ? null : byRank.units / byRank.days);
  const tracks =
    Object.keys(caps).length === 0 ? uncappedTracks : yield* trackSteps(observations, caps);
  yield;
  const sold = [...soldByDay(tracks).values()];
  const jumpUnits = sold.length < JUMP_DAYS_MIN ? null : jumpLimitOf(sold);
  const jumps = sold.filter((units) => jumpUnits !== null && units > jumpUnits).length;
  const lumpy = model.lumpy || jumps >= LUMPY_DAYS_MIN;
  const unitsPerDay = yield* dailyUnits(tracks, lumpy ? null : jumpUnits);
  const hours = emptyHourSums();
  for (const track of uncappedTracks) {
    addHours(hours, track);
    yield;
  }
  const unitsPerDrop = yield* meanDrop(tracks);
  return {
    version: model.version,
    category,
    unitsPerDay,
    unitsPerDrop,
    // With capped counts, the counted units say nothing about the product.
    curveRatio:
      byRank === null || Object.keys(caps).length > 0
        ? 1
        : ratio(unitsPerDay * byRank.days, byRank.units),
    jumpUnits,
    lumpy,
    caps,
    profile:
      productProfile(hours, categoryModel?.profile ?? model.shape.profile) ??
      categoryModel?.profile ??
      null,
  };
}

/** A ratio of units, pulled towards 1 by five units. */
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

/**
 * The sum over sellers of the counted rate, times the share of time in which the seller was
 * present.
 */
function* dailyUnits(tracks: readonly SellerTrack[], jumpUnits: number | null): Steps<number> {
  let firstAtSeconds = Number.POSITIVE_INFINITY;
  let lastAtSeconds = Number.NEGATIVE_INFINITY;
  for (const { timesSeconds } of tracks) {
    firstAtSeconds = Math.min(firstAtSeconds, timesSeconds[0] as number);
    lastAtSeconds = Math.max(lastAtSeconds, timesSeconds.at(-1) as number);
  }
  const spanSeconds = lastAtSeconds - firstAtSeconds;
  if (!(spanSeconds > 0)) return 0;
  let rate = 0;
  for (const track of tracks) {
    let units = 0;
    let seconds = 0;
    for (const drop of dropsOf(track)) {
      units += jumpUnits === null ? drop.units : Math.min(drop.units, jumpUnits);
      seconds += drop.toAtSeconds - drop.fromAtSeconds;
    }
    yield;
    if (seconds > 0) rate += (units / seconds) * (secondsPresent(track) / spanSeconds);
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

function secondsPresent({ timesSeconds, units }: SellerTrack): number {
  let seconds = 0;
  for (let index = 1; index < timesSeconds.length; index++) {
    const length = (timesSeconds[index] as number) - (timesSeconds[index - 1] as number);
    if (units[index] !== ABSENT && units[index - 1] !== ABSENT && length <= GAP_SECONDS)
      seconds += length;
  }
  return seconds;
}
