// Pointer, touch, wheel and keys on the chart. Drag zooms, shift-drag and two fingers move, one
// finger reads values, Ctrl and wheel zooms, a double click goes one step back.

import { EVENTS } from './chart-layout.ts';
import type { Window } from './chart-model.ts';
import type { ChartView } from './chart-view.ts';
import { moved, zoomed } from './chart-window.ts';
import { type EventMark, markAt } from './event-marks.ts';

export type GestureTarget = {
  view: ChartView;
  extent: () => Window;
  /** A finished zoom or movement; `isStep`: one that a double click undoes. */
  onWindow: (window: Window, isStep: boolean) => void;
  onBack: () => void;
  onReset: () => void;
  onMark: (mark: EventMark) => void;
};

const DRAG_MIN_PIXELS = 6;
/** After the last turn of the wheel, the window is final. */
const WHEEL_REST_MS = 250;

type Point = { x: number; y: number };

export function attachGestures(element: HTMLElement, target: GestureTarget): () => void {
  const pointers = attachPointers(element, target);
  const wheel = attachWheel(element, target);
  const back = (event: MouseEvent) => {
    event.preventDefault();
    target.onBack();
  };
  element.addEventListener('dblclick', back);
  return () => {
    pointers();
    wheel();
    element.removeEventListener('dblclick', back);
  };
}

const placeIn = (element: HTMLElement, event: MouseEvent): Point => {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

type Drag = { kind: 'zoom' | 'move' | 'read'; startX: number; start: Window };
type Pinch = { start: Window; distance: number; middleAtMs: number };

function attachPointers(element: HTMLElement, target: GestureTarget): () => void {
  const { view } = target;
  const fingers = new Map<number, Point>();
  let drag: Drag | null = null;
  let pinch: Pinch | null = null;
  let hasMoved = false;

  const down = (event: PointerEvent) => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    const place = placeIn(element, event);
    fingers.set(event.pointerId, place);
    hasMoved = false;
    if (fingers.size === 2) {
      pinch = startPinch(view, [...fingers.values()]);
      drag = null;
      return;
    }
    element.setPointerCapture(event.pointerId);
    const kind = event.pointerType !== 'mouse' ? 'read' : event.shiftKey ? 'move' : 'zoom';
    drag = { kind, startX: place.x, start: view.shownWindow };
    if (kind === 'read') view.setCrosshair(view.timeAt(place.x));
    if (kind === 'move') view.setCrosshair(null);
  };
  const move = (event: PointerEvent) => {
    const place = placeIn(element, event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, place);
    if (pinch !== null) {
      hasMoved = true;
      return followPinch(target, pinch, [...fingers.values()]);
    }
    if (drag !== null && Math.abs(place.x - drag.startX) >= DRAG_MIN_PIXELS) hasMoved = true;
    if (drag?.kind === 'move') return followMove(target, drag, place.x);
    view.setCrosshair(view.timeAt(place.x));
    if (drag?.kind === 'zoom' && hasMoved)
      view.setSelection({ from: drag.startX, to: limited(view, place.x) });
    const isOverMark = isInEvents(view, place) && markAt(view.shownMarks, place.x) !== undefined;
    element.style.cursor = isOverMark ? 'pointer' : '';
  };
  const up = (event: PointerEvent) => {
    const place = placeIn(element, event);
    fingers.delete(event.pointerId);
    view.setSelection(null);
    const ended = drag;
    if (pinch !== null && fingers.size < 2) {
      pinch = null;
      if (hasMoved) target.onWindow(view.shownWindow, true);
      return;
    }
    drag = null;
    if (ended === null || event.type === 'pointercancel') return;
    if (!hasMoved) return openMark(target, place);
    if (ended.kind === 'move') target.onWindow(view.shownWindow, false);
    if (ended.kind !== 'zoom') return;
    const times = [view.timeAt(ended.startX), view.timeAt(place.x)].sort((a, b) => a - b);
    view.moveTo({ fromAtMs: times[0] as number, toAtMs: times[1] as number }, target.extent());
    target.onWindow(view.shownWindow, true);
  };
  const leave = (event: PointerEvent) => {
    if (event.pointerType === 'mouse' && drag === null) view.setCrosshair(null);
  };
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up };
  for (const [name, listener] of Object.entries(listeners))
    element.addEventListener(name, listener as EventListener);
  element.addEventListener('pointerleave', leave);
  return () => {
    for (const [name, listener] of Object.entries(listeners))
      element.removeEventListener(name, listener as EventListener);
    element.removeEventListener('pointerleave', leave);
  };
}

const limited = (view: ChartView, x: number) =>
  Math.min(view.shownFrame.layout.right, Math.max(0, x));

const isInEvents = (view: ChartView, { y }: Point): boolean => {
  const { eventsTop } = view.shownFrame.layout;
  return y >= eventsTop - 2 && y <= eventsTop + EVENTS + 2;
};

function openMark({ view, onMark }: GestureTarget, place: Point): void {
  const mark = isInEvents(view, place) ? markAt(view.shownMarks, place.x) : undefined;
  if (mark !== undefined) onMark(mark);
}

function followMove({ view, extent }: GestureTarget, { start, startX }: Drag, x: number): void {
  const { right } = view.shownFrame.layout;
  const byMs = ((startX - x) / right) * (start.toAtMs - start.fromAtMs);
  view.moveTo(moved(start, byMs), extent());
}

function startPinch(view: ChartView, [a, b]: Point[]): Pinch | null {
  if (a === undefined || b === undefined) return null;
  view.setCrosshair(null);
  return {
    start: view.shownWindow,
    distance: Math.max(24, Math.abs(a.x - b.x)),
    middleAtMs: view.timeAt((a.x + b.x) / 2),
  };
}

/** The instant between the fingers stays between them, so that two fingers also move. */
function followPinch({ view, extent }: GestureTarget, pinch: Pinch, [a, b]: Point[]): void {
  if (a === undefined || b === undefined) return;
  const { start, distance, middleAtMs } = pinch;
  const factor = distance / Math.max(24, Math.abs(a.x - b.x));
  const width = (start.toAtMs - start.fromAtMs) * factor;
  const fromAtMs = middleAtMs - ((a.x + b.x) / 2 / view.shownFrame.layout.right) * width;
  view.moveTo({ fromAtMs, toAtMs: fromAtMs + width }, extent());
}

/** A plain wheel scrolls the page; with Ctrl (as a touchpad's pinch sends it) it zooms. */
function attachWheel(element: HTMLElement, target: GestureTarget): () => void {
  const { view } = target;
  let rest: ReturnType<typeof setTimeout> | undefined;
  const turn = (event: WheelEvent) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!event.ctrlKey && !isSideways) return;
    event.preventDefault();
    const window = view.shownWindow;
    const { x } = placeIn(element, event);
    if (event.ctrlKey) {
      const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006);
      view.moveTo(zoomed(window, factor, view.timeAt(x)), target.extent());
    } else {
      const pixels = event.deltaX === 0 ? event.deltaY : event.deltaX;
      const perPixel = (window.toAtMs - window.fromAtMs) / view.shownFrame.layout.right;
      view.moveTo(moved(window, pixels * perPixel), target.extent());
    }
    const isStep = rest === undefined;
    clearTimeout(rest);
    rest = setTimeout(() => {
      rest = undefined;
      target.onWindow(view.shownWindow, isStep && event.ctrlKey);
    }, WHEEL_REST_MS);
  };
  element.addEventListener('wheel', turn, { passive: false });
  return () => {
    clearTimeout(rest);
    element.removeEventListener('wheel', turn);
  };
}
