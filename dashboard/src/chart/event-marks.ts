// The marks of events below the price: events that would overlap share one mark with their number.
import type { ChartEvent, EventTone } from './chart-model.ts';

export type EventMark = { x: number; events: readonly ChartEvent[]; tone: EventTone };

/** Marks closer than this become one. */
const APART_PIXELS = 22;
const URGENCY: readonly EventTone[] = ['neutral', 'accent', 'positive', 'caution', 'critical'];

/** `events` ascending. A mark of several has the tone of the most urgent one. */
export function eventMarks(
  events: readonly ChartEvent[],
  xOf: (atMs: number) => number,
  right: number,
): EventMark[] {
  const marks: { x: number; events: ChartEvent[] }[] = [];
  for (const event of events) {
    const x = xOf(event.atMs);
    if (x < 0 || x > right) continue;
    const last = marks.at(-1);
    if (last !== undefined && x - last.x < APART_PIXELS) last.events.push(event);
    else marks.push({ x, events: [event] });
  }
  return marks.map(({ x, events: group }) => {
    const tones = group.map(({ tone }) => URGENCY.indexOf(tone));
    return { x, events: group, tone: URGENCY[Math.max(...tones)] ?? 'neutral' };
  });
}

/** The mark under a point of the events' lane. */
export const markAt = (marks: readonly EventMark[], x: number): EventMark | undefined =>
  marks.find((mark) => Math.abs(mark.x - x) <= APART_PIXELS / 2);
