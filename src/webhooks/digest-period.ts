// The hours or days of a digest: local ones of a time zone.
import { MINUTE_MS } from '../foundation/time.ts';
import { isTimeZone, localTime } from './local-time.ts';

/** Stored as JSON; its member names must not change. */
export type Digest = {
  every: 'hour' | 'day';
  /** Such as `Europe/Berlin`. */
  timeZone: string;
};

export type Period = { startMs: number; endMs: number };

/** Clocks differ by quarters of an hour, so that every local hour and day begins with one. */
const QUARTER_MS = 15 * MINUTE_MS;
/** Days have up to 25 hours; 26 leave room for clocks that change twice. */
const QUARTERS_MAX = 26 * 4;

/**
 * The local hour or day that includes an instant; in UTC if this process does not know the time
 * zone, which another one with newer data may have accepted.
 */
export function periodOf({ every, timeZone }: Digest, atMs: number): Period {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC';
  const isFirst = (quarter: number) => isFirstQuarter(every, zone, quarter * QUARTER_MS);
  const quarter = Math.floor(atMs / QUARTER_MS);
  let first = quarter;
  while (quarter - first < QUARTERS_MAX && !isFirst(first)) first -= 1;
  let next = quarter + 1;
  while (next - quarter < QUARTERS_MAX && !isFirst(next)) next += 1;
  return { startMs: first * QUARTER_MS, endMs: next * QUARTER_MS };
}

/** An hour may not begin at :00, nor a day at midnight, where clocks skip that time. */
function isFirstQuarter(every: Digest['every'], timeZone: string, atMs: number): boolean {
  const [time, before] = [localTime(timeZone, atMs), localTime(timeZone, atMs - QUARTER_MS)];
  if (every === 'day') return time.day !== before.day;
  return time.minutes % 60 === 0;
}
