// The chart of a product: price, sellers, rank, stock and units sold on one time axis.
import { useMemo, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import type { ChangeChoice, ChartChoice } from './chart-address.ts';
import { ChartCanvas } from './chart-canvas.tsx';
import { ChartLegend } from './chart-legend.tsx';
import { type ChartEvent, extentOf, type Line, type Scene, type Window } from './chart-model.ts';
import { type ChartSeries, sellerLines } from './chart-series.ts';
import type { ChartView } from './chart-view.ts';
import {
  clampWindow,
  defaultRange,
  isSameWindow,
  RANGE_NAMES,
  RANGES,
  type Range,
  rangeWindow,
  usefulRanges,
} from './chart-window.ts';
import type { EventMark } from './event-marks.ts';
import { EventsDialog } from './events-dialog.tsx';
import { defaultSellers, SeriesChips } from './series-chips.tsx';

export type ProductChartProps = {
  title: string;
  series: ChartSeries;
  compared: Line | null;
  events: readonly ChartEvent[];
  ownSeller: string | null;
  nowMs: number;
  choice: ChartChoice;
  onChoice: ChangeChoice;
  /** Beside the ranges: compare, percent, download. */
  tools?: (shown: {
    scene: Scene;
    window: Window;
    view: () => ChartView | null;
  }) => React.ReactNode;
  /** Below the chart: the table of what is shown. */
  below?: (shown: { scene: Scene; window: Window }) => React.ReactNode;
};

export function ProductChart(props: ProductChartProps) {
  const { series, choice, onChoice, compared, ownSeller, nowMs } = props;
  const [emphasis, setEmphasis] = useState<string | null>(null);
  const [openMark, setOpenMark] = useState<EventMark | null>(null);
  const view = useRef<ChartView | null>(null);
  const sellers = useMemo(
    () => choice.sellers ?? defaultSellers(series, ownSeller),
    [choice.sellers, series, ownSeller],
  );
  const scene = useScene(props, sellers);
  const allLines = useMemo(
    () => [...series.lines, ...(compared ? [compared] : [])],
    [series, compared],
  );
  const extent = useMemo(() => extentOf(allLines, nowMs), [allLines, nowMs]);
  const range = choice.range ?? defaultRange(extent);
  const whole = useMemo(() => rangeWindow(range, extent), [range, extent]);
  const zoom = choice.window;
  const window = useMemo(
    () => (zoom === null ? whole : clampWindow(zoom, outer(extent, whole))),
    [zoom, whole, extent],
  );
  const steps = useZoomSteps(zoom, onChoice);
  return (
    <figure aria-label={props.title} className="relative flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <RangeChoice
          range={zoom === null ? range : null}
          extent={extent}
          onRange={(next) => onChoice({ range: next, window: null })}
          onReset={steps.reset}
        />
        <div className="ml-auto flex flex-wrap items-center gap-2">
          {props.tools?.({ scene, window, view: () => view.current })}
        </div>
      </div>
      <SeriesChips
        series={series}
        compared={compared}
        hasEvents={props.events.length > 0}
        ownSeller={ownSeller}
        hidden={choice.hidden}
        sellers={sellers}
        onHidden={(hidden) => onChoice({ hidden })}
        onSellers={(next) => onChoice({ sellers: next })}
        onEmphasis={setEmphasis}
      />
      <ChartCanvas
        label={`${props.title}, values over time`}
        scene={scene}
        window={window}
        extent={outer(extent, whole)}
        emphasis={emphasis}
        rankCategory={series.rankCategory}
        onWindow={(next, isStep) => steps.show(next, isStep, whole)}
        onBack={steps.back}
        onReset={steps.reset}
        onMark={setOpenMark}
        onView={(created) => {
          view.current = created;
        }}
      />
      <ChartLegend scene={scene} />
      {props.below?.({ scene, window })}
      <EventsDialog mark={openMark} onClose={() => setOpenMark(null)} />
    </figure>
  );
}

/** `range` null: zoomed. */
function RangeChoice({
  range,
  extent,
  onRange,
  onReset,
}: {
  range: Range | null;
  extent: Window;
  onRange: (range: Range) => void;
  onReset: () => void;
}) {
  const useful = usefulRanges(extent);
  return (
    <>
      <SegmentedControl
        label="Time shown"
        value={range}
        onChange={onRange}
        options={RANGES.map((value) => ({
          value,
          label: value === 'all' ? 'All' : value,
          name: RANGE_NAMES[value],
          disabled: !useful.includes(value),
        }))}
      />
      {range === null ? (
        <Button size="sm" variant="quiet" onClick={onReset}>
          Reset zoom
        </Button>
      ) : null}
    </>
  );
}

/** A range may begin before the data. */
const outer = (extent: Window, whole: Window): Window => ({
  fromAtMs: Math.min(extent.fromAtMs, whole.fromAtMs),
  toAtMs: extent.toAtMs,
});

function useScene(props: ProductChartProps, sellers: readonly string[]): Scene {
  const { series, compared, choice, nowMs, events } = props;
  const { hidden, isPercent } = choice;
  return useMemo(() => {
    const lines = compared === null ? [...series.lines] : [...series.lines, compared];
    lines.push(...sellerLines(series, (name) => sellers.includes(name)));
    const isShown = (id: string) => !hidden.includes(id);
    return {
      lines: lines.filter((line) => isShown(line.id) && isShown(line.pane)),
      suppressed: series.buybox.suppressed,
      unobserved: series.buybox.unobserved,
      holders: isShown('holder') ? series.buybox.holders : [],
      events: isShown('events') ? events : [],
      colourOfSeller: series.colourOfSeller,
      isPercent,
      nowMs,
    };
  }, [series, compared, hidden, sellers, isPercent, nowMs, events]);
}

/** A zoom can be undone step by step, with a double click. */
function useZoomSteps(zoom: Window | null, onChoice: ChangeChoice) {
  const before = useRef<(Window | null)[]>([]);
  return {
    show(next: Window, isStep: boolean, whole: Window): void {
      const isWhole = isSameWindow(next, whole);
      if (isStep) before.current.push(zoom);
      onChoice({ window: isWhole ? null : next }, isStep);
    },
    back(): void {
      if (zoom === null) return;
      onChoice({ window: before.current.pop() ?? null });
    },
    reset(): void {
      before.current = [];
      onChoice({ window: null });
    },
  };
}
