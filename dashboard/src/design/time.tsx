// Instants and days: in the reader's time zone with UTC on hover, or relative to the server's
// clock.

import { clockSlackMs, DAY_MS, HOUR_MS, useServerNowMs } from '../app/server-clock.ts';
import { dateFormat } from './locale.ts';
import { Absent } from './money.tsx';

type Instant = string | number | null | undefined;

const dateTime = dateFormat({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const withSeconds = dateFormat({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dayOnly = dateFormat({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const calendarDay = dateFormat({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const shortCalendarDay = dateFormat({
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const hour = dateFormat({ hour: '2-digit', minute: '2-digit' });
const shortDay = dateFormat({ day: 'numeric', month: 'short' });
const monthOfYear = dateFormat({ month: 'short', year: 'numeric' });
const month = dateFormat({ month: 'short' });
const year = dateFormat({ year: 'numeric' });

const msOf = (at: string | number) => (typeof at === 'number' ? at : Date.parse(at));
const utcText = (ms: number) => `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`;

export const timeText = (at: string | number) => dateTime.format(msOf(at));

/** Midnight stands for the whole day. */
const isMidnight = (at: Date) =>
  at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;

/** The time of a chart point: a daily point lies at midnight and is shown as its day. */
export function chartTimeText(ms: number): string {
  return (isMidnight(new Date(ms)) ? dayOnly : dateTime).format(ms);
}

/**
 * As precise as the distance between the axis labels: hours, days, months; January has its year.
 */
export function axisTimeText(ms: number, stepMs: number): string {
  const at = new Date(ms);
  // Steps of several months may skip January.
  if (stepMs >= 80 * DAY_MS) return monthOfYear.format(at);
  if (stepMs >= 28 * DAY_MS) return (at.getMonth() === 0 ? year : month).format(at);
  return (stepMs >= DAY_MS || isMidnight(at) ? shortDay : hour).format(at);
}

/** An instant. `show` day: only the date; seconds: for logs of the last days. */
export function Time({
  at,
  show = 'minute',
  absent = 'never',
}: {
  at: Instant;
  show?: 'minute' | 'second' | 'day';
  absent?: string;
}) {
  if (at == null || at === '') return <Absent reason={absent} />;
  const ms = msOf(at);
  const format = { minute: dateTime, second: withSeconds, day: dayOnly }[show];
  return (
    <time dateTime={new Date(ms).toISOString()} title={utcText(ms)} className="whitespace-nowrap">
      {format.format(ms)}
    </time>
  );
}

/** A calendar day (YYYY-MM-DD), the same in every time zone. */
export function Day({
  on,
  absent = 'unknown',
}: {
  on: string | null | undefined;
  absent?: string;
}) {
  if (on == null || on === '') return <Absent reason={absent} />;
  return (
    <time dateTime={on} className="whitespace-nowrap">
      {dayText(on)}
    </time>
  );
}

const dayText = (on: string) => calendarDay.format(Date.parse(`${on}T00:00:00Z`));
/** The day of an instant, in the reader's time zone. */
export const dayOfText = (at: string | number) => dayOnly.format(msOf(at));
/** Without the year: "3 Nov". */
export const shortDayText = (on: string) => shortCalendarDay.format(Date.parse(`${on}T00:00:00Z`));

const STEPS: readonly [ms: number, name: string][] = [
  [DAY_MS * 365, 'y'],
  [DAY_MS * 30, 'mo'],
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [60_000, 'min'],
];

export function relativeText(at: string | number, nowMs: number, slackMs = 0): string {
  const gapMs = msOf(at) - nowMs;
  if (gapMs > 0 && gapMs <= slackMs) return 'just now';
  const size = Math.abs(gapMs);
  const step = STEPS.find(([ms]) => size >= ms);
  if (step === undefined) return gapMs > 5_000 ? 'in less than a minute' : 'just now';
  const amount = `${Math.floor(size / step[0])} ${step[1]}`;
  return gapMs > 0 ? `in ${amount}` : `${amount} ago`;
}

/**
 * "3 min ago", "in 2 h", by the server's clock; the full time and UTC on hover. With `due` it says
 * "now" once the time has passed.
 */
export function RelativeTime({
  at,
  absent = 'never',
  due = false,
}: {
  at: Instant;
  absent?: string;
  due?: boolean;
}) {
  const now = useServerNowMs();
  if (at == null || at === '') return <Absent reason={absent} />;
  const ms = msOf(at);
  const isNow = due && ms <= now + clockSlackMs();
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      title={`${dateTime.format(ms)} (${utcText(ms)})`}
      className="whitespace-nowrap"
    >
      {isNow ? 'now' : relativeText(ms, now, clockSlackMs())}
    </time>
  );
}

/** "2 h old", or "just now"; the full time and UTC on hover. */
export function Age({ at }: { at: string | number }) {
  const now = useServerNowMs();
  const ms = msOf(at);
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      title={`${dateTime.format(ms)} (${utcText(ms)})`}
      className="whitespace-nowrap"
    >
      {relativeText(ms, now, clockSlackMs()).replace(/ ago$/, ' old')}
    </time>
  );
}
