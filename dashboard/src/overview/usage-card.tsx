// Credits used per day and operation, as stacked bars over a week, a month or a quarter.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { BarChart } from '../design/chart.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../design/states.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import { DAYS_DEFAULT, type Usage, usageBars, usageQuery, usageSummary } from './usage.ts';

const CHART_HEIGHT = 160;

export function UsageCard() {
  const [{ days }, set] = useAddressSearch({ days: DAYS_DEFAULT });
  const shown = ['7', '30', '90'].includes(days) ? days : DAYS_DEFAULT;
  const usage = useQuery({
    ...usageQuery(shown),
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title="Usage per day"
      description="By UTC day, as charged."
      actions={
        <SegmentedControl
          label="Days shown"
          value={shown}
          onChange={(now) => set({ days: now })}
          options={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      }
    >
      {usage.isPending ? (
        <div role="status" className="flex flex-col justify-end" style={{ height: 204 }}>
          <span className="sr-only">Loading</span>
          <Skeleton className="h-40 w-full" />
        </div>
      ) : usage.isError ? (
        <ErrorState compact error={usage.error} onRetry={usage.refetch} />
      ) : (
        <UsageChart usage={usage.data} />
      )}
    </Card>
  );
}

function UsageChart({ usage }: { usage: Usage }) {
  const { series, bars, total } = useMemo(() => usageBars(usage), [usage]);
  const summary = usageSummary(bars, total);
  if (series.length === 0)
    return (
      <EmptyState title={summary}>Look-ups and tracked days appear here by operation.</EmptyState>
    );
  return (
    <div className="flex flex-col gap-2">
      <BarChart
        label="Credits used per day"
        summary={summary}
        series={series}
        bars={bars}
        height={CHART_HEIGHT}
      />
      <p aria-hidden className="text-xs text-muted">
        {summary}
      </p>
    </div>
  );
}
