// Beside the choice of a tier: for how long the credits pay for it, where that is not until they are refreshed.

import { useCredits } from '../app/session.ts';
import { countText, creditsText } from '../design/money.tsx';
import { daysCreditsLast } from './tier-cost.ts';

/** Nothing while they suffice, or while it is not known. Always in the page, so that a change is read out. */
export function CreditsLast({
  perDay,
  others,
}: {
  perDay: number;
  /** What is tracked already costs this much a day; undefined where the page does not know. */
  others?: number;
}) {
  const known = useCredits().data;
  const sum = perDay + (others ?? 0);
  const remaining = known?.credits.remaining ?? 0;
  const daysUntilRefresh = known?.billing_period.days_until_refresh ?? 0;
  const days =
    known && perDay > 0 ? daysCreditsLast({ perDay: sum, remaining, daysUntilRefresh }) : null;
  return (
    <p aria-live="polite" className="text-xs text-caution empty:hidden">
      {days === null
        ? null
        : `${others ? `With what is tracked already, at ${creditsText(sum)} a day` : `At ${creditsText(sum)} a day`}, ${lastText(remaining, days)}; they are refreshed in ${daysText(daysUntilRefresh)}.`}
    </p>
  );
}

const daysText = (days: number) => `${countText(days)} ${days === 1 ? 'day' : 'days'}`;

const lastText = (remaining: number, days: number) =>
  days === 0
    ? `the ${creditsText(remaining)} left do not last a day`
    : `the ${creditsText(remaining)} left last about ${daysText(days)}`;
