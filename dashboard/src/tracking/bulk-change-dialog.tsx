// Changes the tier or the tags of many products, or removes them: consequences, progress, then
// failures.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { ApiProblem, explain } from '../app/api-problem.ts';
import { refresh } from '../app/query-keys.ts';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { RadioCards } from '../design/choice.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { toast } from '../design/toast.tsx';
import { useManyRun } from './many-run.ts';
import { ProgressBar } from './progress-bar.tsx';
import { readTags, retagged, TAGS_MAX, tagProblem, tagsInUse } from './tag.ts';
import { creditsPerDay, DAYS_A_MONTH, raiseCost } from './tier-cost.ts';
import { type Tier, type TierPrices, tierCards, withRaise } from './tier-words.tsx';
import { nameOf } from './tracked-columns.tsx';
import { changeTrackedRows } from './tracked-list.ts';
import type { Tracked } from './tracked-product.ts';

export type BulkAct = 'tier' | 'tags' | 'remove';
type Failure = { row: Tracked; sentence: string };
type Run = { done: number; failures: readonly Failure[]; isOver: boolean };

export const productsText = (count: number) =>
  `${countText(count)} ${count === 1 ? 'product' : 'products'}`;

/** Mounted while it is open, with the selection at that time. */
export function BulkChangeDialog({
  act,
  rows,
  onClose,
}: {
  act: BulkAct;
  rows: readonly Tracked[];
  onClose: () => void;
}) {
  const { data } = usePrices();
  const prices = data?.tiers ?? [];
  const [tier, setTier] = useState<string | null>(null);
  const [words, setWords] = useState({ add: '', remove: '' });
  const tags = { add: readTags(words.add), remove: readTags(words.remove) };
  const wrongTags = tagProblem(tags.add);
  const { run, start, stop } = useRun(rows, onClose);
  const target = act === 'tier' ? Number(tier) : null;
  const cost = target === null || tier === null ? 0 : raiseCost(rows, target, prices);
  const begin = () => {
    if (act === 'remove') start(removePart);
    else if (act === 'tags') start(changeTags(tags));
    else start(changeTier(Number(tier), prices));
  };
  const many = productsText(rows.length);
  return (
    <Dialog
      open
      onClose={run !== null && !run.isOver ? stop : onClose}
      title={titleOf(act, many)}
      footer={
        run === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            {act === 'remove' ? (
              <Button variant="danger" onClick={begin}>
                Remove {many}
              </Button>
            ) : act === 'tags' ? (
              <Button
                variant="primary"
                disabled={isNothing(tags) || wrongTags !== undefined}
                onClick={begin}
              >
                Change tags
              </Button>
            ) : (
              <Button variant="primary" disabled={tier === null} onClick={begin}>
                {withRaise('Change tier', cost)}
              </Button>
            )}
          </>
        ) : (
          <Button onClick={run.isOver ? onClose : stop}>{run.isOver ? 'Close' : 'Stop'}</Button>
        )
      }
    >
      {run !== null ? (
        <Progress run={run} of={rows.length} />
      ) : act === 'remove' ? (
        <RemovalText rows={rows} prices={prices} />
      ) : act === 'tags' ? (
        <TagFields rows={rows} words={words} onChange={setWords} problem={wrongTags} />
      ) : (
        <div className="flex flex-col gap-3">
          <RadioCards legend="New tier" value={tier} onChange={setTier} cards={tierCards(prices)} />
          <p aria-live="polite" className="min-h-10 text-sm text-muted">
            {tier === null ? '' : tierText({ rows, prices, tier: Number(tier), cost })}
          </p>
        </div>
      )}
    </Dialog>
  );
}

const titleOf = (act: BulkAct, many: string) =>
  ({
    remove: `Remove ${many}?`,
    tags: `Change the tags of ${many}`,
    tier: `Change the tier of ${many}`,
  })[act];

type TagChange = { add: readonly string[]; remove: readonly string[] };
const isNothing = ({ add, remove }: TagChange) => add.length + remove.length === 0;

function TagFields(props: {
  rows: readonly Tracked[];
  words: { add: string; remove: string };
  onChange: (words: { add: string; remove: string }) => void;
  problem: string | undefined;
}) {
  const { rows, words, onChange, problem } = props;
  const used = tagsInUse(rows);
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label="Add tags"
        value={words.add}
        onChange={(add) => onChange({ ...words, add })}
        placeholder="toys, clearance"
        hint={`Separated by commas. A product has at most ${TAGS_MAX} tags.`}
        error={problem}
        spellCheck={false}
        autoCapitalize="none"
      />
      <TextField
        label="Remove tags"
        value={words.remove}
        onChange={(remove) => onChange({ ...words, remove })}
        hint={used.length === 0 ? 'These products have no tags.' : `In use: ${used.join(', ')}`}
        spellCheck={false}
        autoCapitalize="none"
      />
    </div>
  );
}

function RemovalText({ rows, prices }: { rows: readonly Tracked[]; prices: TierPrices }) {
  const perDay = creditsPerDay(rows, prices);
  return (
    <p className="text-sm text-muted">
      {rows.length === 1 ? 'It is' : 'They are'} no longer tracked.{' '}
      {perDay > 0
        ? `You save ${countText(perDay)} credits per day, ${countText(perDay * DAYS_A_MONTH)} in ${DAYS_A_MONTH} days.`
        : 'Your spending per day does not change.'}{' '}
      Today’s charge is not refunded. {rows.length === 1 ? 'Its' : 'Their'} rules are lost.
    </p>
  );
}

