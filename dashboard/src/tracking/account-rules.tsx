// Rules for many products, in a drawer: those that exist, and a form for a condition of one's own.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, type ResponseOf } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey, refresh } from '../app/query-keys.ts';
import { Button } from '../design/button.tsx';
import { Drawer } from '../design/dialog.tsx';
import { TextArea, TextField } from '../design/field.tsx';
import { Notice } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonText } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { ConditionTrial, triedOn } from './condition-trial.tsx';
import { readTags, tagProblem } from './tag.ts';
import type { Tracked } from './tracked-product.ts';

type Rule = ResponseOf<'GET /retailer/oversight/rules'>[number];

const rulesQuery = queryOptions({
  queryKey: queryKey('rules'),
  queryFn: ({ signal }) => call('GET /retailer/oversight/rules', { signal }),
});

const NAMES =
  'Names: price, lowest_offer, stock, sellers, rank, units_per_day, buybox_seller, my_seller, lost_box_hours, lowest_in_days, price_change_1d, price_change_7d, price_change_30d. A webhook must subscribe to rule.matched.';

export function AccountRules(props: {
  open: boolean;
  onClose: () => void;
  /** The tracked products, to try a condition on one of them. */
  rows: readonly Tracked[];
}) {
  const { open, onClose, rows } = props;
  return (
    <Drawer
      open={open}
      onClose={onClose}
      title="Alert rules for many products"
      description="When a condition becomes true for a product, subscribed webhooks get rule.matched."
      width="lg"
    >
      <div className="flex flex-col gap-6">
        <NewRule rows={rows} />
        <RuleList />
      </div>
    </Drawer>
  );
}

function NewRule({ rows }: { rows: readonly Tracked[] }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState({ name: '', tags: '', condition: '' });
  const tags = readTags(draft.tags);
  const wrongTags = tagProblem(tags);
  const add = useOnceMutation({
    mutationFn: () =>
      call('POST /retailer/oversight/rules', {
        body: {
          name: draft.name.trim(),
          tags: tags.length === 0 ? null : tags,
          condition: draft.condition.trim(),
        },
      }),
    onSuccess: ({ warnings }) => {
      toast.done(warnings[0]?.message ?? 'Rule added');
      setDraft({ name: '', tags: '', condition: '' });
      return refresh(client, 'rules');
    },
  });
  const isComplete = draft.name.trim() !== '' && draft.condition.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && wrongTags === undefined) add.mutate(undefined);
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {add.isError ? <Notice tone="critical">{explain(add.error).detail}</Notice> : null}
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        maxLength={100}
        placeholder="Cheap and in stock"
      />
      <TextArea
        label="Condition"
        mono
        rows={2}
        value={draft.condition}
        onChange={(condition) => setDraft({ ...draft, condition })}
        placeholder="price < 20 && stock > 0"
        hint={NAMES}
        spellCheck={false}
      />
      <ConditionTrial condition={draft.condition.trim()} row={triedOn(rows, tags)} />
      <TextField
        label="Only products with one of these tags"
        value={draft.tags}
        onChange={(text) => setDraft({ ...draft, tags: text })}
        placeholder="All products"
        error={wrongTags}
        spellCheck={false}
        autoCapitalize="none"
      />
      <div>
        <Button
          variant="primary"
          type="submit"
          busy={add.isPending}
          disabled={!isComplete || wrongTags !== undefined}
        >
          Add rule
        </Button>
      </div>
    </form>
  );
}

function RuleList() {
  const rules = useQuery(rulesQuery);
  if (rules.isPending) return <SkeletonText lines={3} />;
  if (rules.isError) return <ErrorState error={rules.error} onRetry={() => rules.refetch()} />;
  if (rules.data.length === 0)
    return (
      <EmptyState title="No rules yet">Try a condition on a product’s history first.</EmptyState>
    );
  return (
    <ul aria-label="Rules" className="divide-y divide-line rounded-md border border-line">
      {rules.data.map((rule) => (
        <RuleRow key={rule.id} rule={rule} />
      ))}
    </ul>
  );
}

function RuleRow({ rule }: { rule: Rule }) {
  const client = useQueryClient();
  const remove = useOnceMutation({
    mutationFn: () => call('DELETE /retailer/oversight/rules/{id}', { params: { id: rule.id } }),
    onSuccess: () => {
      toast.done('Rule removed');
      return refresh(client, 'rules');
    },
    onError: toast.failed,
  });
  return (
    <li className="flex items-start gap-3 px-3 py-2">
      <div className="min-w-0 flex-1">
        <div className="truncate text-sm font-medium text-ink">{rule.name}</div>
        <div className="font-mono text-xs break-words text-muted">
          {rule.condition ?? JSON.stringify(rule.rules)}
        </div>
        <div className="text-xs text-muted">
          {rule.tags === null ? 'All products' : rule.tags.map((tag) => `#${tag}`).join(' ')}
        </div>
      </div>
      <Button
        size="sm"
        aria-label={`Remove the rule ${rule.name}`}
        busy={remove.isPending}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
    </li>
  );
}
