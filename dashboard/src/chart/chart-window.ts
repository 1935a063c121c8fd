// The window of time that the chart shows: ranges up to now, zoom, and movement within the data.
import { DAY_MS, HOUR_MS } from '../app/server-clock.ts';
import type { Window } from './chart-model.ts';

export const RANGES = ['1d', '1w', '1m', '3m', '1y', '3y', 'all'] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_NAMES: Readonly<Record<Range, string>> = {
  '1d': 'One day',
  '1w': 'One week',
  '1m': 'One month',
  '3m': 'Three months',
  '1y': 'One year',
  '3y': 'Three years',
  all: 'All',
};

const RANGE_DAYS: Readonly<Record<Exclude<Range, 'all'>, number>> = {
  '1d': 1,
  '1w': 7,
  '1m': 30,
  '3m': 91,
  '1y': 365,
  '3y': 1096,
};

export const WINDOW_MIN_MS = HOUR_MS;

export function rangeWindow(range: Range, extent: Window): Window {
  const { toAtMs } = extent;
  if (range !== 'all') return { fromAtMs: toAtMs - RANGE_DAYS[range] * DAY_MS, toAtMs };
  // A single point needs space around it to be visible.
  return { fromAtMs: Math.min(extent.fromAtMs, toAtMs - DAY_MS), toAtMs };
}

/** The ranges that show more than the one before: longer ones would be mostly empty. */
export function usefulRanges(extent: Window): readonly Range[] {
  const spanMs = extent.toAtMs - extent.fromAtMs;
  return RANGES.filter((range, index) => {
    if (range === 'all' || index === 0) return true;
    const shorter = RANGES[index - 1] as Exclude<Range, 'all'>;
    return spanMs > RANGE_DAYS[shorter] * DAY_MS;
  });
}

/** Three months, or all if there is less. */
export const defaultRange = (extent: Window): Range =>
  extent.toAtMs - extent.fromAtMs > RANGE_DAYS['3m'] * DAY_MS ? '3m' : 'all';

/** Keeps the width if it can, and some data in view. */
export function clampWindow({ fromAtMs, toAtMs }: Window, extent: Window): Window {
  const whole = Math.max(WINDOW_MIN_MS, extent.toAtMs - extent.fromAtMs);
  const longest = Math.max(whole, RANGE_DAYS['1d'] * DAY_MS);
  const width = Math.min(Math.max(toAtMs - fromAtMs, WINDOW_MIN_MS), longest);
  const shift = toAtMs - fromAtMs === width ? 0 : (toAtMs - fromAtMs - width) / 2;
  const end = Math.min(toAtMs - shift, extent.toAtMs);
  const start = Math.max(end - width, Math.min(extent.fromAtMs, extent.toAtMs - width));
  return { fromAtMs: start, toAtMs: start + width };
}

/** `factor` below 1 shows less time; the instant `atMs` keeps its place. */
export function zoomed({ fromAtMs, toAtMs }: Window, factor: number, atMs: number): Window {
  return {
    fromAtMs: atMs - (atMs - fromAtMs) * factor,
    toAtMs: atMs + (toAtMs - atMs) * factor,
  };
}

export const moved = ({ fromAtMs, toAtMs }: Window, byMs: number): Window => ({
  fromAtMs: fromAtMs + byMs,
  toAtMs: toAtMs + byMs,
});

export const isSameWindow = (a: Window, b: Window): boolean =>
  Math.abs(a.fromAtMs - b.fromAtMs) < 1_000 && Math.abs(a.toAtMs - b.toAtMs) < 1_000;
