// Compares this machine's clock with the database's. Charged days, slots and periods follow the
// machine's, so that a wrong one is reported.
import { bounds } from '../foundation/bounds.ts';
import { realNowMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { Database } from './database.ts';

export type ClockWatch = ReturnType<typeof createClockWatch>;

/** The sample with the shortest round trip is the most exact. */
const SAMPLES = 3;

export function createClockWatch(deps: { db: Database; log: Log; nowMs?: () => number }) {
  const { db, log, nowMs = realNowMs } = deps;
  let skewMs = 0;
  let isSkewed = false;
  return {
    async check(): Promise<void> {
      let uncertainMs = Number.POSITIVE_INFINITY;
      for (let sample = 0; sample < SAMPLES; sample++) {
        const beforeMs = nowMs();
        const [row] = await db.query<{ at: number }>('select clock_timestamp() as at');
        const afterMs = nowMs();
        const halfTripMs = (afterMs - beforeMs) / 2;
        if (Math.abs(halfTripMs) >= uncertainMs) continue;
        uncertainMs = Math.abs(halfTripMs);
        skewMs = beforeMs + halfTripMs - (row?.at as number);
      }
      const wasSkewed = isSkewed;
      isSkewed = Math.abs(skewMs) - uncertainMs > bounds.clockSkewMaxMs;
      if (isSkewed && !wasSkewed) {
        log.error({ skewMs: Math.round(skewMs) }, "this machine's clock is not the database's");
      }
      if (wasSkewed && !isSkewed) log.info("this machine's clock is the database's again");
    },
    /** How far this machine's clock is ahead of the database's; negative when behind. */
    skewMs: () => skewMs,
    isSkewed: () => isSkewed,
  };
}
