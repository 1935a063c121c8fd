// The labels of the time axis: on whole hours, days, Mondays, months or years of the reader's zone.
import { DAY_MS, HOUR_MS } from '../app/server-clock.ts';
import { axisTimeText } from '../design/time.tsx';
import type { Window } from './chart-model.ts';

export type TimeTick = { atMs: number; text: string };

type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';
const STEPS: readonly { unit: Unit; count: number; ms: number }[] = [
  { unit: 'hour', count: 1, ms: HOUR_MS },
  { unit: 'hour', count: 3, ms: 3 * HOUR_MS },
  { unit: 'hour', count: 6, ms: 6 * HOUR_MS },
  { unit: 'hour', count: 12, ms: 12 * HOUR_MS },
  { unit: 'day', count: 1, ms: DAY_MS },
  { unit: 'day', count: 2, ms: 2 * DAY_MS },
  { unit: 'week', count: 1, ms: 7 * DAY_MS },
  { unit: 'week', count: 2, ms: 14 * DAY_MS },
  { unit: 'month', count: 1, ms: 30 * DAY_MS },
  { unit: 'month', count: 3, ms: 91 * DAY_MS },
  { unit: 'month', count: 6, ms: 182 * DAY_MS },
  { unit: 'year', count: 1, ms: 365 * DAY_MS },
  { unit: 'year', count: 5, ms: 5 * 365 * DAY_MS },
];

/** A wrong window must not cause an endless loop. */
const TICKS_MAX = 60;

export function timeTicks({ fromAtMs, toAtMs }: Window, ticksMax: number): TimeTick[] {
  const stepMin = (toAtMs - fromAtMs) / Math.max(1, ticksMax);
  const step =
    STEPS.find(({ ms }) => ms * 1.1 >= stepMin) ?? (STEPS.at(-1) as (typeof STEPS)[number]);
  const ticks: TimeTick[] = [];
  let at = startOf(fromAtMs, step.unit, step.count);
  for (let count = 0; count < TICKS_MAX && at.getTime() <= toAtMs; count += 1) {
    const atMs = at.getTime();
    if (atMs >= fromAtMs) ticks.push({ atMs, text: axisTimeText(atMs, step.ms) });
    at = after(at, step.unit, step.count);
  }
  return ticks;
}

/** The start of the unit that contains an instant, in local time. */
function startOf(atMs: number, unit: Unit, count: number): Date {
  const at = new Date(atMs);
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === 'hour') return new Date(year, month, day, at.getHours() - (at.getHours() % count));
  if (unit === 'day') return new Date(year, month, day - ((day - 1) % count));
  if (unit === 'week') return new Date(year, month, day - ((at.getDay() + 6) % 7));
  if (unit === 'month') return new Date(year, month - (month % count), 1);
  return new Date(year - (year % count), 0, 1);
}

function after(at: Date, unit: Unit, count: number): Date {
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === 'hour') return new Date(year, month, day, at.getHours() + count);
  if (unit === 'week') return new Date(year, month, day + 7 * count);
  if (unit === 'month') return new Date(year, month + count, 1);
  if (unit === 'year') return new Date(year + count, 0, 1);
  const next = new Date(year, month, day + count);
  // Every second day of a month: a new month starts at its first day.
  return next.getMonth() === month || count === 1
    ? next
    : new Date(next.getFullYear(), next.getMonth(), 1);
}
