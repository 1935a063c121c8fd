// Whether a look that lost a product may be believed: it is held until confirmed, and while too
// many looks of the source lose products, it is the source that failed.

import { type ObservedState, wholeList } from '../events/observed-state.ts';
import { isIsolatedLoss, type OtherProducts } from './isolated-loss.ts';

/** The share of a source's last looks is taken over so many, and only once there are so many. */
export const SNAPSHOTS_JUDGED_MAX = 500;
export const SNAPSHOTS_JUDGED_MIN = 50;

/** A held look is repeated after 5 to 10 minutes. */
export const REPEAT_AFTER_MIN_SECONDS = 300;
export const REPEAT_AFTER_MAX_SECONDS = 600;

/**
 * Whether a product that had offers shows none, or is not there at all. One that had none before
 * has nothing to lose, and a list that may lack offers says nothing.
 */
export function losesProduct(hadOffers: boolean, found: ObservedState | 'missing'): boolean {
  if (!hadOffers) return false;
  return found === 'missing' || wholeList(found)?.length === 0;
}

export type LossVerdict =
  /** Nothing was lost: recorded like any other, and what was held is dropped. */
  | { kind: 'sound' }
  /** Kept aside, to be looked at again then. */
  | { kind: 'held'; firstHeldAtSeconds: number; observations: number; repeatAtSeconds: number }
  /** Seen again after a while, from a source that is well: it counts. */
  | { kind: 'confirmed' }
  /** A failed look: no charge, no event, no point; nothing stays held. */
  | { kind: 'failed' };

/**
 * Other products observed since a loss was held, of those that had something to lose, and how many
 * were lost.
 */
export type Evidence = { snapshots: number; losses: number };

export type SnapshotToJudge = {
  losesProduct: boolean;
  atSeconds: number;
  /**
   * When a look of this product was first held, and how many were since then; null when none is.
   */
  held: { firstHeldAtSeconds: number; observations: number } | null;
  /** Of the source, with this look counted. */
  isAlarmed: boolean;
  evidence: Evidence;
  /**
   * Of the products on the schedule; null for what is ingested, where each crawl counts every
   * product once.
   */
  census: OtherProducts | null;
  /** So few products are watched that an outage and a delisting look alike. */
  isFewWatched: boolean;
  /** 0 to 1, the product's own: spreads the repeats of a bad minute over five. */
  spread: number;
};

/**
 * Under so many watched products, several observations over a longer time confirm a loss without
 * the others.
 */
export const FEW_WATCHED_BELOW = 10;
const ALONE_OBSERVATIONS_MIN = 3;
const ALONE_SECONDS_MIN = 2 * 3600;
/** So many other products must the same source have shown since; in an outage there is none. */
export const EVIDENCE_MIN = 6;
/** What stays held is repeated at least so often. */
const REPEAT_WITHIN_SECONDS = 1800;

export function judgeLoss(observation: SnapshotToJudge): LossVerdict {
  const { atSeconds, held, evidence, census } = observation;
  if (!observation.losesProduct) return { kind: 'sound' };
  if (observation.isAlarmed) return { kind: 'failed' };
  if (held === null)
    return heldUntilRepeat(observation, { firstHeldAtSeconds: atSeconds, observations: 1 });
  const age = atSeconds - held.firstHeldAtSeconds;
  // Asked again at once, a source says the same again: only what lies apart is another observation.
  const isAnother = age >= REPEAT_AFTER_MIN_SECONDS * held.observations;
  const observations = held.observations + (isAnother ? 1 : 0);
  const isFailing = evidence.losses * 3 >= evidence.snapshots;
  if (census === null && evidence.snapshots >= EVIDENCE_MIN && isFailing) return { kind: 'failed' };
  const isShown =
    evidence.snapshots - evidence.losses >= EVIDENCE_MIN &&
    (census === null ? !isFailing : isIsolatedLoss(census));
  const isAlone =
    observation.isFewWatched && observations >= ALONE_OBSERVATIONS_MIN && age >= ALONE_SECONDS_MIN;
  if (age >= REPEAT_AFTER_MIN_SECONDS && (isShown || isAlone)) return { kind: 'confirmed' };
  return heldUntilRepeat(observation, {
    firstHeldAtSeconds: held.firstHeldAtSeconds,
    observations,
  });
}

/**
 * Repeated after 5 to 10 minutes, then after as long again as it is held, and at least every half
 * hour.
 */
