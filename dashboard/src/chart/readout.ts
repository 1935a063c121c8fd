// The values at the crosshair as text, in one place and in the order of the panes.
import { HOUR_MS } from '../app/server-clock.ts';
import { chartTimeText, timeText } from '../design/time.tsx';
import type { PaneId } from './chart-model.ts';
import type { Frame } from './frame.ts';
import { type LinePlan, type ShownValue, shownAt } from './line-plan.ts';
import { spanAt } from './spans.ts';
import { shownText } from './value-text.ts';

/** `brief`: without the range, for the narrow chips. */
export type LineReading = { id: string; name: string; pane: PaneId; text: string; brief: string };
export type Reading = {
  atMs: number;
  lines: readonly LineReading[];
  holder: string | null;
  /** Why there is no buybox price, if there is none. */
  note: string | null;
};

/** `crosshairAtMs` null: the exact values at the end of the window, at most now. */
export function readingAt(frame: Frame, crosshairAtMs: number | null): Reading {
  const atMs = crosshairAtMs ?? Math.min(frame.window.toAtMs, frame.scene.nowMs);
  const lines = frame.panes.flatMap(({ plans, kind, box }) =>
    plans.map((plan) => {
      const shown = crosshairAtMs === null ? lastOf(plan, atMs) : shownAt(plan, atMs);
      const { id, name } = plan.line;
      const brief = shownText(kind, { ...shown, low: shown.value, high: shown.value });
      return { id, name, pane: box.pane, text: shownText(kind, shown), brief };
    }),
  );
  const { suppressed, unobserved, holders } = frame.scene;
  // A span that ends now has no instant after it yet.
  const inside = crosshairAtMs ?? atMs - 1;
  const note = spanAt(suppressed, inside)
    ? 'No buybox'
    : spanAt(unobserved, inside)
      ? 'Not observed'
      : null;
  return { atMs, lines, holder: spanAt(holders, inside)?.seller ?? null, note };
}

/** The last day has no estimate until it ends: the last bar is shown instead. */
function lastOf(plan: LinePlan, atMs: number): ShownValue {
  const { bars, series } = plan.line;
  if (bars !== undefined) return shownAt(plan, Math.min(atMs, series.endAtMs - 1));
  return shownAt({ ...plan, level: undefined }, atMs);
}

/** "16 Nov 2026, 10:00", or the day if a pixel is longer than some hours. */
export function crosshairText({ window, layout }: Frame, atMs: number): string {
  const pixelMs = (window.toAtMs - window.fromAtMs) / layout.right;
  return pixelMs > 6 * HOUR_MS
    ? chartTimeText(new Date(atMs).setHours(0, 0, 0, 0))
    : timeText(atMs);
}

/** For screen readers: "16 Nov 2026, 10:00: Buybox $29.99, …". */
export function spokenReading(frame: Frame, reading: Reading): string {
  const parts = reading.lines.map(({ name, pane, text }) => {
    const what = pane === 'stock' ? `stock ${name}` : name;
    return `${what} ${text === '–' ? 'no value' : text}`;
  });
  if (reading.holder !== null) parts.push(`held by ${reading.holder}`);
  if (reading.note !== null) parts.push(reading.note.toLowerCase());
  return `${crosshairText(frame, reading.atMs)}: ${parts.join(', ')}`;
}
