// The account's plan: its limits, their use, and the other plans.

import { call } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { useCredits, usePlan } from '../app/session.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Meter } from '../design/chart.tsx';
import { Count, countText } from '../design/money.tsx';
import { Card, Facts, Notice } from '../design/page.tsx';
import { ErrorState, Skeleton } from '../design/states.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { Time } from '../design/time.tsx';
import { toast } from '../design/toast.tsx';

type Plan = NonNullable<ReturnType<typeof usePlan>['data']>;

export function PlanCard() {
  const plan = usePlan();
  const name = plan.data?.name;
  return (
    <Card
      title={name ? `Plan: ${name}` : 'Plan'}
      description="Request a larger plan; the operator of this service replies by e-mail."
      flush
    >
      {plan.data ? (
        <>
          <Limits plan={plan.data} />
          <Plans plan={plan.data} />
        </>
      ) : plan.isError ? (
        <ErrorState error={plan.error} onRetry={plan.refetch} compact />
      ) : (
        <div className="flex h-64 flex-col gap-3 p-4">
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="h-1.5 w-full" />
          <Skeleton className="h-24 w-full" />
        </div>
      )}
    </Card>
  );
}

function Limits({ plan }: { plan: Plan }) {
  const { product, details, account } = plan.requests_per_second;
  return (
    <div className="flex flex-col gap-3 p-4">
      {plan.name === null ? (
        <Notice tone="caution">No plan is set for this account, so nothing can be charged.</Notice>
      ) : null}
      {plan.next_plan !== null ? <NextPlan name={plan.next_plan} /> : null}
      <div className="flex flex-col gap-1.5">
        <div className="flex items-baseline justify-between gap-3 text-sm tabular-nums">
          <span className="text-muted">Tracked products</span>
          <span className="text-ink">
            {countText(plan.tracked_products)}{' '}
            <span className="text-muted">of {countText(plan.tracked_products_max)}</span>
          </span>
        </div>
        <Meter
          label="Tracked products"
          value={plan.tracked_products}
          of={plan.tracked_products_max}
        />
      </div>
      <Facts
        facts={[
          { name: 'History, offers, fees', value: `${product} requests/s` },
          { name: 'Product details', value: `${details} requests/s` },
          { name: 'Everything else', value: `${account} requests/s` },
        ]}
      />
    </div>
  );
}

function NextPlan({ name }: { name: string }) {
  const refreshAt = useCredits().data?.billing_period.next_refresh_date;
  return (
    <Notice>
      The plan changes to {name} with the next refresh
      {refreshAt === undefined ? '' : ', '}
      {refreshAt === undefined ? null : <Time at={refreshAt} show="day" />}.
    </Notice>
  );
}

function Plans({ plan }: { plan: Plan }) {
  return (
    <div className="border-t border-line">
      <DataTable caption="Plans to compare">
        <TableHead>
          <Th>Plan</Th>
          <Th align="end">Credits a month</Th>
          <Th align="end">Tracked products</Th>
        </TableHead>
        <TableBody>
          {plan.plans.map((one) => (
            <Tr key={one.name} className={one.name === plan.name ? 'bg-accent-soft' : undefined}>
              <Td className="whitespace-nowrap">
                <span className="mr-2 text-ink">{one.name}</span>
                {one.name === plan.name ? <Badge tone="accent">Yours</Badge> : null}
                {one.monthly_credits > plan.monthly_credits ? (
                  <RequestPlan name={one.name} />
                ) : null}
              </Td>
              <Td align="end">
                <Count of={one.monthly_credits} />
              </Td>
              <Td align="end">
                <Count of={one.tracked_products_max} />
              </Td>
            </Tr>
          ))}
        </TableBody>
      </DataTable>
    </div>
  );
}

function RequestPlan({ name }: { name: string }) {
  const request = useOnceMutation({
    mutationFn: () => call('POST /session/upgrade-request', { body: { plan: name } }),
    onSuccess: () => toast.done(`Requested the plan ${name}. The operator replies by e-mail.`),
    onError: toast.failed,
  });
  return (
    <Button
      size="sm"
      aria-label={`Request the plan ${name}`}
      busy={request.isPending}
      disabled={request.isSuccess}
      onClick={() => request.mutate(undefined)}
    >
      {request.isSuccess ? 'Requested' : 'Request'}
    </Button>
  );
}
