// The crawl guard: decides whether a snapshot that lost its product is believed. A loss is held
// until it is confirmed. While too many snapshots of a source lose their product, the source has
// failed. See docs/decisions/0008-failed-crawls.md.
import { isStatedSoldOut } from '../catalog/snapshot.ts';
import { completeOffers, type ObservedState } from '../events/observed-state.ts';
import { HOUR_SECONDS, MINUTE_SECONDS } from '../foundation/time.ts';
import { isIsolatedLoss, type OtherProducts } from './isolated-loss.ts';

/**
 * The alarm reads at most this many of a source's last snapshots, and needs at least the minimum.
 */
export const SNAPSHOTS_JUDGED_MAX = 500;
export const SNAPSHOTS_JUDGED_MIN = 50;

/** A held snapshot is repeated after 5 to 10 minutes. */
export const REPEAT_AFTER_MIN_SECONDS = 5 * MINUTE_SECONDS;
export const REPEAT_AFTER_MAX_SECONDS = 10 * MINUTE_SECONDS;

/** What a product had before a snapshot that may have lost it. */
export type BeforeLoss = {
  hadOffers: boolean;
  /** Somebody held its buybox, or an offer may have had units. */
  wasForSale: boolean;
};

/**
 * Whether a product that had offers now has none or is missing, or one that was for sale is said to
 * be sold out. A product that had no offers has nothing to lose, and an incomplete list proves
 * nothing else.
 */
export function losesProduct(before: BeforeLoss, observed: ObservedState | 'missing'): boolean {
  const isGone =
    observed === 'missing' || completeOffers(observed)?.length === 0 || isStatedSoldOut(observed);
  return isGone && hadSomethingToLose(before, observed);
}

/** A product that was sold out has offers, but no sale to lose. */
export const hadSomethingToLose = (
  { hadOffers, wasForSale }: BeforeLoss,
  observed: ObservedState | 'missing',
): boolean => (observed !== 'missing' && isStatedSoldOut(observed) ? wasForSale : hadOffers);

export type LossVerdict =
  /** Nothing was lost. The snapshot is recorded, and a held loss is dropped. */
  | { kind: 'sound' }
  /** The snapshot is held, and the product is collected again at `repeatAtSeconds`. */
  | { kind: 'held'; firstHeldAtSeconds: number; observations: number; repeatAtSeconds: number }
  /** The loss was observed again after a while, from a healthy source: it is recorded. */
  | { kind: 'confirmed' }
  /** The snapshot failed: no charge, no event, no history, and nothing stays held. */
  | { kind: 'failed' };

/**
 * Snapshots of other products since a loss was first held, of those that had something to lose, and
 * how many of them lost it.
 */
export type Evidence = { snapshots: number; losses: number };

export type SnapshotToJudge = {
  losesProduct: boolean;
  atSeconds: number;
  /** When a loss of this product was first held, and how often it was observed since. */
  held: { firstHeldAtSeconds: number; observations: number } | null;
  /** Whether the source is in alarm, with this snapshot counted. */
  isAlarmed: boolean;
  evidence: Evidence;
  /** The other scheduled products; null for ingested data, where a crawl has every product once. */
  others: OtherProducts | null;
  /** So few products are watched that an outage and a delisting cannot be distinguished. */
  isFewWatched: boolean;
  /** 0 to 1, fixed for a product: spreads the repeats of a bad minute over five minutes. */
  spread: number;
};

/** With fewer watched products, repeated observations over a longer time confirm a loss alone. */
export const FEW_WATCHED_BELOW = 10;
const ALONE_OBSERVATIONS_MIN = 3;
const ALONE_SECONDS_MIN = 2 * HOUR_SECONDS;
/** The source must have delivered this many other products since; in an outage it delivers none. */
export const EVIDENCE_MIN = 6;
/** A held loss is repeated at least this often. */
const REPEAT_WITHIN_SECONDS = 30 * MINUTE_SECONDS;

