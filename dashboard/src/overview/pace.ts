// How long the credits last if they are used as fast as in this period so far. Pure.
import { DAY_MS } from '../time-spans.ts';

type Pace =
  /** Too early, or nothing used: nothing can be said. */
  | { kind: 'unknown' }
  | { kind: 'runs-out'; atMs: number; perDay: number }
  | { kind: 'suffices'; leftAtRefresh: number; perDay: number };

export function paceOf(input: {
  used: number;
  remaining: number;
  periodStartMs: number;
  refreshMs: number;
  nowMs: number;
}): Pace {
  const { used, remaining, periodStartMs, refreshMs, nowMs } = input;
  const elapsedMs = nowMs - periodStartMs;
  // Less than a day says nothing about a month.
  if (!(elapsedMs >= DAY_MS) || used <= 0 || refreshMs <= nowMs) return { kind: 'unknown' };
  const perMs = used / elapsedMs;
  const perDay = perMs * DAY_MS;
  const atMs = nowMs + remaining / perMs;
  if (atMs < refreshMs) return { kind: 'runs-out', atMs, perDay };
  const left = Math.max(0, remaining - perMs * (refreshMs - nowMs));
  return { kind: 'suffices', leftAtRefresh: rounded(left), perDay };
}

/** An estimate pretends to no more than two digits. */
const rounded = (credits: number) => Number(credits.toPrecision(2));
