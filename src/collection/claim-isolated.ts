// Claiming what is due although a row of the schedule refuses to be claimed.
import { createHoldOff, type HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import { type ClaimInput, claimDue, listDueCodes } from '../tracking/schedule.ts';
import type { Due } from '../tracking/schedule-row.ts';
import { COLLECT_DUE, quarantineCollected } from './quarantine-collected.ts';

/** A row that cannot be claimed cannot be changed either: this process leaves it alone for as long. */
const REFUSED_HELD_MS = 600_000;
const heldCodes = new WeakMap<Database, HoldOff>();

export async function claimIsolated(
  { db, log }: { db: Database; log: Log },
  input: ClaimInput,
): Promise<Due[]> {
  const held = heldCodes.get(db) ?? createHoldOff(REFUSED_HELD_MS);
  heldCodes.set(db, held);
  try {
    return await claimDue(db, { ...input, exceptCodes: held.keys() });
  } catch (error) {
    if (blameFor(error) !== 'item') throw error;
  }
  const codes = await listDueCodes(db, { ...input, exceptCodes: held.keys() });
  const { results } = await isolate(codes, {
    ...{ loop: COLLECT_DUE, log, keyOf: (code) => code },
    run: (batch) => claimDue(db, { ...input, onlyCodes: batch }),
    setAside: async (code, reason) => {
      held.add([code]);
      await quarantineCollected(db, { code, snapshot: null, reason, atMs: input.nowMs });
    },
  });
  return results.flat();
}
