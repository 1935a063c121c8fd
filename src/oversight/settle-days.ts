// After a day: those that kept less than half of their slots are given back, and what is settled is forgotten.

import type { Database } from '../database/database.ts';
import { LANES } from '../database/families.ts';
import { readFact, writeFact } from '../database/service-facts.ts';
import type { Clock } from '../foundation/clock.ts';
import { dropOldTallies } from './look-tallies.ts';
import { insertOutgoing } from './outgoing.ts';
import { brokePromise } from './serving.ts';
import { DAY_MS, dayOf } from './slot.ts';
import { dropDaysBefore } from './tracked-days.ts';
import { listChargedOn } from './watchers.ts';

const FACT = 'tracking-settled-day';
/** Slots at the very end of a day may be served a little later. */
const GRACE_MS = 3_600_000;

/** Settles the days that are over and not settled yet; a crash in between settles them again, to the same end. */
export async function settleDays(deps: { db: Database; clock: Clock }): Promise<void> {
  const now = deps.clock.nowMs();
  const last = dayOf(now - GRACE_MS) - 1;
  const settled = Number((await readFact(deps.db, FACT)) ?? last - 1);
  if (settled >= last) return;
  // Of days long past nothing is counted any more; they were not charged either.
  for (let day = Math.max(settled + 1, last - 1); day <= last; day++) {
    for (let lane = 0; lane < LANES; lane++) await settleLane(deps, { lane, day, now });
  }
  await dropDaysBefore(deps.db, last);
  await dropOldTallies(deps.db);
  await writeFact(deps.db, FACT, String(last));
}

async function settleLane(
  deps: { db: Database },
  { lane, day, now }: { lane: number; day: number; now: number },
): Promise<void> {
  const watchers = await listChargedOn(deps.db, { lane, day });
  const broken = watchers.filter((watcher) => brokePromise(watcher, day));
  if (broken.length === 0) return;
  await deps.db.transaction((tx) =>
    insertOutgoing(
      tx,
      broken.map(({ code, accountId, trackedId, tier }) => ({
        ...{ kind: 'return' as const, code, accountId, trackedId, tier, day },
        // The same whenever it is written.
        at: (day + 1) * DAY_MS > now ? now : (day + 1) * DAY_MS,
        ...{ body: null, before: null },
      })),
    ),
  );
}
