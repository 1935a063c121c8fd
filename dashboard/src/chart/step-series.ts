// A value over time as steps in typed arrays: each value holds until the next instant. NaN says
// that there is no value, so that time nobody observed is neither 0 nor the last value.
import { DAY_MS } from '../app/server-clock.ts';
import { buildPyramid, type Level } from './pyramid.ts';

export type StepSeries = {
  /** Milliseconds, ascending, without repetitions. */
  times: Float64Array;
  /** NaN: no value from here to the next instant. */
  values: Float64Array;
  /** The last value holds until here. */
  endAtMs: number;
  /** Summaries of ever wider time buckets, the finest first. */
  levels: readonly Level[];
};

export type TimedValue = { atMs: number; value: number | null };

/** The server's rule: an observation holds until the next one, at most this long. */
export const HELD_MS = 2 * DAY_MS;

/**
 * From observations, ascending. An observation holds until the next one, at most `HELD_MS`, and the
 * last one at most until `untilMs`. Of two at one instant the last wins.
 */
export function stepsOfObservations(
  observations: readonly TimedValue[],
  untilMs: number,
): StepSeries {
  const steps = startSteps(observations.length * 2);
  let lastAtMs = Number.NEGATIVE_INFINITY;
  for (const { atMs, value } of observations) {
    if (atMs - lastAtMs > HELD_MS && lastAtMs > 0) steps.add(lastAtMs + HELD_MS, Number.NaN);
    steps.add(atMs, value ?? Number.NaN);
    lastAtMs = atMs;
  }
  return steps.finish(Math.min(untilMs, lastAtMs + HELD_MS));
}

/** From changes, ascending, whose gaps are stated: each value holds until the next change. */
export function stepsOfChanges(changes: readonly TimedValue[], untilMs: number): StepSeries {
  const steps = startSteps(changes.length);
  for (const { atMs, value } of changes) steps.add(atMs, value ?? Number.NaN);
  return steps.finish(untilMs);
}

/** From spans that may leave time between them, ascending. */
export function stepsOfSpans(
  spans: readonly { fromAtMs: number; toAtMs: number; value: number | null }[],
): StepSeries {
  const steps = startSteps(spans.length * 2);
  let lastEndAtMs = Number.NEGATIVE_INFINITY;
  for (const { fromAtMs, toAtMs, value } of spans) {
    if (fromAtMs > lastEndAtMs && lastEndAtMs > 0) steps.add(lastEndAtMs, Number.NaN);
    steps.add(fromAtMs, value ?? Number.NaN);
    lastEndAtMs = toAtMs;
  }
  return steps.finish(lastEndAtMs);
}

/** Collects steps. A value equal to the one before adds nothing, and is not stored. */
function startSteps(sizeMax: number) {
  const times = new Float64Array(sizeMax);
  const values = new Float64Array(sizeMax);
  let size = 0;
  return {
    add(atMs: number, value: number): void {
      if (!Number.isFinite(atMs)) return;
      if (size > 0 && atMs <= (times[size - 1] as number)) {
        values[size - 1] = value;
        return;
      }
      if (size > 0 && Object.is(values[size - 1], value)) return;
      times[size] = atMs;
      values[size] = value;
      size += 1;
    },
    finish(endAtMs: number): StepSeries {
      return seriesOf(times.slice(0, size), values.slice(0, size), endAtMs);
    },
  };
}

/** It ends with its last step at the earliest: the browser's clock may be behind the server's. */
export function seriesOf(times: Float64Array, values: Float64Array, untilMs: number): StepSeries {
  const last = times.at(-1);
  const endAtMs = last === undefined ? 0 : Math.max(last, untilMs);
  return { times, values, endAtMs, levels: buildPyramid(times, values, endAtMs) };
}

export const isEmpty = ({ values }: StepSeries) => values.every(Number.isNaN);

/** The index of the last step at or before an instant; -1 before the first. */
export function indexAt(times: Float64Array, atMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value that holds at an instant; NaN if there is none. */
export function valueAt({ times, values, endAtMs }: StepSeries, atMs: number): number {
  if (atMs > endAtMs) return Number.NaN;
  const index = indexAt(times, atMs);
  return index < 0 ? Number.NaN : (values[index] as number);
}

/** The first value within a window; NaN if there is none. */
export function firstValueIn(series: StepSeries, fromAtMs: number, toAtMs: number): number {
  const now = valueAt(series, fromAtMs);
  if (!Number.isNaN(now)) return now;
  const { times, values } = series;
  for (let index = indexAt(times, fromAtMs) + 1; index < times.length; index += 1) {
    if ((times[index] as number) > toAtMs) break;
    if (!Number.isNaN(values[index])) return values[index] as number;
  }
  return Number.NaN;
}
