// Draws one panel of a chart: spans without a value, grid, line, and the labels of its axis.
import type { Chart, PanelSeries } from './chart.ts';
import type { ChartTheme } from './chart-theme.ts';
import { extremesText, SERIES_WORDS, valueText } from './chart-words.ts';
import { type ColumnTrack, HAS_NONE, HAS_NUMBER, HAS_UNOBSERVED } from './column-track.ts';
import { linePaths } from './line-path.ts';
import {
  cleanText,
  countTickText,
  escaped,
  fittedText,
  priceTickText,
  px,
  type TextStyle,
  widthOf,
} from './svg-text.ts';
import { type ValueAxis, type ValueScale, valueAxis } from './value-axis.ts';

const SCALES: Readonly<Record<PanelSeries, ValueScale>> = {
  price: 'padded',
  rank: 'rank',
  stock: 'from-zero',
};

export const LABEL: TextStyle = { sizePx: 11 };
const STRONG_LABEL: TextStyle = { sizePx: 11, weight: 'bold' };
/** Between two labels of an axis. */
const TICK_GAP_PX = 34;
const LABEL_HEIGHT_PX = 13;

export type Panel = {
  series: PanelSeries;
  track: ColumnTrack;
  topPx: number;
  heightPx: number;
  axis: ValueAxis | null;
};

/** The plot's sides, the same for all panels. */
export type Sides = { leftPx: number; rightPx: number };

export function axisOf(series: PanelSeries, track: ColumnTrack, heightPx: number) {
  const { lowest, highest } = track;
  if (lowest === null || highest === null) return null;
  const ticksMax = Math.max(2, Math.floor(heightPx / TICK_GAP_PX));
  const range = { min: lowest.value, max: highest.value };
  return valueAxis(range, { scale: SCALES[series], ticksMax });
}

export function tickText(series: PanelSeries, axis: ValueAxis, tick: number): string {
  if (series === 'price') return priceTickText(tick, axis.step ?? 100);
  return countTickText(tick);
}

export function textAt(
  [x, y]: readonly [number, number],
  text: string,
  options: TextStyle & { fill: string; anchor?: 'middle' | 'end' },
): string {
  if (text === '') return '';
  const weight = options.weight === 'bold' ? ' font-weight="600"' : '';
  const anchor = options.anchor === undefined ? '' : ` text-anchor="${options.anchor}"`;
  return `<text x="${px(x)}" y="${px(y)}" font-size="${options.sizePx}"${weight}${anchor} fill="${options.fill}">${escaped(text)}</text>`;
}

export function drawPanel(
  chart: Chart,
  panel: Panel,
  { sides, theme, isFirst }: { sides: Sides; theme: ChartTheme; isFirst: boolean },
): string {
  const { series, track, topPx, heightPx, axis } = panel;
  const { leftPx, rightPx } = sides;
  const widthPx = rightPx - leftPx;
  const x = (column: number) => leftPx + (column / track.span.columns) * widthPx;
  const parts = [drawTints(panel, { x, theme }), drawAxis(panel, { sides, theme })];
  if (axis !== null) {
    const y = (value: number) => topPx + axis.position(value) * heightPx;
    const { line, band } = linePaths(track, { x, y });
    const colour = theme[series];
    if (band !== null) parts.push(`<path d="${band}" fill="${colour}" fill-opacity="0.28"/>`);
    parts.push(
      `<path d="${line}" fill="none" stroke="${colour}" stroke-width="${band === null ? 1.8 : 1.2}" stroke-linejoin="bevel"/>`,
    );
    if (typeof track.current === 'number') {
      parts.push(
        `<circle cx="${px(rightPx)}" cy="${px(y(track.current))}" r="3" fill="${colour}" stroke="${theme.surface}" stroke-width="1.5"/>`,
      );
    }
  }
  parts.push(drawLabel(chart, panel, { sides, theme, isFirst }));
  return parts.join('');
}

/** Spans in which there was no value, or nobody observed, apart from each other. */
function drawTints(
  { series, track, topPx, heightPx }: Panel,
  { x, theme }: { x: (column: number) => number; theme: ChartTheme },
): string {
  // The stock of a seller is unknown, or nobody observed it: both mean that no total is known.
  const none = series === 'price' ? theme.none : theme.unobserved;
  const fillOf = (contents: number): string | null => {
    if ((contents & HAS_NONE) !== 0) return none;
    return (contents & HAS_UNOBSERVED) !== 0 && (contents & HAS_NUMBER) === 0
      ? theme.unobserved
      : null;
  };
  let svg = '';
  let start = 0;
  let fill: string | null = null;
  for (let column = 0; column <= track.span.columns; column++) {
    const next = column < track.span.columns ? fillOf(track.contents[column] as number) : null;
    if (next === fill) continue;
    if (fill !== null) {
      svg += `<rect x="${px(x(start))}" y="${px(topPx)}" width="${px(x(column) - x(start))}" height="${px(heightPx)}" fill="${fill}"/>`;
    }
    [start, fill] = [column, next];
  }
  return svg;
}

function drawAxis(
  { series, topPx, heightPx, axis }: Panel,
  { sides, theme }: { sides: Sides; theme: ChartTheme },
): string {
  const { leftPx, rightPx } = sides;
  const across = (y: number) => `M${px(leftPx)} ${px(y)}H${px(rightPx)}`;
  let labels = '';
  let grid = '';
  let labelledAtPx = Number.POSITIVE_INFINITY;
  const ticks = axis?.ticks ?? [];
  const placed = ticks
    .map((tick) => ({ tick, y: topPx + (axis as ValueAxis).position(tick) * heightPx }))
    .sort((a, b) => b.y - a.y);
  for (const { tick, y } of placed) {
    if (y < topPx || y > topPx + heightPx || labelledAtPx - y < LABEL_HEIGHT_PX) continue;
    labelledAtPx = y;
    grid += across(y);
    const text = tickText(series, axis as ValueAxis, tick);
    labels += textAt([leftPx - 8, y + 4], text, { ...LABEL, fill: theme.muted, anchor: 'end' });
  }
  const gridPath = grid === '' ? '' : `<path d="${grid}" stroke="${theme.grid}"/>`;
  const base = `<path d="${across(topPx + heightPx)}" stroke="${theme.line}"/>`;
  return gridPath + base + labels;
}

/** Above the panel: what it shows on the left, its extremes on the right. */
function drawLabel(
  { rankCategory }: Chart,
  { series, track, topPx }: Panel,
  { sides, theme, isFirst }: { sides: Sides; theme: ChartTheme; isFirst: boolean },
): string {
  const y = topPx - 6;
  const { current } = track;
  // That of the first panel is in the header.
  const now = typeof current === 'number' && !isFirst ? valueText(series, current) : '';
  const right = extremesText(series, track);
  const rightWidth = widthOf(right, LABEL);
  const roomPx = sides.rightPx - sides.leftPx - rightWidth - 16;
  const nowWidth = widthOf(now, STRONG_LABEL);
  const category = series === 'rank' && rankCategory ? ` in ${cleanText(rankCategory)}` : '';
  const name = fittedText(SERIES_WORDS[series] + category, roomPx - nowWidth - 8, LABEL);
  return (
    textAt([sides.leftPx, y], name, { ...LABEL, fill: theme.muted }) +
    textAt([sides.leftPx + widthOf(name, LABEL) + 8, y], now, {
      ...STRONG_LABEL,
      fill: theme[series],
    }) +
    textAt([sides.rightPx, y], right, { ...LABEL, fill: theme.muted, anchor: 'end' })
  );
}
