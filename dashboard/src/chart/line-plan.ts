// What is drawn of a line in a window: its steps if there are few, else one bucket per few pixels.
// Also the extremes of what is drawn, from which the pane's scale follows.

import { DAY_MS } from '../app/server-clock.ts';
import type { Line, Window } from './chart-model.ts';
import { barAt, daysPerBar } from './day-bars.ts';
import { type Level, levelFor } from './pyramid.ts';
import { firstValueIn, indexAt, valueAt } from './step-series.ts';

export type LinePlan = {
  line: Line;
  /** The buckets to draw; undefined: the steps themselves. */
  level: Level | undefined;
  /** Indexes of the first and the last step, or bucket. */
  first: number;
  last: number;
  daysPerBar: number;
  /** Shown = stored × factor + shift: for percent. */
  factor: number;
  shift: number;
  /** Extremes of what is shown; not finite if nothing is. */
  low: number;
  high: number;
};

/** More steps per pixel than this become a band from the lowest to the highest. */
const STEPS_PER_PIXEL_MAX = 0.25;
const BUCKET_PIXELS = 3;
/** Sellers are compared with each other, not read off to the pixel. */
const THIN_BUCKET_PIXELS = 4;
const BAR_PIXELS = 4;

export function planLine(line: Line, window: Window, width: number, isPercent: boolean): LinePlan {
  const { fromAtMs, toAtMs } = window;
  const { series } = line;
  const pixelMs = (toAtMs - fromAtMs) / Math.max(1, width);
  const plan: LinePlan = {
    line,
    level: undefined,
    first: Math.max(0, indexAt(series.times, fromAtMs)),
    last: indexAt(series.times, toAtMs),
    daysPerBar: daysPerBar(DAY_MS / pixelMs, BAR_PIXELS),
    factor: 1,
    shift: 0,
    low: Number.POSITIVE_INFINITY,
    high: Number.NEGATIVE_INFINITY,
  };
  if (isPercent) setPercent(plan, window);
  if (line.bars !== undefined) return measureBars(plan, window);
  if (plan.last - plan.first > width * STEPS_PER_PIXEL_MAX)
    plan.level = levelFor(
      series.levels,
      pixelMs * (line.shape === 'thin' ? THIN_BUCKET_PIXELS : BUCKET_PIXELS),
    );
  return plan.level === undefined ? measureSteps(plan) : measureBuckets(plan, window, plan.level);
}

function setPercent(plan: LinePlan, { fromAtMs, toAtMs }: Window): void {
  const base = firstValueIn(plan.line.series, fromAtMs, toAtMs);
  if (!(base > 0)) return;
  plan.factor = 100 / base;
  plan.shift = -100;
}

function widen(plan: LinePlan, low: number, high: number): void {
  if (low < plan.low) plan.low = low;
  if (high > plan.high) plan.high = high;
}

function finish(plan: LinePlan): LinePlan {
  plan.low = plan.low * plan.factor + plan.shift;
  plan.high = plan.high * plan.factor + plan.shift;
  return plan;
}

function measureSteps(plan: LinePlan): LinePlan {
  const { values } = plan.line.series;
  for (let index = plan.first; index <= plan.last; index += 1)
    widen(plan, values[index] as number, values[index] as number);
  return finish(plan);
}

function measureBuckets(plan: LinePlan, window: Window, level: Level): LinePlan {
  const { bucketMs, first, min, max } = level;
  plan.first = Math.max(0, Math.floor(window.fromAtMs / bucketMs) - first);
  plan.last = Math.min(min.length - 1, Math.floor(window.toAtMs / bucketMs) - first);
  for (let index = plan.first; index <= plan.last; index += 1)
    widen(plan, min[index] as number, max[index] as number);
  return finish(plan);
}

function measureBars(plan: LinePlan, window: Window): LinePlan {
  const { bars } = plan.line;
  if (bars === undefined) return plan;
  const stepMs = plan.daysPerBar * DAY_MS;
  const startAtMs = Math.max(window.fromAtMs, bars.firstDay * DAY_MS);
  const endAtMs = Math.min(window.toAtMs, (bars.firstDay + bars.units.length) * DAY_MS);
  for (let atMs = Math.floor(startAtMs / stepMs) * stepMs; atMs < endAtMs; atMs += stepMs) {
    const { units, low, high } = barAt(bars, atMs, plan.daysPerBar);
    widen(plan, Math.min(units, low), Math.max(units, high));
  }
  return finish(plan);
}

export type ShownValue = { value: number; low: number; high: number; isAverage: boolean };

/** What the chart shows of a line at an instant; the value is NaN if there is none. */
export function shownAt(plan: LinePlan, atMs: number): ShownValue {
  const { line, level, factor, shift } = plan;
  const show = (value: number) => value * factor + shift;
  if (line.bars !== undefined) {
    const bar = barAt(line.bars, atMs, plan.daysPerBar);
    return { value: bar.units, low: bar.low, high: bar.high, isAverage: plan.daysPerBar > 1 };
  }
  if (level !== undefined) {
    const bucket = Math.floor(atMs / level.bucketMs) - level.first;
    if ((level.share[bucket] ?? 0) > 0)
      return {
        value: show(level.mean[bucket] as number),
        low: show(level.min[bucket] as number),
        high: show(level.max[bucket] as number),
        isAverage: true,
      };
  }
  const value = show(valueAt(line.series, atMs));
  return { value, low: value, high: value, isAverage: false };
}
