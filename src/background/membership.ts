// This process among the others of its database: its sign of life, the loops that it runs alone,
// and its part of work that all divide. A lease only saves work: every loop stays correct if two
// processes run it for a moment.
import type { Database } from '../database/database.ts';
import { ALL_LANES, type LaneShare } from '../database/families.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import { dropExpiredLeases, listLeases, releaseLeasesOf, renewLeases } from './leases.ts';
import { type Loop, startPeriodic } from './periodic.ts';

export type Membership = ReturnType<typeof createMembership>;

const PROCESSES = 'process/';
const loopLease = (loop: string) => `loop/${loop}`;

export function createMembership(
  deps: { db: Database; log: Log },
  role: 'all' | 'api' | 'worker',
  { lifetimeMs = bounds.leaseLifetimeMs }: { lifetimeMs?: number } = {},
) {
  const id = newId();
  const ownName = `${PROCESSES}${role}/${id}`;
  const leaseNames = new Set<string>();
  let held: ReadonlySet<string> = new Set();
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let processes: readonly string[] = [ownName];

  const renew = async () => {
    const sentAtMs = monotonicMs();
    const names = [ownName, ...leaseNames];
    held = new Set(await renewLeases(deps.db, { names, holder: id, lifetimeMs }));
    // Counted from before the database did, so that we stop before the next holder starts.
    heldUntilMs = sentAtMs + lifetimeMs;
    processes = await listLeases(deps.db, PROCESSES);
  };

  return {
    id,
    /** Whether this process runs the loop now. The first call also applies for its lease. */
    holds(loop: string): boolean {
      leaseNames.add(loopLease(loop));
      return held.has(loopLease(loop)) && monotonicMs() < heldUntilMs;
    },
    /** Processes that are alive, this one included. */
    processCount: () => Math.max(1, processes.length),
    /** This process's part among those that work in the background. */
    share(): LaneShare {
      const workers = processes.filter((name) => !name.startsWith(`${PROCESSES}api/`));
      const index = workers.indexOf(ownName);
      return index < 0 ? ALL_LANES : { index, count: workers.length };
    },
    renew,
    /** Joins the others, and renews until stopped. */
    async start(): Promise<Loop> {
      await dropExpiredLeases(deps.db);
      await renew();
      const loop = startPeriodic(deps, {
        name: 'renew-leases',
        everyMs: lifetimeMs / 4,
        run: renew,
      });
      return {
        async stop() {
          await loop.stop();
          held = new Set();
          await releaseLeasesOf(deps.db, id);
        },
      };
    },
  };
}
