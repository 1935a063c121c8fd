// What the chart shows as rows: for the table and for CSV. Every change in the window if there are
// few, else one row per equal part of it.
import { csvCell } from '../app/csv.ts';
import type { Line, Scene, Window } from './chart-model.ts';
import { spanAt } from './spans.ts';
import { indexAt, valueAt } from './step-series.ts';

export type ChartRow = {
  atMs: number;
  /** In the order of the lines; null: no value. */
  values: readonly (number | null)[];
  holder: string | null;
  state: '' | 'no buybox' | 'not observed';
};

/** The instants at which a line changes, and the start of the window. */
export function instantsIn(
  lines: readonly Line[],
  { fromAtMs, toAtMs }: Window,
  rowsMax: number,
): number[] {
  const instants = new Set<number>([fromAtMs]);
  for (const { series, bars } of lines) {
    const first = indexAt(series.times, fromAtMs) + 1;
    const last = indexAt(series.times, toAtMs);
    if (bars === undefined && instants.size + last - first > rowsMax) return [];
    for (let index = first; index <= last; index += 1) instants.add(series.times[index] as number);
  }
  return [...instants].sort((a, b) => a - b);
}

/** `rowsMax`: a window with more changes becomes that many equal parts. */
export function rowsIn(scene: Scene, window: Window, rowsMax: number): ChartRow[] {
  const toAtMs = Math.min(window.toAtMs, scene.nowMs);
  const shown = { fromAtMs: window.fromAtMs, toAtMs };
  const changes = instantsIn(scene.lines, shown, rowsMax);
  const instants = changes.length > 0 ? changes : equalParts(shown, rowsMax);
  return instants.map((atMs) => ({
    atMs,
    values: scene.lines.map(({ series }) => {
      const value = valueAt(series, atMs);
      return Number.isNaN(value) ? null : value;
    }),
    holder: spanAt(scene.holders, atMs)?.seller ?? null,
    state: spanAt(scene.suppressed, atMs)
      ? 'no buybox'
      : spanAt(scene.unobserved, atMs)
        ? 'not observed'
        : '',
  }));
}

const equalParts = ({ fromAtMs, toAtMs }: Window, count: number): number[] =>
  Array.from({ length: count }, (_, index) => fromAtMs + ((toAtMs - fromAtMs) * index) / count);

const NAMES = { rank: 'Rank', sold: 'Units sold' };

export const columnName = ({ pane, name }: Line): string =>
  pane === 'stock' ? `Stock, ${name}` : pane === 'price' ? `${name} price` : NAMES[pane];

const CSV_ROWS_MAX = 200_000;

/** An empty field: no value. What a spreadsheet would run as a formula is marked as text. */
export function csvOf(scene: Scene, window: Window): string {
  const head = ['time', ...scene.lines.map(columnName), 'buybox holder', 'state'];
  const rows = rowsIn(scene, window, CSV_ROWS_MAX).map(({ atMs, values, holder, state }) => [
    new Date(atMs).toISOString(),
    ...values,
    holder,
    state,
  ]);
  return [head, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n');
}
