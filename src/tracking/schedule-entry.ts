// When a product is due: computed from the finest paid tier and the last collection, so that no
// slot is collected twice and none is lost.
import { SECOND_MS } from '../foundation/time.ts';
import { nextSlot, phaseMs } from './slot.ts';
import { intervalSeconds, type Tier } from './tier.ts';

/** The tier of an entry that nobody pays for, until it is paid again. */
const UNPAID_TIER: Tier = 4;

/** `tier` null: nobody pays for the product now, and it is not due. */
export function scheduleEntryOf(product: {
  code: string;
  tier: Tier | null;
  lastCollectedAtMs: number | null;
  nowMs: number;
}): { intervalSeconds: number; dueAtMs: number | null } {
  const { code, tier, lastCollectedAtMs, nowMs } = product;
  const interval = intervalSeconds(tier ?? UNPAID_TIER);
  const dueAtMs =
    tier === null
      ? null
      : nextSlot(lastCollectedAtMs ?? nowMs, phaseMs(code), interval * SECOND_MS);
  return { intervalSeconds: interval, dueAtMs };
}
