// Starts tracking a product, or changes its tier; each tier with its price per day and per thirty
// days.

import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { call } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { refresh } from '../app/query-keys.ts';
import { useCredits, usePlan, usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { RadioCards } from '../design/choice.tsx';
import { Dialog } from '../design/dialog.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { Notice } from '../design/page.tsx';
import { SkeletonText } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { CreditsLast } from '../tracking/credits-last.tsx';
import { raiseCost } from '../tracking/tier-cost.ts';
import {
  changeNote,
  perDayText,
  TIER_DEFAULT,
  type Tier,
  tierCards,
  withRaise,
} from '../tracking/tier-words.tsx';
import type { Tracked } from '../tracking/tracked-product.ts';

type TrackDialogProps = {
  code: string;
  /** Null: not tracked yet. */
  tracked: Tracked | null;
  open: boolean;
  onClose: () => void;
};

export function TrackDialog({ code, tracked, open, onClose }: TrackDialogProps) {
  const [chosen, setChosen] = useState<Tier | null>(null);
  const formId = useId();
  const tier = chosen ?? (tracked?.tier as Tier | undefined) ?? TIER_DEFAULT;
  const tiers = usePrices().data?.tiers;
  const left = useCredits().data?.credits.remaining;
  const price = tiers?.find((one) => one.tier === tier);
  const close = () => {
    setChosen(null);
    onClose();
  };
  // Adding does not charge the first day, so only a raise has a cost to cap.
  const cost = tracked ? raiseCost([tracked], tier, tiers ?? []) : 0;
  const save = useSaveTier({ code, tracked, tier, cost, onSaved: close });
  const isSame = tracked !== null && tracked.tier === tier;
  return (
    <Dialog
      open={open}
      onClose={close}
      title={tracked ? 'Change tier' : 'Track this product'}
      description="Every tier has buybox price, stock, sellers and events; it sets how often they are collected."
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
            {tracked
              ? withRaise('Change tier', cost)
              : `Start tracking${price ? ` · ${perDayText(price)}` : ''}`}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {tiers ? (
          <RadioCards
            legend="Tier"
            legendHidden
            value={String(tier)}
            onChange={(value) => setChosen(Number(value) as Tier)}
            cards={tierCards(tiers, left)}
          />
        ) : (
          <SkeletonText lines={10} />
        )}
        {tracked ? (
          <p aria-live="polite" className="min-h-4 text-xs text-muted">
            {changeNote(tracked.tier, tier, cost)}
          </p>
        ) : null}
        {isSame ? null : <CreditsLast perDay={price?.credits_per_day ?? 0} />}
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

/** What the price means, and the credits to pay it. */
function Terms({ isTracked }: { isTracked: boolean }) {
  const credits = useCredits().data?.credits;
  const plan = usePlan().data;
  const sentences = [
    isTracked
      ? 'A day is charged once, at its finest tier.'
      : 'Adding and removing are free. Each UTC day is charged once, when its data is first collected or shown.',
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
  tracked: Tracked | null;
  tier: Tier;
  /** The label of the button. */
  cost: number;
  onSaved: () => void;
}) {
  const { code, tracked, tier, cost, onSaved } = input;
  const client = useQueryClient();
  return useOnceMutation({
    mutationFn: () =>
      tracked
        ? call('PATCH /retailer/oversight/products/{id}', {
            params: { id: tracked.id },
            body: { tier },
            maxCredits: cost,
          })
        : call('POST /retailer/oversight/products', {
            body: { retailer_product_code: code, tier },
          }),
    onSuccess: async () => {
      await refresh(client, 'tracked', 'plan', 'credits');
      toast.done(tracked ? 'Tier changed' : 'Tracking started');
      onSaved();
    },
  });
}
