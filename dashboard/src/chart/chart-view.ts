// The chart on its two canvases: keeps the window and the crosshair, and draws at most once per
// frame. Knows neither React nor where the data comes from.
import { layoutOf } from './chart-layout.ts';
import { panesOf, type Scene, type Window } from './chart-model.ts';
import { clampWindow } from './chart-window.ts';
import { drawBase } from './draw-base.ts';
import { drawCrosshair } from './draw-crosshair.ts';
import { type EventMark, eventMarks } from './event-marks.ts';
import { type Frame, measure, timeAt, xOf } from './frame.ts';
import { readPalette } from './palette.ts';
import { crosshairText } from './readout.ts';

export type ViewListener = {
  /** After each drawing of the lines, and when the crosshair moves; null: no crosshair. */
  onReadout: (frame: Frame, atMs: number | null) => void;
};

const READ_EVERY_MS = 100;

export class ChartView {
  private readonly base: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private readonly listener: ViewListener;
  private palette = readPalette();
  private scene: Scene;
  private window: Window;
  private width = 0;
  private emphasis: string | null = null;
  private crosshairAtMs: number | null = null;
  private selection: { from: number; to: number } | null = null;
  private isBaseDue = false;
  private request = 0;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private restTimer: ReturnType<typeof setTimeout> | undefined;
  private frame: Frame;
  private marks: readonly EventMark[] = [];

  constructor(
    canvases: { base: HTMLCanvasElement; over: HTMLCanvasElement },
    start: { scene: Scene; window: Window },
    listener: ViewListener,
  ) {
    this.base = canvases.base.getContext('2d') as CanvasRenderingContext2D;
    this.over = canvases.over.getContext('2d') as CanvasRenderingContext2D;
    this.listener = listener;
    this.scene = start.scene;
    this.window = start.window;
    this.frame = this.measured();
  }

  /** Without the crosshair. */
  get canvas(): HTMLCanvasElement {
    return this.base.canvas;
  }

  get shownFrame(): Frame {
    return this.frame;
  }

  get shownMarks(): readonly EventMark[] {
    return this.marks;
  }

  get shownWindow(): Window {
    return this.window;
  }

  get crosshair(): number | null {
    return this.crosshairAtMs;
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.drawSoon(true);
  }

  setWindow(window: Window): void {
    this.window = window;
    this.drawSoon(true);
  }

  /** Moves or zooms within what can be shown. */
  moveTo(window: Window, extent: Window): void {
    this.setWindow(clampWindow(window, extent));
  }

  setWidth(width: number): void {
    if (width === this.width) return;
    this.width = width;
    this.drawNow(true);
  }

  setEmphasis(seller: string | null): void {
    this.emphasis = seller;
    this.drawSoon(true);
  }

  setTheme(): void {
    this.palette = readPalette();
    this.drawSoon(true);
  }

  setCrosshair(atMs: number | null): void {
    this.crosshairAtMs = atMs;
    this.drawSoon(false);
  }

  setSelection(selection: { from: number; to: number } | null): void {
    this.selection = selection;
    this.drawSoon(false);
  }

  timeAt(x: number): number {
    return timeAt(this.frame, Math.min(this.frame.layout.right, Math.max(0, x)));
  }

  close(): void {
    clearTimeout(this.restTimer);
    cancelAnimationFrame(this.request);
  }

  private drawSoon(isBase: boolean): void {
    this.isBaseDue ||= isBase;
    if (this.request !== 0) return;
    this.request = requestAnimationFrame(() => this.drawNow(this.isBaseDue));
  }

  private drawNow(isBase: boolean): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
    if (this.width === 0) return;
    if (isBase) this.drawLines();
    this.isBaseDue = false;
    const isIn =
      this.crosshairAtMs !== null &&
      this.crosshairAtMs >= this.window.fromAtMs &&
      this.crosshairAtMs <= this.window.toAtMs;
    const atMs = isIn ? this.crosshairAtMs : null;
    drawCrosshair(
      this.over,
      this.frame,
      { atMs, selection: this.selection },
      { palette: this.palette, timeText: atMs === null ? '' : crosshairText(this.frame, atMs) },
    );
    this.readSoon(atMs);
  }

  /** While the chart moves without a crosshair, nobody can read values of every frame. */
  private readSoon(atMs: number | null): void {
    clearTimeout(this.restTimer);
    const read = () => {
      this.readAtMs = performance.now();
      this.listener.onReadout(this.frame, atMs);
    };
    if (atMs !== null || performance.now() - this.readAtMs > READ_EVERY_MS) read();
    else this.restTimer = setTimeout(read, READ_EVERY_MS);
  }

  private drawLines(): void {
    this.frame = this.measured();
    const { layout } = this.frame;
    resize(this.base, layout.width, layout.height);
    resize(this.over, layout.width, layout.height);
    this.base.clearRect(0, 0, layout.width, layout.height);
    this.marks = eventMarks(this.scene.events, (atMs) => xOf(this.frame, atMs), layout.right);
    const styling = { palette: this.palette, emphasis: this.emphasis, marks: this.marks };
    drawBase(this.base, this.frame, styling);
  }

  private measured(): Frame {
    const parts = {
      hasEvents: this.scene.events.length > 0,
      hasRibbon: this.scene.holders.length > 0,
    };
    const layout = layoutOf(panesOf(this.scene.lines), this.width, parts);
    return measure(this.scene, layout, this.window);
  }
}

/** Setting the size of a canvas clears it and costs time, so it is set only when it changes. */
function resize(context: CanvasRenderingContext2D, width: number, height: number): void {
  const { canvas } = context;
  const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}
