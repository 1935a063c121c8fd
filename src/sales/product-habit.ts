// The habit of one product, computed from its whole history: how much it sells, which drops are
// jumps, which counts are capped, when it sells. It is recomputed with each new market model. With
// it, the estimate of a day needs only the observations around that day.
import { atOnce, type Steps } from '../background/slices.ts';
import { bounds } from '../foundation/bounds.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { droppedAt, dropsOf, GAP_SECONDS, jumpLimitOf, median, soldByDay } from './counted-drop.ts';
import { DAY_WEIGHT, timelineOf, weightBetween } from './hour-shape.ts';
import { addHours, emptyHourSums, productProfile } from './hour-sums.ts';
import type { MarketModel } from './market-model.ts';
import { lastCategory } from './market-sums.ts';
import { noteMoves } from './moved-stock.ts';
import { curveUnits } from './rank-curve.ts';
import { refillIn } from './restock-reading.ts';
import { NEW_SELLER, type SellerHabit } from './seller-habit.ts';
import { type Pace, paceOf } from './seller-pace.ts';
import { ABSENT, type SellerTrack, trackSteps } from './seller-track.ts';
import { type ShelfHabit, shelfHabitOf } from './shelf-habit.ts';
import { capsOf, type DaysBetween, possibleCapsOf } from './stock-cap.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** Raised when stored habits of earlier releases cannot be used. */
export const HABIT_FORMAT = 3;

/** Survives JSON unchanged: it is stored as JSON. */
export type ProductHabit = {
  /** HABIT_FORMAT; others are computed again. */
  format: number;
  /** The version of the market model it was computed with. */
  version: number;
  category: string | null;
  unitsPerDay: number;
  /** Sales relative to what the category's rank curve says for its ranks. */
  curveRatio: number;
  /** Units of a day above which it is a jump; null with too few days. */
  jumpUnits: number | null;
  /** Jumps are too frequent to be mistakes. */
  lumpy: boolean;
  caps: Record<string, number>;
  /** Greatest counts that may be caps; days on which they rest are not certain. */
  possibleCaps: Record<string, number>;
  /** How the sellers with the most counts sell and restock. */
  sellers: Record<string, SellerHabit>;
  /** The median time between two observations. */
  usualSeconds: number;
  /** The profile of the product, else of its category, else null. */
  profile: readonly number[] | null;
};

export const sellerHabitOf = (habit: ProductHabit | null, sellerName: string): SellerHabit =>
  habit !== null && Object.hasOwn(habit.sellers, sellerName)
    ? (habit.sellers[sellerName] as SellerHabit)
    : NEW_SELLER;

/**
 * What a day is estimated with besides observations. habit null: the product is too new for one.
 */
export type Fit = { model: MarketModel; habit: ProductHabit | null };

const JUMP_DAYS_MIN = 9;
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
  const daysBetween = daysOfSales(observations, model);
  const caps = capsOf(
    uncappedTracks,
    byRank === null ? null : byRank.units / byRank.days,
    daysBetween,
  );
  const possibleCaps = possibleCapsOf(uncappedTracks, caps, daysBetween);
  const tracks =
    Object.keys(caps).length === 0 ? uncappedTracks : yield* trackSteps(observations, caps);
  yield;
  const sellers = yield* sellerHabits(tracks, model);
  const sold = [...soldByDay(tracks).values()];
  const jumpUnits = sold.length < JUMP_DAYS_MIN ? null : jumpLimitOf(sold);
  const jumps = sold.filter((units) => jumpUnits !== null && units > jumpUnits).length;
  const lumpy = model.lumpy || jumps >= LUMPY_DAYS_MIN;
  const unitsPerDay = yield* dailyUnits(tracks, observations, {
    sellers,
    jumpUnits: lumpy ? null : jumpUnits,
  });
  const hours = emptyHourSums();
  for (const track of uncappedTracks) {
    addHours(hours, track);
    yield;
  }
  return {
    format: HABIT_FORMAT,
    version: model.version,
    category,
    unitsPerDay,
    // With capped counts, the counted units say nothing about the product.
    curveRatio:
      byRank === null || Object.keys(caps).length > 0
        ? 1
        : ratio(unitsPerDay * byRank.days, byRank.units),
    jumpUnits,
    lumpy,
    caps,
    possibleCaps,
    sellers,
    usualSeconds: medianInterval(observations),
    profile:
      productProfile(hours, categoryModel?.profile ?? model.shape.profile) ??
      categoryModel?.profile ??
      null,
  };
}

