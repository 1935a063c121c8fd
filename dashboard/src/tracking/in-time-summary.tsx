// How punctually the tracked products were collected in the last seven days: of all tiers in one
// line, and of one product.
import { useMemo } from 'react';
import { classNames } from '../design/class-names.ts';
import { Absent, countText } from '../design/money.tsx';
import { allowanceText, isPoor, type Share, sharesByTier, shareText } from './in-time.ts';
import { type TierPrices, tierName } from './tier-words.tsx';
import type { Tracked } from './tracked-product.ts';

export function InTimeByTier({ rows, prices }: { rows: readonly Tracked[]; prices: TierPrices }) {
  const shares = useMemo(() => sharesByTier(rows), [rows]);
  if (shares.length === 0) return null;
  return (
    <span className="mt-0.5 block tabular-nums">
      Collected in time in 7 days:{' '}
      {shares.map((share, index) => (
        <span key={share.tier}>
          {index > 0 ? ' · ' : ''}
          <span className="whitespace-nowrap" title={titleOf(share, prices)}>
            {tierName(share.tier, prices).toLowerCase()} <Percent share={share} />
          </span>
        </span>
      ))}
    </span>
  );
}

const Percent = ({ share }: { share: Share }) => (
  <span className={classNames('font-medium', isPoor(share) ? 'text-caution' : 'text-ink')}>
    {shareText(share)}
  </span>
);

function titleOf({ tier, due, inTime }: Share & { tier: number }, prices: TierPrices): string {
  const hours = prices.find((price) => price.tier === tier)?.interval_hours;
  const within = hours === undefined ? '' : ` within ${allowanceText(hours)}`;
  return `${countText(inTime)} of ${countText(due)} due collections arrived${within}`;
}

/** The value of a fact on a product's page. */
export function InTimeOf({ row, hours }: { row: Tracked; hours: number | undefined }) {
  if (row.status === 'suspended') return <Absent reason="suspended, not collected" />;
  if (row.slots_due_week === 0) return <Absent reason="no collection was due yet" />;
  const week = { due: row.slots_due_week, inTime: row.slots_in_time_week };
  return (
    <>
      <Percent share={week} /> of {countText(week.due)} in 7 days
      <span className="block text-xs text-muted">
        {row.slots_due_today > 0
          ? `${countText(row.slots_in_time_today)} of ${countText(row.slots_due_today)} today`
          : 'None due today yet'}
        {hours === undefined ? '' : `, within ${allowanceText(hours)}`}
      </span>
    </>
  );
}
