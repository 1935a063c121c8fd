// The buybox price of another product as a line of this chart.
import type { BuyboxSeries } from './buybox-series.ts';
import type { Line } from './chart-model.ts';
import { isEmpty } from './step-series.ts';

export function comparedLine(
  code: string | null,
  name: string | null,
  series: BuyboxSeries | null,
): Line | null {
  if (code === null || series === null || isEmpty(series.price)) return null;
  return {
    id: 'compare',
    name: name ?? code,
    pane: 'price',
    colour: 'compare',
    series: series.price,
    shape: 'main',
  };
}
