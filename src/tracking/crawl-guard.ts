// Whether a look that lost a product may be believed: it is held until confirmed, and while too many looks
// of the source lose products, it is the source that failed.

import { type ObservedLook, wholeList } from '../events/observed-look.ts';
import { type Census, isOneOfFew } from './loss-census.ts';

/** The share of a source's last looks is taken over so many, and only once there are so many. */
export const LOOKS_JUDGED_MAX = 500;
export const LOOKS_JUDGED_MIN = 50;

/** A held look is repeated after 5 to 10 minutes. */
export const REPEAT_AFTER_MIN_SECONDS = 300;
export const REPEAT_AFTER_MAX_SECONDS = 600;

/**
 * Whether a product that had offers shows none, or is not there at all. One that had none before has
 * nothing to lose, and a list that may lack offers says nothing.
 */
export function losesProduct(hadOffers: boolean, found: ObservedLook | 'missing'): boolean {
  if (!hadOffers) return false;
  return found === 'missing' || wholeList(found)?.length === 0;
}

export type LossVerdict =
  /** Nothing was lost: recorded like any other, and what was held is dropped. */
  | { kind: 'sound' }
  /** Kept aside, to be looked at again then. */
  | { kind: 'held'; heldSinceSeconds: number; observations: number; repeatAtSeconds: number }
  /** Seen again after a while, from a source that is well: it counts. */
  | { kind: 'confirmed' }
  /** A failed look: no charge, no event, no point; nothing stays held. */
  | { kind: 'failed' };

/** Other products observed since a loss was held, of those that had something to lose, and how many were lost. */
export type Evidence = { looks: number; losses: number };

export type LookToJudge = {
  losesProduct: boolean;
  atSeconds: number;
  /** When a look of this product was first held, and how many were since then; null when none is. */
  held: { sinceSeconds: number; observations: number } | null;
  /** Of the source, with this look counted. */
  isAlarmed: boolean;
  evidence: Evidence;
  /** Of the products on the schedule; null for what is ingested, where each crawl counts every product once. */
  census: Census | null;
  /** So few products are watched that an outage and a delisting look alike. */
  isFewWatched: boolean;
  /** 0 to 1, the product's own: spreads the repeats of a bad minute over five. */
  spread: number;
};

/** Under so many watched products, several observations over a longer time confirm a loss without the others. */
export const FEW_WATCHED_BELOW = 10;
const ALONE_OBSERVATIONS_MIN = 3;
const ALONE_SECONDS_MIN = 2 * 3600;
/** So many other products must the same source have shown since; in an outage there is none. */
export const EVIDENCE_MIN = 6;
/** What stays held is repeated at least so often. */
const REPEAT_WITHIN_SECONDS = 1800;

export function judgeLoss(look: LookToJudge): LossVerdict {
  const { atSeconds, held, evidence, census } = look;
  if (!look.losesProduct) return { kind: 'sound' };
  if (look.isAlarmed) return { kind: 'failed' };
  if (held === null) return heldUntilRepeat(look, { sinceSeconds: atSeconds, observations: 1 });
  const age = atSeconds - held.sinceSeconds;
  // Asked again at once, a source says the same again: only what lies apart is another observation.
  const isAnother = age >= REPEAT_AFTER_MIN_SECONDS * held.observations;
  const observations = held.observations + (isAnother ? 1 : 0);
  const isFailing = evidence.losses * 3 >= evidence.looks;
  if (census === null && evidence.looks >= EVIDENCE_MIN && isFailing) return { kind: 'failed' };
  const isShown =
    evidence.looks - evidence.losses >= EVIDENCE_MIN &&
    (census === null ? !isFailing : isOneOfFew(census));
  const isAlone =
    look.isFewWatched && observations >= ALONE_OBSERVATIONS_MIN && age >= ALONE_SECONDS_MIN;
  if (age >= REPEAT_AFTER_MIN_SECONDS && (isShown || isAlone)) return { kind: 'confirmed' };
  return heldUntilRepeat(look, { sinceSeconds: held.sinceSeconds, observations });
}

