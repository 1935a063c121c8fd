// How the product is tracked: its tier and price, its last and next look, and what can be done.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Radar } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api-client.ts';
import { StatusDot } from '../design/badge.tsx';
import { Button, IconButton } from '../design/button.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { Menu } from '../design/menu.tsx';
import { Absent } from '../design/money.tsx';
import { Card, Facts } from '../design/page.tsx';
import { RelativeTime, Time } from '../design/time.tsx';
import { toast } from '../design/toast.tsx';
import { paths } from '../paths.ts';
import { queryKey, refresh } from '../query-keys.ts';
import { usePrices } from '../session.ts';
import { everyText, perDayText, perMonthText } from './tier-choice.ts';
import { TrackDialog } from './track-dialog.tsx';
import { type TrackedRow, trackedByCode } from './tracked-product.ts';

/** In the page's head. */
export function TrackActions({ code, tracked }: { code: string; tracked: TrackedRow | null }) {
  const [isChoosing, setChoosing] = useState(false);
  const [isStopping, setStopping] = useState(false);
  return (
    <>
      {tracked ? (
        <>
          <Button onClick={() => setChoosing(true)}>Change tier</Button>
          <Menu
            trigger={
              <IconButton
                label="More actions"
                variant="secondary"
                icon={<Ellipsis aria-hidden className="size-4" />}
              />
            }
            entries={[
              { label: 'Open in Oversight', to: paths.oversight({ q: code }) },
              'separator',
              { label: 'Stop tracking', danger: true, onSelect: () => setStopping(true) },
            ]}
          />
          <StopDialog tracked={tracked} open={isStopping} onClose={() => setStopping(false)} />
        </>
      ) : (
        <Button
          variant="primary"
          icon={<Radar aria-hidden className="size-4" />}
          onClick={() => setChoosing(true)}
        >
          Track this
        </Button>
      )}
      <TrackDialog
        code={code}
        tracked={tracked}
        open={isChoosing}
        onClose={() => setChoosing(false)}
      />
    </>
  );
}

function StopDialog({
  tracked,
  open,
  onClose,
}: {
  tracked: TrackedRow;
  open: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () =>
      call('DELETE /retailer/oversight/products/{id}', { params: { id: tracked.id } }),
    onSuccess: () => {
      toast.done('Tracking stopped');
      // What is gone must not be asked for once more.
      client.setQueryData(trackedByCode(tracked.retailer_product_code).queryKey, null);
      client.removeQueries({ queryKey: queryKey('tracked', tracked.id) });
      return refresh(client, 'tracked', 'plan');
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Stop tracking this product?"
      confirmLabel="Stop tracking"
      danger
      onConfirm={() => stop.mutateAsync()}
    >
      No more days are charged and no more events are sent. Its price and stock points are no longer
      free to read here.
    </ConfirmDialog>
  );
}

export function TrackingCard({ tracked }: { tracked: TrackedRow }) {
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
            value: price ? (
              <>
                {perDayText(price)}
                <span className="block text-xs text-muted">{perMonthText(price)}</span>
              </>
            ) : null,
          },
          { name: 'Added', value: <Time at={tracked.created_at} show="day" /> },
          {
            name: 'Last look',
            value: <RelativeTime at={tracked.last_updated} absent="not looked at yet" />,
          },
          {
            name: 'Next look',
            value: isActive ? (
              <RelativeTime due at={tracked.next_due_at} absent="not planned yet" />
            ) : (
              <Absent reason="suspended" />
            ),
          },
        ]}
      />
    </Card>
  );
}
