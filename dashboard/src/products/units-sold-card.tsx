// Units sold per day with the range of each estimate, its method and its confidence.
import { useId, useMemo, useState } from 'react';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { SelectField } from '../design/choice.tsx';
import { Count, countText, Percent } from '../design/money.tsx';
import { Card, Figure } from '../design/page.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import { RelativeTime } from '../design/time.tsx';
import { type ChartRange, TimeChart } from '../design/time-chart.tsx';
import { Arrival, BuyButton, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { type UnitsSold, useKept, usePaid } from './paid-responses.ts';
import type { StoredResponse } from './response-store.ts';
import {
  longest,
  METHOD_MEANINGS,
  METHOD_NAMES,
  PERIOD_NAMES,
  PERIODS,
  type SalesPeriod,
  type SalesSummary,
  salesSeries,
  summarise,
} from './sales-days.ts';
import { SalesDaysTable } from './sales-days-table.tsx';

const RANGES: readonly ChartRange[] = ['1m', '6m', '1y', '3y', 'all'];

export function UnitsSoldCard({ code }: { code: string }) {
  const bought = useKept('units-sold', code);
  const shown = longest(bought.map(({ data }) => data.time_period));
  const [chosen, setChosen] = useState<SalesPeriod | null>(null);
  const isForSale = chosen !== null && (shown === null || longest([chosen, shown]) === chosen);
  const period = isForSale ? chosen : (shown ?? '1month');
  const paid = usePaid({ what: 'units-sold', code, period });
  const credits = usePrices().data?.units_sold[period];
  const stored = bought.find(({ data }) => data.time_period === shown);
  return (
    <Card
      title="Units sold per day"
      description={
        stored && shown ? (
          <>
            {PERIOD_NAMES[shown].long}, fetched <RelativeTime at={stored.atMs} />
          </>
        ) : undefined
      }
      actions={
        stored && shown ? (
          <>
            <LongerPeriods shown={shown} value={period} onChange={setChosen} />
            <BuyButton paid={paid} credits={credits} size="sm" variant="quiet">
              {period === shown ? 'Refresh' : 'Get'}
            </BuyButton>
          </>
        ) : undefined
      }
    >
      <Arrival paid={paid} name="units sold" />
      {stored ? (
        <div className="flex flex-col gap-4">
          {paid.error ? <PaidProblem error={paid.error} /> : null}
          <Sales stored={stored} />
        </div>
      ) : (
        <PaidOffer
          paid={paid}
          credits={credits}
          label="Get units sold"
          choice={
            <SegmentedControl
              label="Period of units sold"
              value={period}
              onChange={setChosen}
              options={PERIODS.map((value) => ({
                value,
                label: PERIOD_NAMES[value].short,
                name: PERIOD_NAMES[value].long,
              }))}
            />
          }
        >
          Estimated units sold per day, with the lowest and highest likely number and the
          confidence.
        </PaidOffer>
      )}
    </Card>
  );
}

/** A shorter period has no day that a longer one lacks, so only longer ones are offered. */
function LongerPeriods({
  shown,
  value,
  onChange,
}: {
  shown: SalesPeriod;
  value: SalesPeriod;
  onChange: (period: SalesPeriod) => void;
}) {
  const periods = PERIODS.slice(PERIODS.indexOf(shown));
  if (periods.length === 1) return null;
  return (
    <SelectField
      label="Period to fetch"
      labelHidden
      value={value}
      onChange={onChange}
      options={periods.map((period) => ({ value: period, label: PERIOD_NAMES[period].long }))}
      className="w-34"
    />
  );
}

function Sales({ stored }: { stored: StoredResponse<UnitsSold> }) {
  const { sales_history: days, time_period: period } = stored.data;
  const [isListed, setListed] = useState(false);
  const listId = useId();
  const series = useMemo(() => salesSeries(days), [days]);
  const summary = useMemo(() => summarise(days), [days]);
  const length = PERIODS.indexOf(period);
  if (days.length === 0)
    return (
      <p className="py-4 text-center text-sm text-muted">
        Nothing has been collected for this period yet. Nothing was charged.
      </p>
    );
  return (
    <>
      <SalesFigures summary={summary} />
      <TimeChart
        key={period}
        label="Units sold per day"
        series={series}
        ranges={length === 0 ? [] : RANGES.slice(0, length + 1)}
        initialRange={length === 0 ? 'all' : '6m'}
        nowMs={stored.atMs}
        height={200}
      />
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
        The shaded band contains about eight of ten days; a day counted exactly has none.
      </p>
    </div>
  );
}
