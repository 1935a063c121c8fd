// Texts and prices of tiers: "Every 6 h", 35 credits per day, 1,050 in 30 days.
import type { ResponseOf } from '../app/api-client.ts';
import type { RadioCard } from '../design/choice.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { DAYS_A_MONTH, type TierPrice } from './tier-cost.ts';

export type TierPrices = ResponseOf<'GET /session/prices'>['tiers'];
export type Tier = 0 | 1 | 2 | 3 | 4;

/** The default tier of a new product: the cheapest. */
export const TIER_DEFAULT: Tier = 4;

export function everyText(hours: number): string {
  if (hours === 1) return 'Every hour';
  return hours === 24 ? 'Once a day' : `Every ${hours} h`;
}

export const tierName = (tier: number, prices: TierPrices | undefined): string => {
  const price = prices?.find((one) => one.tier === tier);
  return price ? everyText(price.interval_hours) : `Tier ${tier}`;
};

export const perDayText = (price: TierPrice) => `${creditsText(price.credits_per_day)} per day`;

export const perMonthText = (price: TierPrice) =>
  `${countText(price.credits_per_day * DAYS_A_MONTH)} in ${DAYS_A_MONTH} days`;

/** Beside the choice of a tier: how the change affects today's charge. */
export function changeNote(from: number, to: number, raiseCredits: number): string {
  if (to === from) return '';
  return raiseCredits > 0
    ? `Raising the tier today costs the difference of ${creditsText(raiseCredits)} at once, if today is paid already.`
    : 'Today stays paid at the higher price; the lower price applies from tomorrow (UTC).';
}

/** A button that changes a tier names the most that it costs today. */
export const withRaise = (act: string, raiseCredits: number) =>
  raiseCredits > 0 ? `${act} · at most ${creditsText(raiseCredits)}` : act;

/** Only tier 0 has more data than the others. */
const depthText = (tier: number) =>
  tier === 0 ? 'Tier 0, with stock and price history of each seller' : `Tier ${tier}`;

/**
 * The choice of a tier, each with its price per day and month, and whether the credits pay a day.
 */
export const tierCards = (
  prices: TierPrices | undefined,
  creditsLeft?: number,
): RadioCard<string>[] =>
  (prices ?? []).map((price) => ({
    value: String(price.tier),
    title: everyText(price.interval_hours),
    detail:
      creditsLeft !== undefined && price.credits_per_day > creditsLeft ? (
        <>
          {depthText(price.tier)}
          <span className="block text-caution">
            {creditsLeft > 0
              ? `One day costs more than the remaining ${creditsText(creditsLeft)}`
              : 'You have no credits left'}
          </span>
        </>
      ) : (
        depthText(price.tier)
      ),
    aside: (
      <>
        <span className="block text-ink">{perDayText(price)}</span>
        <span className="block">{perMonthText(price)}</span>
      </>
    ),
  }));
