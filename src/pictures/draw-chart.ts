// Draws a chart as SVG: title and current value, a panel for each series above one time axis, marks
// for events, and a legend. Only shapes and escaped text: no script, no style, no reference.
import { type Chart, type ChartFrame, hasObservations, PANELS } from './chart.ts';
import { CHART_THEMES, type ChartTheme } from './chart-theme.ts';
import { descriptionOf, headlineOf, shareText, spanText, titleOf } from './chart-words.ts';
import {
  axisOf,
  drawPanel,
  LABEL,
  type Panel,
  type Sides,
  textAt,
  tickText,
} from './draw-panel.ts';
import { escaped, fittedText, px, type TextStyle, widthOf } from './svg-text.ts';
import { momentText, timeTicks } from './time-axis.ts';

const EDGE_PX = 20;
const HEADER_PX = 62;
const TIME_AXIS_PX = 20;
const FOOTER_PX = 24;
/** Above each panel, for its label. */
const PANEL_LABEL_PX = 22;
const PANEL_WEIGHTS = { price: 2.4, rank: 1, stock: 1 } as const;

const TITLE: TextStyle = { sizePx: 17, weight: 'bold' };
const VALUE: TextStyle = { sizePx: 22, weight: 'bold' };
const NOTE: TextStyle = { sizePx: 12 };

const FONTS =
  "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export function drawChart(chart: Chart, frame: ChartFrame): string {
  const theme = CHART_THEMES[frame.theme];
  const title = titleOf(chart, frame.onlyDrawable);
  const panels = layOut(chart, frame);
  const sides = sidesOf(panels, frame);
  const { widthPx, heightPx } = frame;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}" role="img" aria-labelledby="chart-title chart-text" font-family="${FONTS}">`,
    `<title id="chart-title">${escaped(`${title}: chart of product ${chart.code}`)}</title>`,
    `<desc id="chart-text">${escaped(descriptionOf(chart))}</desc>`,
    `<rect width="${widthPx}" height="${heightPx}" fill="${theme.surface}"/>`,
    drawHeader(chart, { title, frame, theme }),
    drawTimes(chart, { panels, sides, theme }),
    ...panels.map((panel, index) =>
      drawPanel(chart, panel, { sides, theme, isFirst: index === 0 }),
    ),
    hasObservations(chart) ? drawMarks(chart, { panels, sides, theme }) : drawEmpty(frame, theme),
    drawFooter(chart, { frame, theme }),
    '</svg>',
  ].join('');
}

/** A series without a single observation gets no panel, unless none would be left. */
function layOut(chart: Chart, { heightPx }: ChartFrame): Panel[] {
  const requested = PANELS.filter((series) => chart.tracks.has(series));
  const observed = requested.filter((series) => chart.tracks.get(series)?.lowest !== null);
  const shown = observed.length > 0 ? observed : requested.slice(0, 1);
  const roomPx = heightPx - HEADER_PX - TIME_AXIS_PX - FOOTER_PX - shown.length * PANEL_LABEL_PX;
  const weights = shown.reduce((sum, series) => sum + PANEL_WEIGHTS[series], 0);
  let topPx = HEADER_PX;
  return shown.flatMap((series) => {
    const track = chart.tracks.get(series);
    if (track === undefined) return [];
    const panelPx = (roomPx * PANEL_WEIGHTS[series]) / weights;
    topPx += PANEL_LABEL_PX;
    const panel = { series, track, topPx, heightPx: panelPx, axis: axisOf(series, track, panelPx) };
    topPx += panelPx;
    return [panel];
  });
}

function sidesOf(panels: readonly Panel[], { widthPx }: ChartFrame): Sides {
  const labels = panels.flatMap(({ series, axis }) =>
    axis === null ? [] : axis.ticks.map((tick) => widthOf(tickText(series, axis, tick), LABEL)),
  );
  return { leftPx: EDGE_PX + Math.max(0, ...labels) + 8, rightPx: widthPx - EDGE_PX };
}

function drawHeader(
  chart: Chart,
  { title, frame, theme }: { title: string; frame: ChartFrame; theme: ChartTheme },
): string {
  const rightPx = frame.widthPx - EDGE_PX;
  const series = PANELS.find((one) => chart.tracks.has(one));
  const track = series && chart.tracks.get(series);
  const { value, note } =
    series !== undefined && track !== undefined && track.contents.length > 0
      ? headlineOf(chart, series, track)
      : { value: '', note: '' };
  const right = Math.max(widthOf(value, VALUE), widthOf(note, NOTE));
  const roomPx = rightPx - EDGE_PX - right - 24;
  return [
    textAt([EDGE_PX, 31], fittedText(title, roomPx, TITLE), { ...TITLE, fill: theme.ink }),
    textAt([EDGE_PX, 50], spanText(chart, roomPx, NOTE), { ...NOTE, fill: theme.muted }),
    textAt([rightPx, 32], value, { ...VALUE, fill: theme.ink, anchor: 'end' }),
    textAt([rightPx, 50], note, { ...NOTE, fill: theme.muted, anchor: 'end' }),
  ].join('');
}

