// The start time for recovering missed events: a few presets, or a time that the user chooses.
import { DAY_MS, HOUR_MS } from '../app/server-clock.ts';

/** Older events are deleted. */
export const KEPT_MS = 30 * DAY_MS;

export type Span = 'hour' | 'day' | 'week' | 'time';

const SPANS_MS: Readonly<Record<Exclude<Span, 'time'>, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** Either the instant to send, or an error. `time` is the value of a datetime-local field. */
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

/** An instant as the value of a datetime-local field: in the reader's time zone, to the minute. */
export function localTimeText(ms: number): string {
  const at = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
