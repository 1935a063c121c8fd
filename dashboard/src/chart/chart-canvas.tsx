// The drawn part of the chart: two canvases, the heads of the panes with their values, and a slider
// for keyboards and screen readers.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useShownTheme } from '../design/theme.ts';
import { attachGestures, type GestureTarget } from './chart-gestures.ts';
import { handleKey } from './chart-keys.ts';
import { type Layout, layoutOf } from './chart-layout.ts';
import { type PaneId, panesOf, type Scene, type Window } from './chart-model.ts';
import { ChartView } from './chart-view.ts';
import type { EventMark } from './event-marks.ts';
import { colourVariable } from './palette.ts';
import { readingAt, spokenReading } from './readout.ts';
import { createReadoutTexts } from './readout-texts.ts';

export type CanvasProps = {
  label: string;
  scene: Scene;
  window: Window;
  extent: Window;
  emphasis: string | null;
  rankCategory: string | null;
  onWindow: (window: Window, isStep: boolean) => void;
  onBack: () => void;
  onReset: () => void;
  onMark: (mark: EventMark) => void;
  /** For downloads, and for values beside the chart. */
  onView: (view: ChartView | null) => void;
};

const PANE_NAMES: Readonly<Record<PaneId, string>> = {
  price: 'Price',
  rank: 'Sales rank',
  stock: 'Units in stock',
  sold: 'Units sold per day',
};

export function ChartCanvas(props: CanvasProps) {
  const { scene, window, emphasis, label } = props;
  const host = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [view, setView] = useState<ChartView | null>(null);
  const [width, setWidth] = useState(0);
  const theme = useShownTheme();
  useEffect(() => {
    if (!host.current || !base.current || !over.current) return;
    const created = openView(host.current, { base: base.current, over: over.current }, latest);
    setView(created.view);
    latest.current.onView(created.view);
    const resize = new ResizeObserver(([entry]) => {
      const wide = Math.floor(entry?.contentRect.width ?? 0);
      created.view.setWidth(wide);
      setWidth(wide);
    });
    resize.observe(host.current);
    return () => {
      resize.disconnect();
      created.close();
      latest.current.onView(null);
    };
  }, []);
  useEffect(() => view?.setScene(scene), [view, scene]);
  useEffect(() => view?.setWindow(window), [view, window]);
  useEffect(() => view?.setEmphasis(emphasis), [view, emphasis]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours.
  useEffect(() => view?.setTheme(), [view, theme]);
  const layout = layoutOf(panesOf(scene.lines), width, {
    hasEvents: scene.events.length > 0,
    hasRibbon: scene.holders.length > 0,
  });
  return (
    <div ref={host} className="relative min-w-0 select-none" style={{ height: layout.height }}>
      <canvas ref={base} aria-hidden className="absolute inset-0" />
      <PaneHeads layout={layout} scene={scene} rankCategory={props.rankCategory} />
      <canvas ref={over} aria-hidden className="pointer-events-none absolute inset-0" />
      <Slider label={label} view={view} latest={latest} />
    </div>
  );
}

type Latest = { current: CanvasProps };

function openView(
  host: HTMLElement,
  canvases: { base: HTMLCanvasElement; over: HTMLCanvasElement },
  latest: Latest,
) {
  const { scene, window } = latest.current;
  // The values are beside the canvas, in the whole figure.
  const texts = createReadoutTexts(host.closest('figure') ?? host);
  const view = new ChartView(
    canvases,
    { scene, window },
    {
      onReadout: (frame, atMs) => texts.show(frame, readingAt(frame, atMs)),
    },
  );
  const slider = host.querySelector<HTMLElement>('[role="slider"]') ?? host;
  const detach = attachGestures(slider, targetOf(view, latest));
  return {
    view,
    close: () => {
      detach();
      view.close();
    },
  };
}

const targetOf = (view: ChartView, latest: Latest): GestureTarget => ({
  view,
  extent: () => latest.current.extent,
  onWindow: (window, isStep) => latest.current.onWindow(window, isStep),
  onBack: () => latest.current.onBack(),
  onReset: () => latest.current.onReset(),
  onMark: (mark) => latest.current.onMark(mark),
});

/** Takes pointers and keys. A slider, because screen readers pass arrow keys on to it. */
function Slider({
  label,
  view,
  latest,
}: {
  label: string;
  view: ChartView | null;
  latest: Latest;
}) {
  const [spoken, setSpoken] = useState('');
  const [at, setAt] = useState<number | null>(null);
  const helpId = useId();
  const { window } = latest.current;
  const press = (event: KeyboardEvent) => {
    if (view === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!handleKey(event, targetOf(view, latest))) return;
    event.preventDefault();
    const frame = view.shownFrame;
    const atMs = view.crosshair ?? frame.window.toAtMs;
    setAt(atMs);
    setSpoken(spokenReading(frame, readingAt(frame, atMs)));
  };
  return (
    <>
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={helpId}
        aria-valuemin={Math.round(window.fromAtMs)}
        aria-valuemax={Math.round(window.toAtMs)}
        aria-valuenow={Math.round(
          Math.min(window.toAtMs, Math.max(window.fromAtMs, at ?? window.toAtMs)),
        )}
        aria-valuetext={spoken === '' ? 'End of the chart' : spoken}
        className="absolute inset-0 cursor-crosshair touch-pan-y rounded-sm"
        onKeyDown={press}
        onBlur={() => view?.setCrosshair(null)}
      />
      <p id={helpId} className="sr-only">
        Arrow keys move through time, with Shift the chart moves. Plus and minus zoom, 0 resets.
        Enter opens the event at the crosshair. The table below has the same values.
      </p>
    </>
  );
}

function PaneHeads({
  layout,
  scene,
  rankCategory,
}: {
  layout: Layout;
  scene: Scene;
  rankCategory: string | null;
}) {
  return layout.panes.map(({ pane, headTop }) => (
    <div
      key={pane}
      aria-hidden
      className="pointer-events-none absolute inset-x-0 flex h-6 items-center gap-x-3 overflow-hidden text-xs whitespace-nowrap text-muted"
      style={{ top: headTop }}
    >
      <span className="font-medium text-ink">
        {pane === 'rank' && rankCategory !== null ? `Rank in ${rankCategory}` : PANE_NAMES[pane]}
      </span>
      {scene.lines
        .filter((line) => line.pane === pane && line.shape === 'main')
        .map((line) => (
          <span key={line.id} className="inline-flex items-center gap-1.5">
            <span
              className="h-0.5 w-2.5 rounded-full"
              style={{ background: colourVariable(line.colour) }}
            />
            {pane === 'price' || (pane === 'stock' && hasSellers(scene)) ? line.name : null}
            <span data-reading={line.id} className="font-medium text-ink tabular-nums" />
          </span>
        ))}
      {pane === 'price' ? (
        <>
          <span data-reading="note" className="text-muted" />
          {scene.holders.length > 0 ? (
            <span className="ml-auto inline-flex items-center gap-1.5 truncate max-sm:hidden">
              <span data-holder className="size-2 rounded-[2px]" />
              <span data-reading="holder" className="truncate text-ink" />
            </span>
          ) : null}
        </>
      ) : null}
    </div>
  ));
}

const hasSellers = ({ lines }: Scene) =>
  lines.some(({ pane, seller }) => pane === 'stock' && seller);
