// Where the panes lie: heights by width of the screen, from top to bottom, above one time axis.
import type { PaneId } from './chart-model.ts';

export type PaneBox = {
  pane: PaneId;
  /** Of the line with the name and the values. */
  headTop: number;
  top: number;
  height: number;
};

export type Layout = {
  width: number;
  height: number;
  /** The plots end here; the labels of the values are right of it. */
  right: number;
  panes: readonly PaneBox[];
  /** The lane of event marks and the ribbon of holders, below the price. */
  eventsTop: number;
  ribbonTop: number;
  axisTop: number;
};

export const HEAD = 24;
export const EVENTS = 16;
export const RIBBON = 8;
const AXIS = 26;
const GAP = 10;
const GUTTER = 58;
const GUTTER_NARROW = 50;
const NARROW = 560;

const HEIGHTS: Readonly<Record<PaneId, number>> = { price: 220, rank: 64, stock: 72, sold: 64 };
const PRICE_ALONE = 320;

export function layoutOf(
  panes: readonly PaneId[],
  width: number,
  parts: { hasEvents: boolean; hasRibbon: boolean },
): Layout {
  let top = 0;
  let [eventsTop, ribbonTop] = [0, 0];
  const boxes = panes.map((pane) => {
    const height = panes.length === 1 ? PRICE_ALONE : HEIGHTS[pane];
    const box = { pane, headTop: top, top: top + HEAD, height };
    top = box.top + height;
    if (pane === 'price') {
      eventsTop = top + 2;
      if (parts.hasEvents) top = eventsTop + EVENTS;
      ribbonTop = top + 4;
      if (parts.hasRibbon) top = ribbonTop + RIBBON;
    }
    top += GAP;
    return box;
  });
  const right = Math.max(40, width - (width < NARROW ? GUTTER_NARROW : GUTTER));
  return {
    width,
    height: top - GAP + AXIS,
    right,
    panes: boxes,
    eventsTop,
    ribbonTop,
    axisTop: top - GAP,
  };
}