/** The time axis under the last panel, and its lines through all of them. */
function drawTimes(
  chart: Chart,
  { panels, sides, theme }: { panels: readonly Panel[]; sides: Sides; theme: ChartTheme },
): string {
  const { leftPx, rightPx } = sides;
  const { fromAtSeconds, toAtSeconds } = chart;
  const bottom = panels.at(-1);
  if (bottom === undefined) return '';
  const labelY = bottom.topPx + bottom.heightPx + 15;
  let lines = '';
  let labels = '';
  for (const { atSeconds, label } of timeTicks(chart, rightPx - leftPx)) {
    const x =
      leftPx + ((atSeconds - fromAtSeconds) / (toAtSeconds - fromAtSeconds)) * (rightPx - leftPx);
    for (const { topPx, heightPx } of panels) lines += `M${px(x)} ${px(topPx)}v${px(heightPx)}`;
    const half = widthOf(label, LABEL) / 2;
    if (x - half < EDGE_PX || x + half > rightPx + EDGE_PX / 2) continue;
    labels += textAt([x, labelY], label, { ...LABEL, fill: theme.muted, anchor: 'middle' });
  }
  return (lines === '' ? '' : `<path d="${lines}" stroke="${theme.grid}"/>`) + labels;
}

const MARK_GAP_PX = 13;

/** Events of the account, on the base of the first panel; close ones share a mark. */
function drawMarks(
  chart: Chart,
  { panels, sides, theme }: { panels: readonly Panel[]; sides: Sides; theme: ChartTheme },
): string {
  const [panel] = panels;
  if (panel === undefined) return '';
  const { fromAtSeconds, toAtSeconds } = chart;
  const perSecond = (sides.rightPx - sides.leftPx) / (toAtSeconds - fromAtSeconds);
  const groups: { x: number; titles: string[] }[] = [];
  for (const { atSeconds, kind } of chart.marks) {
    const x = sides.leftPx + (atSeconds - fromAtSeconds) * perSecond;
    const title = `${kind}, ${momentText(atSeconds)}`;
    const group = groups.at(-1);
    if (group !== undefined && x - group.x < MARK_GAP_PX) group.titles.push(title);
    else groups.push({ x, titles: [title] });
  }
  return groups.map((group) => drawMark(group, panel, theme)).join('');
}

const TITLES_MAX = 10;

function drawMark(
  { x, titles }: { x: number; titles: readonly string[] },
  { topPx, heightPx }: Panel,
  theme: ChartTheme,
): string {
  const count = titles.length;
  const more = count > TITLES_MAX ? `; ${count - TITLES_MAX} more` : '';
  const title = titles.slice(0, TITLES_MAX).join('; ') + more;
  const bottomPx = topPx + heightPx;
  const radius = count === 1 ? 3.5 : 6;
  const number = count === 1 ? '' : String(Math.min(count, 99));
  return (
    `<g><title>${escaped(title)}</title>` +
    `<path d="M${px(x)} ${px(topPx)}v${px(heightPx)}" stroke="${theme.events}" stroke-opacity="0.35" stroke-dasharray="2 3"/>` +
    `<circle cx="${px(x)}" cy="${px(bottomPx)}" r="${radius}" fill="${theme.events}" stroke="${theme.surface}"/>` +
    textAt([x, bottomPx + 3], number, {
      sizePx: 8,
      weight: 'bold',
      fill: theme.surface,
      anchor: 'middle',
    }) +
    '</g>'
  );
}

const drawEmpty = ({ widthPx, heightPx }: ChartFrame, theme: ChartTheme): string =>
  textAt([widthPx / 2, heightPx / 2], 'Nothing was observed in this time.', {
    ...NOTE,
    fill: theme.muted,
    anchor: 'middle',
  });

/** A shorter time without observations is narrower than the lines. */
const SHARE_SHOWN = 0.003;

/** What the tints and marks mean on the right, the product's code on the left. */
function drawFooter(
  chart: Chart,
  { frame, theme }: { frame: ChartFrame; theme: ChartTheme },
): string {
  const y = frame.heightPx - 11;
  const entries: { text: string; fill: string; isRound?: boolean }[] = [];
  const price = chart.tracks.get('price');
  if (chart.marks.length > 0) {
    const text = `${chart.marks.length} ${chart.marks.length === 1 ? 'event' : 'events'}`;
    entries.push({ text, fill: theme.events, isRound: true });
  }
  const leastSeconds = (chart.toAtSeconds - chart.fromAtSeconds) * SHARE_SHOWN;
  if (price !== undefined && price.unobservedSeconds > leastSeconds) {
    const text = `Not observed ${shareText(price.unobservedSeconds, chart)}`;
    entries.push({ text, fill: theme.unobserved });
  }
  if (price !== undefined && price.noneSeconds > 0) {
    entries.push({ text: `No buybox ${shareText(price.noneSeconds, chart)}`, fill: theme.none });
  }
  let x = frame.widthPx - EDGE_PX;
  let svg = '';
  for (const { text, fill, isRound = false } of entries) {
    svg += textAt([x, y], text, { ...LABEL, fill: theme.muted, anchor: 'end' });
    x -= widthOf(text, LABEL) + 14;
    svg += `<rect x="${px(x)}" y="${px(y - 9)}" width="10" height="10" rx="${isRound ? 5 : 2}" fill="${fill}" stroke="${isRound ? 'none' : theme.line}"/>`;
    x -= 14;
  }
  const room = x - EDGE_PX;
  const source = fittedText(`Oversight · ${chart.code} · times in UTC`, room, LABEL);
  return svg + textAt([EDGE_PX, y], room > 60 ? source : '', { ...LABEL, fill: theme.muted });
}
