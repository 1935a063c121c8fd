// Tracked products that need the customer, the most urgent first.
import { CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { ButtonLink } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Link, TextLink } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { RelativeTime } from '../design/time.tsx';
import { type Tracked, useTrackedList } from '../oversight/tracked-list.ts';
import { mostUrgent, urgencyOf } from '../oversight/tracked-view.ts';
import { paths } from '../paths.ts';

const SHOWN = 8;

export function AttentionCard() {
  const list = useTrackedList();
  const needing = useMemo(() => mostUrgent(list.rows), [list.rows]);
  return (
    <Card
      title="Needs attention"
      flush
      actions={
        needing.length > 0 ? (
          <ButtonLink size="sm" variant="quiet" to={paths.oversight({ attention: 'yes' })}>
            {needing.length > SHOWN ? `All ${countText(needing.length)}` : 'Open in Oversight'}
          </ButtonLink>
        ) : null
      }
    >
      {needing.length > 0 ? (
        <ul aria-label="Products that need attention" className="divide-y divide-line">
          {needing.slice(0, SHOWN).map((row) => (
            <AttentionLine key={row.id} row={row} />
          ))}
        </ul>
      ) : list.isPending || (!list.complete && list.failure === null) ? (
        <SkeletonRows rows={4} columns={2} />
      ) : list.failure !== null ? (
        <ErrorState compact error={list.failure} onRetry={list.retry} />
      ) : list.rows.length === 0 ? (
        <EmptyState title="Nothing tracked yet">
          <TextLink to={paths.oversight({ add: '1' })}>Add products</TextLink> to watch their price,
          stock and buybox.
        </EmptyState>
      ) : (
        <EmptyState title="All is well" icon={<CircleCheck aria-hidden />}>
          None of {countText(list.rows.length)} tracked products needs you.
        </EmptyState>
      )}
    </Card>
  );
}

function AttentionLine({ row }: { row: Tracked }) {
  return (
    <li className="flex items-baseline gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <Link
          to={paths.product(row.retailer_product_code)}
          className="block truncate rounded-sm text-sm text-ink hover:underline"
        >
          {row.product_name ?? row.retailer_product_code}
        </Link>
        <p
          className={classNames(
            'truncate text-xs',
            urgencyOf(row) <= 1 ? 'text-critical' : 'text-caution',
          )}
        >
          {row.attention}
        </p>
      </div>
      <span className="shrink-0 text-xs text-muted">
        <RelativeTime at={row.last_updated} absent="not collected yet" />
      </span>
    </li>
  );
}