/** Repeated after 5 to 10 minutes, then after as long again as it is held, and at least every half hour. */
function heldUntilRepeat(
  { atSeconds, spread }: LookToJudge,
  { sinceSeconds, observations }: { sinceSeconds: number; observations: number },
): LossVerdict {
  const width = REPEAT_AFTER_MAX_SECONDS - REPEAT_AFTER_MIN_SECONDS;
  const first = sinceSeconds + REPEAT_AFTER_MIN_SECONDS + Math.floor(spread * width);
  const later = atSeconds + Math.min(atSeconds - sinceSeconds, REPEAT_WITHIN_SECONDS);
  return {
    ...{ kind: 'held', heldSinceSeconds: sinceSeconds, observations },
    repeatAtSeconds: first > atSeconds ? first : later,
  };
}

/** What tallies say of the time between two others, both exclusive. */
export function evidenceBetween(
  tallies: readonly LookTally[],
  { afterStretch, beforeStretch }: { afterStretch: number; beforeStretch: number },
): Evidence {
  const evidence = { looks: 0, losses: 0 };
  for (const { stretch, looks, losses } of tallies) {
    if (stretch <= afterStretch || stretch >= beforeStretch) continue;
    evidence.looks += looks;
    evidence.losses += losses;
  }
  return evidence;
}

/**
 * Looks of a source in one stretch of time, and how many of them lost their product. Tallies of one stretch
 * are added up, so that any number of processes can count, each on its own, in any order. Repeats of held
 * looks are not counted: they would show each loss twice, and a fifth of the products as a third.
 */
export type LookTally = { stretch: number; looks: number; losses: number };

const STRETCH_SECONDS = 10;
/** Fifteen minutes: older looks are judged only where there are fewer than the least number since. */
const RECENT_STRETCHES = 90;

export const stretchOf = (atSeconds: number): number => Math.floor(atSeconds / STRETCH_SECONDS);

/** Adds up tallies of any origin: ascending, one of each stretch, no more than are judged. */
export function addTallies(...many: readonly (readonly LookTally[])[]): LookTally[] {
  const sums = new Map<number, LookTally>();
  for (const { stretch, looks, losses } of many.flat()) {
    const sum = sums.get(stretch);
    sums.set(stretch, {
      stretch,
      looks: looks + (sum?.looks ?? 0),
      losses: losses + (sum?.losses ?? 0),
    });
  }
  const ascending = [...sums.values()].sort((a, b) => a.stretch - b.stretch);
  return ascending.slice(firstJudged(ascending));
}

/** Those before it are older than the last looks that are judged. */
function firstJudged(ascending: readonly LookTally[]): number {
  let looks = 0;
  let first = ascending.length;
  while (first > 0 && looks < LOOKS_JUDGED_MAX) looks += (ascending[--first] as LookTally).looks;
  return first;
}

/** Whether a third or more of what was observed in the last minutes lost its product; ascending tallies. */
export function isMassLoss(ascending: readonly LookTally[]): boolean {
  const newest = ascending.at(-1)?.stretch ?? 0;
  const recent = evidenceBetween(ascending, {
    ...{ afterStretch: newest - RECENT_STRETCHES, beforeStretch: newest + 1 },
  });
  return (
    isAlarmed(ascending) || (recent.looks >= EVIDENCE_MIN && recent.losses * 3 >= recent.looks)
  );
}

/** Whether a third or more of the last looks lost their product; ascending tallies, as addTallies makes them. */
export function isAlarmed(ascending: readonly LookTally[]): boolean {
  let looks = 0;
  let losses = 0;
  const newest = ascending.at(-1)?.stretch ?? 0;
  for (let index = ascending.length - 1; index >= 0 && looks < LOOKS_JUDGED_MAX; index--) {
    const tally = ascending[index] as LookTally;
    // Where looks are few, those of a healthy day would hide an outage for hours: docs/decisions/0008.
    if (looks >= LOOKS_JUDGED_MIN && tally.stretch < newest - RECENT_STRETCHES) break;
    // Of the oldest stretch only as many as are missing; their order within it is not known.
    const taken = Math.min(tally.looks, LOOKS_JUDGED_MAX - looks);
    if (taken > 0) losses += (tally.losses * taken) / tally.looks;
    looks += taken;
  }
  return looks >= LOOKS_JUDGED_MIN && losses * 3 >= looks;
}
