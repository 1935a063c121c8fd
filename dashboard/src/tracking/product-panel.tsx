// The panel of one tracked product: tier, seller to watch, tags, rules with back-test, and removal.

import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import { call } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { paths } from '../app/paths.ts';
import { refresh } from '../app/query-keys.ts';
import { useCredits, usePrices, useSession } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { RadioCards } from '../design/choice.tsx';
import { Drawer } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { TextLink } from '../design/link.tsx';
import { Notice } from '../design/page.tsx';
import { EmptyState, Skeleton, SkeletonText } from '../design/states.tsx';
import { RelativeTime } from '../design/time.tsx';
import { toast } from '../design/toast.tsx';
import { BackTest } from './back-test.tsx';
import { draftOf, hasProblem, rulesOf, rulesPatch, sameRules } from './rules.ts';
import { RulesEditor } from './rules-editor.tsx';
import { SellerField } from './seller-field.tsx';
import { StopTrackingDialog } from './stop-tracking.tsx';
import { readTags, tagProblem } from './tag.ts';
import { raiseCost } from './tier-cost.ts';
import { changeNote, type Tier, tierCards, withRaise } from './tier-words.tsx';
import { changeTrackedRows } from './tracked-list.ts';
import type { Tracked } from './tracked-product.ts';

/** Drawing is a tenth of the page's script, and most visits to the table open no panel. */
const PanelChart = lazy(() =>
  import('../chart/panel-chart.tsx').then((module) => ({ default: module.PanelChart })),
);

export function ProductPanel({
  id,
  row,
  isLoading,
  onClose,
}: {
  /** Empty: the panel is closed. */
  id: string;
  row: Tracked | undefined;
  isLoading: boolean;
  onClose: () => void;
}) {
  const isOpen = id !== '';
  if (isOpen && row !== undefined) return <OpenPanel key={row.id} row={row} onClose={onClose} />;
  return (
    <Drawer open={isOpen} onClose={onClose} title="Tracked product" width="lg">
      {isLoading ? (
        <SkeletonText lines={6} />
      ) : (
        <EmptyState title="Not tracked">You no longer track this product.</EmptyState>
      )}
    </Drawer>
  );
}

function OpenPanel({ row, onClose }: { row: Tracked; onClose: () => void }) {
  const form = useId();
  const { data: prices } = usePrices();
  const [isRemoving, setRemoving] = useState(false);
  const edit = useEdit(row, onClose);
  const cost = raiseCost([row], edit.tier, prices?.tiers ?? []);
  return (
    <Drawer
      open
      onClose={onClose}
      isEdited={edit.isEdited}
      title={row.product_name ?? row.retailer_product_code}
      description={
        <>
          {row.retailer_product_code}
          {row.brand ? ` · ${row.brand}` : ''} ·{' '}
          <TextLink to={paths.product(row.retailer_product_code)}>Open product</TextLink>
          {row.ends_at === null ? null : (
            <>
              {' · tracking ends '}
              <RelativeTime due at={row.ends_at} absent="" />
            </>
          )}
        </>
      }
      width="lg"
      footer={
        <>
          <Button variant="danger" className="mr-auto" onClick={() => setRemoving(true)}>
            Remove
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <SaveButton form={form} edit={edit} cost={cost} />
        </>
      }
    >
      <EditForm id={form} row={row} edit={edit} cost={cost} />
      <StopTrackingDialog
        row={row}
        open={isRemoving}
        onClose={() => setRemoving(false)}
        confirmLabel="Remove product"
        onStopped={onClose}
      />
    </Drawer>
  );
}

type EditFormProps = {
  id: string;
  row: Tracked;
  edit: ReturnType<typeof useEdit>;
  cost: number;
};

