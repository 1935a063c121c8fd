// Draws the time chart on a canvas with uPlot, in the colours of the theme.
import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import {
  type Aligned,
  align,
  type ChartSeries,
  unitText,
  valueAt,
  type Window,
} from './chart-data.ts';
import { useShownTheme } from './theme.ts';
import { axisTimeText, chartTimeText } from './time.tsx';

type PlotProps = {
  series: readonly ChartSeries[];
  window: Window;
  onZoom: (window: Window) => void;
  height: number;
};

export function TimeChartPlot({ series, window, onZoom, height }: PlotProps) {
  const index = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const theme = useShownTheme();
  const aligned = useMemo(() => align(series), [series]);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const shown = useRef(window);
  shown.current = window;

  // A new theme or new data creates a new plot: uPlot keeps its colours and series.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours.
  useEffect(() => {
    const host = index.current;
    if (!host) return;
    const options = optionsOf(aligned, host.clientWidth, height, {
      onCursor: setCursor,
      onZoom: (next) => zoom.current(next),
      window: shown.current,
    });
    const drawn = new uPlot(options, dataOf(aligned), host);
    plot.current = drawn;
    const resize = new ResizeObserver(() => {
      if (host.clientWidth > 0) drawn.setSize({ width: host.clientWidth, height });
    });
    resize.observe(host);
    return () => {
      resize.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [aligned, height, theme]);

  useEffect(() => {
    plot.current?.setScale('x', { min: window.fromAtMs / 1000, max: window.toAtMs / 1000 });
  }, [window]);

  return (
    <>
      <Legend aligned={aligned} index={cursor} />
      <div ref={index} style={{ height }} />
    </>
  );
}

function Legend({ aligned, index }: { aligned: Aligned; index: number | null }) {
  const at = index ?? aligned.times.length - 1;
  const time = aligned.times[at];
  return (
    <div className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-0.5 pb-2 text-xs text-muted">
      {aligned.rows.map(({ series, values, low, high }, rowIndex) => {
        const step = series.shape === 'step';
        const value = valueAt(values, at, step);
        const from = low ? valueAt(low, at, step) : null;
        const to = high ? valueAt(high, at, step) : null;
        return (
          <span key={series.name} className="inline-flex items-center gap-1.5">
            <span
              className="h-0.5 w-3 rounded-full"
              style={{ background: `var(--chart-${series.colour ?? rowIndex + 1})` }}
            />
            {series.name}
            <span className="font-medium text-ink tabular-nums">
              {value == null ? '–' : unitText(series.unit, value)}
            </span>
            {from != null && to != null ? (
              <span className="tabular-nums">
                ({unitText(series.unit, from)}–{unitText(series.unit, to)})
              </span>
            ) : null}
          </span>
        );
      })}
      {time === undefined ? null : (
        <span className="ml-auto text-ink tabular-nums">{chartTimeText(time * 1000)}</span>
      )}
    </div>
  );
}

function dataOf({ times, rows }: Aligned): uPlot.AlignedData {
  const lines = rows.flatMap(({ values, low, high }) =>
    low && high ? [values, high, low] : [values],
  );
  return [times, ...lines];
}

type Reactions = {
  onCursor: (index: number | null) => void;
  onZoom: (window: Window) => void;
  window: Window;
};

function optionsOf(
  aligned: Aligned,
  width: number,
  height: number,
  { onCursor, onZoom, window }: Reactions,
): uPlot.Options {
  const colours = coloursNow();
  const units = [...new Set(aligned.rows.map(({ series }) => series.unit))];
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, units.length > 1 ? 0 : 28, 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 }, y: false },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: true, min: window.fromAtMs / 1000, max: window.toAtMs / 1000 },
      usd: { range: (_, low, high) => moneyRange(low, high) },
      count: { range: (_, __, high) => [0, Math.max(1, (high ?? 0) * 1.1)] },
    },
    axes: [timeAxis(colours), ...units.map((unit, index) => valueAxis(unit, index === 1, colours))],
    ...linesOf(aligned, colours),
    hooks: {
      setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)],
      setSelect: [
        (drawn) => {
          const { left, width: wide } = drawn.select;
          if (wide < 6) return;
          const fromAtMs = drawn.posToVal(left, 'x') * 1000;
          const toAtMs = drawn.posToVal(left + wide, 'x') * 1000;
          drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onZoom({ fromAtMs, toAtMs });
        },
      ],
    },
  };
}

function linesOf({ rows }: Aligned, colours: Colours): Pick<uPlot.Options, 'series' | 'bands'> {
  const lines: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  rows.forEach(({ series, low, high }, index) => {
    const colour = colours.lines[(series.colour ?? index + 1) - 1] ?? colours.ink;
    const step = series.shape === 'step';
    const paths = step
      ? uPlot.paths.stepped?.({ align: 1, alignGaps: 1 })
      : uPlot.paths.linear?.({ alignGaps: 0 });
    const shared = { scale: series.unit, ...(paths ? { paths } : {}) };
    const few = series.points.length < 3;
    const points = { show: few, size: 5 };
    lines.push({ ...shared, stroke: colour, width: 1.5, points, gaps: clearGaps });
    if (!low || !high) return;
    const edge = { ...shared, stroke: 'transparent', width: 0, points: { show: false } };
    lines.push(edge, { ...edge });
    bands.push({ series: [lines.length - 2, lines.length - 1], fill: `${colour}2e` });
  });
  return { series: lines, bands };
}

/** After a gap, a step draws its vertical line on the gap's edge, where half of it would show. */
const clearGaps: uPlot.Series.GapsRefiner = (_, __, ___, ____, gaps) =>
  gaps.map(([from, to]) => [from, to + 2]);

/** The price line fills the height; a flat line gets space above and below. */
function moneyRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = Math.max((high - low) * 0.12, high * 0.02, 0.05);
  return [Math.max(0, low - room), high + room];
}

const AXIS_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';

function timeAxis(colours: Colours): uPlot.Axis {
  return {
    stroke: colours.faint,
    font: AXIS_FONT,
    grid: { show: false },
    ticks: { stroke: colours.grid, width: 1, size: 4 },
    size: 28,
    space: 70,
    values: (_, splits, __, ___, stepSeconds) =>
      splits.map((at) => axisTimeText(at * 1000, stepSeconds * 1000)),
  };
}

function valueAxis(unit: ChartSeries['unit'], right: boolean, colours: Colours): uPlot.Axis {
  return {
    scale: unit,
    side: right ? 1 : 3,
    stroke: colours.faint,
    font: AXIS_FONT,
    grid: { show: !right, stroke: colours.grid, width: 1 },
    ticks: { show: false },
    size: 56,
    space: 36,
    ...(unit === 'count'
      ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4] }
      : {}),
    values: (_, splits) => splits.map((value) => unitText(unit, value)),
  };
}

type Colours = { ink: string; faint: string; grid: string; lines: readonly string[] };

function coloursNow(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: read('--ink'),
    faint: read('--faint'),
    grid: read('--chart-grid'),
    lines: [1, 2, 3, 4, 5, 6].map((index) => read(`--chart-${index}`)),
  };
}
