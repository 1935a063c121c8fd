// What a restock says about the units sold around it, by the seller's habit.
import { DAY_SECONDS } from '../foundation/time.ts';
import { type Timeline, weightBetween } from './hour-shape.ts';
import type { MarketModel } from './market-model.ts';
import { COVER_BINS, coverBin, leftBin, leftRate, leftWidth } from './market-sums.ts';
import { chance, chancesUpTo } from './sales-chance.ts';
import type { SellerHabit } from './seller-habit.ts';
import type { SellerTrack } from './seller-track.ts';
import { hourParts, RETURN_UNITS_MAX } from './shelf-habit.ts';

/** A refill to the seller's level: when it most likely came and what was sold since. */
export type Refill = { refillAtSeconds: number; soldAfter: number; weightAfter: number };

/** A nightly refill is certain if at least this part of its hours lies in the interval. */
const CERTAIN_PART = 0.5;

/** The refill to a level in an interval between two counts; null if there was none. */
export function refillIn(
  { timesSeconds, units }: SellerTrack,
  index: number,
  { habit, line, dropped }: { habit: SellerHabit; line: Timeline; dropped: number },
): Refill | null {
  const { level, nightly, hours } = habit;
  const after = units[index] as number;
  if (level === null || after > level || (dropped >= 0 && !nightly)) return null;
  const fromAtSeconds = timesSeconds[index - 1] as number;
  const toAtSeconds = timesSeconds[index] as number;
  const parts = hourParts(fromAtSeconds, toAtSeconds, hours);
  let total = 0;
  for (const { weight } of parts) total += weight;
  // Without a rise, the shelf was not refilled, unless it always is at these hours.
  if (dropped >= 0 && (total < CERTAIN_PART || (units[index - 1] as number) >= level)) {
    if (total < CERTAIN_PART || toAtSeconds - fromAtSeconds < DAY_SECONDS / 3) return null;
  }
  let refillAtSeconds = (fromAtSeconds + toAtSeconds) / 2;
  let passed = 0;
  // The last of several nights.
  const nights = Math.max(1, Math.floor(total + CERTAIN_PART));
  for (const part of parts) {
    passed += part.weight;
    if (total > 0 && passed >= total - (total / nights) * 0.5) {
      refillAtSeconds = Math.floor((part.fromAtSeconds + part.toAtSeconds) / 2);
      break;
    }
  }
  refillAtSeconds = Math.floor(refillAtSeconds);
  return {
    refillAtSeconds,
    soldAfter: level - after,
    weightAfter: weightBetween(line, refillAtSeconds, toAtSeconds),
  };
}

/** Returns by day: the seller's own, pulled towards those of all sellers by so many days. */
const RETURN_DAYS = 30;

export function returnsOf(habit: SellerHabit, usual: number): number {
  if (habit.level !== null) return 0;
  if (habit.returnsPerDay === null) return usual;
  const days = habit.countedDays;
  return (habit.returnsPerDay * days + usual * RETURN_DAYS) / (days + RETURN_DAYS);
}

/**
 * What sparse observations miss: units sold after a visible restock, compared with half of the
 * expected units, and units that a restock hides in a decrease, compared with the expected units.
 */
export function missedParts(
  model: MarketModel,
  { days, cover }: { days: number; cover: number },
): { after: number; hidden: number } {
  const hours = days * 24;
  if (hours < 4) return { after: 1, hidden: 0 };
  const interval = hours < 9 ? 0 : hours < 18 ? 1 : 2;
  return model.missed[interval * COVER_BINS + coverBin(cover)] ?? { after: 1, hidden: 0 };
}

/** The chance that a small rise is units that came back and not a restock. */
export function returnOdds(input: {
  risen: number;
  before: number;
  mean: number;
  days: number;
  habit: SellerHabit;
  model: MarketModel;
}): number {
  const { risen, before, mean, days, habit, model } = input;
  if (risen > RETURN_UNITS_MAX || habit.level !== null) return 0;
  const expected = (returnsOf(habit, model.returnsPerDay) + 1e-3) * days;
  let returned = 0;
  for (let sold = 0; sold <= 3; sold++) {
    const units = risen + sold;
    const poisson = (Math.exp(-expected) * expected ** units) / (FACTORIALS[units] as number);
    returned += poisson * chance(sold, mean, habit.spread);
  }
  const usual = Math.max(4, habit.restockUnits);
  const likelyEmpty = leftShare(model, habit.unitsPerDay, before) * usual;
  const restocked =
    ((habit.restocksPerDay + 1e-3) * days * Math.min(8, Math.max(0.02, likelyEmpty))) / (2 * usual);
  return returned / (returned + restocked);
}

