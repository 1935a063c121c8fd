// Every background loop of the service, named.
import type { Callers } from './accounts/callers.ts';
import { type Loop, startPeriodic } from './background/periodic.ts';
import type { Database } from './database/database.ts';
import type { PartitionKeeper } from './database/partitions.ts';
import { PULSE_MS, pulseTimeLapse } from './database/time-lapse.ts';
import { bounds } from './foundation/bounds.ts';
import type { Clock } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import type { SalesEstimates } from './history/estimate-sales.ts';
import type { MarketLearner } from './history/learn-market.ts';

type Deps = {
  marketLearner: MarketLearner;
  salesEstimates: SalesEstimates;
  db: Database;
  callers: Callers;
  ledgerMonths: PartitionKeeper;
  clock: Clock;
  log: Log;
};

export function startLoops(deps: Deps): Loop[] {
  const loops = [
    // Twice within the time that a caller is remembered: keys in use are asked for hundreds at a time,
    // and their requests do not wait for it.
    startPeriodic(deps.log, {
      name: 'ask anew for callers',
      everyMs: bounds.callerAgeMaxMs / 2,
      run: () => deps.callers.refreshUsed(),
    }),
    startPeriodic(deps.log, {
      name: 'note when keys were last used',
      everyMs: 5_000,
      run: () => deps.callers.flushUses(),
    }),
    startPeriodic(deps.log, {
      name: 'make partitions ahead',
      everyMs: 60_000 / Math.min(deps.clock.speed, 60),
      run: async () => deps.ledgerMonths.ready(deps.clock.nowMs()),
    }),
  ];
  loops.push(...startEstimateLoops(deps));
  if (deps.clock.speed > 1) loops.push(startPulse(deps));
  return loops;
}

/** Learns from all products in time, and works out anew, a few at a time, what rests on older knowledge. */
function startEstimateLoops(deps: Deps): Loop[] {
  return [
    startPeriodic(deps.log, {
      name: 'learn from all products',
      everyMs: 30_000,
      run: () => deps.marketLearner.learnWhenDue(),
    }),
    startPeriodic(deps.log, {
      name: 'refresh estimates of units sold',
      everyMs: 1_000,
      run: async () => {
        await deps.salesEstimates.refreshSome(REFRESHED_AT_ONCE);
      },
    }),
  ];
}

/** A budget: of products that were asked for before, so many a second. */
const REFRESHED_AT_ONCE = 20;

/** Time lapse: says that time passes, and at the end where it stood. */
function startPulse(deps: Deps): Loop {
  const pulse = startPeriodic(deps.log, {
    name: 'say that time passes',
    everyMs: PULSE_MS,
    run: () => pulseTimeLapse(deps.db, false),
  });
  return {
    async stop() {
      await pulse.stop();
      await pulseTimeLapse(deps.db, true);
    },
  };
}
