// What was paid of a product: stretches of days, each at the tier it was paid for. Only what they cover is shown.
import { creditsPerDay, TIERS, type Tier } from './tier.ts';

/** Days since 1970, both inclusive. */
export type PaidSpan = { fromDay: number; toDay: number; tier: Tier };

/** The tier that so many credits pay a day of; the coarsest where they pay none. */
export const tierPaidBy = (credits: number): Tier =>
  TIERS.find((tier) => creditsPerDay(tier) <= credits) ?? (TIERS.at(-1) as Tier);

/** The finest tier that a day was paid for; null when it was not. */
export function tierOn(paid: readonly PaidSpan[], day: number): Tier | null {
  let finest: Tier | null = null;
  for (const { fromDay, toDay, tier } of paid) {
    if (day >= fromDay && day <= toDay && (finest === null || tier < finest)) finest = tier;
  }
  return finest;
}

/** The last paid day up to a day, that day included; null when there is none. */
export function lastPaidDay(paid: readonly PaidSpan[], upTo: number): number | null {
  let last: number | null = null;
  for (const { fromDay, toDay } of paid) {
    if (fromDay > upTo) continue;
    last = Math.max(last ?? fromDay, Math.min(toDay, upTo));
  }
  return last;
}