function heldUntilRepeat(
  { atSeconds, spread }: SnapshotToJudge,
  { firstHeldAtSeconds, observations }: { firstHeldAtSeconds: number; observations: number },
): LossVerdict {
  const width = REPEAT_AFTER_MAX_SECONDS - REPEAT_AFTER_MIN_SECONDS;
  const first = firstHeldAtSeconds + REPEAT_AFTER_MIN_SECONDS + Math.floor(spread * width);
  const later = atSeconds + Math.min(atSeconds - firstHeldAtSeconds, REPEAT_WITHIN_SECONDS);
  return {
    ...{ kind: 'held', firstHeldAtSeconds: firstHeldAtSeconds, observations },
    repeatAtSeconds: first > atSeconds ? first : later,
  };
}

/** What tallies say of the time between two others, both exclusive. */
export function evidenceBetween(
  tallies: readonly CrawlTally[],
  { afterBucket, beforeBucket }: { afterBucket: number; beforeBucket: number },
): Evidence {
  const evidence = { snapshots: 0, losses: 0 };
  for (const { bucket, snapshots, losses } of tallies) {
    if (bucket <= afterBucket || bucket >= beforeBucket) continue;
    evidence.snapshots += snapshots;
    evidence.losses += losses;
  }
  return evidence;
}

/**
 * Looks of a source in one stretch of time, and how many of them lost their product. Tallies of one
 * stretch are added up, so that any number of processes can count, each on its own, in any order.
 * Repeats of held looks are not counted: they would show each loss twice, and a fifth of the
 * products as a third.
 */
export type CrawlTally = { bucket: number; snapshots: number; losses: number };

const BUCKET_SECONDS = 10;
/**
 * Fifteen minutes: older looks are judged only where there are fewer than the least number since.
 */
const RECENT_BUCKETS = 90;

export const bucketOf = (atSeconds: number): number => Math.floor(atSeconds / BUCKET_SECONDS);

/** Adds up tallies of any origin: ascending, one of each stretch, no more than are judged. */
export function addTallies(...many: readonly (readonly CrawlTally[])[]): CrawlTally[] {
  const sums = new Map<number, CrawlTally>();
  for (const { bucket, snapshots, losses } of many.flat()) {
    const sum = sums.get(bucket);
    sums.set(bucket, {
      bucket,
      snapshots: snapshots + (sum?.snapshots ?? 0),
      losses: losses + (sum?.losses ?? 0),
    });
  }
  const ascending = [...sums.values()].sort((a, b) => a.bucket - b.bucket);
  return ascending.slice(firstJudged(ascending));
}

/** Those before it are older than the last looks that are judged. */
function firstJudged(ascending: readonly CrawlTally[]): number {
  let snapshots = 0;
  let first = ascending.length;
  while (first > 0 && snapshots < SNAPSHOTS_JUDGED_MAX)
    snapshots += (ascending[--first] as CrawlTally).snapshots;
  return first;
}

/**
 * Whether a third or more of what was observed in the last minutes lost its product; ascending
 * tallies.
 */
export function isMassLoss(ascending: readonly CrawlTally[]): boolean {
  const newest = ascending.at(-1)?.bucket ?? 0;
  const recent = evidenceBetween(ascending, {
    ...{ afterBucket: newest - RECENT_BUCKETS, beforeBucket: newest + 1 },
  });
  return (
    isAlarmed(ascending) ||
    (recent.snapshots >= EVIDENCE_MIN && recent.losses * 3 >= recent.snapshots)
  );
}

/**
 * Whether a third or more of the last looks lost their product; ascending tallies, as addTallies
 * makes them.
 */
export function isAlarmed(ascending: readonly CrawlTally[]): boolean {
  let snapshots = 0;
  let losses = 0;
  const newest = ascending.at(-1)?.bucket ?? 0;
  for (let index = ascending.length - 1; index >= 0 && snapshots < SNAPSHOTS_JUDGED_MAX; index--) {
    const tally = ascending[index] as CrawlTally;
    // Where looks are few, those of a healthy day would hide an outage for hours:
    // docs/decisions/0008.
    if (snapshots >= SNAPSHOTS_JUDGED_MIN && tally.bucket < newest - RECENT_BUCKETS) break;
    // Of the oldest stretch only as many as are missing; their order within it is not known.
    const taken = Math.min(tally.snapshots, SNAPSHOTS_JUDGED_MAX - snapshots);
    if (taken > 0) losses += (tally.losses * taken) / tally.snapshots;
    snapshots += taken;
  }
  return snapshots >= SNAPSHOTS_JUDGED_MIN && losses * 3 >= snapshots;
}
