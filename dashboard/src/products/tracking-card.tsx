// How the product is tracked: tier, price, last and next observation, and actions.
import { Ellipsis, Radar } from 'lucide-react';
import { useState } from 'react';
import { paths } from '../app/paths.ts';
import { usePrices } from '../app/session.ts';
import { StatusDot } from '../design/badge.tsx';
import { Button, IconButton } from '../design/button.tsx';
import { CostButton } from '../design/cost.tsx';
import { Menu } from '../design/menu.tsx';
import { Absent } from '../design/money.tsx';
import { Card, Facts } from '../design/page.tsx';
import { RelativeTime, Time } from '../design/time.tsx';
import { InTimeOf } from '../tracking/in-time-summary.tsx';
import { ProductPanel } from '../tracking/product-panel.tsx';
import { StopTrackingDialog } from '../tracking/stop-tracking.tsx';
import type { TierPrice } from '../tracking/tier-cost.ts';
import { everyText, perDayText, perMonthText } from '../tracking/tier-words.tsx';
import { type Tracked, useBuyToday } from '../tracking/tracked-product.ts';
import { PaidProblem } from './paid-parts.tsx';
import { TrackDialog } from './track-dialog.tsx';

/** In the page's header. */
export function TrackActions({ code, tracked }: { code: string; tracked: Tracked | null }) {
  const [isChoosing, setChoosing] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      {/* One button with changing text: it gets the focus back when tracking has started. */}
      <Button
        variant={tracked ? 'secondary' : 'primary'}
        icon={tracked ? undefined : <Radar aria-hidden className="size-4" />}
        onClick={() => setChoosing(true)}
      >
        {tracked ? 'Change tier' : 'Track this'}
      </Button>
      {tracked ? (
        <>
          <Menu
            trigger={
              <IconButton
                label="More actions"
                variant="secondary"
                icon={<Ellipsis aria-hidden className="size-4" />}
              />
            }
            entries={[
              { label: 'Alert rules, seller and tags', onSelect: () => setEditing(true) },
              { label: 'Open in Tracked', to: paths.tracking({ q: code }) },
              'separator',
              { label: 'Stop tracking', danger: true, onSelect: () => setStopping(true) },
            ]}
          />
          <ProductPanel
            id={isEditing ? tracked.id : ''}
            row={tracked}
            isLoading={false}
            onClose={() => setEditing(false)}
          />
          <StopTrackingDialog
            row={tracked}
            open={isStopping}
            onClose={() => setStopping(false)}
            confirmLabel="Stop tracking"
          />
        </>
      ) : null}
      <TrackDialog
        code={code}
        tracked={tracked}
        open={isChoosing}
        onClose={() => setChoosing(false)}
      />
    </>
  );
}

function Cost({ price, isActive }: { price: TierPrice; isActive: boolean }) {
  return (
    <>
      {isActive ? perDayText(price) : 'Free while suspended'}
      <span className="block text-xs text-muted">
        {isActive ? perMonthText(price) : `${perDayText(price)} when it resumes`}
      </span>
    </>
  );
}

export function TrackingCard({ tracked }: { tracked: Tracked }) {
  const price = usePrices().data?.tiers.find(({ tier }) => tier === tracked.tier);
  const isActive = tracked.status === 'active';
  return (
    <Card title="Tracking">
      <Facts
        facts={[
          {
            name: 'Status',
            value: (
              <StatusDot tone={isActive ? 'positive' : 'caution'}>
                {isActive ? 'Active' : 'Suspended'}
              </StatusDot>
            ),
          },
          {
            name: 'Tier',
            value: price ? `${tracked.tier}, ${everyText(price.interval_hours).toLowerCase()}` : '',
          },
          {
            name: 'Cost',
            value: price ? <Cost price={price} isActive={isActive} /> : null,
          },
          ...(tracked.delisted_at
            ? [{ name: 'Delisted since', value: <Time at={tracked.delisted_at} show="day" /> }]
            : []),
          { name: 'Added', value: <Time at={tracked.created_at} show="day" /> },
          {
            name: 'Last collected',
            value: <RelativeTime at={tracked.last_updated} absent="no paid day yet" />,
          },
          {
            name: 'Next collection',
            value: isActive ? (
              <RelativeTime due at={tracked.next_due_at} absent="not scheduled yet" />
            ) : (
              <Absent reason="suspended" />
            ),
          },
          {
            name: 'In time',
            value: <InTimeOf row={tracked} hours={price?.interval_hours} />,
          },
        ]}
      />
      {isActive && tracked.credits_for_today > 0 ? <Today tracked={tracked} /> : null}
    </Card>
  );
}

/**
 * The last paid day is shown: today's data follows with the first observation, or at once for its
 * price.
 */
function Today({ tracked }: { tracked: Tracked }) {
  const today = useBuyToday(tracked.id);
  const credits = tracked.credits_for_today;
  return (
    <div className="mt-3 flex flex-col gap-2 border-t border-line pt-3">
      <p className="text-xs text-muted">
        {tracked.shown_day === null
          ? 'Data is shown from the first paid day. The next collection charges it.'
          : 'The data is from the last paid day. The next collection charges today.'}
      </p>
      <CostButton
        credits={credits}
        busy={today.isPending}
        size="sm"
        variant="secondary"
        onClick={() => today.mutate(credits)}
      >
        Show today’s data now
      </CostButton>
      {today.error ? <PaidProblem error={today.error} /> : null}
    </div>
  );
}
