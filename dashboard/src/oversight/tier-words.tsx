// Tiers in words and with their price: "Every 6 h", 35 credits a day, 1,050 in 30 days.
import type { AnswerOf } from '../api-client.ts';
import type { RadioCard } from '../design/choice.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { DAYS_A_MONTH } from './tracked-view.ts';

export type TierPrices = AnswerOf<'GET /session/prices'>['tiers'];

export function everyText(hours: number): string {
  if (hours === 1) return 'Every hour';
  return hours === 24 ? 'Once a day' : `Every ${hours} h`;
}

export const tierName = (tier: number, prices: TierPrices | undefined): string => {
  const price = prices?.find((one) => one.tier === tier);
  return price ? everyText(price.interval_hours) : `Tier ${tier}`;
};

const depthText = (tier: number) =>
  tier === 0 ? 'Tier 0, in depth: stock and price history of each seller' : `Tier ${tier}`;

/** The choice of a tier, each with what it costs by day and month. */
export const tierCards = (prices: TierPrices | undefined): RadioCard<string>[] =>
  (prices ?? []).map(({ tier, interval_hours, credits_per_day }) => ({
    value: String(tier),
    title: everyText(interval_hours),
    detail: depthText(tier),
    aside: (
      <>
        <span className="block text-ink">{creditsText(credits_per_day)} a day</span>
        {countText(credits_per_day * DAYS_A_MONTH)} in {DAYS_A_MONTH} days
      </>
    ),
  }));
