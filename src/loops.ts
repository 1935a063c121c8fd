// Every background loop of the service, named.
import type { Callers } from './accounts/callers.ts';
import { type Loop, startPeriodic } from './background/periodic.ts';
import type { Database } from './database/database.ts';
import type { PartitionKeeper } from './database/partitions.ts';
import { PULSE_MS, pulseTimeLapse } from './database/time-lapse.ts';
import { bounds } from './foundation/bounds.ts';
import type { Clock } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';

type Deps = {
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
  if (deps.clock.speed > 1) loops.push(startPulse(deps));
  return loops;
}

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