/** Days between two instants by the hours in which the market sells. */
function daysOfSales(observations: readonly StockObservation[], model: MarketModel): DaysBetween {
  const fromAtSeconds = observations[0]?.atSeconds ?? 0;
  const toAtSeconds = observations.at(-1)?.atSeconds ?? 0;
  const line = timelineOf(model.shape, { fromAtSeconds, toAtSeconds });
  return (from, to) => weightBetween(line, from, to) / DAY_WEIGHT;
}

/** Part of the largest drops that may be moves, while moves are searched. */
const TRIMMED_PART = 0.04;

/** Notes moves between sellers in the tracks, and returns how each seller sells and restocks. */
function* sellerHabits(
  tracks: readonly SellerTrack[],
  model: MarketModel,
): Steps<Record<string, SellerHabit>> {
  const paces = new Map<SellerTrack, SellerHabit>();
  if (tracks.length > 1) {
    for (const track of tracks) {
      const shelf = shelfHabitOf(track, model.restockHours);
      paces.set(track, { ...shelf, ...paceOf(track, TRIMMED_PART) });
      yield;
    }
    noteMoves(tracks, (track) => paces.get(track) as SellerHabit);
  }
  const habits: [string, SellerHabit][] = [];
  const frequent = tracks
    .toSorted((one, other) => other.units.length - one.units.length)
    .slice(0, bounds.habitSellersMax);
  for (const track of frequent) {
    // Without moves, the shelf was read before.
    const before = track.moved.size === 0 ? paces.get(track) : undefined;
    const shelf = before ?? shelfHabitOf(track, model.restockHours);
    habits.push([track.sellerName, sellerHabit(track, shelf, model)]);
    yield;
  }
  return Object.fromEntries(habits);
}

/** Where most shelves are refilled every night, an unchanged count is most likely a full shelf. */
const NIGHTLY_USUAL_PART = 0.5;
const UNCHANGED_POINTS_MIN = 8;
const UNCHANGED_PART = 0.96;
const DAILY_SECONDS_MIN = 0.83 * DAY_SECONDS;
/** The usual daily units of a level weigh as much as this many days of counts. */
const LEVEL_PRIOR_DAYS = 2.5;

function sellerHabit(track: SellerTrack, shelf: ShelfHabit, model: MarketModel): SellerHabit {
  const pace = paceOf(track);
  const count = track.units.reduce((most, units) => Math.max(most, units), 0);
  const same = track.units.filter((units) => units === count).length;
  const isUnchanged =
    count > 0 && same >= UNCHANGED_POINTS_MIN && same >= UNCHANGED_PART * track.units.length;
  const isBlind = isUnchanged && isDaily(track) && !shelf.nightly;
  if (isBlind && model.nightlyPart >= NIGHTLY_USUAL_PART) {
    const unitsPerDay = UNSEEN_PART * usualOf(count, model);
    const level = { level: count, nightly: true, unitsPerDay };
    return { ...shelf, ...pace, ...level, hours: hoursBefore(track, model.restockHours) };
  }
  if (!shelf.nightly) return { ...shelf, ...pace };
  return { ...shelf, ...pace, ...levelPace(track, { ...shelf, ...pace }, model) };
}

/** Shelves that are never seen to sell sell less than the others of their level. */
const UNSEEN_PART = 0.5;
/** A shelf that is always seen full was refilled within this time before. */
const REFILLED_HOURS = 4;

