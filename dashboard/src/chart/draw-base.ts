// Draws everything but the crosshair: grid, shaded spans, lines, event marks, ribbon and axes.

import { EVENTS, RIBBON } from './chart-layout.ts';
import type { LineColour } from './chart-model.ts';
import { drawLines } from './draw-lines.ts';
import type { EventMark } from './event-marks.ts';
import { type Frame, type PaneFrame, timeAt, xOf, yOf } from './frame.ts';
import { colourOf, type Palette } from './palette.ts';
import { firstEndingAfter, type HolderSpan, type Span } from './spans.ts';
import { valueAt } from './step-series.ts';
import { timeTicks } from './time-ticks.ts';
import { tickText } from './value-text.ts';

type Context = CanvasRenderingContext2D;
export const AXIS_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';
const TIME_LABEL_PIXELS = 84;

export type Styling = {
  palette: Palette;
  /** The seller whose chip is pointed at. */
  emphasis: string | null;
  marks: readonly EventMark[];
};

export function drawBase(context: Context, frame: Frame, styling: Styling): void {
  const { palette } = styling;
  context.font = AXIS_FONT;
  context.textBaseline = 'middle';
  drawTimeAxis(context, frame, palette);
  for (const pane of frame.panes) {
    const tags = lastValues(frame, pane);
    drawGrid(context, frame, pane, { palette, tags });
    if (pane.box.pane === 'price')
      drawSpans(context, frame, pane, frame.scene.suppressed, palette.suppressed);
    if (pane.box.pane !== 'sold')
      drawSpans(context, frame, pane, frame.scene.unobserved, palette.unobserved);
    drawLines(context, frame, pane, styling);
    drawTags(context, frame, tags, palette);
  }
  if (frame.scene.holders.length > 0) drawRibbon(context, frame, styling);
  drawMarks(context, frame, styling);
}

function drawTimeAxis(context: Context, frame: Frame, palette: Palette): void {
  const { layout, window } = frame;
  const ticks = timeTicks(window, Math.floor(layout.right / TIME_LABEL_PIXELS));
  context.textAlign = 'center';
  context.fillStyle = palette.grid;
  for (const { atMs } of ticks) {
    const x = Math.round(xOf(frame, atMs));
    for (const { box } of frame.panes) context.fillRect(x, box.top, 1, box.height);
  }
  context.fillStyle = palette.faint;
  for (const { atMs, text } of ticks) {
    const x = xOf(frame, atMs);
    const half = context.measureText(text).width / 2;
    if (x < half || x + half > layout.width) continue;
    context.fillText(text, x, layout.axisTop + 15);
  }
}

function drawGrid(
  context: Context,
  frame: Frame,
  pane: PaneFrame,
  { palette, tags }: { palette: Palette; tags: readonly Tag[] },
): void {
  const { right } = frame.layout;
  const { box, scale, kind } = pane;
  context.textAlign = 'left';
  for (const tick of scale.ticks) {
    const y = Math.round(yOf(pane, tick));
    context.fillStyle = palette.grid;
    context.fillRect(0, y, right, 1);
    if (y < box.top + 4 || y > box.top + box.height + 4) continue;
    if (tags.some((tag) => Math.abs(tag.y - y) < TAG_APART_PIXELS)) continue;
    context.fillStyle = palette.faint;
    context.fillText(tickText(kind, tick, scale), right + 6, y + 0.5);
  }
  context.fillStyle = palette.line;
  context.fillRect(0, box.top + box.height, right, 1);
}

/** Each pixel is painted once: the next span is looked up after the last painted pixel. */
function drawSpans(
  context: Context,
  frame: Frame,
  { box }: PaneFrame,
  spans: readonly Span[],
  fill: CanvasPattern | string,
): void {
  const { right } = frame.layout;
  context.fillStyle = fill;
  let from = frame.window.fromAtMs;
  for (;;) {
    const span = spans[firstEndingAfter(spans, from)];
    if (span === undefined || span.fromAtMs >= frame.window.toAtMs) return;
    const left = Math.max(0, xOf(frame, span.fromAtMs));
    const end = Math.min(right, Math.max(left + 1, xOf(frame, span.toAtMs)));
    context.fillRect(left, box.top, end - left, box.height);
    from = Math.max(span.toAtMs, timeAt(frame, end));
  }
}

