// How one seller keeps a shelf, recognised from the seller's own counts: filled to a level, every
// night or now and then, by packs, or freely; and how many units come back.
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { droppedAt, GAP_SECONDS } from './counted-drop.ts';
import { chancesUpTo } from './sales-chance.ts';
import { paceOf } from './seller-pace.ts';
import type { SellerTrack } from './seller-track.ts';
import { dayOf } from './stock-observation.ts';

/** Survives JSON unchanged: it is a part of the product's habit. */
export type ShelfHabit = {
  /** Restocks fill the shelf to this count. */
  level: number | null;
  /** They do so every night. */
  nightly: boolean;
  /** Restocks are multiples of this, and how many of them can be. */
  pack: number | null;
  packPart: number;
  restocksPerDay: number;
  /** The median restock. */
  restockUnits: number;
  /** Single units that come back, by day; null if sparse observations would not show them. */
  returnsPerDay: number | null;
  /** Hardly more is left at a restock than sells until then. */
  emptied: boolean;
  /** Weights of the hours of the day at which restocks come; their sum is 1. */
  hours: readonly number[];
};

const DAY_HOURS = 24;
export const ANY_HOUR: readonly number[] = new Array<number>(DAY_HOURS).fill(1 / DAY_HOURS);

/** Rises of up to this many units may be units that came back. */
export const RETURN_UNITS_MAX = 2;
/** A level or a pack needs this many restocks. */
const RESTOCKS_MIN = 4;
/** The part of the restocks that end at exactly the level: any, and of a shelf's greatest count. */
const LEVEL_PART_MIN = 0.45;
const GREATEST_PART_MIN = 0.14;
/** After a low count, a shelf filled every night is fuller a day later this often. */
const NIGHTLY_PART_MIN = 0.63;
const NIGHTLY_DAYS_MIN = 8;
const NIGHT_HOURS = [21, 31] as const;
/** What is missing from a level after a restock: so many times the usual sales, and some units. */
const MISSING_TIMES_MAX = 1.5;
const MISSING_UNITS = 0.3;
/** How much likelier than chance the multiples of a pack must be, as a logarithm. */
const PACK_GAIN_MIN = 6.5;
const PACK_UNITS_MAX = 200;
/** The hours of all sellers weigh as much as this many restocks. */
const HOURS_PRIOR = 3;

export const FREE_SHELF: ShelfHabit = {
  level: null,
  nightly: false,
  pack: null,
  packPart: 0,
  restocksPerDay: 0,
  restockUnits: 0,
  returnsPerDay: null,
  emptied: true,
  hours: ANY_HOUR,
};

export type Rise = { index: number; units: number };

/** Every interval in which the count rose, although no stock was moved to the shelf. */
export function risesOf(track: SellerTrack): Rise[] {
  const rises: Rise[] = [];
  for (let index = 1; index < track.units.length; index++) {
    if ((track.units[index - 1] as number) < 0 || (track.units[index] as number) < 0) continue;
    const seconds =
      (track.timesSeconds[index] as number) - (track.timesSeconds[index - 1] as number);
    const units = -droppedAt(track, index);
    if (units > 0 && seconds <= GAP_SECONDS) rises.push({ index, units });
  }
  return rises;
}

/** `usualHours`: at which hours the shelves of the market are restocked. */
export function shelfHabitOf(
  track: SellerTrack,
  usualHours: readonly number[] = ANY_HOUR,
): ShelfHabit {
  const rises = risesOf(track);
  const days = countedDays(track);
  if (rises.length === 0 || days === 0) return { ...FREE_SHELF, hours: usualHours };
  const exact = levelOf(track, rises, LEVEL_PART_MIN);
  const pack = exact === null ? packOf(track, rises) : null;
  const level = exact ?? (pack === null ? levelOf(track, rises, GREATEST_PART_MIN) : null);
  const large = rises.filter(({ units }) => units > RETURN_UNITS_MAX);
  const small = rises.length - large.length;
  const restockUnits = medianOf(large.map(({ units }) => units));
  // Restocks of any size are sometimes small, too.
  const smallRestocks =
    level !== null
      ? small
      : Math.min(small, (large.length * RETURN_UNITS_MAX) / Math.max(1, restockUnits));
  return {
    level,
    nightly: level !== null && isNightly(track, level),
    pack: pack?.units ?? null,
    packPart: pack?.part ?? 0,
    restocksPerDay: rounded((large.length + smallRestocks) / days),
    restockUnits: restockUnits > 0 ? restockUnits : 1,
    returnsPerDay: isFine(track) ? rounded((small - smallRestocks) / days) : null,
    emptied: large.length < RESTOCKS_MIN || isEmptied(track, large),
    hours: hoursOf(track, level === null ? large : rises, usualHours),
  };
}

const rounded = (value: number) => Number(value.toPrecision(4));

