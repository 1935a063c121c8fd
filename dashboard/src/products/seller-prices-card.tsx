// The price of every seller over the last 90 days, with shipping.
import { useMemo } from 'react';
import { usePrices } from '../app/session.ts';
import { Card } from '../design/page.tsx';
import { TimeChart } from '../design/time-chart.tsx';
import { Arrival, Fetched, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { type OfferHistory, usePaid } from './paid-responses.ts';
import { sellerSeries } from './seller-prices.ts';

export function SellerPricesCard({ code }: { code: string }) {
  const paid = usePaid({ what: 'offer-history', code });
  const credits = usePrices().data?.offer_history;
  return (
    <Card
      title="Prices by seller"
      description={paid.stored ? 'Last 90 days, with shipping' : undefined}
      actions={paid.stored ? <Fetched paid={paid} credits={credits} /> : undefined}
    >
      <Arrival paid={paid} name="prices by seller" />
      {paid.stored ? (
        <div className="flex flex-col gap-3">
          {paid.error ? <PaidProblem error={paid.error} /> : null}
          <Lines history={paid.stored.data} />
        </div>
      ) : (
        <PaidOffer paid={paid} credits={credits} label="Get prices by seller">
          What every seller charged in the last 90 days, and when they came and went.
        </PaidOffer>
      )}
    </Card>
  );
}

function Lines({ history }: { history: OfferHistory }) {
  const series = useMemo(() => sellerSeries(history), [history]);
  if (series.length === 0)
    return (
      <p className="py-4 text-center text-sm text-muted">
        No offers have been collected in the last 90 days. Nothing was charged.
      </p>
    );
  return (
    <TimeChart
      label="Prices by seller"
      series={series}
      nowMs={Date.parse(history.to)}
      height={200}
    />
  );
}
