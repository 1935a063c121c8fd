// The remaining credits of this period, and the check that the ledger adds up to them.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call, type ResponseOf } from '../app/api-client.ts';
import { useCredits } from '../app/session.ts';
import { Meter } from '../design/chart.tsx';
import { Count, countText, Percent } from '../design/money.tsx';
import { Card, Figure } from '../design/page.tsx';
import { ErrorState, Skeleton } from '../design/states.tsx';
import { Time } from '../design/time.tsx';
import { PriceList } from './price-list.tsx';

type CreditRecord = NonNullable<ReturnType<typeof useCredits>['data']>;

export function BalanceCard() {
  const credits = useCredits();
  return (
    <Card title="This period">
      {credits.data ? (
        <Balance record={credits.data} />
      ) : credits.isError ? (
        <ErrorState error={credits.error} onRetry={credits.refetch} compact />
      ) : (
        <div className="flex h-80 flex-col gap-4">
          <Skeleton className="h-14 w-2/3" />
          <Skeleton className="h-1.5 w-full" />
          <Skeleton className="h-4 w-1/2" />
        </div>
      )}
    </Card>
  );
}

function Balance({ record }: { record: CreditRecord }) {
  const { credits, billing_period: period } = record;
  const share = credits.total > 0 ? credits.used_this_month / credits.total : 0;
  return (
    <div className="flex h-full flex-col gap-4">
      <div className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
        <Figure
          name="Credits left"
          value={<Count of={credits.remaining} />}
          note={`of ${countText(credits.total)}`}
        />
        <Figure
          name="Used"
          value={<Count of={credits.used_this_month} />}
          note={
            <>
              <Percent share={share} /> of the period’s
            </>
          }
        />
        <Figure
          name="Days until refresh"
          value={<Count of={period.days_until_refresh} />}
          note={<Time at={period.next_refresh_date} />}
        />
      </div>
      <Meter label="Credits used" value={credits.used_this_month} of={credits.total} />
      <p className="text-xs text-muted">
        The period began <Time at={period.current_period_start} />. Unused credits expire when it
        ends.
      </p>
      <PriceList />
      <div className="mt-auto border-t border-line pt-3">
        <SumCheck record={record} />
      </div>
    </div>
  );
}

/** Adding up takes a few requests; under many charges it runs at most this often. */
const CHECK_EVERY_MS = 5_000;

function SumCheck({ record }: { record: CreditRecord }) {
  const stand = useThrottled(
    `${record.billing_period.current_period_start} ${record.credits.used_this_month}`,
    CHECK_EVERY_MS,
  );
  const check = useQuery({
    // A topic of its own: only a changed balance starts it, not every live message.
    queryKey: ['period-check', stand],
    queryFn: ({ signal }) => call('GET /session/period-check', { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 10_000,
  });
  if (check.isError) return <CheckLine>The entries could not be added up.</CheckLine>;
  if (!check.data) return <CheckLine busy>Adding up the entries of this period…</CheckLine>;
  return <SumText check={check.data} />;
}

/** Both numbers are of one instant. */
function SumText({ check }: { check: ResponseOf<'GET /session/period-check'> }) {
  const { used, sum_of_entries: sum } = check;
  if (sum === null)
    return (
      <CheckLine busy>Credits are being charged; the entries will be added up again.</CheckLine>
    );
  if (sum !== used)
    return (
      <CheckLine tone="bad">
        The entries of this period sum to {countText(sum)} used, the balance says {countText(used)}.
        Contact the operator.
      </CheckLine>
    );
  return (
    <CheckLine tone="good">
      The entries of this period sum to{' '}
      <span className="font-medium text-ink">{countText(sum)}</span> used.
    </CheckLine>
  );
}

function CheckLine(props: { children: ReactNode; tone?: 'good' | 'bad'; busy?: boolean }) {
  const iconStyle = 'mt-0.5 size-3.5 shrink-0';
  const icon = props.busy ? (
    <LoaderCircle aria-hidden className={`${iconStyle} animate-spin text-faint`} />
  ) : props.tone === 'good' ? (
    <CircleCheck aria-hidden className={`${iconStyle} text-positive`} />
  ) : (
    <CircleAlert
      aria-hidden
      className={`${iconStyle} ${props.tone === 'bad' ? 'text-critical' : 'text-faint'}`}
    />
  );
  return (
    <p className="flex items-start gap-1.5 text-xs leading-4.5 text-muted tabular-nums">
      {icon}
      <span>{props.children}</span>
    </p>
  );
}

/** The current value, updated at most once per interval. */
function useThrottled<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value);
  const nextAtMs = useRef(0);
  useEffect(() => {
    const waitMs = Math.max(0, nextAtMs.current - performance.now());
    const timer = setTimeout(() => {
      nextAtMs.current = performance.now() + everyMs;
      setShown(value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return shown;
}
