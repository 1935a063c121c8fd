// What the chart draws: lines in panes, spans of time, who held the buybox, and events.
import type { DayBars } from './day-bars.ts';
import type { HolderSpan, Span } from './spans.ts';
import type { StepSeries } from './step-series.ts';

/** From top to bottom. */
export const PANES = ['price', 'rank', 'stock', 'sold'] as const;
export type PaneId = (typeof PANES)[number];

/** The name of a colour of the palette; sellers have numbers. */
export type LineColour =
  | 'buybox'
  | 'lowest'
  | 'compare'
  | 'own'
  | 'rank'
  | 'stock'
  | 'sold'
  | number;

export type Line = {
  /** Unique within the chart: `buybox`, `seller:Acme`, `stock:Acme`. */
  id: string;
  name: string;
  pane: PaneId;
  colour: LineColour;
  series: StepSeries;
  /** Drawn instead of the series, one bar per day. */
  bars?: DayBars;
  shape: 'main' | 'thin';
  /** The seller whose line it is. */
  seller?: string;
};

export type ChartEvent = { id: string; atMs: number; tone: EventTone; text: string; kind: string };
export type EventTone = 'neutral' | 'accent' | 'positive' | 'caution' | 'critical';

export type Window = { fromAtMs: number; toAtMs: number };

export type Scene = {
  lines: readonly Line[];
  /** Nobody held the buybox. */
  suppressed: readonly Span[];
  /** Nobody observed. */
  unobserved: readonly Span[];
  holders: readonly HolderSpan[];
  events: readonly ChartEvent[];
  colourOfSeller: ReadonlyMap<string, LineColour>;
  /** Prices as change since the start of the window. */
  isPercent: boolean;
  nowMs: number;
};

/** The panes that have a line, from top to bottom; the price always has one. */
export const panesOf = (lines: readonly Line[]): PaneId[] =>
  PANES.filter((pane) => pane === 'price' || lines.some((line) => line.pane === pane));

/** From the first value of any line to now. */
export function extentOf(lines: readonly Line[], nowMs: number): Window {
  let fromAtMs = nowMs;
  for (const { series } of lines)
    if (series.times.length > 0) fromAtMs = Math.min(fromAtMs, series.times[0] as number);
  return { fromAtMs, toAtMs: nowMs };
}
