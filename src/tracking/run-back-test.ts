// Back-test: applies rules to a product's stored observations, in slices, so that other requests
// are not blocked.
import { createPause } from '../background/slices.ts';
import { type ConditionMatches, type KindCounts, startBackTest } from '../events/back-test.ts';
import type { WatcherCondition } from '../events/condition-state.ts';
import type { Rules } from '../events/rule.ts';
import { DAY_MS, SECOND_MS } from '../foundation/time.ts';
import { type WalkDeps, walkObservations } from '../history/walk-observations.ts';
import { readUnitsPerDay } from '../sales/daily-sales.ts';
import { type PaidSpan, tierOn } from './paid-day.ts';
import { dayOf, phaseMs } from './slot.ts';
import { intervalSeconds, type Tier } from './tier.ts';

/**
 * Observations of this long before the first counted one form the baseline: 7 of the coarsest tier.
 */
const BASELINE_MS = 7 * DAY_MS;

export type BackTestInput = {
  code: string;
  tier: Tier;
  /** Events are counted from the first instant to the second. */
  fromAtMs: number;
  toAtMs: number;
  watchedSeller: string | null;
  rules: Rules;
  /** Conditions whose matches are counted too. */
  conditions?: readonly WatcherCondition[];
  /** Count only observations of paid days; undefined counts all that are stored. */
  paid?: readonly PaidSpan[];
};

export async function runBackTest(
  deps: WalkDeps,
  { code, tier, fromAtMs, toAtMs, paid, ...watcher }: BackTestInput,
): Promise<{ counts: KindCounts; matches: ConditionMatches }> {
  const unitsPerDay = await readUnitsPerDay(deps.db, [code]);
  const test = startBackTest({
    slot: { intervalSeconds: intervalSeconds(tier), phaseSeconds: phaseMs(code) / SECOND_MS },
    fromAtSeconds: Math.ceil(fromAtMs / SECOND_MS),
    ...watcher,
    estimatedUnitsPerDay: unitsPerDay.get(code) ?? null,
  });
  const observations = walkObservations(deps, code, {
    fromAtSeconds: Math.floor((fromAtMs - BASELINE_MS) / SECOND_MS),
    toAtSeconds: Math.floor(toAtMs / SECOND_MS) + 1,
  });
  const pause = createPause();
  for await (const observation of observations) {
    const day = dayOf(observation.atSeconds * SECOND_MS);
    if (paid === undefined || tierOn(paid, day) !== null) test.add(observation);
    await pause();
  }
  return { counts: test.counts, matches: test.matches };
}
