// The chart in the panel of a tracked product: what tracking pays for, the price first. Other lines
// can be switched on; buying is done on the product's page.
import { useMemo, useState } from 'react';
import { Skeleton } from '../design/states.tsx';
import type { Tracked } from '../tracking/tracked-product.ts';
import { type ChangeChoice, type ChartChoice, readChoice } from './chart-address.ts';
import { chartSeries } from './chart-series.ts';
import { ProductChart } from './product-chart.tsx';
import { useChartSources } from './use-chart-sources.ts';

/** The address belongs to the page behind the panel. */
const START: ChartChoice = {
  ...readChoice(new URLSearchParams()),
  hidden: ['rank', 'stock', 'sold'],
  sellers: [],
};

export function PanelChart({ row }: { row: Tracked }) {
  const [choice, setChoice] = useState(START);
  const change: ChangeChoice = (patch) => setChoice((before) => ({ ...before, ...patch }));
  const { sources, events, isPending } = useChartSources(row.retailer_product_code, row);
  const series = useMemo(() => chartSeries(sources), [sources]);
  if (isPending) return <Skeleton className="h-110 w-full" />;
  // Before the first paid day there is nothing to draw, and the rest of the panel says why.
  if (series.lines.length === 0) return null;
  return (
    <ProductChart
      title={row.product_name ?? row.retailer_product_code}
      series={series}
      compared={null}
      events={events}
      ownSeller={sources.ownSeller}
      nowMs={sources.nowMs}
      choice={choice}
      onChoice={change}
    />
  );
}
