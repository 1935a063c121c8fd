// Whether the loss of a product is isolated or its source is failing, judged from the other
// scheduled products. Counts each product once, so it neither fades with time nor favours products
// that are collected often.

export type ProductState = {
  code: string;
  /** The last observation that had the product. */
  seenAtMs: number;
  /** A later snapshot lost it, which is not confirmed yet. */
  isLost: boolean;
};

/** Counts the products other than the one in question. */
export type OtherProducts = {
  lost: number;
  /** Observed unharmed since the loss. */
  sound: number;
  /** The codes of products not observed since the loss. */
  unseen: readonly string[];
};

/** Takes products that had something to lose. */
export function countOthers(
  states: readonly ProductState[],
  { code, sinceMs }: { code: string; sinceMs: number },
): OtherProducts {
  const unseen: string[] = [];
  const others = { lost: 0, sound: 0, unseen };
  for (const state of states) {
    if (state.code === code) continue;
    if (state.isLost) others.lost++;
    else if (state.seenAtMs > sinceMs) others.sound++;
    else unseen.push(state.code);
  }
  return others;
}

/**
 * Whether fewer than a third of the products are lost: even if all unseen ones are, or by three
 * standard deviations of the seen ones, which takes 18 others when none of them is lost.
 */
export function isIsolatedLoss({ lost, sound, unseen }: OtherProducts): boolean {
  const lostAtMost = lost + unseen.length + 1;
  if (lostAtMost * 3 < lostAtMost + sound) return true;
  const seen = lost + sound;
  return seen > 3 * lost && (seen - 3 * lost) ** 2 >= 18 * seen;
}

/** Products to collect before they are due, where that may decide; none when many are lost. */
export function productsToRecheck(others: OtherProducts): readonly string[] {
  const { lost, sound, unseen } = others;
  const isMassLoss = lost >= LOST_MIN && lost * 3 >= lost + sound;
  return isMassLoss || isIsolatedLoss(others) ? [] : unseen.slice(0, RECHECKED_MAX);
}

const LOST_MIN = 4;
export const RECHECKED_MAX = 20;
