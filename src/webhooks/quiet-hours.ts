// Quiet hours of a webhook: local times between which deliveries are held, and when they end.
import { MINUTE_MS } from '../foundation/time.ts';
import { isTimeZone, localTime } from './local-time.ts';

/** Stored as JSON; its member names must not change. */
export type QuietHours = {
  /** `22:00`; may be later than `to`, across midnight. */
  from: string;
  /** Exclusive end. */
  to: string;
  /** Such as `Europe/Berlin`. */
  timeZone: string;
};

const DAY_MINUTES = 1_440;
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const minutesFrom = (from: number, to: number) => (to - from + DAY_MINUTES) % DAY_MINUTES;

/**
 * When the quiet hours end that include this instant; null outside of them. Nothing is held in a
 * time zone that this process does not know: another one, with newer data, may have accepted it.
 */
export function quietUntilMs(quiet: QuietHours, nowMs: number): number | null {
  if (!isTimeZone(quiet.timeZone)) return null;
  const localMinutes = (atMs: number) => localTime(quiet.timeZone, atMs).minutes;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  const now = localMinutes(nowMs);
  if (minutesFrom(from, now) >= minutesFrom(from, to)) return null;
  const wholeMinuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const endMs = wholeMinuteMs + minutesFrom(now, to) * MINUTE_MS;
  // Clocks may change in between: an hour that is skipped or repeated moves the end.
  const off = minutesFrom(to, localMinutes(endMs));
  const correction = off > DAY_MINUTES / 2 ? DAY_MINUTES - off : -off;
  return Math.max(wholeMinuteMs + MINUTE_MS, endMs + correction * MINUTE_MS);
}