/** The usual hours of restocks, but only those shortly before the observations. */
function hoursBefore({ timesSeconds }: SellerTrack, usual: readonly number[]): readonly number[] {
  const seen = usual.map(() => 0);
  for (const atSeconds of timesSeconds) {
    for (let hours = 0; hours < REFILLED_HOURS; hours++) {
      const hour = (Math.floor(atSeconds / HOUR_SECONDS) - hours) % usual.length;
      seen[hour] = (seen[hour] as number) + (usual[hour] as number) + 1e-6;
    }
  }
  const all = seen.reduce((sum, weight) => sum + weight, 0);
  return seen.map((weight) => Number((weight / all).toPrecision(4)));
}

/** Whether the track has about one point a day: only then may it never see a sale. */
function isDaily({ timesSeconds }: SellerTrack): boolean {
  const seconds = (timesSeconds.at(-1) ?? 0) - (timesSeconds[0] ?? 0);
  return seconds >= DAILY_SECONDS_MIN * (timesSeconds.length - 1);
}

const usualOf = (level: number, { unitsPerLevel, nightlyPart }: MarketModel) =>
  Number((unitsPerLevel * nightlyPart * level).toPrecision(4));

/** The pace of a shelf that is refilled every night: what is missing from its level. */
function levelPace(
  track: SellerTrack,
  habit: SellerHabit,
  model: MarketModel,
): Pick<Pace, 'unitsPerDay'> {
  const first = track.timesSeconds[0] as number;
  const last = track.timesSeconds.at(-1) as number;
  const line = timelineOf(model.shape, { fromAtSeconds: first, toAtSeconds: last });
  const priorDays = model.unitsPerLevel > 0 ? LEVEL_PRIOR_DAYS : 0;
  let units = priorDays * usualOf(habit.level ?? 0, model);
  let weight = priorDays * DAY_WEIGHT;
  for (let index = 1; index < track.units.length; index++) {
    if ((track.units[index] as number) < 0 || (track.units[index - 1] as number) < 0) continue;
    const fromAtSeconds = track.timesSeconds[index - 1] as number;
    const toAtSeconds = track.timesSeconds[index] as number;
    if (toAtSeconds - fromAtSeconds > GAP_SECONDS) continue;
    const dropped = droppedAt(track, index);
    const refill = refillIn(track, index, { habit, line, dropped });
    if (refill === null && dropped < 0) continue;
    units += refill?.soldAfter ?? dropped;
    weight += refill?.weightAfter ?? weightBetween(line, fromAtSeconds, toAtSeconds);
  }
  const unitsPerDay = weight > 0 ? (units / weight) * DAY_WEIGHT : habit.unitsPerDay;
  return { unitsPerDay: Number(unitsPerDay.toPrecision(6)) };
}

function medianInterval(observations: readonly StockObservation[]): number {
  const lengths: number[] = [];
  for (let index = 1; index < observations.length; index++) {
    const { atSeconds } = observations[index] as StockObservation;
    lengths.push(atSeconds - (observations[index - 1] as StockObservation).atSeconds);
  }
  return median(lengths);
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
function* dailyUnits(
  tracks: readonly SellerTrack[],
  observations: readonly StockObservation[],
  { sellers, jumpUnits }: { sellers: ProductHabit['sellers']; jumpUnits: number | null },
): Steps<number> {
  const spanSeconds = observedSeconds(observations);
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
    const habit = Object.hasOwn(sellers, track.sellerName) ? sellers[track.sellerName] : undefined;
    const perSecond = habit?.nightly === true ? habit.unitsPerDay / DAY_SECONDS : units / seconds;
    if (seconds > 0) rate += perSecond * (secondsPresent(track) / spanSeconds);
  }
  return rate * DAY_SECONDS;
}

/** The time between observations with offers: time that nobody observed says nothing. */
function observedSeconds(observations: readonly StockObservation[]): number {
  let seconds = 0;
  let lastAtSeconds: number | null = null;
  for (const { atSeconds, offers } of observations) {
    if (offers === undefined) continue;
    const length = lastAtSeconds === null ? 0 : atSeconds - lastAtSeconds;
    if (length <= GAP_SECONDS) seconds += length;
    lastAtSeconds = atSeconds;
  }
  return seconds;
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
