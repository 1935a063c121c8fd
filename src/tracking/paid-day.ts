// Which days of a product were paid, and at which tier. Only paid days are shown.
import { creditsPerDay, TIERS, type Tier } from './tier.ts';

/** Days since 1970; both ends are inclusive. */
export type PaidSpan = { fromDay: number; toDay: number; tier: Tier };

/** The tier whose day costs this many credits; the coarsest when they do not pay for any. */
export const tierPaidBy = (credits: number): Tier =>
  TIERS.find((tier) => creditsPerDay(tier) <= credits) ?? (TIERS.at(-1) as Tier);

/** The finest tier at which a day was paid; null when it was not paid. */
export function tierOn(spans: readonly PaidSpan[], day: number): Tier | null {
  let finest: Tier | null = null;
  for (const { fromDay, toDay, tier } of spans) {
    if (day >= fromDay && day <= toDay && (finest === null || tier < finest)) finest = tier;
  }
  return finest;
}

/** The last paid day up to `upToDay`, inclusive; null when there is none. */
export function lastPaidDay(spans: readonly PaidSpan[], upToDay: number): number | null {
  let last: number | null = null;
  for (const { fromDay, toDay } of spans) {
    if (fromDay > upToDay) continue;
    last = Math.max(last ?? fromDay, Math.min(toDay, upToDay));
  }
  return last;
}
