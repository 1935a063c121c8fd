// The last week of a product's price as a table shows it: a short line, and the changes over a day
// and a week. Pure.
import { DAY_MS, HOUR_MS } from '../foundation/time.ts';
import { OBSERVED_SPAN_SECONDS } from '../history/observed-span.ts';

export type TrendPoint = { atMs: number; price: number | null };

export type PriceTrend = {
  /** One price every four hours, the last one now; null where nothing was observed. */
  prices: (number | null)[];
  /** -0.1: fell by 10 %; null if one of the two prices is unknown. */
  change24h: number | null;
  change7d: number | null;
};

const STEP_MS = 4 * HOUR_MS;
export const TREND_MS = 7 * DAY_MS;
const STEPS = TREND_MS / STEP_MS;
/** `points` are sorted by time. */
export function priceTrend(points: readonly TrendPoint[], nowMs: number): PriceTrend {
  const prices: (number | null)[] = [];
  let next = 0;
  for (let step = 0; step <= STEPS; step++) {
    const atMs = nowMs - (STEPS - step) * STEP_MS;
    while (next < points.length && (points[next] as TrendPoint).atMs <= atMs) next += 1;
    const held = points[next - 1];
    prices.push(
      held !== undefined && atMs - held.atMs < OBSERVED_SPAN_SECONDS * 1000 ? held.price : null,
    );
  }
  return {
    prices,
    change24h: changeOf(prices, DAY_MS / STEP_MS),
    change7d: changeOf(prices, STEPS),
  };
}

function changeOf(prices: readonly (number | null)[], steps: number): number | null {
  const now = prices.at(-1) ?? null;
  const before = prices.at(-1 - steps) ?? null;
  if (now === null || before === null || before <= 0) return null;
  return (now - before) / before;
}
