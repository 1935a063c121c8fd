// Shown beside the choice of a tier: how long the credits last, if not until the next refresh.

import { useCredits } from '../app/session.ts';
import { countText, creditsText } from '../design/money.tsx';
import { daysCreditsLast } from './tier-cost.ts';

/**
 * Renders nothing while they last or it is unknown. Always mounted, so that a change is announced.
 */
export function CreditsLast({
  perDay,
  others,
}: {
  perDay: number;
  /** What the tracked products cost per day; undefined if the page does not know it. */
  others?: number;
}) {
  const credits = useCredits().data;
  const sum = perDay + (others ?? 0);
  const remaining = credits?.credits.remaining ?? 0;
  const daysUntilRefresh = credits?.billing_period.days_until_refresh ?? 0;
  const days =
    credits && perDay > 0 ? daysCreditsLast({ perDay: sum, remaining, daysUntilRefresh }) : null;
  return (
    <p aria-live="polite" className="text-xs text-caution empty:hidden">
      {days === null
        ? null
        : `${others ? `Together with your tracked products, at ${creditsText(sum)} per day` : `At ${creditsText(sum)} per day`}, ${lastText(remaining, days)}; they are refreshed in ${daysText(daysUntilRefresh)}.`}
    </p>
  );
}

const daysText = (days: number) => `${countText(days)} ${days === 1 ? 'day' : 'days'}`;

const lastText = (remaining: number, days: number) =>
  days === 0
    ? `the remaining ${creditsText(remaining)} do not last a day`
    : `the remaining ${creditsText(remaining)} last about ${daysText(days)}`;
