// Units sold per day with the range of each estimate, its method and its confidence.
import { useId, useMemo, useState } from 'react';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { Count, countText, Percent } from '../design/money.tsx';
import { Card, Figure } from '../design/page.tsx';
import { Fetched, PaidProblem } from './paid-parts.tsx';
import { type UnitsSold, useKept, usePaid } from './paid-responses.ts';
import {
  longest,
  METHOD_MEANINGS,
  METHOD_NAMES,
  PERIOD_NAMES,
  type SalesSummary,
  summarise,
} from './sales-days.ts';
import { SalesDaysTable } from './sales-days-table.tsx';

/** The chart offers them; this card is what can be said about them beyond the bars. */
export function UnitsSoldCard({ code }: { code: string }) {
  const bought = useKept('units-sold', code);
  const shown = longest(bought.map(({ data }) => data.time_period));
  const stored = bought.find(({ data }) => data.time_period === shown);
  const paid = usePaid({ what: 'units-sold', code, period: shown ?? '1month' });
  const credits = usePrices().data?.units_sold[shown ?? '1month'];
  if (stored === undefined || shown === null) return null;
  return (
    <Card
      title="Units sold"
      description={PERIOD_NAMES[shown].long}
      actions={<Fetched paid={paid} credits={credits} />}
    >
      <div className="flex flex-col gap-4">
        {paid.error ? <PaidProblem error={paid.error} /> : null}
        <Sales days={stored.data.sales_history} />
      </div>
    </Card>
  );
}

function Sales({ days }: { days: UnitsSold['sales_history'] }) {
  const [isListed, setListed] = useState(false);
  const listId = useId();
  const summary = useMemo(() => summarise(days), [days]);
  if (days.length === 0)
    return (
      <p className="py-4 text-center text-sm text-muted">
        Nothing has been collected for this period yet. Nothing was charged.
      </p>
    );
  return (
    <>
      <SalesFigures summary={summary} />
      <Methods summary={summary} />
      <div className="flex flex-col items-start gap-3">
        <Button
          size="sm"
          aria-expanded={isListed}
          aria-controls={listId}
          onClick={() => setListed(!isListed)}
        >
          {isListed ? 'Hide days' : `Show ${countText(days.length)} days`}
        </Button>
        <div id={listId} className="w-full">
          {isListed ? <SalesDaysTable days={days} /> : null}
        </div>
      </div>
    </>
  );
}

function SalesFigures({ summary }: { summary: SalesSummary }) {
  const { days, units, unitsPerDay, confidence } = summary;
  const perDay = unitsPerDay === null ? null : Math.round(unitsPerDay * 10) / 10;
  return (
    <div className="grid grid-cols-3 gap-4">
      <Figure name="Units" value={<Count of={units} />} note={`in ${countText(days)} days`} />
      <Figure name="A day" value={<Count of={perDay} absent="nothing known" />} note="on average" />
      <Figure
        name="Confidence"
        value={<Percent share={confidence} absent="nothing known" />}
        note="on average"
      />
    </div>
  );
}

/** The share of each method, with its meaning beside it. */
function Methods({ summary }: { summary: SalesSummary }) {
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-xs font-medium text-ink">How the days were estimated</h3>
      <ul className="flex flex-col gap-0.5 text-xs text-muted">
        {summary.methods.map(({ method, days }) => (
          <li key={method} className="flex gap-2">
            <span className="w-10 shrink-0 text-right text-ink tabular-nums">
              <Percent share={days / summary.days} />
            </span>
            <span>
              <span className="font-medium text-ink">{METHOD_NAMES[method]}</span>:{' '}
              {METHOD_MEANINGS[method]}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">
        The thin line through a bar is the likely range. About eight of ten days lie inside it.
      </p>
    </div>
  );
}
