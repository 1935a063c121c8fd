// Who held the buybox, by day: the share of each seller in the last year.
import { useMemo } from 'react';
import { usePrices } from '../app/session.ts';
import { BarChart } from '../design/chart.tsx';
import { Money, Percent } from '../design/money.tsx';
import { Card, Figure } from '../design/page.tsx';
import { buyboxBars, buyboxSummary } from './buybox-days.ts';
import { Fetched, PaidProblem } from './paid-parts.tsx';
import { type BuyboxHistory, HISTORY_DAYS, usePaid } from './paid-responses.ts';

/** The chart offers the history; this card is its summary. */
export function BuyboxCard({ code }: { code: string }) {
  const paid = usePaid({ what: 'buybox-history', code });
  const credits = usePrices().data?.buybox_history;
  if (paid.stored === null) return null;
  return (
    <Card
      title="Buybox share"
      description={`Last ${HISTORY_DAYS} days, UTC`}
      actions={<Fetched paid={paid} credits={credits} />}
    >
      <div className="flex flex-col gap-4">
        {paid.error ? <PaidProblem error={paid.error} /> : null}
        <Shares history={paid.stored.data} />
      </div>
    </Card>
  );
}

function Shares({ history }: { history: BuyboxHistory }) {
  const { series, bars } = useMemo(() => buyboxBars(history), [history]);
  if (history.observed_seconds === 0)
    return (
      <p className="py-4 text-center text-sm text-muted">
        Nobody observed the buybox in the last {HISTORY_DAYS} days. Nothing was charged.
      </p>
    );
  return (
    <>
      <div className="grid grid-cols-3 gap-4">
        <Figure
          name="Average price"
          value={<Money usd={history.average_price} absent="nobody held it" />}
          note="while held, by time"
        />
        <Figure
          name="Nobody"
          value={<Percent share={history.suppressed_share} />}
          note="of the observed time"
        />
        <Figure
          name="Observed"
          value={<Percent share={history.observed_share} />}
          note={`of ${HISTORY_DAYS} days`}
        />
      </div>
      <BarChart
        label="Buybox share per day"
        summary={buyboxSummary(history)}
        series={series}
        bars={bars}
        formatValue={(value) => `${value} %`}
        height={140}
      />
    </>
  );
}
