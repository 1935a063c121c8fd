// Adds products by their codes: paste, review count and cost, send, see the result of each.
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { usePlan, usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { RadioCards } from '../design/choice.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextArea } from '../design/field.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { Notice } from '../design/page.tsx';
import { ALREADY_TRACKED, FAILED } from './add-outcome.ts';
import { useBulkAdd } from './bulk-add.ts';
import { BulkAddResult } from './bulk-add-result.tsx';
import { productsText } from './bulk-change-dialog.tsx';
import { CreditsLast } from './credits-last.tsx';
import { type PasteProblem, readPastedCodes } from './pasted-codes.ts';
import { creditsPerDay, DAYS_A_MONTH } from './tier-cost.ts';
import { TIER_DEFAULT, tierCards } from './tier-words.tsx';
import type { Tracked } from './tracked-product.ts';

/** Mounted while it is open. */
export function BulkAddDialog({
  initialText,
  tracked,
  onClose,
}: {
  initialText: string;
  tracked: readonly Tracked[];
  onClose: () => void;
}) {
  const form = useId();
  const [text, setText] = useState(initialText);
  const [tier, setTier] = useState(String(TIER_DEFAULT));
  const { data: prices } = usePrices();
  const { run, start, stop, reset } = useBulkAdd();
  const plan = useToAdd(text, tracked);
  const tierPrice = prices?.tiers.find((one) => one.tier === Number(tier));
  const perDay = (tierPrice?.credits_per_day ?? 0) * plan.codes.length;
  const isRunning = run !== null && !run.isOver;
  const failed = run?.lines.filter(({ state }) => FAILED.has(state)) ?? [];
  const failedCodes = failed.map(({ code }) => code).join('\n');
  const again = () => {
    setText(failedCodes);
    reset();
  };
  return (
    <Dialog
      open
      onClose={isRunning ? stop : onClose}
      title="Add products"
      description="Adding is free. Each day that a product is tracked costs the price of its tier."
      width="lg"
      footer={
        run === null ? (
          <StartButtons form={form} count={plan.codes.length} perDay={perDay} onCancel={onClose} />
        ) : isRunning ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <EndButtons failedCodes={failedCodes} onAgain={again} onClose={onClose} />
        )
      }
    >
      {run !== null ? (
        <BulkAddResult run={run} />
      ) : (
        <form
          id={form}
          className="grid gap-5 sm:grid-cols-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (plan.codes.length > 0) start(plan, Number(tier));
          }}
        >
          <div className="flex min-w-0 flex-col gap-3">
            <CodesField value={text} onChange={setText} />
            <Findings plan={plan} />
          </div>
          <div className="flex min-w-0 flex-col gap-3">
            <RadioCards
              legend="Tier"
              value={tier}
              onChange={setTier}
              cards={tierCards(prices?.tiers)}
            />
            <Sum count={plan.codes.length} perDay={perDay} />
            <CreditsLast perDay={perDay} others={creditsPerDay(tracked, prices?.tiers ?? [])} />
          </div>
        </form>
      )}
    </Dialog>
  );
}

function CodesField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <TextArea
      label="Product codes"
      hint="One per line, or separated by commas, tabs or spaces. A CSV column works."
      mono
      rows={9}
      spellCheck={false}
      value={value}
      onChange={onChange}
      placeholder={'548039907\n509340795'}
    />
  );
}

type StartProps = { form: string; count: number; perDay: number; onCancel: () => void };

function StartButtons({ form, count, perDay, onCancel }: StartProps) {
  return (
    <>
      <Button onClick={onCancel}>Cancel</Button>
      <Button variant="primary" type="submit" form={form} disabled={count === 0}>
        {count === 0 ? 'Add products' : `Add ${productsText(count)}`}
        {perDay === 0 ? null : (
          <span className="font-normal" data-numeric>
            {' · '}
            {creditsText(perDay)} per day
          </span>
        )}
      </Button>
    </>
  );
}

type EndProps = { failedCodes: string; onAgain: () => void; onClose: () => void };

function EndButtons({ failedCodes, onAgain, onClose }: EndProps) {
  return (
    <>
      {failedCodes === '' ? null : (
        <>
          <CopyButton size="md" name="failed codes" text={failedCodes}>
            Copy failed codes
          </CopyButton>
          <Button onClick={onAgain}>Retry these</Button>
        </>
      )}
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </>
  );
}

type ToAdd = {
  codes: ReturnType<typeof readPastedCodes>['codes'];
  problems: readonly PasteProblem[];
  isEmpty: boolean;
};

/** Products that are already tracked are listed too, and not sent. */
function useToAdd(text: string, tracked: readonly Tracked[]): ToAdd {
  const settled = useDeferredValue(text);
  const trackedCodes = useMemo(
    () => new Set(tracked.map((row) => row.retailer_product_code)),
    [tracked],
  );
  return useMemo(() => {
    const { codes, problems } = readPastedCodes(settled);
    const there = codes.filter(({ code }) => trackedCodes.has(code));
    const duplicates = there.map(({ code, ...where }) => ({
      ...where,
      text: code,
      reason: ALREADY_TRACKED,
    }));
    return {
      codes: codes.filter(({ code }) => !trackedCodes.has(code)),
      problems: [...problems, ...duplicates].sort((a, b) => a.position - b.position),
      isEmpty: settled.trim() === '',
    };
  }, [settled, trackedCodes]);
}

const PROBLEMS_SHOWN = 200;

function Findings({ plan }: { plan: ToAdd }) {
  const { codes, problems, isEmpty } = plan;
  return (
    <div aria-live="polite" className="flex min-h-9 flex-col gap-1.5 text-xs text-muted">
      {isEmpty ? null : (
        <p>
          {productsText(codes.length)} to add
          {problems.length > 0 ? `, ${countText(problems.length)} skipped:` : '.'}
        </p>
      )}
      {problems.length === 0 ? null : (
        <ul aria-label="Skipped" className="max-h-32 overflow-y-auto rounded-md border border-line">
          {problems.slice(0, PROBLEMS_SHOWN).map(({ line, text, reason }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line may repeat a word.
            <li key={index} className="flex gap-2 px-2 py-1 even:bg-sunken">
              <span className="w-14 shrink-0 tabular-nums">Line {line}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-ink">{text}</span>
              <span className="shrink-0">{reason}</span>
            </li>
          ))}
          {problems.length > PROBLEMS_SHOWN ? (
            <li className="px-2 py-1">and {countText(problems.length - PROBLEMS_SHOWN)} more</li>
          ) : null}
        </ul>
      )}
    </div>
  );
}

function Sum({ count, perDay }: { count: number; perDay: number }) {
  const { data: plan } = usePlan();
  const room = plan ? Math.max(0, plan.tracked_products_max - plan.tracked_products) : null;
  return (
    <>
      <p aria-live="polite" className="text-sm text-ink tabular-nums">
        {count === 0 ? (
          <span className="text-muted">Paste codes to see their cost.</span>
        ) : (
          <>
            {productsText(count)}: {countText(perDay)} credits per day,{' '}
            {countText(perDay * DAYS_A_MONTH)} in {DAYS_A_MONTH} days
          </>
        )}
      </p>
      {room !== null && count > room ? (
        <Notice tone="caution">
          {room === 0
            ? `Your plan allows ${productsText(plan?.tracked_products_max ?? 0)}, and all are in use.`
            : `Your plan has room for ${countText(room)} more; the rest will be rejected.`}
        </Notice>
      ) : null}
    </>
  );
}