function tierText(input: {
  rows: readonly Tracked[];
  prices: TierPrices;
  tier: number;
  cost: number;
}): string {
  const { rows, prices, tier, cost } = input;
  const before = creditsPerDay(rows, prices);
  const after = creditsPerDay(
    rows.map((row) => ({ ...row, tier })),
    prices,
  );
  const day = `${countText(before)} → ${countText(after)} credits per day`;
  const month = `${countText(after * DAYS_A_MONTH)} in ${DAYS_A_MONTH} days`;
  const raise = `Raising the tier today costs the difference of ${creditsText(cost)} at once, less for products whose day is not paid yet.`;
  return `${day}, ${month}. ${cost > 0 ? raise : ''}`;
}

function Progress({ run, of }: { run: Run; of: number }) {
  const { done, failures, isOver } = run;
  return (
    <div className="flex flex-col gap-3">
      <ProgressBar label="Products done" value={done} of={of} />
      <p role="status" className="text-sm text-ink tabular-nums">
        {countText(done - failures.length)} of {productsText(of)} done
        {failures.length > 0 ? `, ${countText(failures.length)} rejected` : ''}
        {isOver && done < of ? `. Stopped; ${countText(of - done)} unchanged.` : '.'}
      </p>
      {failures.length === 0 ? null : (
        <>
          <ul
            aria-label="Refused"
            className="max-h-60 divide-y divide-line overflow-y-auto text-xs"
          >
            {failures.map(({ row, sentence }) => (
              <li key={row.id} className="py-1.5">
                <span className="block truncate text-ink">{nameOf(row)}</span>
                <span className="text-critical">{sentence}</span>
              </li>
            ))}
          </ul>
          <div>
            <CopyButton
              name="rejected codes"
              text={failures.map(({ row }) => row.retailer_product_code).join('\n')}
            >
              Copy rejected codes
            </CopyButton>
          </div>
        </>
      )}
    </div>
  );
}

type Result = {
  status: number;
  product?: ChangedRow | undefined;
  error?: Readonly<Record<string, unknown>> | undefined;
};
type ChangedRow = Pick<Tracked, 'tier' | 'status' | 'tags'>;
/** Changes a part of the products; returns one result for each. */
type Part = (rows: readonly Tracked[]) => Promise<{ results: Result[] }>;

const itemsOf = (rows: readonly Tracked[]) => rows.map(({ id }) => ({ id }));

const removePart: Part = (rows) =>
  call('POST /retailer/oversight/products/bulk/remove', { body: { items: itemsOf(rows) } });

const changeTier =
  (tier: number, prices: TierPrices): Part =>
  (rows) =>
    call('PATCH /retailer/oversight/products/bulk', {
      body: { items: itemsOf(rows).map((item) => ({ ...item, tier: tier as Tier })) },
      maxCredits: raiseCost(rows, tier, prices),
    });

const changeTags =
  (change: TagChange): Part =>
  (rows) =>
    call('PATCH /retailer/oversight/products/bulk', {
      body: { items: rows.map(({ id, tags }) => ({ id, tags: retagged(tags, change) })) },
    });

/** A product that somebody else removed meanwhile is removed. */
const isRemoved = ({ status, error }: Result) =>
  status === 204 || error?.code === 'tracked_product_not_found';

function useRun(rows: readonly Tracked[], onClose: () => void) {
  const client = useQueryClient();
  const [run, setRun] = useState<Run | null>(null);
  const { runParts, stop } = useManyRun();
  const start = async (act: Part) => {
    const failures: Failure[] = [];
    let done = 0;
    const show = (isOver: boolean) => setRun({ done, failures: [...failures], isOver });
    show(false);
    await runParts(rows, async (part, retrying) => {
      const changed = new Map<string, Tracked | null>();
      try {
        const { results } = await retrying(() => act(part));
        for (const [index, row] of part.entries()) {
          const result = results[index] as Result;
          if (isRemoved(result)) changed.set(row.id, null);
          else if (result.product !== undefined) changed.set(row.id, { ...row, ...result.product });
          else failures.push({ row, sentence: sentenceOf(result) });
        }
      } catch (error) {
        failures.push(...part.map((row) => ({ row, sentence: explain(error).detail })));
      }
      done += part.length;
      if (changed.size > 0) changeTrackedRows(client, (current) => edited(current, changed));
      show(false);
    });
    show(true);
    void refresh(client, 'plan', 'credits');
    if (failures.length > 0 || done < rows.length) return;
    toast.done(`${productsText(done)} done`);
    onClose();
  };
  return { run, start: (act: Part) => void start(act), stop };
}

const sentenceOf = ({ status, error }: Result) =>
  explain(new ApiProblem(status, error ?? {})).detail;

function edited(rows: readonly Tracked[], changed: ReadonlyMap<string, Tracked | null>) {
  return rows.flatMap((row) => {
    const now = changed.get(row.id);
    if (now === undefined) return [row];
    return now === null ? [] : [{ ...row, tier: now.tier, status: now.status, tags: now.tags }];
  });
}
