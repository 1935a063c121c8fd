// The local time of a time zone: minutes and days as its clocks show them.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';

const formats = boundedCache<string, Intl.DateTimeFormat>(bounds.timeZonesCachedMax);

/** Throws a RangeError for a time zone that does not exist. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached !== undefined) return cached;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}

export function isTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** The day of the month and the minutes since midnight. */
export function localTime(timeZone: string, atMs: number): { day: number; minutes: number } {
  const [day = '', hour = '', minute = ''] = formatOf(timeZone).format(atMs).match(/\d+/g) ?? [];
  return { day: Number(day), minutes: Number(hour) * 60 + Number(minute) };
}
