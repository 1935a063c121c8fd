// The buybox price over time, and the stock since the product was added.
import { useMemo } from 'react';
import { usePrices } from '../app/session.ts';
import { Card } from '../design/page.tsx';
import { ErrorState, Skeleton } from '../design/states.tsx';
import { type ChartRange, TimeChart } from '../design/time-chart.tsx';
import { type Tracked, useTrackedHistory } from '../tracking/tracked-product.ts';
import { ChartActions } from './chart-actions.tsx';
import { Arrival, BuyButton, Fetched, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { usePaid } from './paid-responses.ts';
import { priceSeries, stockSeries } from './price-series.ts';

const RANGES: readonly ChartRange[] = ['1m', '6m', '1y', '3y', 'all'];

/** `tracked` undefined: not loaded yet. A bought history does not wait for it. */
export function PriceCard({
  code,
  tracked,
}: {
  code: string;
  tracked: Tracked | null | undefined;
}) {
  const paid = usePaid({ what: 'price-history', code });
  const history = useTrackedHistory(tracked);
  const credits = usePrices().data?.price_history;
  const observedUntilMs = tracked?.last_updated ? Date.parse(tracked.last_updated) : null;
  const series = useMemo(() => {
    const free = history.data
      ? { sinceAtMs: Date.parse(history.data.from), observedUntilMs, points: history.data.points }
      : null;
    return priceSeries({ paid: paid.stored?.data.priceHistory ?? null, tracked: free });
  }, [paid.stored, history.data, observedUntilMs]);
  const isPaid = paid.stored !== null;
  const now = Math.max(paid.stored?.atMs ?? 0, observedUntilMs ?? 0);
  return (
    <Card
      title="Buybox price"
      description={tracked && !isPaid ? 'Since it was added, free' : undefined}
      actions={
        isPaid ? (
          <Fetched paid={paid} credits={credits} />
        ) : tracked && series.length > 0 ? (
          <BuyButton paid={paid} credits={credits} size="sm">
            Get older prices
          </BuyButton>
        ) : undefined
      }
    >
      <Arrival paid={paid} name="price history" />
      {series.length > 0 ? (
        <div className="flex flex-col gap-3">
          <TimeChart
            // A longer history mounts a new chart, at a range that fits it.
            key={isPaid ? 'paid' : 'free'}
            label="Buybox price"
            series={series}
            ranges={isPaid ? RANGES : []}
            initialRange={isPaid ? '6m' : 'all'}
            nowMs={now > 0 ? now : undefined}
            height={240}
          />
          {paid.error ? <PaidProblem error={paid.error} /> : null}
          <ChartActions code={code} />
        </div>
      ) : tracked === undefined || (tracked && history.isPending) ? (
        <Skeleton className="h-75 w-full" />
      ) : tracked && history.isError ? (
        <ErrorState error={history.error} onRetry={history.refetch} compact />
      ) : isPaid ? (
        <p className="py-6 text-center text-sm text-muted">
          No price has been collected for this product yet. Nothing was charged.
        </p>
      ) : (
        <PaidOffer paid={paid} credits={credits} label="Get price history">
          All collected buybox prices at once. Ranges and zoom are free afterwards.
        </PaidOffer>
      )}
    </Card>
  );
}

export function StockCard({ tracked }: { tracked: Tracked }) {
  const history = useTrackedHistory(tracked);
  const observedUntilMs = tracked.last_updated ? Date.parse(tracked.last_updated) : null;
  const points = history.data?.points;
  const series = useMemo(
    () => (points ? stockSeries(points, observedUntilMs) : []),
    [points, observedUntilMs],
  );
  return (
    <Card title="Units in stock" description="All sellers together, since it was added, free">
      {series.length > 0 ? (
        <TimeChart label="Units in stock" series={series} height={160} />
      ) : history.isPending ? (
        <Skeleton className="h-50 w-full" />
      ) : history.isError ? (
        <ErrorState error={history.error} onRetry={history.refetch} compact />
      ) : (
        <p className="py-4 text-center text-sm text-muted">
          The stock of at least one seller has been unknown since the product was added.
        </p>
      )}
    </Card>
  );
}
