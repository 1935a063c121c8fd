// What a chart shows: its series, its span of time, and the values that were read for it.

import type { ThemeName } from './chart-theme.ts';
import type { ColumnTrack } from './column-track.ts';

/** The series that have a panel, in the order of the panels. */
export const PANELS = ['price', 'rank', 'stock'] as const;
export type PanelSeries = (typeof PANELS)[number];

export const CHART_SERIES = [...PANELS, 'events'] as const;
export type ChartSeries = (typeof CHART_SERIES)[number];

export type ChartSize = { widthPx: number; heightPx: number };

export type ChartMark = { atSeconds: number; kind: string };

export type Chart = {
  code: string;
  /** As the marketplace writes it: not cleaned and not escaped. */
  productName: string | null;
  rankCategory: string | null;
  fromAtSeconds: number;
  toAtSeconds: number;
  /** By series; what was not requested is absent. */
  tracks: ReadonlyMap<PanelSeries, ColumnTrack>;
  marks: readonly ChartMark[];
};

export type ChartFrame = ChartSize & {
  theme: ThemeName;
  /** Leaves out characters that the font of PNG pictures does not have. */
  onlyDrawable: boolean;
};

/** Columns that a chart is reduced to: about one for each pixel of its lines. */
export const columnsOf = (widthPx: number): number => widthPx - 80;

/** Whether anything was observed in the span. */
export const hasObservations = ({ tracks }: Chart): boolean =>
  [...tracks.values()].some(({ count }) => count > 0);
