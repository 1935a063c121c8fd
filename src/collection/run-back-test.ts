// Back-testing: reads the looks that are kept of a product and holds them against rules, beside the requests of others.
import { createGate, createPause } from '../background/slices.ts';
import type { Database } from '../database/database.ts';
import { type KindCounts, startBackTest } from '../events/back-test.ts';
import type { Rules } from '../events/rule.ts';
import type { Log } from '../foundation/log.ts';
import { readUnitsPerDay } from '../history/daily-sales.ts';
import { readLooks } from '../history/read-looks.ts';
import { DAY_MS, phaseMs } from '../oversight/slot.ts';
import { intervalSeconds, type Tier } from '../oversight/tier.ts';

/** Looks of so many days before the first counted one make the baseline: seven of the coarsest tier. */
const BASELINE_MS = 7 * DAY_MS;
/** 90 days of 500 sellers are 1.5 s of work and a million offers in memory. */
const AT_ONCE_MAX = 2;
/** Each takes two seconds at most: who comes later is better told to come back. */
const WAITING_MAX = 20;

export type BackTestAsked = {
  code: string;
  tier: Tier;
  /** Events are counted from the first to the second. */
  from: number;
  to: number;
  watchedSeller: string | null;
  rules: Rules;
};

export type RunBackTest = (asked: BackTestAsked) => Promise<KindCounts>;

/** One for a process: it bounds how many run at once. */
export function createBackTesting(deps: { db: Database; log: Log }): RunBackTest {
  const gate = createGate(AT_ONCE_MAX, WAITING_MAX);
  return (asked) => gate(() => runBackTest(deps, asked));
}

async function runBackTest(
  deps: { db: Database; log: Log },
  { code, tier, from, to, watchedSeller, rules }: BackTestAsked,
): Promise<KindCounts> {
  const [looks, unitsPerDay] = await Promise.all([
    readLooks(deps, code, {
      fromAt: Math.floor((from - BASELINE_MS) / 1000),
      toAt: Math.floor(to / 1000) + 1,
    }),
    readUnitsPerDay(deps.db, [code]),
  ]);
  const test = startBackTest({
    slot: { intervalSeconds: intervalSeconds(tier), phaseSeconds: phaseMs(code) / 1000 },
    fromSeconds: Math.ceil(from / 1000),
    ...{ watchedSeller, rules, estimatedUnitsPerDay: unitsPerDay.get(code) ?? null },
  });
  const pause = createPause();
  for (const look of looks) {
    test.add(look);
    await pause();
  }
  return test.counts;
}
