// How many of the products on the schedule are lost at one moment, each counted once: whether a
// loss is one of few, or the source fails. Unlike a tally of observations it does not fade with
// time, nor speak louder for what is observed often.

export type ProductState = {
  code: string;
  /** The last observation that showed it, in milliseconds. */
  seenAtMs: number;
  /** It was observed as lost since, which is not confirmed yet. */
  isLost: boolean;
};

/** Others than the product in question: lost now, seen unharmed since its loss, not seen since. */
export type OtherProducts = { lost: number; sound: number; unseen: readonly string[] };

/** Of products that had something to lose. */
export function countOthers(
  states: readonly ProductState[],
  { code, sinceMs }: { code: string; sinceMs: number },
): OtherProducts {
  const unseen: string[] = [];
  const census = { lost: 0, sound: 0, unseen };
  for (const state of states) {
    if (state.code === code) continue;
    if (state.isLost) census.lost++;
    else if (state.seenAtMs > sinceMs) census.sound++;
    else unseen.push(state.code);
  }
  return census;
}

/**
 * Less than a third are lost: even if all that were not seen are, or by three standard deviations
 * of those that were, which takes 18 others if none of them is lost.
 */
export function isIsolatedLoss({ lost, sound, unseen }: OtherProducts): boolean {
  const lostAtMost = lost + unseen.length + 1;
  if (lostAtMost * 3 < lostAtMost + sound) return true;
  const seen = lost + sound;
  return seen > 3 * lost && (seen - 3 * lost) ** 2 >= 18 * seen;
}

/**
 * Some to be observed earlier than they are due, where that may decide it; none where many are lost
 * already.
 */
export function productsToRecheck(census: OtherProducts): readonly string[] {
  const { lost, sound, unseen } = census;
  const isMany = lost >= LOST_MIN && lost * 3 >= lost + sound;
  return isMany || isIsolatedLoss(census) ? [] : unseen.slice(0, OBSERVED_AT_ONCE_MAX);
}

const LOST_MIN = 4;
export const OBSERVED_AT_ONCE_MAX = 20;
