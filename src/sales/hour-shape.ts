// When a market sells: an hour-of-week profile, and for hours that many fine looks saw, the pulse: how busy that
// very hour was. Both say weights of hours; an average day weighs 1, so that units over weight is a daily rate.
import { HOUR_SECONDS } from '../foundation/time.ts';

export const WEEK_HOURS = 168;
const DAY_HOURS = 24;

/** An hour of the week never weighs less than this part of an even one: closed is never certain. */
const WEIGHT_PART_MIN = 1e-4;

export type HourShape = {
  /** Weights of the hours of a week, from Thursday 00:00 UTC on (1970-01-01); they sum up to 7. */
  profile: readonly number[];
  /** Weights of single hours since 1970, from `fromHour` on; outside, the profile holds. */
  pulse: { fromHour: number; weights: readonly number[] };
};

export const EVEN_SHAPE: HourShape = {
  profile: new Array<number>(WEEK_HOURS).fill(1 / DAY_HOURS),
  pulse: { fromHour: 0, weights: [] },
};

/** Any non-negative weights of the hours of a week, made to sum up to 7, none of them 0. */
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

/** Weights are counted in whole millionths of an average day's, second by second: sums do not depend on where they begin. */
const WEIGHT_STEPS = 1e6;
export const DAY_WEIGHT = WEIGHT_STEPS * HOUR_SECONDS;

/** The weight that has passed since the beginning of a span of hours; see DAY_WEIGHT. */
export type Timeline = { fromAtSeconds: number; passed: Float64Array };

/** `own`, when given, is the profile of a product or category that takes the place of the market's. */
export function timelineOf(
  shape: HourShape,
  span: { fromAtSeconds: number; toAtSeconds: number },
  own: readonly number[] | null = null,
): Timeline {
  const fromHour = Math.floor(span.fromAtSeconds / HOUR_SECONDS);
  const hours = Math.max(1, Math.floor(span.toAtSeconds / HOUR_SECONDS) + 1 - fromHour);
  const passed = new Float64Array(hours + 1);
  const { profile, pulse } = shape;
  let sum = 0;
  for (let index = 0; index < hours; index++) {
    const hour = fromHour + index;
    const ofWeek = hour % WEEK_HOURS;
    const usual = profile[ofWeek] as number;
    let weight = pulse.weights[hour - pulse.fromHour] ?? usual;
    if (own !== null) weight *= (own[ofWeek] as number) / usual;
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
