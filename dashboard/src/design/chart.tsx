// Small hand-drawn charts: stacked bars by day, and a meter.
import { useId, useState } from 'react';
import { classNames } from './class-names.ts';
import { countText } from './money.tsx';

export type BarSeries = { name: string; colour: 1 | 2 | 3 | 4 | 5 | 6 };
export type Bar = { label: string; values: readonly number[] };

const FILLS = ['', 'fill-chart-1', 'fill-chart-2', 'fill-chart-3', 'fill-chart-4'].concat([
  'fill-chart-5',
  'fill-chart-6',
]);
const SWATCHES = ['', 'bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4'].concat([
  'bg-chart-5',
  'bg-chart-6',
]);

type BarChartProps = {
  /** What the chart shows: "Credits used per day". */
  label: string;
  /** A one-sentence summary: "1,240 credits in 30 days, most on 3 Nov (210)." */
  summary: string;
  series: readonly BarSeries[];
  /** One bar each, `values` in the order of `series`. Values below 0 are drawn as 0. */
  bars: readonly Bar[];
  formatValue?: (value: number) => string;
  height?: number;
};

export function BarChart(props: BarChartProps) {
  const { label, summary, series, bars, formatValue = countText, height = 160 } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const top = niceTop(Math.max(0, ...bars.map(heightOf)));
  const shown = pointed === null ? null : bars[pointed];
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <BarLegend series={series} bar={shown ?? null} formatValue={formatValue} />
      <div className="flex gap-2">
        <div
          aria-hidden
          className="flex flex-col justify-between text-right text-2xs text-faint tabular-nums"
          style={{ height }}
        >
          <span>{formatValue(top)}</span>
          <span>{formatValue(top / 2)}</span>
          <span>0</span>
        </div>
        <div className="min-w-0 flex-1">
          <svg
            role="img"
            aria-label={`${label}. ${summary}`}
            viewBox={`0 0 ${bars.length * 10} 100`}
            preserveAspectRatio="none"
            className="block w-full overflow-visible"
            style={{ height }}
            onPointerLeave={() => setPointed(null)}
          >
            {[0, 50, 100].map((y) => (
              <line
                key={y}
                x1={0}
                x2={bars.length * 10}
                y1={y}
                y2={y}
                className="stroke-line"
                strokeWidth={1}
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {bars.map((bar, index) => (
              <g key={bar.label} onPointerEnter={() => setPointed(index)}>
                <rect x={index * 10} y={0} width={10} height={100} fill="transparent" />
                <Stack bar={bar} series={series} x={index * 10 + 1.5} top={top} />
                {index === pointed ? (
                  <rect
                    x={index * 10}
                    y={0}
                    width={10}
                    height={100}
                    className="pointer-events-none fill-ink/6"
                  />
                ) : null}
              </g>
            ))}
          </svg>
          <div aria-hidden className="mt-1 flex justify-between text-2xs text-faint">
            <span>{bars[0]?.label}</span>
            <span>{bars[Math.floor(bars.length / 2)]?.label}</span>
            <span>{bars.at(-1)?.label}</span>
          </div>
        </div>
      </div>
      <HiddenTable {...props} formatValue={formatValue} />
    </figure>
  );
}

function Stack(props: { bar: Bar; series: readonly BarSeries[]; x: number; top: number }) {
  const { bar, series, x, top } = props;
  let y = 100;
  return series.map(({ name, colour }, index) => {
    const height = top === 0 ? 0 : (Math.max(0, bar.values[index] ?? 0) / top) * 100;
    y -= height;
    if (height === 0) return null;
    return <rect key={name} x={x} y={y} width={7} height={height} className={FILLS[colour]} />;
  });
}

function BarLegend(props: {
  series: readonly BarSeries[];
  bar: Bar | null;
  formatValue: (value: number) => string;
}) {
  const { series, bar, formatValue } = props;
  return (
    <figcaption
      aria-hidden
      className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted"
    >
      {series.map(({ name, colour }, index) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span className={classNames('size-2 rounded-[2px]', SWATCHES[colour])} />
          {name}
          {bar ? (
            <span className="font-medium text-ink tabular-nums">
              {formatValue(bar.values[index] ?? 0)}
            </span>
          ) : null}
        </span>
      ))}
      {bar ? <span className="ml-auto text-ink tabular-nums">{bar.label}</span> : null}
    </figcaption>
  );
}

function HiddenTable({ label, series, bars, formatValue = countText }: BarChartProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.label}>
              <th scope="row">{bar.label}</th>
              {series.map(({ name }, index) => (
                <td key={name}>{formatValue(bar.values[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const heightOf = (bar: Bar) => bar.values.reduce((sum, value) => sum + Math.max(0, value), 0);

/** The next round number that can be halved for the axis. */
function niceTop(value: number): number {
  if (value <= 0) return 10;
  if (value <= 10) return 2 * Math.ceil(value / 2);
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.2, 1.4, 1.6, 2, 2.4, 3, 4, 5, 6, 8].find((one) => one * power >= value);
  return (factor ?? 10) * power;
}

/** How much of a whole is used; with `of` 0 it is empty. */
export function Meter({
  label,
  value,
  of,
  text,
}: {
  label: string;
  value: number;
  of: number;
  text?: string;
}) {
  const id = useId();
  const share = of > 0 ? Math.min(1, Math.max(0, value / of)) : 0;
  const tone = share >= 0.95 ? 'bg-critical' : share >= 0.8 ? 'bg-caution' : 'bg-accent';
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled everywhere.
    <div
      id={id}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={Math.min(value, of)}
      aria-valuetext={text ?? `${countText(value)} of ${countText(of)}`}
      className="h-1.5 overflow-hidden rounded-full bg-pressed"
    >
      <div
        className={classNames('h-full rounded-full', tone)}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
