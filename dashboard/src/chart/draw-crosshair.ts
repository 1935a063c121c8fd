// Draws what follows the pointer, on a layer of its own: crosshair, points, and the drag selection.
import { AXIS_FONT } from './draw-base.ts';
import { type Frame, xOf, yOf } from './frame.ts';
import { shownAt } from './line-plan.ts';
import { colourOf, type Palette } from './palette.ts';

type Context = CanvasRenderingContext2D;

export type Pointed = {
  atMs: number | null;
  /** Pixels of a running drag selection. */
  selection: { from: number; to: number } | null;
};

export function drawCrosshair(
  context: Context,
  frame: Frame,
  { atMs, selection }: Pointed,
  styling: { palette: Palette; timeText: string },
): void {
  const { layout } = frame;
  const { palette } = styling;
  context.clearRect(0, 0, layout.width, layout.height);
  const top = frame.panes[0]?.box.top ?? 0;
  if (selection !== null) {
    const left = Math.min(selection.from, selection.to);
    context.globalAlpha = 0.14;
    context.fillStyle = palette.accent;
    context.fillRect(left, top, Math.abs(selection.to - selection.from), layout.axisTop - top);
    context.globalAlpha = 1;
  }
  if (atMs === null) return;
  const x = xOf(frame, atMs);
  context.fillStyle = palette.muted;
  for (const { box } of frame.panes) context.fillRect(Math.round(x), box.top, 1, box.height);
  drawPoints(context, frame, atMs, palette);
  drawTimePill(context, frame, x, styling);
}

function drawPoints(context: Context, frame: Frame, atMs: number, palette: Palette): void {
  const x = xOf(frame, atMs);
  for (const pane of frame.panes) {
    for (const plan of pane.plans) {
      if (plan.line.bars !== undefined) continue;
      const { value } = shownAt(plan, atMs);
      if (Number.isNaN(value)) continue;
      context.beginPath();
      context.arc(x + 0.5, yOf(pane, value), 3.5, 0, 2 * Math.PI);
      context.fillStyle = palette.surface;
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = colourOf(palette, plan.line.colour);
      context.stroke();
    }
  }
}

function drawTimePill(
  context: Context,
  { layout }: Frame,
  x: number,
  { palette, timeText }: { palette: Palette; timeText: string },
): void {
  context.font = AXIS_FONT;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const half = context.measureText(timeText).width / 2 + 7;
  const middle = Math.min(layout.width - half, Math.max(half, x));
  context.fillStyle = palette.ink;
  context.beginPath();
  context.roundRect(middle - half, layout.axisTop + 5, half * 2, 19, 4);
  context.fill();
  context.fillStyle = palette.surface;
  context.fillText(timeText, middle, layout.axisTop + 15);
}
