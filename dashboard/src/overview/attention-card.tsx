// Tracked products that need attention.
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { callWithHeaders } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { usePlan } from '../app/session.ts';
import { ButtonLink } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Link, TextLink } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { RelativeTime } from '../design/time.tsx';
import type { Tracked } from '../tracking/tracked-product.ts';
import { attentionTone } from '../tracking/urgency.ts';

const SHOWN = 8;

export function AttentionCard() {
  const needing = useQuery({
    queryKey: queryKey('tracked', 'attention', SHOWN),
    queryFn: ({ signal }) =>
      callWithHeaders('GET /session/tracked', { query: { attention: true, limit: SHOWN }, signal }),
  });
  const rows = needing.data?.data ?? [];
  return (
    <Card
      title="Needs attention"
      flush
      actions={
        rows.length > 0 ? (
          <ButtonLink size="sm" variant="quiet" to={paths.tracking({ attention: 'yes' })}>
            {needing.data?.next == null ? 'Open in Tracked products' : 'Show all'}
          </ButtonLink>
        ) : null
      }
    >
      {rows.length > 0 ? (
        <ul aria-label="Products that need attention" className="divide-y divide-line">
          {rows.map((row) => (
            <AttentionLine key={row.id} row={row} />
          ))}
        </ul>
      ) : needing.isPending ? (
        <SkeletonRows rows={4} columns={2} />
      ) : needing.isError ? (
        <ErrorState compact error={needing.error} onRetry={needing.refetch} />
      ) : (
        <NothingNeeded />
      )}
    </Card>
  );
}

function NothingNeeded() {
  const { data: plan } = usePlan();
  if (plan?.tracked_products === 0)
    return (
      <EmptyState title="Nothing tracked yet">
        <TextLink to={paths.tracking({ add: '1' })}>Add products</TextLink> to watch their price,
        stock and buybox.
      </EmptyState>
    );
  return (
    <EmptyState title="Nothing needs attention" icon={<CircleCheck aria-hidden />}>
      {plan
        ? `All ${countText(plan.tracked_products)} tracked products are fine.`
        : 'All tracked products are fine.'}
    </EmptyState>
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
            'line-clamp-2 text-xs',
            attentionTone(row) === 'critical' ? 'text-critical' : 'text-caution',
          )}
        >
          {row.status === 'suspended' ? 'Suspended. ' : ''}
          {row.attention}
        </p>
      </div>
      <span className="shrink-0 text-xs text-muted">
        <RelativeTime at={row.last_updated} absent="no paid day yet" />
      </span>
    </li>
  );
}
