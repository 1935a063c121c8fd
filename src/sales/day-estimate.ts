// Estimates the units sold on each day: a pure function of the product's observations, the market
// model and the product's habit. docs/sales-estimates.md explains the rules; estimate-sales stores
// the days.
import { atOnce, type Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { GAP_SECONDS } from './counted-drop.ts';
import {
  addSpan,
  addUncertainTime,
  BLOCK_DAYS,
  type DayEstimate,
  type DaySums,
  daySumsFor,
  estimatesFrom,
  noteSeen,
} from './day-sums.ts';
import { DAY_WEIGHT, timelineOf, weightBetween } from './hour-shape.ts';
import { noteMoves } from './moved-stock.ts';
import { type Fit, sellerHabitOf } from './product-habit.ts';
import { curveUnits } from './rank-curve.ts';
import type { SalesTrace } from './sales-trace.ts';
import {
  type Prior,
  RATE_SECONDS,
  REVERTED_SECONDS,
  rateSteps,
  shelfRates,
} from './seller-rate.ts';
import { addTrack } from './seller-sales.ts';
import { BRIDGED_SECONDS, trackSteps } from './seller-track.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** Days since 1970-01-01, both included. */
export type DayRange = { fromDay: number; toDay: number };

/**
 * The estimate of a day depends on no observation further away than this, except the nearest one
 * with offers on each side.
 */
export const REACH_DAYS =
  // A rounding block, half of a long interval that overlaps it, the rate around that, and what may
  // change the rate.
  BLOCK_DAYS +
  Math.ceil((GAP_SECONDS / 2 + RATE_SECONDS + BRIDGED_SECONDS + REVERTED_SECONDS) / DAY_SECONDS);

/**
 * The observations that the estimates of these days need: those in the returned span, and the
 * nearest with offers before and after it (or, if there is none, the first and the last
 * observation).
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
 * The days whose estimates an observation on this day may change. If the nearest observations with
 * offers are further away, the days up to them may change, too.
 */
export function affectedDays(day: number): DayRange {
  return { fromDay: day - REACH_DAYS, toDay: day + REACH_DAYS };
}

/**
 * One estimate for each day from the first to the last observation, ascending. Observations are
 * ascending. With a range, only its days are returned and the observations of contextOf suffice.
 */
export const estimateDays = (
  observations: readonly StockObservation[],
  fit: Fit,
  range?: DayRange,
): DayEstimate[] => atOnce(estimateSteps(observations, fit, range));

/**
 * The same in steps, one per observation and seller. A trace notes where the units come from.
 */
export function* estimateSteps(
  observations: readonly StockObservation[],
  fit: Fit,
  range: DayRange = { fromDay: Number.NEGATIVE_INFINITY, toDay: Number.POSITIVE_INFINITY },
  trace: SalesTrace | null = null,
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
  sums.trace = trace;
  const tracks = yield* trackSteps(observations, fit.habit?.caps ?? {});
  noteMoves(tracks, ({ sellerName }) => sellerHabitOf(fit.habit, sellerName));
  for (const { atSeconds, offers } of observations)
    if (offers !== undefined) noteSeen(sums, atSeconds);
  const prior = priorOf(observations, fit);
  const rates = yield* rateSteps(tracks, line, { fit, trace });
  const shelf = shelfRates(rates);
  for (const track of rates) {
    yield* addTrack(sums, { track, shelf, prior, fit });
    yield;
  }
  trace?.from(null);
  addGaps(sums, observations, { prior, spread: spreadOf(fit) });
  return estimatesFrom(sums, fromDay, toDay);
}

/** The expected daily units of the product: by its rank, else by its usual sales. */
function priorOf(observations: readonly StockObservation[], { model, habit }: Fit): Prior {
  const category = habit?.category ?? null;
  const curve = category === null ? null : (model.categories[category]?.curve ?? null);
  const isCounted =
    habit !== null && Object.values(habit.sellers).some(({ countedDays }) => countedDays >= 1);
  const typical = isCounted ? { unitsPerDay: habit.unitsPerDay, byRank: false } : null;
  if (curve === null) return () => typical;
  const timesSeconds: number[] = [];
  const ranks: number[] = [];
  for (const { atSeconds, rankPosition, rankCategory } of observations) {
    if (rankPosition === null || rankCategory !== category) continue;
    timesSeconds.push(atSeconds);
    ranks.push(rankPosition);
  }
  return (atSeconds) => {
    const index = lastUpTo(timesSeconds, atSeconds);
    const rankAtSeconds = timesSeconds[index];
    if (rankAtSeconds === undefined || atSeconds - rankAtSeconds > GAP_SECONDS) return typical;
    const usual = curveUnits(curve, ranks[index] as number);
    return { unitsPerDay: usual * (habit?.curveRatio ?? 1), byRank: true };
  };
}

/** The greatest spread of the sellers: gaps are no more certain than any of them. */
function spreadOf({ habit }: Fit): number {
  let spread = 1;
  for (const seller of Object.values(habit?.sellers ?? {}))
    spread = Math.max(spread, seller.spread);
  return spread;
}

/** The index of the last value that is not greater; −1 if there is none. */
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

/** Adds the expected units where offers were not observed: before, after, and in long gaps. */
function addGaps(
  sums: DaySums,
  observations: readonly StockObservation[],
  usual: { prior: Prior; spread: number },
): void {
  const lastAtSeconds = (observations.at(-1) as StockObservation).atSeconds;
  let fromAtSeconds = (observations[0] as StockObservation).atSeconds;
  let hasOffers = false;
  for (const { atSeconds, offers } of observations) {
    if (offers === undefined) continue;
    if (!hasOffers || atSeconds - fromAtSeconds > GAP_SECONDS)
      addGap(sums, { fromAtSeconds, toAtSeconds: atSeconds }, usual);
    hasOffers = true;
    fromAtSeconds = atSeconds;
  }
  addGap(sums, { fromAtSeconds, toAtSeconds: lastAtSeconds }, usual);
}

function addGap(
  sums: DaySums,
  gap: { fromAtSeconds: number; toAtSeconds: number },
  { prior, spread }: { prior: Prior; spread: number },
): void {
  const lastDay = Math.min(dayOf(gap.toAtSeconds - 1), sums.firstDay + sums.days - 1);
  for (let day = Math.max(dayOf(gap.fromAtSeconds), sums.firstDay); day <= lastDay; day++) {
    const fromAtSeconds = Math.max(gap.fromAtSeconds, day * DAY_SECONDS);
    const toAtSeconds = Math.min(gap.toAtSeconds, (day + 1) * DAY_SECONDS);
    const span = { fromAtSeconds, toAtSeconds };
    const expected = prior(toAtSeconds);
    if (expected === null) {
      addUncertainTime(sums, 'blind', span);
      continue;
    }
    const weight = weightBetween(sums.line, fromAtSeconds, toAtSeconds) / DAY_WEIGHT;
    const units = expected.unitsPerDay * weight;
    addSpan(sums, { ...span, units, method: 'typical', spread, lean: null });
  }
}
