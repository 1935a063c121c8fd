// A time chart with ranges, zoom and a band. The plot library is loaded when the first one is
// shown.
import { lazy, Suspense, useMemo, useState } from 'react';
import { DAY_MS, serverNowMs } from '../app/server-clock.ts';
import { Button } from './button.tsx';
import { type ChartSeries, pointMs, unitText, type Window } from './chart-data.ts';
import { countText } from './money.tsx';
import { Skeleton } from './states.tsx';
import { SegmentedControl } from './tabs.tsx';
import { timeText } from './time.tsx';

export type ChartRange = '1m' | '6m' | '1y' | '3y' | 'all';

type TimeChartProps = {
  label: string;
  series: readonly ChartSeries[];
  ranges?: readonly ChartRange[];
  initialRange?: ChartRange;
  onRange?: (range: ChartRange) => void;
  /** Where the ranges end; the server's current time by default. */
  nowMs?: number;
  height?: number;
};

const RANGE_NAMES: Record<ChartRange, string> = {
  '1m': 'One month',
  '6m': 'Six months',
  '1y': 'One year',
  '3y': 'Three years',
  all: 'All',
};
const RANGE_DAYS: Record<Exclude<ChartRange, 'all'>, number> = {
  '1m': 30,
  '6m': 182,
  '1y': 365,
  '3y': 1096,
};

const CONTROLS = 'flex min-h-7 flex-wrap items-center justify-end gap-2';
/** Without ranges the reset button lies over the plot, so that nothing moves when it appears. */
const CONTROLS_OVER = 'absolute top-6 right-2 z-10';

const Plot = lazy(() =>
  import('./time-chart-plot.tsx').then((module) => ({ default: module.TimeChartPlot })),
);

export function TimeChart(props: TimeChartProps) {
  const { label, series, ranges = [], initialRange = 'all', height = 260 } = props;
  const [range, setRange] = useState<ChartRange>(initialRange);
  const [zoom, setZoom] = useState<Window | null>(null);
  const [openedAtMs] = useState(serverNowMs);
  const nowMs = props.nowMs ?? openedAtMs;
  const whole = useMemo(() => windowOf(series, range, nowMs), [series, range, nowMs]);
  const summary = useMemo(() => series.map(summaryOf).join(' '), [series]);
  return (
    <figure aria-label={label} className="relative flex min-w-0 flex-col gap-2">
      <div className={ranges.length > 0 ? CONTROLS : CONTROLS_OVER}>
        {zoom ? (
          <Button size="sm" variant="quiet" onClick={() => setZoom(null)}>
            Reset zoom
          </Button>
        ) : null}
        {ranges.length > 0 ? (
          <SegmentedControl
            label={`Range of ${label}`}
            value={zoom ? null : range}
            onChange={(next) => {
              setZoom(null);
              setRange(next);
              props.onRange?.(next);
            }}
            options={ranges.map((value) => ({
              value,
              label: value === 'all' ? 'All' : value,
              name: RANGE_NAMES[value],
            }))}
          />
        ) : null}
      </div>
      <p className="sr-only">{`${label}. ${summary}`}</p>
      <div aria-hidden style={{ minHeight: height + 28 }}>
        <Suspense fallback={<Skeleton className="h-65 w-full" />}>
          <Plot series={series} window={zoom ?? whole} onZoom={setZoom} height={height} />
        </Suspense>
      </div>
    </figure>
  );
}

function windowOf(series: readonly ChartSeries[], range: ChartRange, nowMs: number): Window {
  const times = series.flatMap(({ points, holdUntilMs }) => {
    const first = points[0];
    const last = points.at(-1);
    if (!first || !last) return [];
    return [pointMs(first.at), pointMs(last.at), holdUntilMs ?? pointMs(last.at)];
  });
  const latest = times.length > 0 ? Math.max(...times) : nowMs;
  const earliest = times.length > 0 ? Math.min(...times) : nowMs - 30 * DAY_MS;
  if (range !== 'all') return { fromAtMs: nowMs - RANGE_DAYS[range] * DAY_MS, toAtMs: nowMs };
  if (latest > earliest) return { fromAtMs: earliest, toAtMs: latest };
  // A single point needs space around it to be visible.
  return { fromAtMs: earliest - DAY_MS / 2, toAtMs: latest + DAY_MS / 2 };
}

function summaryOf({ name, points, unit }: ChartSeries): string {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || values.length === 0) return `${name}: no data.`;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const lastText = last.value === null ? 'none' : unitText(unit, last.value);
  return (
    `${name}: ${countText(points.length)} ${points.length === 1 ? 'point' : 'points'} from ${timeText(pointMs(first.at))} to ` +
    `${timeText(pointMs(last.at))}, lowest ${unitText(unit, low)}, highest ` +
    `${unitText(unit, high)}, last ${lastText}.`
  );
}
