// Sums of sale events by hour, and the profiles and pulses computed from them.
import { HOUR_SECONDS } from '../foundation/time.ts';
import { dropsOf } from './counted-drop.ts';
import { EVEN_SHAPE, type HourShape, profileOf, WEEK_HOURS } from './hour-shape.ts';
import type { SellerTrack } from './seller-track.ts';

/** A drop between observations no further apart than this shows in which hour it happened. */
export const FINE_SECONDS = 2.2 * HOUR_SECONDS;
/** Such drops at least show the weekday, in markets without frequent observations. */
const COARSE_SECONDS = 26 * HOUR_SECONDS;

/** A profile needs at least this many events. */
const EVENTS_MIN = 300;
/**
 * How many events the prior counts for: an even profile, the usual one, and the profile of an hour.
 */
const EVEN_EVENTS = 2;
const USUAL_EVENTS = 20;
const PULSE_EVENTS = 5.7;
/** Older hours have no pulse, only the profile. */
const PULSE_WEEKS_MAX = 260;

export type HourSums = {
  /** By week since 1970: the events of each hour, then those expected if all hours were even. */
  weeks: Map<number, Float64Array>;
  /** The same for an average week, from drops that were not observed frequently. */
  coarse: Float64Array;
};

export function emptyHourSums(): HourSums {
  return { weeks: new Map(), coarse: emptyWeek() };
}

export function emptyWeek(): Float64Array {
  return new Float64Array(WEEK_HOURS * 2);
}

export function mergeHourSums(into: HourSums, other: HourSums): void {
  for (const [week, sums] of other.weeks) addAll(weekOf(into.weeks, week), sums);
  addAll(into.coarse, other.coarse);
}

export function addAll(into: Float64Array, other: Float64Array): void {
  for (let index = 0; index < into.length; index++)
    into[index] = (into[index] as number) + (other[index] as number);
}

function weekOf(weeks: Map<number, Float64Array>, week: number): Float64Array {
  let sums = weeks.get(week);
  if (sums === undefined) {
    sums = emptyWeek();
    weeks.set(week, sums);
  }
  return sums;
}

/** Adds the hours that had a drop, whatever its size: one big order is one event. */
export function addHours(
  sums: HourSums,
  track: SellerTrack,
  categoryWeek: Float64Array | null = null,
): void {
  let fineEvents = 0;
  let fineHours = 0;
  let coarseEvents = 0;
  let coarseHours = 0;
  for (const { fromAtSeconds, toAtSeconds, units } of dropsOf(track)) {
    const length = toAtSeconds - fromAtSeconds;
    const event = units > 0 ? 1 : 0;
    if (length <= FINE_SECONDS) {
      fineEvents += event;
      fineHours += length / HOUR_SECONDS;
    } else if (length <= COARSE_SECONDS) {
      coarseEvents += event;
      coarseHours += length / HOUR_SECONDS;
    }
  }
  if (fineEvents + coarseEvents === 0) return;
  for (const drop of dropsOf(track)) {
    const length = drop.toAtSeconds - drop.fromAtSeconds;
    if (length > COARSE_SECONDS) continue;
    const fine = length <= FINE_SECONDS;
    const rate = fine ? fineEvents / fineHours : coarseEvents / coarseHours;
    if (rate === 0) continue;
    for (let atSeconds = drop.fromAtSeconds; atSeconds < drop.toAtSeconds; ) {
      const hour = Math.floor(atSeconds / HOUR_SECONDS);
      const endAtSeconds = Math.min(drop.toAtSeconds, (hour + 1) * HOUR_SECONDS);
      const event = drop.units > 0 ? (endAtSeconds - atSeconds) / length : 0;
      const expected = (rate * (endAtSeconds - atSeconds)) / HOUR_SECONDS;
      const hourOfWeek = hour % WEEK_HOURS;
      if (fine) {
        const week = weekOf(sums.weeks, Math.floor(hour / WEEK_HOURS));
        addAt(week, hourOfWeek, event, expected);
        if (categoryWeek !== null) addAt(categoryWeek, hourOfWeek, event, expected);
      } else addAt(sums.coarse, hourOfWeek, event, expected);
      atSeconds = endAtSeconds;
    }
  }
}

function addAt(sums: Float64Array, hour: number, event: number, expected: number): void {
  sums[hour] = (sums[hour] as number) + event;
  sums[hour + WEEK_HOURS] = (sums[hour + WEEK_HOURS] as number) + expected;
}

/** The shape of a market; even with too few events. */
export function shapeFrom({ weeks, coarse }: HourSums): HourShape {
  const even = EVEN_SHAPE.profile;
  const fine = profileFrom(allWeeks(weeks), even, EVEN_EVENTS);
  if (fine === null)
    return { ...EVEN_SHAPE, profile: profileFrom(coarse, even, EVEN_EVENTS) ?? even };
  return { profile: fine, pulse: pulseFrom(weeks, fine) };
}

/**
 * The weights of single hours: as observed, pulled towards the profile of their hour of the week.
 */
function pulseFrom(weeks: HourSums['weeks'], profile: readonly number[]): HourShape['pulse'] {
  const last = [...weeks.keys()].reduce((most, week) => Math.max(most, week));
  const oldest = last + 1 - PULSE_WEEKS_MAX;
  const first = [...weeks.keys()].reduce((least, week) => Math.min(least, week));
  const weights: number[] = [];
  for (let week = Math.max(oldest, first); week <= last; week++) {
    const sums = weeks.get(week);
    for (let hour = 0; hour < WEEK_HOURS; hour++) {
      const usual = profile[hour] as number;
      const events = sums?.[hour] ?? 0;
      const expected = sums?.[hour + WEEK_HOURS] ?? 0;
      const weight = (events / 24 + PULSE_EVENTS * usual) / (expected + PULSE_EVENTS);
      weights.push(Number(weight.toPrecision(4)));
    }
  }
  return { fromHour: Math.max(oldest, first) * WEEK_HOURS, weights };
}

/** The profile of one product, pulled towards the usual one; null with too few events. */
export function productProfile({ weeks }: HourSums, usual: readonly number[]): number[] | null {
  return weekProfile(allWeeks(weeks), usual);
}

/** The profile of one summed week, pulled towards the usual one; null with too few events. */
export function weekProfile(week: Float64Array, usual: readonly number[]): number[] | null {
  return profileFrom(week, usual, USUAL_EVENTS);
}

function allWeeks(weeks: HourSums['weeks']): Float64Array {
  const all = emptyWeek();
  for (const sums of weeks.values()) addAll(all, sums);
  return all;
}

function eventsOf(week: Float64Array): number {
  let events = 0;
  for (let hour = 0; hour < WEEK_HOURS; hour++) events += week[hour] as number;
  return events;
}

function profileFrom(week: Float64Array, usual: readonly number[], pull: number): number[] | null {
  if (eventsOf(week) < EVENTS_MIN) return null;
  const weights = usual.map((weight, hour) => {
    const expected = week[hour + WEEK_HOURS] as number;
    return ((week[hour] as number) / 24 + pull * weight) / (expected + pull);
  });
  return profileOf(weights).map((weight) => Number(weight.toPrecision(4)));
}
