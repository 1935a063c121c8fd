// Units sold on each day, from the looks at a product: a pure function of the looks, what is known of the market,
// and the product's habits. docs/sales-estimates.md tells the rules.
import { atOnce, type Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { GAP_SECONDS } from './counted-drop.ts';
import {
  addSpan,
  addUnseen,
  BLOCK_DAYS,
  type DayEstimate,
  type DaySums,
  daySumsFor,
  estimatesFrom,
} from './day-sums.ts';
import { DAY_WEIGHT, timelineOf, weightBetween } from './hour-shape.ts';
import type { MarketModel } from './market-model.ts';
import type { ProductHabit } from './product-habit.ts';
import { curveUnits } from './rank-curve.ts';
import {
  addTrack,
  type Prior,
  RATE_SECONDS,
  rateSteps,
  shelfRates,
  TAKEN_BACK_SECONDS,
} from './seller-sales.ts';
import { BRIDGED_SECONDS, trackSteps } from './seller-track.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** habit null: the product is too new to have any. */
export type Fit = { model: MarketModel; habit: ProductHabit | null };

/** Days since 1970-01-01, both included. */
export type DayRange = { fromDay: number; toDay: number };

/** A day's estimate depends on no look further away than this, but the nearest with offers on each side. */
export const REACH_DAYS =
  // A block, from the middle of an interval that touches it the rate around, and what may end differently there.
  BLOCK_DAYS +
  Math.ceil((GAP_SECONDS / 2 + RATE_SECONDS + BRIDGED_SECONDS + TAKEN_BACK_SECONDS) / DAY_SECONDS);

/**
 * The looks that the estimates of these days need: those in this span, and the nearest with offers before and after
 * it (or, where there is none, the very first and the very last look).
 */
export function contextOf({ fromDay, toDay }: DayRange): {
  fromAtSeconds: number;
  toAtSeconds: number;
} {
  return {
    fromAtSeconds: (fromDay - REACH_DAYS) * DAY_SECONDS,
    toAtSeconds: (toDay + 1 + REACH_DAYS) * DAY_SECONDS,
  };
}

/**
 * The days whose estimates a look on this day may change; and those up to the nearest looks with offers on each side,
 * where they are further away.
 */
export function touchedBy(day: number): DayRange {
  return { fromDay: day - REACH_DAYS, toDay: day + REACH_DAYS };
}

/**
 * One entry for every day of the range from the first to the last look, ascending. Looks are ascending; without a
 * range all days are told, with one the looks of contextOf suffice.
 */
export const estimateDays = (
  observations: readonly StockObservation[],
  fit: Fit,
  range?: DayRange,
): DayEstimate[] => atOnce(estimateSteps(observations, fit, range));

/** The same, a step for each look and each seller. */
export function* estimateSteps(
  observations: readonly StockObservation[],
  fit: Fit,
  range: DayRange = { fromDay: Number.NEGATIVE_INFINITY, toDay: Number.POSITIVE_INFINITY },
): Steps<DayEstimate[]> {
  const first = observations[0];
  const last = observations.at(-1);
  if (first === undefined || last === undefined) return [];
  const fromDay = Math.max(range.fromDay, dayOf(first.atSeconds));
  const toDay = Math.min(range.toDay, dayOf(last.atSeconds));
  if (fromDay > toDay) return [];
  const line = timelineOf(
    fit.model.shape,
    { fromAtSeconds: first.atSeconds, toAtSeconds: (dayOf(last.atSeconds) + 1) * DAY_SECONDS },
    fit.habit?.profile ?? null,
  );
  const firstDay = Math.floor(fromDay / BLOCK_DAYS) * BLOCK_DAYS;
  const days = (Math.floor(toDay / BLOCK_DAYS) + 1) * BLOCK_DAYS - firstDay;
  const sums = daySumsFor({ firstDay, days }, line, fit.model.orders);
  const tracks = yield* trackSteps(observations, fit.habit?.caps ?? {});
  const prior = priorOf(observations, fit);
  const rates = yield* rateSteps(tracks, line, fit);
  const shelf = shelfRates(rates);
  for (const track of rates) {
    yield* addTrack(sums, { track, shelf, prior, fit });
    yield;
  }
  addGaps(sums, observations, prior);
  return estimatesFrom(sums, fromDay, toDay);
}

/** What the product may be expected to sell a day, by its rank, else by what it usually sells. */
function priorOf(observations: readonly StockObservation[], { model, habit }: Fit): Prior {
  const category = habit?.category ?? null;
  const curve = category === null ? null : (model.categories[category]?.curve ?? null);
  const typical =
    habit === null ? null : { unitsPerDay: habit.unitsPerDay, method: 'typical' as const };
  if (curve === null) return () => typical;
  const at: number[] = [];
  const ranks: number[] = [];
  for (const { atSeconds, rankPosition, rankCategory } of observations) {
    if (rankPosition === null || rankCategory !== category) continue;
    at.push(atSeconds);
    ranks.push(rankPosition);
  }
  return (atSeconds) => {
    const index = lastUpTo(at, atSeconds);
    const seen = at[index];
    if (seen === undefined || atSeconds - seen > GAP_SECONDS) return typical;
    const usual = curveUnits(curve, ranks[index] as number);
    return { unitsPerDay: usual * (habit?.curveRatio ?? 1), method: 'rank_curve' };
  };
}

/** The place of the last value that is not above, −1 when there is none. */
function lastUpTo(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Where no offers were seen for long, or not yet, or no longer, what may be expected takes the place of what was not
 * seen.
 */
function addGaps(sums: DaySums, observations: readonly StockObservation[], prior: Prior): void {
  const lastAtSeconds = (observations.at(-1) as StockObservation).atSeconds;
  let from = (observations[0] as StockObservation).atSeconds;
  let seenBefore = false;
  for (const { atSeconds, offers } of observations) {
    if (offers === undefined) continue;
    if (!seenBefore || atSeconds - from > GAP_SECONDS) addGap(sums, { from, to: atSeconds }, prior);
    seenBefore = true;
    from = atSeconds;
  }
  addGap(sums, { from, to: lastAtSeconds }, prior);
}

function addGap(sums: DaySums, { from, to }: { from: number; to: number }, prior: Prior): void {
  const lastDay = Math.min(dayOf(to - 1), sums.firstDay + sums.days - 1);
  for (let day = Math.max(dayOf(from), sums.firstDay); day <= lastDay; day++) {
    const fromAtSeconds = Math.max(from, day * DAY_SECONDS);
    const toAtSeconds = Math.min(to, (day + 1) * DAY_SECONDS);
    addUnseen(sums, fromAtSeconds, toAtSeconds);
    const expected = prior(toAtSeconds);
    if (expected === null) continue;
    const weight = weightBetween(sums.line, fromAtSeconds, toAtSeconds) / DAY_WEIGHT;
    const { unitsPerDay, method } = expected;
    addSpan(sums, { fromAtSeconds, toAtSeconds, units: unitsPerDay * weight, method, lean: null });
  }
}
