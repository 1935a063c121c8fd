// Parses instants from outside; one parser and one range for every kind of input.

/** From 1970, so that none is negative; to 9999, since five-digit years have no common format. */
export const INSTANT_MIN_MS = 0;
export const INSTANT_MAX_MS = Date.UTC(9999, 11, 31) - 1;

// RFC 3339: programs disagree about anything looser.
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:[Zz]|([+-]\d{2})(?::?(\d{2}))?)$/;

/**
 * Milliseconds of a date and time with offset. Null for any other text, and for a day or second
 * that does not exist; leap seconds are not supported. The result may lie outside the range above.
 */
export function readInstant(text: string): number | null {
  const parts = INSTANT.exec(text);
  if (parts === null) return null;
  const [, day = '', time = '', offsetHours, offsetMinutes = '00'] = parts;
  const offset = offsetHours === undefined ? 'Z' : `${offsetHours}:${offsetMinutes}`;
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) || !isRealDay(day) ? null : ms;
}

/** Date.parse reads 31 April as 1 May, so the parsed day is compared with the text. */
export function isRealDay(day: string): boolean {
  if (day.charCodeAt(8) < 0x32) return true; // every month has a 19th
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === day;
}

/** Whether the database can store this time and the API can show it. */
export function isInstant(value: unknown): value is number {
  return (
    Number.isInteger(value) &&
    (value as number) >= INSTANT_MIN_MS &&
    (value as number) <= INSTANT_MAX_MS
  );
}

/** The nearest instant in the range, for the limits of a search: no row lies outside it. */
export function clampInstant(ms: number): number {
  return Math.min(Math.max(ms, INSTANT_MIN_MS), INSTANT_MAX_MS);
}