function countedDays({ timesSeconds, units }: SellerTrack): number {
  let seconds = 0;
  for (let index = 1; index < units.length; index++) {
    const length = (timesSeconds[index] as number) - (timesSeconds[index - 1] as number);
    if ((units[index] as number) >= 0 && (units[index - 1] as number) >= 0 && length <= GAP_SECONDS)
      seconds += length;
  }
  return seconds / DAY_SECONDS;
}

/** Observations so close show units that come back. */
const FINE_SECONDS = 2.2 * HOUR_SECONDS;

export function isFine({ timesSeconds }: SellerTrack): boolean {
  const last = timesSeconds.length - 1;
  if (last < 1) return false;
  return (timesSeconds[last] as number) - (timesSeconds[0] as number) <= FINE_SECONDS * last;
}

/** What is left at a restock is at most this many times what sells in its interval, and more. */
const EMPTIED_TIMES = 3;
const EMPTIED_UNITS = 6;

function isEmptied(track: SellerTrack, rises: readonly Rise[]): boolean {
  const { unitsPerDay } = paceOf(track);
  const full = rises.filter(({ index }) => {
    const seconds =
      (track.timesSeconds[index] as number) - (track.timesSeconds[index - 1] as number);
    const expected = (unitsPerDay * seconds) / DAY_SECONDS;
    return (track.units[index - 1] as number) > EMPTIED_TIMES * expected + EMPTIED_UNITS;
  });
  return full.length * 2 < rises.length;
}

function medianOf(values: number[]): number {
  values.sort((one, other) => one - other);
  return values[values.length >> 1] ?? 0;
}

/** Sizes in which wholesalers pack. Others need more restocks of exactly that size. */
const USUAL_PACKS = new Set([
  3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 40, 48, 50, 60, 72, 80, 96, 100, 120,
  144,
]);
/** The part of the restocks that are exact multiples of a usual pack, and of another one. */
const EXACT_PART_MIN = 0.38;
const UNUSUAL_PART_MIN = 0.79;
/** The part of the restocks that a pack explains, with what was sold in the meantime. */
const EXPLAINED_PART_MIN = 0.9;
/** One more pack in the same restock is this much rarer. */
const MORE_PACKS_PART = 0.2;
/** Restocks that are no packs, on a shelf that has them. */
const LOOSE_PART = 0.033;

/**
 * The pack that explains the restocks best: each rise is some packs less what was sold in the
 * meantime. Multiples alone would find divisors, because customers order in dozens, too.
 */
function packOf(
  track: SellerTrack,
  rises: readonly Rise[],
): { units: number; part: number } | null {
  const sizes = new Map<number, number>();
  let large = 0;
  for (const { units } of rises) {
    if (units <= RETURN_UNITS_MAX) continue;
    sizes.set(units, (sizes.get(units) ?? 0) + 1);
    large++;
  }
  if (large < RESTOCKS_MIN) return null;
  const most = Math.min(PACK_UNITS_MAX, 2 * Math.max(...sizes.keys()));
  const chances = chancesUpTo(most, meanWhenBusy(track), paceOf(track).spread);
  const loose = 1 / (2 * Math.max(4, medianOf(rises.map(({ units }) => units))));
  let best: { units: number; part: number } | null = null;
  let bestGain = PACK_GAIN_MIN;
  for (let pack = RETURN_UNITS_MAX + 1; pack <= most; pack++) {
    let gain = 0;
    let exact = 0;
    let explained = 0;
    for (const [units, times] of sizes) {
      let likely = 0;
      let part = 1 - MORE_PACKS_PART;
      for (let sum = pack; sum - units <= most && part > 1e-4; sum += pack) {
        if (sum >= units) likely += part * (chances[sum - units] as number);
        part *= MORE_PACKS_PART;
      }
      if (units % pack === 0) exact += times;
      const packed = (1 - LOOSE_PART) * likely;
      explained += (times * packed) / (packed + LOOSE_PART * loose);
      gain += times * Math.log(LOOSE_PART + ((1 - LOOSE_PART) * likely) / loose);
    }
    const exactMin = USUAL_PACKS.has(pack) ? EXACT_PART_MIN : UNUSUAL_PART_MIN;
    if (gain <= bestGain || exact < exactMin * large || explained < EXPLAINED_PART_MIN * large)
      continue;
    best = { units: pack, part: rounded(explained / large) };
    bestGain = gain;
  }
  return best;
}

/** Units sold in an interval in which the count changed, as far as decreases show it. */
function meanWhenBusy(track: SellerTrack): number {
  let units = 0;
  let changed = 0;
  for (let index = 1; index < track.units.length; index++) {
    if ((track.units[index - 1] as number) < 0 || (track.units[index] as number) < 0) continue;
    const dropped = droppedAt(track, index);
    if (dropped === 0) continue;
    units += Math.max(0, dropped);
    changed++;
  }
  return changed === 0 ? 0 : units / changed;
}

