// What needs the customer: webhooks that send nothing, credits that end, products with a problem.
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { callWithHeaders } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { useCredits, usePlan } from '../app/session.ts';
import { ButtonLink } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Link, TextLink } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { dayOfText, RelativeTime } from '../design/time.tsx';
import type { Tracked } from '../tracking/tracked-product.ts';
import { attentionTone } from '../tracking/urgency.ts';
import { webhooksQuery } from '../webhooks/webhook-calls.ts';
import { creditNeed, type Need, webhookNeeds } from './needs.ts';
import { useForecast } from './use-forecast.ts';

const SHOWN = 8;

export function AttentionCard() {
  const needing = useQuery({
    queryKey: queryKey('tracked', 'attention', SHOWN),
    queryFn: ({ signal }) =>
      callWithHeaders('GET /session/tracked', { query: { attention: true, limit: SHOWN }, signal }),
  });
  const rows = needing.data?.data ?? [];
  const needs = useNeeds();
  return (
    <Card
      title="Needs attention"
      flush
      actions={
        rows.length > 0 ? (
          <ButtonLink size="sm" variant="quiet" to={paths.tracking({ attention: 'yes' })}>
            {needing.data?.next == null ? 'Open in Tracked' : 'Show all products'}
          </ButtonLink>
        ) : null
      }
    >
      {rows.length + needs.length > 0 ? (
        <ul aria-label="Needs attention" className="divide-y divide-line">
          {needs.map((need) => (
            <NeedLine key={need.key} need={need} />
          ))}
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

function useNeeds(): Need[] {
  const webhooks = useQuery(webhooksQuery).data ?? [];
  const { data } = useCredits();
  const forecast = useForecast();
  const needs = webhookNeeds(webhooks);
  if (data === undefined) return needs;
  const credit = creditNeed({
    remaining: data.credits.remaining,
    total: data.credits.total,
    refreshDay: dayOfText(data.billing_period.next_refresh_date),
    runsOut:
      forecast.kind !== 'runs-out'
        ? null
        : forecast.isWithinDay
          ? 'within a day'
          : `on ${dayOfText(forecast.atMs)}`,
  });
  return credit === null ? needs : [...needs, credit];
}

function NeedLine({ need }: { need: Need }) {
  const { place } = need;
  const to = place.page === 'webhook' ? paths.webhook(place.id) : paths.credits();
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <Link to={to} className="block truncate rounded-sm text-sm text-ink hover:underline">
          {need.title}
        </Link>
        <p
          className={classNames(
            'line-clamp-2 text-xs',
            need.tone === 'critical' ? 'text-critical' : 'text-caution',
          )}
        >
          {need.detail}
        </p>
      </div>
      <ButtonLink size="sm" to={to}>
        {place.page === 'credits' ? 'Open credits' : 'Open webhook'}
      </ButtonLink>
    </li>
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
    <p className="flex items-center gap-2 px-4 py-3 text-sm text-muted">
      <CircleCheck aria-hidden className="size-4 shrink-0 text-positive" />
      Nothing needs you: your webhooks, credits and{' '}
      {plan && plan.tracked_products > 1 ? `${countText(plan.tracked_products)} ` : ''}tracked
      products have no problems.
    </p>
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
