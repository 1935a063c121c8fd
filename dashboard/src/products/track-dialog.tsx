// Starts tracking a product, or changes its tier: each with its price a day and in thirty days.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { call } from '../api-client.ts';
import { explain } from '../api-problem.ts';
import { Button } from '../design/button.tsx';
import { RadioCards } from '../design/choice.tsx';
import { Dialog } from '../design/dialog.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { Notice } from '../design/page.tsx';
import { SkeletonText } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { refresh } from '../query-keys.ts';
import { useCredits, usePlan, usePrices } from '../session.ts';
import {
  depthText,
  everyText,
  perDayText,
  perMonthText,
  type Tier,
  type TierPrice,
} from './tier-choice.ts';
import type { TrackedRow } from './tracked-product.ts';

type TrackDialogProps = {
  code: string;
  /** Null: not tracked yet. */
  tracked: TrackedRow | null;
  open: boolean;
  onClose: () => void;
};

const CHEAPEST: Tier = 4;

export function TrackDialog({ code, tracked, open, onClose }: TrackDialogProps) {
  const [chosen, setChosen] = useState<Tier | null>(null);
  const formId = useId();
  const tier = chosen ?? (tracked?.tier as Tier | undefined) ?? CHEAPEST;
  const tiers = usePrices().data?.tiers;
  const price = tiers?.find((one) => one.tier === tier);
  const close = () => {
    setChosen(null);
    onClose();
  };
  const save = useSaveTier({ code, tracked, tier, onSaved: close });
  const isSame = tracked !== null && tracked.tier === tier;
  return (
    <Dialog
      open={open}
      onClose={close}
      title={tracked ? 'Change tier' : 'Track this product'}
      description="Every tier brings buybox price, stock, sellers and events; it says how often."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={formId}
            busy={save.isPending}
            disabled={price === undefined || isSame}
          >
            {tracked ? 'Change tier' : 'Start tracking'}
            {price ? <span className="font-normal">· {perDayText(price)}</span> : null}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        {tiers ? (
          <TierCards tiers={tiers} tier={tier} onChange={setChosen} />
        ) : (
          <SkeletonText lines={10} />
        )}
        <Terms isTracked={tracked !== null} />
        {save.error ? (
          <div role="alert">
            <Notice tone="critical">{explain(save.error).detail}</Notice>
          </div>
        ) : null}
      </form>
    </Dialog>
  );
}

function TierCards({
  tiers,
  tier,
  onChange,
}: {
  tiers: readonly TierPrice[];
  tier: Tier;
  onChange: (tier: Tier) => void;
}) {
  return (
    <RadioCards
      legend="Tier"
      legendHidden
      value={String(tier)}
      onChange={(value) => onChange(Number(value) as Tier)}
      cards={tiers.map((one) => ({
        value: String(one.tier),
        title: everyText(one.interval_hours),
        detail: depthText(one.tier),
        aside: (
          <>
            <span className="block text-ink">{perDayText(one)}</span>
            <span className="block">{perMonthText(one)}</span>
          </>
        ),
      }))}
    />
  );
}

/** What the price means, and what there is to pay it from. */
function Terms({ isTracked }: { isTracked: boolean }) {
  const credits = useCredits().data?.credits;
  const plan = usePlan().data;
  const sentences = [
    isTracked
      ? 'A day is charged once, at the finest tier it had.'
      : 'Adding and removing are free. Each day (UTC) is charged once, when it is first served.',
  ];
  if (credits) sentences.push(`You have ${creditsText(credits.remaining)} left.`);
  if (plan && !isTracked) {
    const [count, countMax] = [plan.tracked_products, plan.tracked_products_max].map(countText);
    sentences.push(`You track ${count} of ${countMax} products.`);
  }
  return <p className="text-xs text-muted">{sentences.join(' ')}</p>;
}

function useSaveTier(input: {
  code: string;
  tracked: TrackedRow | null;
  tier: Tier;
  onSaved: () => void;
}) {
  const { code, tracked, tier, onSaved } = input;
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      tracked
        ? call('PATCH /retailer/oversight/products/{id}', {
            params: { id: tracked.id },
            body: { tier },
          })
        : call('POST /retailer/oversight/products', {
            body: { retailer_product_code: code, tier },
          }),
    onSuccess: async () => {
      await refresh(client, 'tracked', 'plan');
      toast.done(tracked ? 'Tier changed' : 'Tracking started');
      onSaved();
    },
  });
}