/** The count that restocks fill the shelf to. */
function levelOf(track: SellerTrack, rises: readonly Rise[], partMin: number): number | null {
  if (rises.length < RESTOCKS_MIN) return null;
  const tops = new Map<number, number>();
  for (const { index } of rises) {
    const top = track.units[index] as number;
    tops.set(top, (tops.get(top) ?? 0) + 1);
  }
  const greatest = track.units.reduce((most, count) => Math.max(most, count), 0);
  const atGreatest = tops.get(greatest) ?? 0;
  const part = atGreatest / rises.length;
  if (atGreatest < RESTOCKS_MIN - 1 || part < partMin) return null;
  // Observed some time after the restock, the level misses what was sold since, but not more.
  const { unitsPerDay } = paceOf(track);
  let missing = 0;
  let expected = 0;
  for (const { index } of rises) {
    missing += greatest - (track.units[index] as number);
    const seconds =
      (track.timesSeconds[index] as number) - (track.timesSeconds[index - 1] as number);
    expected += (unitsPerDay * seconds) / DAY_SECONDS;
  }
  return missing <= MISSING_TIMES_MAX * expected + MISSING_UNITS * rises.length ? greatest : null;
}

/**
 * Whether a low count is nearly always followed by a higher one within about a day. Sparse
 * observations of a shelf that is refilled every night see numbers without memory: after one of the
 * lower half, three of four are higher. On other shelves, low counts stay low for days.
 */
function isNightly(track: SellerTrack, level: number): boolean {
  const lowest = lowestOfDays(track).filter((index) => (track.units[index] as number) < level);
  const middle = medianOf(lowest.map((index) => track.units[index] as number));
  let low = 0;
  let refilled = 0;
  for (const index of lowest) {
    const count = track.units[index] as number;
    const most = count <= middle ? greatestWithin(track, index) : null;
    if (most === null) continue;
    low++;
    if (most > count) refilled++;
  }
  return low >= NIGHTLY_DAYS_MIN && refilled >= NIGHTLY_PART_MIN * low;
}

/** The index of the lowest count of each day. */
function lowestOfDays({ timesSeconds, units }: SellerTrack): number[] {
  const lowest: number[] = [];
  for (let index = 0; index < units.length; ) {
    const day = dayOf(timesSeconds[index] as number);
    let low = index;
    for (; index < units.length && dayOf(timesSeconds[index] as number) === day; index++)
      if ((units[index] as number) <= (units[low] as number)) low = index;
    if ((units[low] as number) >= 0) lowest.push(low);
  }
  return lowest;
}

/** The greatest count in the day after a point; null if the end of that day was not observed. */
function greatestWithin({ timesSeconds, units }: SellerTrack, index: number): number | null {
  const atSeconds = timesSeconds[index] as number;
  let most = -1;
  for (let next = index + 1; next < units.length; next++) {
    const later = (timesSeconds[next] as number) - atSeconds;
    if (later > NIGHT_HOURS[1] * HOUR_SECONDS) return null;
    most = Math.max(most, units[next] as number);
    if (later >= NIGHT_HOURS[0] * HOUR_SECONDS) return most;
  }
  return null;
}

/** The hours of restocks: each is spread over its interval as the hours so far say, twice. */
function hoursOf(
  { timesSeconds }: SellerTrack,
  rises: readonly Rise[],
  usualHours: readonly number[],
): readonly number[] {
  let hours = usualHours;
  for (let round = 0; round < 2; round++) {
    const sums = usualHours.map((weight) => HOURS_PRIOR * weight);
    for (const { index } of rises) {
      const toAtSeconds = timesSeconds[index] as number;
      const fromAtSeconds = timesSeconds[index - 1] as number;
      if (toAtSeconds - fromAtSeconds >= DAY_SECONDS) continue;
      const parts = hourParts(fromAtSeconds, toAtSeconds, hours);
      const total = parts.reduce((sum, { weight }) => sum + weight, 0);
      for (const { hour, weight } of parts)
        sums[hour] = (sums[hour] as number) + (total > 0 ? weight / total : 1 / parts.length);
    }
    const all = sums.reduce((sum, value) => sum + value, 0);
    hours = sums.map((value) => value / all);
  }
  return hours.map(rounded);
}

/** The parts of hours in a span, with their weights by hour of the day. */
export function hourParts(
  fromAtSeconds: number,
  toAtSeconds: number,
  hours: readonly number[],
): { hour: number; fromAtSeconds: number; toAtSeconds: number; weight: number }[] {
  const parts: { hour: number; fromAtSeconds: number; toAtSeconds: number; weight: number }[] = [];
  for (let atSeconds = fromAtSeconds; atSeconds < toAtSeconds; ) {
    const since = Math.floor(atSeconds / HOUR_SECONDS);
    const endAtSeconds = Math.min(toAtSeconds, (since + 1) * HOUR_SECONDS);
    const hour = since % DAY_HOURS;
    const weight = ((hours[hour] as number) * (endAtSeconds - atSeconds)) / HOUR_SECONDS;
    parts.push({ hour, fromAtSeconds: atSeconds, toAtSeconds: endAtSeconds, weight });
    atSeconds = endAtSeconds;
  }
  return parts;
}
