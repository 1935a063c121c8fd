// The chart by keyboard: arrows move the crosshair, with Shift the window; + and − zoom, 0 resets.
import type { GestureTarget } from './chart-gestures.ts';
import { moved, zoomed } from './chart-window.ts';
import { markAt } from './event-marks.ts';
import { xOf } from './frame.ts';

/** The crosshair moves by this many pixels: a key held down crosses the chart in seconds. */
const STEP_PIXELS = 4;
const ZOOM = 0.6;

/** Whether the key was for the chart. */
export function handleKey(event: { key: string; shiftKey: boolean }, target: GestureTarget) {
  const { view, extent } = target;
  const window = view.shownWindow;
  const width = window.toAtMs - window.fromAtMs;
  const crosshair = view.crosshair ?? window.toAtMs;
  const stepMs = (width / view.shownFrame.layout.right) * STEP_PIXELS;
  const move = (atMs: number) =>
    view.setCrosshair(Math.min(window.toAtMs, Math.max(window.fromAtMs, atMs)));
  const show = (next: typeof window, isStep: boolean) => {
    view.moveTo(next, extent());
    target.onWindow(view.shownWindow, isStep);
  };
  const side = event.key === 'ArrowLeft' ? -1 : 1;
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      if (event.shiftKey) show(moved(window, (side * width) / 8), false);
      else move(crosshair + side * stepMs);
      return true;
    case 'Home':
      move(window.fromAtMs);
      return true;
    case 'End':
      move(window.toAtMs);
      return true;
    case '+':
    case '=':
      show(zoomed(window, ZOOM, crosshair), true);
      return true;
    case '-':
    case '_':
      show(zoomed(window, 1 / ZOOM, crosshair), true);
      return true;
    case '0':
      target.onReset();
      return true;
    case 'Escape':
      if (view.crosshair === null) return false;
      view.setCrosshair(null);
      return true;
    case 'Enter': {
      const mark = markAt(view.shownMarks, xOf(view.shownFrame, crosshair));
      if (mark !== undefined) target.onMark(mark);
      return mark !== undefined;
    }
    default:
      return false;
  }
}
