// Instants that others write, and the range of those that are kept: one reader and one range for every way in.

/** From the beginning of 1970, so that none is negative; years of five digits are written differently everywhere. */
export const INSTANT_MIN_MS = 0;
export const INSTANT_MAX_MS = Date.UTC(9999, 11, 31) - 1;

// RFC 3339: anything looser is read differently by different programs.
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:[Zz]|([+-]\d{2})(?::?(\d{2}))?)$/;

/**
 * The milliseconds of a date and time with its offset; null for a text that is none, or names a day or a second that the
 * calendar does not have. A leap second is none either: no clock here shows it. It may lie outside the range above.
 */
export function readInstant(text: string): number | null {
  const parts = INSTANT.exec(text);
  if (parts === null) return null;
  const [, day = '', time = '', offsetHours, offsetMinutes = '00'] = parts;
  const offset = offsetHours === undefined ? 'Z' : `${offsetHours}:${offsetMinutes}`;
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) || !isRealDay(day) ? null : ms;
}

/** Date.parse reads 31 April as 1 May: what is written back must be the same day. */
export function isRealDay(day: string): boolean {
  if (day.charCodeAt(8) < 0x32) return true; // every month has a 19th
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === day;
}

/** Whether it is a time that the database can hold and the wire can show. */
export function isInstant(value: unknown): value is number {
  return (
    Number.isInteger(value) &&
    (value as number) >= INSTANT_MIN_MS &&
    (value as number) <= INSTANT_MAX_MS
  );
}

/** The nearest instant of the range, for the ends of a search: nothing lies beyond it. */
export function clampInstant(ms: number): number {
  return Math.min(Math.max(ms, INSTANT_MIN_MS), INSTANT_MAX_MS);
}
