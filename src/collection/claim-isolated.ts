// Claims due products even if one row of the schedule cannot be claimed.
import { createHoldOff, type HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import { rotationOf } from '../database/lane-groups.ts';
import type { Log } from '../foundation/log.ts';
import { MINUTE_MS } from '../foundation/time.ts';
import { type ClaimInput, claimDue, listDueCodes } from '../tracking/schedule.ts';
import type { Due } from '../tracking/schedule-row.ts';
import { COLLECT_DUE, quarantineCollected } from './quarantine-collected.ts';

/** A row that cannot be claimed cannot be changed either: this process skips it for this long. */
const SKIPPED_MS = 10 * MINUTE_MS;
const skippedCodes = new WeakMap<Database, HoldOff>();

/** Claims from one group of lanes after the other, each time from another start. */
export async function claimIsolated(
  deps: { db: Database; log: Log },
  input: Omit<ClaimInput, 'lanes'>,
): Promise<Due[]> {
  const slug = input.isTracked ? 'claim-tracked' : 'claim-untracked';
  return rotationOf(deps.db, slug)(input.limit, (turn) => claimGroup(deps, { ...input, ...turn }));
}

async function claimGroup(
  { db, log }: { db: Database; log: Log },
  input: ClaimInput,
): Promise<Due[]> {
  const skipped = skippedCodes.get(db) ?? createHoldOff(SKIPPED_MS);
  skippedCodes.set(db, skipped);
  try {
    return await claimDue(db, { ...input, exceptCodes: skipped.keys() });
  } catch (error) {
    if (blameFor(error) !== 'item') throw error;
  }
  const codes = await listDueCodes(db, { ...input, exceptCodes: skipped.keys() });
  const { results } = await isolate(codes, {
    loop: COLLECT_DUE,
    log,
    keyOf: (code) => code,
    run: (batch) => claimDue(db, { ...input, onlyCodes: batch }),
    setAside: async (code, reason) => {
      skipped.add([code]);
      await quarantineCollected(db, { code, snapshot: null, reason, atMs: input.nowMs });
    },
  });
  return results.flat();
}
