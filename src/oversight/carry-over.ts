// Carrying over to accounts what observations left for them: the day's charge, suspension where it cannot be paid,
// and days given back.
import type { BookingDeps } from '../credits/book-entries.ts';
import { chargeDays, giveDayBack } from './charge-tracking.ts';
import { claimOutgoing, deleteOutgoing, type Outgoing } from './outgoing.ts';
import { dayOf } from './slot.ts';
import { syncWatcher } from './sync-watchers.ts';
import { setSuspended, type TrackedProduct } from './tracked-products.ts';

const AT_ONCE = 200;

/**
 * Carries some over; answers how many. The product's side is held meanwhile, the account's side committed first:
 * after a crash in between they come again, find the day paid, and change nothing.
 */
export async function carryOver(deps: BookingDeps): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const rows = await claimOutgoing(tx, AT_ONCE);
    if (rows.length === 0) return 0;
    const suspended = await chargeServed(deps, rows);
    for (const row of rows) if (row.kind === 'return') await giveDayBack(deps, row);
    await deleteOutgoing(tx, rows);
    // Once more by the loop for pending ones, should this process end here.
    for (const tracked of suspended) await syncWatcher(deps, tracked);
    return rows.length;
  });
}

async function chargeServed(
  deps: BookingDeps,
  rows: readonly Outgoing[],
): Promise<TrackedProduct[]> {
  // A day that is over for long was not served to anybody in time: it is not charged any more.
  const oldest = dayOf(deps.clock.nowMs()) - 1;
  const served = rows.filter((row) => row.kind === 'served' && row.day >= oldest);
  if (served.length === 0) return [];
  let suspended: TrackedProduct[] = [];
  await chargeDays(deps, served, async (tx, outcomes) => {
    const unpaid = served.filter((_, index) => !outcomes[index]?.paid);
    suspended = await setSuspended(tx, unpaid, true);
  });
  return suspended;
}
