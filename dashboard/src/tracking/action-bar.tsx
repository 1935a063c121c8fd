// The line above the table of tracked products: how many are shown, or actions for the selection.
import { Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { usePlan, usePrices } from '../app/session.ts';
import { Button, IconButton } from '../design/button.tsx';
import { countText } from '../design/money.tsx';
import { type BulkAct, BulkChangeDialog, productsText } from './bulk-change-dialog.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { TableMenu } from './table-menu.tsx';
import { creditsPerDay } from './tier-cost.ts';
import type { useTrackedList } from './tracked-list.ts';
import type { Tracked } from './tracked-product.ts';

export function ActionBar({
  chosen,
  shown,
  list,
  onClear,
}: {
  chosen: readonly Tracked[];
  shown: readonly Tracked[];
  list: ReturnType<typeof useTrackedList>;
  onClear: () => void;
}) {
  const { data: prices } = usePrices();
  const { data: plan } = usePlan();
  const [act, setAct] = useState<{ kind: BulkAct; rows: readonly Tracked[] } | null>(null);
  const close = () => setAct(null);
  let content: ReactNode;
  let menu: ReactNode = null;
  if (chosen.length > 0) {
    const perDay = countText(creditsPerDay(chosen, prices?.tiers ?? []));
    content = (
      <>
        <span role="status" className="mr-auto text-ink tabular-nums">
          {countText(chosen.length)} selected
          <span className="hidden text-muted sm:inline"> · {perDay} credits per day</span>
        </span>
        <Button size="sm" onClick={() => setAct({ kind: 'tier', rows: chosen })}>
          Change tier
        </Button>
        <Button size="sm" onClick={() => setAct({ kind: 'tags', rows: chosen })}>
          Tags
        </Button>
        <Button
          size="sm"
          variant="danger"
          icon={<Trash2 aria-hidden className="size-3.5" />}
          onClick={() => setAct({ kind: 'remove', rows: chosen })}
        >
          Remove
        </Button>
        <IconButton
          size="sm"
          label="Clear selection"
          icon={<X aria-hidden className="size-4" />}
          onClick={onClear}
        />
      </>
    );
  } else if (!list.complete && list.failure === null) {
    const of = Math.max(plan?.tracked_products ?? 0, list.rows.length);
    content = <LoadingLine loaded={list.rows.length} of={of} />;
  } else {
    const all = list.rows.length;
    content = (
      <span role="status" className="text-muted tabular-nums">
        {shown.length === all
          ? productsText(all)
          : `${countText(shown.length)} of ${productsText(all)}`}
      </span>
    );
    menu = <TableMenu shown={shown} />;
  }
  return (
    <div className="flex min-h-10 items-center gap-2 border-b border-line px-4 py-1 text-xs">
      {content}
      {menu}
      {act === null ? null : <BulkChangeDialog act={act.kind} rows={act.rows} onClose={close} />}
    </div>
  );
}

function LoadingLine({ loaded, of }: { loaded: number; of: number }) {
  return (
    <>
      <span className="text-muted tabular-nums">
        Loading {of > 0 ? `${countText(loaded)} of ${countText(of)}` : ''}
      </span>
      <div className="w-32">
        <ProgressBar label="Products loaded" value={loaded} of={of} />
      </div>
    </>
  );
}
