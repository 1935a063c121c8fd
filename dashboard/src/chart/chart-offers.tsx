// The series that are not bought yet, each with its price, and the age of those that are. Nothing
// is bought without a click.
import { useEffect, useRef, useState } from 'react';
import { usePrices } from '../app/session.ts';
import { SelectField } from '../design/choice.tsx';
import { Arrival, BuyButton, Fetched, PaidOffer, PaidProblem } from '../products/paid-parts.tsx';
import { type Paid, useKept, usePaid } from '../products/paid-responses.ts';
import { longest, PERIOD_NAMES, PERIODS, type SalesPeriod } from '../products/sales-days.ts';
import type { Tracked } from '../tracking/tracked-product.ts';
import type { ChartSources } from './chart-series.ts';
import type { Range } from './chart-window.ts';

/** In place of the chart, while there is nothing to draw. */
export function PriceOffer({ code, tracked }: { code: string; tracked: Tracked | null }) {
  const paid = usePaid({ what: 'price-history', code });
  const credits = usePrices().data?.price_history;
  return (
    <>
      <Arrival paid={paid} name="price history" />
      {paid.stored ? (
        <p className="py-6 text-center text-sm text-muted">
          No price has been collected for this product yet. Nothing was charged.
        </p>
      ) : (
        <PaidOffer paid={paid} credits={credits} label="Get price history">
          {tracked
            ? 'The chart begins with the first paid day. Prices from before can be bought.'
            : 'Every buybox price collected so far, up to three years and more. Sellers, buybox holders and units sold can be added to the same chart.'}
        </PaidOffer>
      )}
    </>
  );
}

type Offer = {
  name: string;
  /** "Show sellers"; for a series that is shown in part, "Older prices". */
  label: string;
  paid: Paid<unknown>;
  credits: number | undefined;
};

export function ChartOffers({
  code,
  tracked,
  sources,
  onBought,
}: {
  code: string;
  tracked: Tracked | null;
  sources: ChartSources;
  /** Shows at least the time that was bought. */
  onBought: (range: Range) => void;
}) {
  const prices = usePrices().data;
  const hasSellers = (sources.trackedSellers?.sellers.length ?? 0) > 0;
  const offers: Offer[] = [
    {
      name: 'price history',
      label: tracked ? 'Older prices' : 'Show prices',
      paid: usePaid({ what: 'price-history', code }),
      credits: prices?.price_history,
    },
    {
      name: 'sellers',
      label: hasSellers ? 'Older sellers' : 'Show sellers',
      paid: usePaid({ what: 'offer-history', code }),
      credits: prices?.offer_history,
    },
    {
      name: 'buybox holders',
      label: tracked ? 'Older buybox holders' : 'Show buybox holders',
      paid: usePaid({ what: 'buybox-history', code }),
      credits: prices?.buybox_history,
    },
  ];
  useBought(offers[0]?.paid as Paid<unknown>, () => onBought('1y'));
  const missing = offers.filter(({ paid }) => paid.stored === null && !paid.isLoading);
  const bought = offers.filter(({ paid }) => paid.stored !== null);
  const problem = offers.find(({ paid }) => paid.error)?.paid.error;
  return (
    <div className="mt-4 flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex flex-wrap items-center gap-2">
        {missing.map(({ name, label, paid, credits }) => (
          <BuyButton key={name} paid={paid} credits={credits} size="sm">
            {label}
          </BuyButton>
        ))}
        <SalesOffer code={code} onBought={onBought} />
      </div>
      {bought.map(({ name, paid, credits }) => (
        <div key={name} className="-my-1 flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <span className="w-28 text-ink first-letter:uppercase">{name}</span>
          <Fetched paid={paid} credits={credits} />
        </div>
      ))}
      {offers.map(({ name, paid }) => (
        <Arrival key={name} paid={paid} name={name} />
      ))}
      {problem ? <PaidProblem error={problem} /> : null}
    </div>
  );
}

const PERIOD_RANGES: Readonly<Record<SalesPeriod, Range>> = {
  '1month': '1m',
  '6months': '1y',
  '1year': '1y',
  '3years': '3y',
  alltime: 'all',
};

/** Calls back once when a response arrives that was not there when the page was opened. */
function useBought(paid: Paid<unknown>, onBought: () => void): void {
  const isAwaited = useRef(false);
  if (paid.busy) isAwaited.current = true;
  const isArrived = isAwaited.current && !paid.busy && paid.stored !== null;
  const react = useRef(onBought);
  // A new period may be chosen in the same moment; what was bought counts.
  if (paid.busy) react.current = onBought;
  useEffect(() => {
    if (!isArrived) return;
    isAwaited.current = false;
    react.current();
  }, [isArrived]);
}

/** A shorter period has no day that a longer one lacks, so only longer ones are offered. */
function SalesOffer({ code, onBought }: { code: string; onBought: (range: Range) => void }) {
  const bought = useKept('units-sold', code);
  const shown = longest(bought.map(({ data }) => data.time_period));
  const periods = PERIODS.slice(shown === null ? 0 : PERIODS.indexOf(shown) + 1);
  const [chosen, setChosen] = useState<SalesPeriod>('1year');
  const period = periods.includes(chosen) ? chosen : (periods[0] ?? 'alltime');
  const paid = usePaid({ what: 'units-sold', code, period });
  const credits = usePrices().data?.units_sold[period];
  useBought(paid, () => onBought(PERIOD_RANGES[period]));
  return (
    <>
      <Arrival paid={paid} name="units sold" />
      {periods.length > 0 ? (
        <span className="inline-flex items-center gap-1">
          <BuyButton paid={paid} credits={credits} size="sm">
            {shown === null ? 'Show units sold' : 'Older units sold'}
          </BuyButton>
          <SelectField
            label="Period of units sold"
            labelHidden
            value={period}
            onChange={setChosen}
            options={periods.map((value) => ({ value, label: PERIOD_NAMES[value].long }))}
            className="w-32"
          />
        </span>
      ) : null}
      {paid.error ? <PaidProblem error={paid.error} /> : null}
    </>
  );
}
