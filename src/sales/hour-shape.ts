// When a market sells, as weights of hours. The profile has a weight for each hour of the week; the
// pulse has one for each single hour in the past with enough frequent observations. An average day
// weighs 1, so units divided by weight are a daily rate.
import { HOUR_SECONDS } from '../foundation/time.ts';

export const WEEK_HOURS = 168;
const DAY_HOURS = 24;

/** The least weight of an hour, as a part of the average: no hour is certain to sell nothing. */
const WEIGHT_PART_MIN = 1e-4;

export type HourShape = {
  /** Weights of the hours of a week, from Thursday 00:00 UTC on (1970-01-01). Their sum is 7. */
  profile: readonly number[];
  /** Weights of single hours since 1970, from `fromHour` on. Other hours use the profile. */
  pulse: { fromHour: number; weights: readonly number[] };
};

export const EVEN_SHAPE: HourShape = {
  profile: new Array<number>(WEEK_HOURS).fill(1 / DAY_HOURS),
  pulse: { fromHour: 0, weights: [] },
};

/** Scales non-negative weights of the hours of a week to a sum of 7, and raises those near 0. */
export function profileOf(weights: ArrayLike<number>): number[] {
  let sum = 0;
  for (let hour = 0; hour < WEEK_HOURS; hour++) sum += weights[hour] as number;
  if (!(sum > 0)) return [...EVEN_SHAPE.profile];
  const least = (WEIGHT_PART_MIN * sum) / WEEK_HOURS;
  const profile: number[] = [];
  let raised = 0;
  for (let hour = 0; hour < WEEK_HOURS; hour++) {
    profile.push(Math.max(least, weights[hour] as number));
    raised += profile[hour] as number;
  }
  return profile.map((weight) => (weight * 7) / raised);
}

/**
 * Weights are whole millionths of an average day, per second: sums of whole numbers do not depend
 * on where they begin.
 */
const WEIGHT_STEPS = 1e6;
export const DAY_WEIGHT = WEIGHT_STEPS * HOUR_SECONDS;

/** The weight from the beginning of a span up to each of its hours; see DAY_WEIGHT. */
export type Timeline = { fromAtSeconds: number; passed: Float64Array };

/** `ownProfile` is the profile of a product or category; it replaces the profile of the market. */
export function timelineOf(
  shape: HourShape,
  span: { fromAtSeconds: number; toAtSeconds: number },
  ownProfile: readonly number[] | null = null,
): Timeline {
  const fromHour = Math.floor(span.fromAtSeconds / HOUR_SECONDS);
  const hours = Math.max(1, Math.floor(span.toAtSeconds / HOUR_SECONDS) + 1 - fromHour);
  const passed = new Float64Array(hours + 1);
  const { profile, pulse } = shape;
  let sum = 0;
  for (let index = 0; index < hours; index++) {
    const hour = fromHour + index;
    const hourOfWeek = hour % WEEK_HOURS;
    const usual = profile[hourOfWeek] as number;
    let weight = pulse.weights[hour - pulse.fromHour] ?? usual;
    if (ownProfile !== null) weight *= (ownProfile[hourOfWeek] as number) / usual;
    sum += Math.max(1, Math.round(weight * WEIGHT_STEPS)) * HOUR_SECONDS;
    passed[index + 1] = sum;
  }
  return { fromAtSeconds: fromHour * HOUR_SECONDS, passed };
}

export function passedAt({ fromAtSeconds, passed }: Timeline, atSeconds: number): number {
  const seconds = atSeconds - fromAtSeconds;
  const index = Math.floor(seconds / HOUR_SECONDS);
  const before = passed[index] as number;
  const inHour = seconds - index * HOUR_SECONDS;
  if (inHour === 0) return before;
  return before + (((passed[index + 1] as number) - before) / HOUR_SECONDS) * inHour;
}

export function weightBetween(line: Timeline, fromAtSeconds: number, toAtSeconds: number): number {
  return passedAt(line, toAtSeconds) - passedAt(line, fromAtSeconds);
}
