// From when on missed events are sent: a few usual spans, or a time of the reader's choosing.
import { DAY_MS, HOUR_MS } from '../app/server-clock.ts';

/** Older events are no longer kept. */
export const KEPT_MS = 30 * DAY_MS;

export type Span = 'hour' | 'day' | 'week' | 'time';

const SPANS_MS: Readonly<Record<Exclude<Span, 'time'>, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** Either the instant to send, or why there is none. `time` is of a datetime-local field. */
export function sinceOf(
  chosen: { span: Span; time: string },
  nowMs: number,
): { since: string } | { wrong: string } {
  if (chosen.span !== 'time')
    return { since: new Date(nowMs - SPANS_MS[chosen.span]).toISOString() };
  const ms = chosen.time === '' ? Number.NaN : new Date(chosen.time).getTime();
  if (Number.isNaN(ms)) return { wrong: 'Choose a date and a time.' };
  if (ms > nowMs) return { wrong: 'Choose a time in the past.' };
  if (ms < nowMs - KEPT_MS) return { wrong: 'Events are kept for 30 days; choose a later time.' };
  return { since: new Date(ms).toISOString() };
}

/** As a datetime-local field writes an instant: in the reader's zone, to the minute. */
export function localTimeText(ms: number): string {
  const at = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