function EditForm({ id, row, edit, cost }: EditFormProps) {
  const { data: prices } = usePrices();
  const { data: credits } = useCredits();
  const { data: session } = useSession();
  const accountSeller = session?.account.seller_name;
  return (
    <form
      id={id}
      className="flex flex-col gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        if (edit.canSave) edit.save.mutate(cost);
      }}
    >
      {row.attention ? <Notice tone="caution">{row.attention}</Notice> : null}
      <Suspense fallback={<Skeleton className="h-110 w-full" />}>
        <PanelChart row={row} />
      </Suspense>
      {edit.save.isError ? (
        <Notice tone="critical">{explain(edit.save.error).detail}</Notice>
      ) : null}
      <section className="flex flex-col gap-2">
        <RadioCards
          legend="Tier"
          value={String(edit.tier)}
          onChange={(tier) => edit.set({ tier: Number(tier) })}
          cards={tierCards(prices?.tiers, credits?.credits.remaining)}
        />
        <p aria-live="polite" className="min-h-4 text-xs text-muted">
          {changeNote(row.tier, edit.tier, cost)}
        </p>
      </section>
      <SellerField
        row={row}
        value={edit.seller}
        onChange={(seller) => edit.set({ seller })}
        accountSeller={accountSeller ?? null}
      />
      <TextField
        label="Tags"
        value={edit.tags}
        onChange={(tags) => edit.set({ tags })}
        placeholder="toys, clearance"
        hint="Separated by commas. Rules and webhooks can be limited to tags; events carry them."
        error={edit.tagProblem}
        spellCheck={false}
        autoCapitalize="none"
      />
      <section aria-labelledby={`${id}-rules`} className="flex flex-col gap-3">
        <h3 id={`${id}-rules`} className="text-sm font-semibold text-ink">
          Alert rules
        </h3>
        {hasProblem(edit.rules) ? (
          <Notice tone="critical">A marked value is not allowed. Correct it to save.</Notice>
        ) : null}
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <RulesEditor draft={edit.rules} onChange={(rules) => edit.set({ rules })} />
          <div className="sm:sticky sm:top-0">
            <BackTest
              id={row.id}
              rules={hasProblem(edit.rules) ? undefined : rulesOf(edit.rules)}
              currentRules={rulesOf(draftOf(row.rules))}
              seller={sellerOf(edit.seller)}
              currentSeller={row.seller_name}
            />
          </div>
        </div>
      </section>
    </form>
  );
}

const sellerOf = (text: string) => (text.trim() === '' ? null : text.trim());

type Draft = { tier: number; seller: string; tags: string; rules: ReturnType<typeof draftOf> };

/** The draft is created once: live updates do not undo what is being typed. */
function useEdit(row: Tracked, onSaved: () => void) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => ({
    tier: row.tier,
    seller: row.seller_name ?? '',
    tags: row.tags.join(', '),
    rules: draftOf(row.rules),
  }));
  const seller = sellerOf(draft.seller);
  const isRulesChanged = !sameRules(draft.rules, draftOf(row.rules));
  const tags = readTags(draft.tags);
  const wrongTags = tagProblem(tags);
  const body = {
    ...(draft.tier === row.tier ? {} : { tier: draft.tier as Tier }),
    ...(seller === row.seller_name ? {} : { seller_name: seller }),
    ...(tags.join() === row.tags.join() ? {} : { tags }),
    ...(isRulesChanged ? { rules: rulesPatch(draft.rules) } : {}),
  };
  const isEdited = Object.keys(body).length > 0;
  const save = useOnceMutation({
    mutationFn: (maxCredits: number) =>
      call('PATCH /retailer/oversight/products/{id}', {
        params: { id: row.id },
        body,
        maxCredits,
      }),
    onSuccess: (changed) => {
      const { tier, status, seller_name, rules } = changed;
      const now = { tier, status, seller_name, rules, tags: changed.tags };
      changeTrackedRows(client, (rows) =>
        rows.map((one) => (one.id === row.id ? { ...one, ...now } : one)),
      );
      toast.done('Tracking changed');
      onSaved();
      return refresh(client, 'plan', 'credits', 'product');
    },
  });
  return {
    ...draft,
    set: (patch: Partial<Draft>) => setDraft((now) => ({ ...now, ...patch })),
    isEdited,
    tagProblem: wrongTags,
    canSave: isEdited && !hasProblem(draft.rules) && wrongTags === undefined,
    save,
  };
}

function SaveButton(props: { form: string; edit: ReturnType<typeof useEdit>; cost: number }) {
  const { form, edit, cost } = props;
  return (
    <Button
      variant="primary"
      type="submit"
      form={form}
      busy={edit.save.isPending}
      disabled={!edit.canSave}
    >
      {withRaise('Save changes', cost)}
    </Button>
  );
}
