// The sentences of a chart: title, range, current value, change, and the description that screen
// readers read instead of the picture.

import { DAY_SECONDS } from '../foundation/time.ts';
import { type Chart, PANELS, type PanelSeries } from './chart.ts';
import type { ColumnTrack } from './column-track.ts';
import {
  cleanText,
  countText,
  drawableText,
  fittedText,
  priceText,
  type TextStyle,
  widthOf,
} from './svg-text.ts';
import { dateText, dayText, momentText } from './time-axis.ts';

export const SERIES_WORDS: Readonly<Record<PanelSeries, string>> = {
  price: 'Buybox price',
  rank: 'Sales rank',
  stock: 'Units in stock',
};

export function valueText(series: PanelSeries, value: number): string {
  if (series === 'price') return priceText(value);
  return series === 'rank' ? `#${countText(value)}` : countText(value);
}

/** A name of which PNG pictures could draw less than half is replaced by the product's code. */
export function titleOf(
  { code, productName }: Pick<Chart, 'code' | 'productName'>,
  onlyDrawable: boolean,
): string {
  const name = cleanText(productName ?? '');
  if (name === '') return `Product ${code}`;
  if (!onlyDrawable) return name;
  const drawable = drawableText(name);
  return drawable.length * 2 >= name.length ? drawable : `Product ${code}`;
}

/** The longest form that fits. */
export function spanText(
  { fromAtSeconds, toAtSeconds }: Chart,
  widthMaxPx: number,
  style: TextStyle,
): string {
  const isShort = toAtSeconds - fromAtSeconds <= 2 * DAY_SECONDS;
  const [from, to] = [dateText(fromAtSeconds), dateText(toAtSeconds)];
  const forms = [
    `${isShort ? momentText(fromAtSeconds) : from} – ${momentText(toAtSeconds)}`,
    `${from} – ${to}`,
    `${dayText(fromAtSeconds)} – ${to}`,
  ];
  const fitting = forms.find((form) => widthOf(form, style) <= widthMaxPx);
  return (
    fitting ?? fittedText(`${dayText(fromAtSeconds)} – ${dayText(toAtSeconds)}`, widthMaxPx, style)
  );
}

export type Headline = { value: string; note: string };

/** The current value, and how it changed; of the first panel. */
export function headlineOf(chart: Chart, series: PanelSeries, track: ColumnTrack): Headline {
  const { current, firstNumber, lastAtSeconds } = track;
  if (current === undefined) {
    const note = lastAtSeconds === null ? '' : `last seen ${dateText(lastAtSeconds)}`;
    return { value: 'Not observed', note };
  }
  if (current === null) {
    return { value: series === 'price' ? 'No buybox' : 'Unknown', note: '' };
  }
  const value = valueText(series, current);
  if (firstNumber === null || firstNumber === 0) return { value, note: '' };
  const tenths = Math.round((current / firstNumber - 1) * 1000) / 10;
  const sign = tenths > 0 ? '+' : tenths < 0 ? '−' : '±';
  const isLong = chart.toAtSeconds - chart.fromAtSeconds > 300 * DAY_SECONDS;
  const since = isLong ? dateText(chart.fromAtSeconds) : dayText(chart.fromAtSeconds);
  const note = `${sign}${Math.abs(tenths)} % since ${since}`;
  return { value, note };
}

/** "low $17.99 · high $24.99", or one of them if they are equal. */
export function extremesText(series: PanelSeries, { lowest, highest }: ColumnTrack): string {
  if (lowest === null || highest === null) return '';
  if (lowest.value === highest.value) return valueText(series, lowest.value);
  const [low, high] = series === 'rank' ? ['best', 'worst'] : ['low', 'high'];
  return `${low} ${valueText(series, lowest.value)} · ${high} ${valueText(series, highest.value)}`;
}

/** Whole percent of the span; "under 1 %" is not 0. */
export function shareText(seconds: number, chart: Chart): string {
  const percent = (seconds / (chart.toAtSeconds - chart.fromAtSeconds)) * 100;
  return percent < 1 ? 'under 1 %' : `${Math.round(percent)} %`;
}

export function descriptionOf(chart: Chart): string {
  const sentences = [
    `From ${momentText(chart.fromAtSeconds)} to ${momentText(chart.toAtSeconds)}.`,
  ];
  for (const series of PANELS) {
    const track = chart.tracks.get(series);
    if (track !== undefined) sentences.push(describeTrack(chart, series, track));
  }
  const { marks } = chart;
  if (marks.length > 0) {
    sentences.push(`${marks.length} ${marks.length === 1 ? 'event is' : 'events are'} marked.`);
  }
  return sentences.join(' ');
}

function describeTrack(chart: Chart, series: PanelSeries, track: ColumnTrack): string {
  const name = SERIES_WORDS[series];
  const { current, lowest, highest, noneSeconds, unobservedSeconds } = track;
  if (track.count === 0 && current === undefined) return `${name}: not observed.`;
  const parts = [
    current === undefined
      ? 'not observed at the end'
      : current === null
        ? `${series === 'price' ? 'no buybox' : 'unknown'} at the end`
        : `${valueText(series, current)} at the end`,
  ];
  if (lowest !== null && highest !== null) {
    parts.push(
      `lowest ${valueText(series, lowest.value)} on ${dateText(lowest.atSeconds)}`,
      `highest ${valueText(series, highest.value)} on ${dateText(highest.atSeconds)}`,
    );
  }
  if (noneSeconds > 0) {
    const what = series === 'price' ? 'no buybox' : 'unknown';
    parts.push(`${what} for ${shareText(noneSeconds, chart)} of the time`);
  }
  if (unobservedSeconds > 0) {
    parts.push(`not observed for ${shareText(unobservedSeconds, chart)} of the time`);
  }
  return `${name}: ${parts.join(', ')}.`;
}
