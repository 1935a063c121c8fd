// Makes a picture of a product's history: reads the chart, draws it, and renders it if it is PNG.
import type { Product } from '../catalog/product.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { HOUR_SECONDS } from '../foundation/time.ts';
import { firstObservedAtSeconds } from '../history/visit-stream.ts';
import type { WalkDeps } from '../history/walk-observations.ts';
import { type ChartSeries, type ChartSize, columnsOf, hasObservations } from './chart.ts';
import type { ThemeName } from './chart-theme.ts';
import { drawChart } from './draw-chart.ts';
import { readChart } from './read-chart.ts';
import type { PngRenderer } from './render-png.ts';

export type PictureOptions = ChartSize & {
  code: string;
  format: 'svg' | 'png';
  /** null: since the first observation. */
  fromAtSeconds: number | null;
  toAtSeconds: number;
  series: ReadonlySet<ChartSeries>;
  theme: ThemeName;
  /** Pixels of a PNG for each unit of width and height. */
  scale: number;
};

export type Picture = {
  bytes: Buffer;
  /** Whether nothing was observed: such a picture costs nothing. */
  isEmpty: boolean;
};

export type PictureDeps = WalkDeps & { pngRenderer: PngRenderer };

export async function makePicture(
  deps: PictureDeps,
  input: { accountId: string; product: Product; tail: ProductTail; options: PictureOptions },
): Promise<Picture> {
  const { accountId, product, tail, options } = input;
  const { toAtSeconds, series, widthPx, heightPx, theme, format, scale } = options;
  const chart = await readChart(deps, {
    accountId,
    product,
    tail,
    fromAtSeconds: await startOf(deps, { tail, options }),
    toAtSeconds,
    series,
    columns: columnsOf(widthPx),
  });
  const frame = { widthPx, heightPx, theme, onlyDrawable: format === 'png' };
  const svg = drawChart(chart, frame);
  const bytes = format === 'svg' ? Buffer.from(svg) : await deps.pngRenderer.render(svg, scale);
  return { bytes, isEmpty: !hasObservations(chart) };
}

async function startOf(
  deps: WalkDeps,
  { tail, options }: { tail: ProductTail; options: PictureOptions },
): Promise<number> {
  const { code, fromAtSeconds, toAtSeconds } = options;
  if (fromAtSeconds !== null) return fromAtSeconds;
  const latest = toAtSeconds - HOUR_SECONDS;
  return Math.min((await firstObservedAtSeconds(deps, code, tail)) ?? latest, latest);
}
