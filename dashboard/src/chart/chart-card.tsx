// The chart on the page of a product: what tracking pays for is shown at once, the rest is offered
// in place with its price.
import { useMemo } from 'react';
import { Card } from '../design/page.tsx';
import { ErrorState, Skeleton } from '../design/states.tsx';
import type { Tracked } from '../tracking/tracked-product.ts';
import { type ChartChoice, useChartAddress } from './chart-address.ts';
import { ChartLink } from './chart-link.tsx';
import { ChartOffers, PriceOffer } from './chart-offers.tsx';
import { chartSeries } from './chart-series.ts';
import { ChartTable } from './chart-table.tsx';
import { ChartTools } from './chart-tools.tsx';
import { RANGES, type Range } from './chart-window.ts';
import { comparedLine } from './compared-line.ts';
import { ProductChart } from './product-chart.tsx';
import { useChartSources, useComparedBuybox } from './use-chart-sources.ts';

/** `tracked` undefined: not known yet. A bought history does not wait for it. */
export function ChartCard({
  code,
  name,
  tracked,
}: {
  code: string;
  name: string | null;
  tracked: Tracked | null | undefined;
}) {
  const [choice, setChoice] = useChartAddress();
  const { sources, events, isPending, error, retry } = useChartSources(code, tracked);
  const series = useMemo(() => chartSeries(sources), [sources]);
  const other = useComparedBuybox(choice.compare, code, sources.nowMs);
  const compared = useMemo(
    () => comparedLine(choice.compare, other.name, other.series),
    [choice.compare, other.name, other.series],
  );
  const title = name ?? `Product ${code}`;
  if (series.lines.length === 0 && series.sellers.length === 0)
    return (
      <Card title="Price, stock and sales">
        {isPending ? (
          <Skeleton className="h-110 w-full" />
        ) : error ? (
          <ErrorState error={error} onRetry={retry} compact />
        ) : (
          <PriceOffer code={code} tracked={tracked ?? null} />
        )}
      </Card>
    );
  return (
    <Card>
      <ProductChart
        title={title}
        series={series}
        compared={compared}
        events={events}
        ownSeller={sources.ownSeller}
        nowMs={sources.nowMs}
        choice={choice}
        onChoice={setChoice}
        tools={(shown) => (
          <ChartTools
            {...shown}
            code={code}
            title={title}
            choice={choice}
            onChoice={setChoice}
            other={other}
          />
        )}
        below={(shown) => (choice.isTable ? <ChartTable {...shown} /> : null)}
      />
      <ChartOffers
        code={code}
        tracked={tracked ?? null}
        sources={sources}
        onBought={(range) => setChoice(longerRange(choice, range))}
      />
      <ChartLink code={code} range={choice.range ?? '3m'} />
    </Card>
  );
}

/** The range that was bought, unless a longer one is shown. */
const longerRange = ({ range }: ChartChoice, bought: Range): Partial<ChartChoice> =>
  range !== null && RANGES.indexOf(range) >= RANGES.indexOf(bought)
    ? { window: null }
    : { range: bought, window: null };