export function judgeLoss(snapshot: SnapshotToJudge): LossVerdict {
  const { atSeconds, held, evidence, others } = snapshot;
  if (!snapshot.losesProduct) return { kind: 'sound' };
  if (snapshot.isAlarmed) return { kind: 'failed' };
  if (held === null) {
    return heldUntilRepeat(snapshot, { firstHeldAtSeconds: atSeconds, observations: 1 });
  }
  const ageSeconds = atSeconds - held.firstHeldAtSeconds;
  // A source that is called twice at once repeats itself: only snapshots apart in time count.
  const isFurther = ageSeconds >= REPEAT_AFTER_MIN_SECONDS * held.observations;
  const observations = held.observations + (isFurther ? 1 : 0);
  const isFailing = evidence.losses * 3 >= evidence.snapshots;
  if (others === null && evidence.snapshots >= EVIDENCE_MIN && isFailing) return { kind: 'failed' };
  const isSourceHealthy =
    evidence.snapshots - evidence.losses >= EVIDENCE_MIN &&
    (others === null ? !isFailing : isIsolatedLoss(others));
  const isRepeatedEnough =
    snapshot.isFewWatched &&
    observations >= ALONE_OBSERVATIONS_MIN &&
    ageSeconds >= ALONE_SECONDS_MIN;
  if (ageSeconds >= REPEAT_AFTER_MIN_SECONDS && (isSourceHealthy || isRepeatedEnough)) {
    return { kind: 'confirmed' };
  }
  return heldUntilRepeat(snapshot, { firstHeldAtSeconds: held.firstHeldAtSeconds, observations });
}

/**
 * Repeated after 5 to 10 minutes, then after as long again as the loss has been held, and at least
 * every half hour.
 */
function heldUntilRepeat(
  { atSeconds, spread }: SnapshotToJudge,
  { firstHeldAtSeconds, observations }: { firstHeldAtSeconds: number; observations: number },
): LossVerdict {
  const width = REPEAT_AFTER_MAX_SECONDS - REPEAT_AFTER_MIN_SECONDS;
  const first = firstHeldAtSeconds + REPEAT_AFTER_MIN_SECONDS + Math.floor(spread * width);
  const later = atSeconds + Math.min(atSeconds - firstHeldAtSeconds, REPEAT_WITHIN_SECONDS);
  return {
    kind: 'held',
    firstHeldAtSeconds,
    observations,
    repeatAtSeconds: first > atSeconds ? first : later,
  };
}

/** Adds up the tallies between two buckets, both exclusive. */
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
 * Snapshots of a source in one bucket of time, and how many of them lost their product. Tallies of
 * one bucket are added up, so that any number of processes can count in any order. Repeats of held
 * snapshots are not counted: they would count each loss twice and make a fifth of the products seem
 * a third.
 */
export type CrawlTally = { bucket: number; snapshots: number; losses: number };

const BUCKET_SECONDS = 10;
/** Fifteen minutes. Older snapshots are judged only when fewer than the minimum came since. */
const RECENT_BUCKETS = (15 * MINUTE_SECONDS) / BUCKET_SECONDS;

export const bucketOf = (atSeconds: number): number => Math.floor(atSeconds / BUCKET_SECONDS);

/** Adds up tallies: ascending, one per bucket, and no more than are judged. */
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

/** The index of the first tally that is judged; those before it are too old. */
function firstJudged(ascending: readonly CrawlTally[]): number {
  let snapshots = 0;
  let first = ascending.length;
  while (first > 0 && snapshots < SNAPSHOTS_JUDGED_MAX) {
    snapshots += (ascending[--first] as CrawlTally).snapshots;
  }
  return first;
}

/**
 * Whether a third or more of the snapshots of the last 15 minutes lost their product. Takes
 * ascending tallies.
 */
export function isMassLoss(ascending: readonly CrawlTally[]): boolean {
  const newest = ascending.at(-1)?.bucket ?? 0;
  const recent = evidenceBetween(ascending, {
    afterBucket: newest - RECENT_BUCKETS,
    beforeBucket: newest + 1,
  });
  return (
    isAlarmed(ascending) ||
    (recent.snapshots >= EVIDENCE_MIN && recent.losses * 3 >= recent.snapshots)
  );
}

/**
 * Whether a third or more of the last snapshots lost their product. Takes ascending tallies, as
 * `addTallies` returns them.
 */
export function isAlarmed(ascending: readonly CrawlTally[]): boolean {
  let snapshots = 0;
  let losses = 0;
  const newest = ascending.at(-1)?.bucket ?? 0;
  for (let index = ascending.length - 1; index >= 0 && snapshots < SNAPSHOTS_JUDGED_MAX; index--) {
    const tally = ascending[index] as CrawlTally;
    // Where snapshots are few, those of a healthy day would hide an outage for hours:
    // docs/decisions/0008-failed-crawls.md.
    if (snapshots >= SNAPSHOTS_JUDGED_MIN && tally.bucket < newest - RECENT_BUCKETS) break;
    // Of the oldest bucket only as many as are missing, in proportion: their order is not stored.
    const included = Math.min(tally.snapshots, SNAPSHOTS_JUDGED_MAX - snapshots);
    if (included > 0) losses += (tally.losses * included) / tally.snapshots;
    snapshots += included;
  }
  return snapshots >= SNAPSHOTS_JUDGED_MIN && losses * 3 >= snapshots;
}
