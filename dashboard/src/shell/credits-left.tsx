// The remaining credits, at the bottom of the sidebar and in the header on a phone.

import { paths } from '../app/paths.ts';
import { useCredits } from '../app/session.ts';
import { Meter } from '../design/chart.tsx';
import { Link } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { Skeleton } from '../design/states.tsx';

export function CreditsLeft() {
  const { data } = useCredits();
  if (!data)
    return (
      <div className="flex h-11 flex-col justify-center gap-2 px-2">
        <Skeleton className="h-3 w-2/3" />
        <Skeleton className="h-1.5 w-full" />
      </div>
    );
  const { remaining, total, used_this_month: used } = data.credits;
  return (
    <Link
      to={paths.credits()}
      className="flex h-11 flex-col justify-center gap-1.5 rounded-md px-2 hover:bg-hover"
    >
      <span className="truncate text-xs text-muted tabular-nums">
        <span className="font-medium text-ink">{countText(remaining)}</span> credits left
        <span className="sr-only"> of {countText(total)}</span>
      </span>
      <span aria-hidden>
        <Meter label="Credits used" value={used} of={total} />
      </span>
    </Link>
  );
}

export function PhoneCreditsLeft() {
  const { data } = useCredits();
  if (!data) return null;
  return (
    <Link
      to={paths.credits()}
      className="flex h-10 min-w-0 items-center rounded-md px-2 text-xs text-muted tabular-nums"
    >
      <span className="truncate">
        <span className="font-medium text-ink">{countText(data.credits.remaining)}</span> credits
        <span className="sr-only"> left</span>
      </span>
    </Link>
  );
}
