// Time series for the plot, aligned to one common list of instants.
import { countText, moneyText } from './money.tsx';

export type ChartPoint = {
  /** An ISO instant, a day (YYYY-MM-DD), or milliseconds. */
  at: string | number;
  /** Null is a gap: there is no value. */
  value: number | null;
  low?: number | null;
  high?: number | null;
};

export type ChartSeries = {
  name: string;
  points: readonly ChartPoint[];
  unit: 'usd' | 'count';
  /** Step: the value holds until the next point (prices, stock). */
  shape?: 'step' | 'linear';
  colour?: 1 | 2 | 3 | 4 | 5 | 6;
  /** Extends the last value to this instant, where it is known not to have changed. */
  holdUntilMs?: number;
};

export type Window = { fromAtMs: number; toAtMs: number };

export const unitText = (unit: ChartSeries['unit'], value: number) =>
  unit === 'usd' ? moneyText(value) : countText(Math.round(value));

/**
 * A day is drawn at its start in the reader's time zone, so that its label is the same everywhere.
 */
export function pointMs(at: string | number): number {
  if (typeof at === 'number') return at;
  return Date.parse(at.length === 10 ? `${at}T00:00` : at);
}

/** Undefined: the series has no point at that instant. Null: the series has a gap there. */
export type Values = (number | null | undefined)[];

export type Aligned = {
  /** Seconds, ascending. */
  times: number[];
  rows: { series: ChartSeries; values: Values; low: Values | null; high: Values | null }[];
};

export function align(allSeries: readonly ChartSeries[]): Aligned {
  const extended = allSeries.map((series) => ({ series, points: extendedPoints(series) }));
  const instants = new Set<number>();
  for (const { points } of extended) for (const { at } of points) instants.add(pointMs(at) / 1000);
  const times = [...instants].sort((a, b) => a - b);
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const valuesOf = (points: readonly ChartPoint[], pick: (point: ChartPoint) => number | null) => {
    const values: Values = new Array(times.length).fill(undefined);
    for (const point of points) values[indexOf.get(pointMs(point.at) / 1000) ?? 0] = pick(point);
    return values;
  };
  const rows = extended.map(({ series, points }) => {
    const banded = points.some(({ low, high }) => low != null && high != null);
    return {
      series,
      values: valuesOf(points, ({ value }) => value),
      low: banded ? valuesOf(points, ({ low }) => low ?? null) : null,
      high: banded ? valuesOf(points, ({ high }) => high ?? null) : null,
    };
  });
  return { times, rows };
}

function extendedPoints({ points, holdUntilMs }: ChartSeries): readonly ChartPoint[] {
  const last = points.at(-1);
  if (!last || holdUntilMs === undefined || holdUntilMs <= pointMs(last.at)) return points;
  return [...points, { ...last, at: holdUntilMs }];
}

/**
 * The value at an index: for a step series the last point at or before it, for a line that point
 * only.
 */
export function valueAt(values: Values, index: number, step: boolean): number | null | undefined {
  for (let at = index; at >= 0; at -= 1) {
    if (values[at] !== undefined) return values[at];
    if (!step) return undefined;
  }
  return undefined;
}
