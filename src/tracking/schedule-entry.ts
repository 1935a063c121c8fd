// Where a product stands on the schedule: it follows from the finest tier that is paid for and when it was collected
// last, so that no slot comes twice and none is lost.
import { nextSlot, phaseMs } from './slot.ts';
import { intervalSeconds, type Tier } from './tier.ts';

/** What nobody pays for stands there as if once a day, for when it is paid again. */
const UNPAID_TIER: Tier = 4;

/** `tier` null: nobody pays for it now, and it is not due. */
export function scheduleEntryOf(product: {
  code: string;
  tier: Tier | null;
  lastCollectedAt: number | null;
  now: number;
}): { intervalSeconds: number; dueAt: number | null } {
  const { code, tier, lastCollectedAt, now } = product;
  const interval = intervalSeconds(tier ?? UNPAID_TIER);
  const dueAt =
    tier === null ? null : nextSlot(lastCollectedAt ?? now, phaseMs(code), interval * 1000);
  return { intervalSeconds: interval, dueAt };
}