type Tag = { y: number; text: string; colour: LineColour };

const TAG_APART_PIXELS = 14;

/** The product's own values at the end of the window; none covers another. */
function lastValues({ window, scene }: Frame, pane: PaneFrame): Tag[] {
  const tags: Tag[] = [];
  const { box, kind, scale } = pane;
  const mainPlans = pane.plans.filter(
    ({ line }) => line.shape === 'main' && line.bars === undefined,
  );
  for (const plan of mainPlans) {
    const { series } = plan.line;
    const isNow = window.toAtMs >= scene.nowMs;
    // Up to now, the last value stands at the end of its dashed line.
    const last = isNow ? series.values.at(-1) : valueAt(series, window.toAtMs);
    const value = (last ?? Number.NaN) * plan.factor + plan.shift;
    const y = yOf(pane, value);
    if (!(y >= box.top - 2 && y <= box.top + box.height + 2)) continue;
    if (tags.some((tag) => Math.abs(tag.y - y) < 18)) continue;
    tags.push({ y, text: tickText(kind, value, scale, true), colour: plan.line.colour });
  }
  return tags;
}

function drawTags(context: Context, { layout }: Frame, tags: readonly Tag[], palette: Palette) {
  context.textAlign = 'left';
  for (const { y, text, colour } of tags) {
    context.fillStyle = colourOf(palette, colour);
    context.beginPath();
    context.roundRect(layout.right + 2, y - 8, layout.width - layout.right - 2, 16, 3);
    context.fill();
    context.fillStyle = palette.surface;
    context.fillText(text, layout.right + 6, y + 0.5);
  }
}

/** Changes of the holder that are closer than this cannot be distinguished. */
const CELL_PIXELS = 2;

/** Who held the buybox. Where the holder changes faster than the pixels, some are skipped. */
function drawRibbon(context: Context, frame: Frame, { palette, emphasis }: Styling): void {
  const { layout, scene, window } = frame;
  let from = window.fromAtMs;
  for (;;) {
    const span: HolderSpan | undefined = scene.holders[firstEndingAfter(scene.holders, from)];
    if (span === undefined || span.fromAtMs >= window.toAtMs) break;
    const left = Math.max(0, xOf(frame, Math.max(from, span.fromAtMs)));
    const end = Math.min(layout.right, Math.max(left + CELL_PIXELS, xOf(frame, span.toAtMs)));
    const colour: LineColour = scene.colourOfSeller.get(span.seller) ?? 0;
    context.globalAlpha = emphasis !== null && span.seller !== emphasis ? 0.25 : 1;
    context.fillStyle = colourOf(palette, colour);
    context.fillRect(left, layout.ribbonTop, end - left, RIBBON);
    from = Math.max(span.toAtMs, timeAt(frame, end));
  }
  context.globalAlpha = 1;
}

function drawMarks(context: Context, frame: Frame, { palette, marks }: Styling): void {
  const y = frame.layout.eventsTop + EVENTS / 2;
  context.textAlign = 'center';
  for (const { x, events, tone } of marks) {
    context.fillStyle = palette.tones[tone];
    context.beginPath();
    if (events.length === 1) {
      context.moveTo(x, y - 5);
      context.lineTo(x + 5, y);
      context.lineTo(x, y + 5);
      context.lineTo(x - 5, y);
    } else {
      const half = events.length > 9 ? 9 : 7;
      context.roundRect(x - half, y - 7, half * 2, 14, 7);
    }
    context.fill();
    if (events.length === 1) continue;
    context.fillStyle = palette.surface;
    context.fillText(events.length > 99 ? '99' : String(events.length), x, y + 0.5);
  }
}
