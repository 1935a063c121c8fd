// One picture of the chart, measured but not yet drawn: what each pane shows, and at which scale.

import type { Layout, PaneBox } from './chart-layout.ts';
import type { Line, PaneId, Scene, Window } from './chart-model.ts';
import { type LinePlan, planLine } from './line-plan.ts';
import { type ScaleKind, scaleOf, type ValueScale } from './value-scale.ts';

export type PaneFrame = {
  box: PaneBox;
  plans: readonly LinePlan[];
  scale: ValueScale;
  kind: ScaleKind;
};

export type Frame = {
  layout: Layout;
  window: Window;
  scene: Scene;
  panes: readonly PaneFrame[];
};

const TICK_PIXELS = 36;

export function measure(scene: Scene, layout: Layout, window: Window): Frame {
  const byPane = new Map<PaneId, Line[]>();
  for (const line of scene.lines) {
    const lines = byPane.get(line.pane);
    if (lines === undefined) byPane.set(line.pane, [line]);
    else lines.push(line);
  }
  const panes = layout.panes.map((box) => {
    const isPercent = scene.isPercent && box.pane === 'price';
    const plans = (byPane.get(box.pane) ?? []).map((line) =>
      planLine(line, window, layout.right, isPercent),
    );
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const plan of plans) {
      if (plan.low < low) low = plan.low;
      if (plan.high > high) high = plan.high;
    }
    const kind = kindOf(box.pane, isPercent);
    const ticksMax = Math.max(2, Math.floor(box.height / TICK_PIXELS));
    return { box, plans, kind, scale: scaleOf(kind, { low, high }, ticksMax) };
  });
  return { layout, window, scene, panes };
}

function kindOf(pane: PaneId, isPercent: boolean): ScaleKind {
  if (pane === 'price') return isPercent ? 'percent' : 'price';
  return pane === 'rank' ? 'rank' : 'count';
}

export const xOf = ({ layout, window }: Frame, atMs: number): number =>
  ((atMs - window.fromAtMs) / (window.toAtMs - window.fromAtMs)) * layout.right;

export const timeAt = ({ layout, window }: Frame, x: number): number =>
  window.fromAtMs + (x / layout.right) * (window.toAtMs - window.fromAtMs);

/** A rank of 1 is on top. */
export function yOf({ box, scale, kind }: PaneFrame, value: number): number {
  const share = (value - scale.low) / (scale.high - scale.low);
  return box.top + box.height * (kind === 'rank' ? share : 1 - share);
}