const FACTORIALS = [1, 1, 2, 6, 24, 120];

/** No more than this many times the units of a jump are sold out at once. */
const SOLD_OUT_JUMPS = 1.5;

/** The share of restocks that come when so many units are left. */
function leftShare(model: MarketModel, unitsPerDay: number, units: number): number {
  const bin = leftBin(units);
  return (model.leftByRate[leftRate(unitsPerDay)]?.[bin] ?? 0) / leftWidth(bin);
}

type BeforeRestock = { model: MarketModel; habit: SellerHabit; jumpUnits: number | null };

/**
 * The units sold before a restock, at most those that were in stock. Where shelves are usually
 * nearly empty when restocked, either nothing was sold, or everything but the few units that
 * usually remain.
 */
export function beforeRestock(
  before: number,
  mean: number,
  { model, habit, jumpUnits }: BeforeRestock,
): number {
  const shares = model.leftByRate[leftRate(habit.unitsPerDay)];
  // Hardly ever is a full shelf sold out between two observations.
  const isFull = jumpUnits !== null && before > SOLD_OUT_JUMPS * jumpUnits;
  if (shares === undefined || isFull || !habit.emptied) return Math.min(before, mean);
  let total = leftShare(model, habit.unitsPerDay, before) * chance(0, mean, habit.spread);
  let units = 0;
  for (let rest = 0; rest < before; ) {
    const bin = leftBin(rest);
    const width = Math.min(leftWidth(bin), before - rest);
    const sold = before - rest - Math.floor((width - 1) / 2);
    const share = (shares[bin] as number) / leftWidth(bin);
    const likely = share * chance(sold, mean, habit.spread) * width;
    total += likely;
    units += likely * sold;
    rest += width;
  }
  return total > 0 ? units / total : Math.min(before, mean);
}

/** How often a restock of a shelf that gets packs is none. */
const LOOSE_PART = 0.004;

/**
 * The units sold beside a restock of one or more packs, and how likely that is compared with a
 * restock of any size. It is the median: nearly every day has no sale of exactly a pack more, and
 * a part of one would be wrong on all of them.
 */
export function packReading(
  habit: SellerHabit,
  { risen, mean }: { risen: number; mean: number },
): { units: number; part: number } {
  const pack = habit.pack ?? 0;
  if (pack === 0) return { units: 0, part: 0 };
  const least = Math.ceil(risen / pack) * pack - risen;
  const most = Math.max(least, Math.ceil(mean + 6 * Math.sqrt(mean * habit.spread) + pack));
  const chances = chancesUpTo(most, mean, habit.spread);
  let total = 0;
  for (let sold = least; sold <= most; sold += pack) total += chances[sold] as number;
  let units = least;
  for (let passed = chances[least] as number; passed * 2 < total; ) {
    units += pack;
    passed += chances[units] as number;
  }
  const loose = (1 + LOOSE_PART - habit.packPart) / (2 * Math.max(4, habit.restockUnits));
  return { units, part: (habit.packPart * total) / (habit.packPart * total + loose) };
}

/** The chance of a restock a day about which nothing is known. */
const RESTOCKS_UNKNOWN = 0.06;
/** Days in a row differ together: the spread of their sum is wider. */
const LONG_SPREAD = 3;

/** Units sold while nobody observed: the decrease, unless a restock in between is likelier. */
export function longIntervalUnits(input: {
  dropped: number;
  mean: number;
  days: number;
  habit: SellerHabit;
}): number {
  const { dropped, mean, days, habit } = input;
  if (dropped < 0 || habit.nightly) return mean;
  const restocks = Math.max(RESTOCKS_UNKNOWN, habit.restocksPerDay) * days;
  const spread = habit.spread * LONG_SPREAD;
  const none = Math.exp(-restocks) * chance(dropped, mean, spread);
  const range = 2 * Math.max(4, habit.restockUnits) + mean;
  const some = (1 - Math.exp(-restocks)) / range;
  const part = none / (none + some);
  return part * dropped + (1 - part) * Math.max(dropped, mean);
}
