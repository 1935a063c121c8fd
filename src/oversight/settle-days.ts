// After a day: those that kept less than half of their slots are given back, and what is settled is forgotten.
import { doAll } from '../background/do-all.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database } from '../database/database.ts';
import { LANES } from '../database/families.ts';
import { readFact, writeFact } from '../database/service-facts.ts';
import { type Clock, isoTime } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { dropOldTallies } from './look-tallies.ts';
import { insertOutgoing, type Outgoing } from './outgoing.ts';
import { brokePromise } from './serving.ts';
import { DAY_MS, dayOf } from './slot.ts';
import { dropDaysBefore } from './tracked-days.ts';
import { listChargedOn } from './watchers.ts';

const FACT = 'tracking-settled-day';
/** Slots at the very end of a day may be served a little later. */
const GRACE_MS = 3_600_000;
const SETTLE_DAYS = 'settle-days';

type Deps = { db: Database; clock: Clock; log: Log };

/** Settles the days that are over and not settled yet; a crash in between settles them again, to the same end. */
export async function settleDays(deps: Deps): Promise<void> {
  const now = deps.clock.nowMs();
  const last = dayOf(now - GRACE_MS) - 1;
  const settled = Number((await readFact(deps.db, FACT)) ?? last - 1);
  if (settled >= last) return;
  // Of days long past nothing is counted any more; they were not charged either.
  let left = 0;
  for (let day = Math.max(settled + 1, last - 1); day <= last; day++) {
    for (let lane = 0; lane < LANES; lane++) left += await settleLane(deps, { lane, day, now });
  }
  // What another session keeps locked is settled in a later round, with all others again.
  if (left > 0) return;
  await writeFact(deps.db, FACT, String(last));
  await doAll(
    () => dropDaysBefore(deps.db, last),
    () => dropOldTallies(deps.db),
  );
}

/** Returns how many could not be settled now. */
async function settleLane(
  { db, clock, log }: Deps,
  { lane, day, now }: { lane: number; day: number; now: number },
): Promise<number> {
  const watchers = await listChargedOn(db, { lane, day });
  const broken = watchers.filter((watcher) => brokePromise(watcher, day));
  const rows = broken.map(
    ({ code, accountId, trackedId, tier }): Outgoing => ({
      ...{ kind: 'return', code, accountId, trackedId, tier, day },
      // The same whenever it is written.
      at: (day + 1) * DAY_MS > now ? now : (day + 1) * DAY_MS,
      ...{ body: null, before: null },
    }),
  );
  const { left } = await isolate(rows, {
    ...{ loop: SETTLE_DAYS, log, keyOf: itemOf },
    run: (batch) => db.transaction((tx) => insertOutgoing(tx, batch)),
    setAside: (row, reason) =>
      putInQuarantine(db, {
        ...{ owner: row.code, loop: SETTLE_DAYS, item: itemOf(row), reason, payload: row },
        atMs: clock.nowMs(),
      }),
  });
  return left.length;
}

const itemOf = ({ code, accountId, day }: Outgoing) => `${code}/${accountId}/${dayText(day)}`;
const dayText = (day: number) => isoTime(day * DAY_MS).slice(0, 10);

export const settleDaysHandler: QuarantineHandler = {
  loop: SETTLE_DAYS,
  retry: (deps, item) =>
    release(deps, item, (tx) => insertOutgoing(tx, [item.payload as Outgoing])),
  drop: {
    means: 'The day is not refunded.',
    losesMoney: ({ payload }) => {
      const { day, code, accountId } = payload as Outgoing;
      return `The refund of ${dayText(day)} for product ${code}, account ${accountId}, would never be booked.`;
    },
  },
};
