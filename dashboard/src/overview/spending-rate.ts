// How long the credits last at the rate of this period or of the last days. Pure.
import { DAY_MS } from '../app/server-clock.ts';

/** The usage of these last days shows whether the rate still holds. */
const LATE_DAYS = 2;

export type Forecast =
  /** Too early, or nothing used recently: no estimate. */
  | { kind: 'unknown' }
  | { kind: 'runs-out'; atMs: number; perDay: number; isWithinDay: boolean }
  | { kind: 'suffices'; leftAtRefresh: number; perDay: number };

export function spendingForecast(input: {
  used: number;
  /**
   * In the last two days, of which today may be incomplete; without recent usage there is no rate.
   */
  usedLately: number;
  remaining: number;
  periodStartAtMs: number;
  refreshAtMs: number;
  nowMs: number;
}): Forecast {
  const { used, usedLately, remaining, periodStartAtMs, refreshAtMs, nowMs } = input;
  const elapsedMs = nowMs - periodStartAtMs;
  // Less than a day says nothing about a month.
  if (!(elapsedMs >= DAY_MS) || refreshAtMs <= nowMs) return { kind: 'unknown' };
  if (used <= 0 || usedLately <= 0) return { kind: 'unknown' };
  // The higher of both: products added yesterday are hidden by the quiet weeks before.
  const perDay = Math.max((used / elapsedMs) * DAY_MS, usedLately / LATE_DAYS);
  const perMs = perDay / DAY_MS;
  const atMs = nowMs + remaining / perMs;
  if (atMs < refreshAtMs)
    return { kind: 'runs-out', atMs, perDay, isWithinDay: atMs - nowMs < DAY_MS };
  const left = Math.max(0, remaining - perMs * (refreshAtMs - nowMs));
  return { kind: 'suffices', leftAtRefresh: rounded(left), perDay };
}

/** An estimate is rounded to two digits. */
const rounded = (credits: number) => Number(credits.toPrecision(2));

/** The credits of the last days of the daily usage. */
export function recentCredits(usage: {
  to: string;
  entries: readonly { date: string; credits: number }[];
}): number {
  const fromMs = Date.parse(`${usage.to}T00:00:00Z`) - (LATE_DAYS - 1) * DAY_MS;
  const late = usage.entries.filter(({ date }) => Date.parse(`${date}T00:00:00Z`) >= fromMs);
  return late.reduce((sum, { credits }) => sum + credits, 0);
}
