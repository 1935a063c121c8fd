// Back-testing: reads the looks that are kept of a product and holds them against rules, beside the requests of others.
import { createPause } from '../background/slices.ts';
import { type KindCounts, startBackTest } from '../events/back-test.ts';
import type { Rules } from '../events/rule.ts';
import { DAY_MS } from '../foundation/time.ts';
import { type WalkDeps, walkObservations } from '../history/walk-observations.ts';
import { readUnitsPerDay } from '../sales/daily-sales.ts';
import { type PaidSpan, tierOn } from './paid-day.ts';
import { dayOf, phaseMs } from './slot.ts';
import { intervalSeconds, type Tier } from './tier.ts';

/** Looks of so many days before the first counted one make the baseline: seven of the coarsest tier. */
const BASELINE_MS = 7 * DAY_MS;
export type BackTestAsked = {
  code: string;
  tier: Tier;
  /** Events are counted from the first to the second. */
  from: number;
  to: number;
  watchedSeller: string | null;
  rules: Rules;
  /** Only observations of days that were paid count; without, all that are kept. */
  paid?: readonly PaidSpan[];
};

export async function runBackTest(
  deps: WalkDeps,
  { code, tier, from, to, watchedSeller, rules, paid }: BackTestAsked,
): Promise<KindCounts> {
  const unitsPerDay = await readUnitsPerDay(deps.db, [code]);
  const test = startBackTest({
    slot: { intervalSeconds: intervalSeconds(tier), phaseSeconds: phaseMs(code) / 1000 },
    fromAtSeconds: Math.ceil(from / 1000),
    ...{ watchedSeller, rules, estimatedUnitsPerDay: unitsPerDay.get(code) ?? null },
  });
  const observations = walkObservations(deps, code, {
    fromAtSeconds: Math.floor((from - BASELINE_MS) / 1000),
    toAtSeconds: Math.floor(to / 1000) + 1,
  });
  const pause = createPause();
  for await (const observation of observations) {
    if (paid === undefined || tierOn(paid, dayOf(observation.atSeconds * 1000)) !== null)
      test.add(observation);
    await pause();
  }
  return test.counts;
}
