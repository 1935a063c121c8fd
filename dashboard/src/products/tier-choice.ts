// The tiers in words: how often a product is looked at, and what that costs a day and in thirty.
import { countText, creditsText } from '../design/money.tsx';

export type Tier = 0 | 1 | 2 | 3 | 4;
export type TierPrice = { tier: number; interval_hours: number; credits_per_day: number };

/** A month, as the tiers' prices are compared by. */
const MONTH_DAYS = 30;

export function everyText(hours: number): string {
  if (hours === 1) return 'Every hour';
  return hours === 24 ? 'Once a day' : `Every ${hours} hours`;
}

export const perDayText = (price: TierPrice) => `${creditsText(price.credits_per_day)} a day`;

export const perMonthText = (price: TierPrice) =>
  `${countText(price.credits_per_day * MONTH_DAYS)} in ${MONTH_DAYS} days`;

/** Tier 0 alone has more than the others. */
export const depthText = (tier: number) =>
  tier === 0 ? 'In depth: stock and price history of each seller' : null;
