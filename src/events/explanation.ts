// What led to the events of one observation beyond what their payloads say: the rules that applied,
// the verdict of the crawl guard, and the parts that were observed. Stored as JSON with the event.
import { createHash } from 'node:crypto';
import { completeOffers, isLive, type ObservedState } from './observed-state.ts';
import { type WrittenRules, writeRules } from './read-rules.ts';
import type { Rules } from './rule.ts';

/** Raised whenever the same observations and rules may give other events than before. */
export const DETECTION_VERSION = 1;

/**
 * - `no_loss`: the snapshot lost nothing, so the crawl guard passed it.
 * - `stated`: the product is sold out, and the source said so.
 * - `confirmed`: offers or the product are gone; recorded only after later snapshots confirmed it.
 */
export type GuardVerdict = 'no_loss' | 'stated' | 'confirmed';

/** Stored data: member names must not change. */
export type Explanation = {
  version: number;
  guard: GuardVerdict;
  /** Every threshold that applied, defaults included. */
  rules: WrittenRules;
  /** The parts that this observation covered; the others kept their last values. */
  observed: { buybox: boolean; offers: boolean; rank: boolean };
};

export const explanationOf = (
  observation: ObservedState,
  { rules, isDelisting }: { rules: Rules; isDelisting: boolean },
): Explanation => ({
  version: DETECTION_VERSION,
  guard: guardVerdict(observation, isDelisting),
  rules: writeRules(rules),
  observed: {
    buybox: observation.carried?.buybox !== true,
    offers: observation.carried?.offers !== true,
    rank: observation.carried?.rank !== true,
  },
});

function guardVerdict(observation: ObservedState, isDelisting: boolean): GuardVerdict {
  if (isDelisting) return 'confirmed';
  const offers = completeOffers(observation);
  if (offers === undefined || offers.some(isLive)) return 'no_loss';
  return observation.soldOut ? 'stated' : 'confirmed';
}

/** The same thresholds always have the same version. */
export const rulesVersion = (rules: WrittenRules): string =>
  createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 12);
