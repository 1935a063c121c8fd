// The page of `npm run bench -- pan`: the real chart with three years of hourly points of twenty
// sellers, a bar per day, a change of the buybox every few hours, and events.
import { DAY_MS, HOUR_MS } from '../src/app/server-clock.ts';
import { attachGestures } from '../src/chart/chart-gestures.ts';
import type { Line, Scene } from '../src/chart/chart-model.ts';
import { ChartView } from '../src/chart/chart-view.ts';
import { dayBars } from '../src/chart/day-bars.ts';
import { readingAt } from '../src/chart/readout.ts';
import { type StepSeries, seriesOf } from '../src/chart/step-series.ts';

const SELLERS = 20;
const HOURS = 3 * 365 * 24;
const NOW = Date.parse('2026-11-16T12:00:00Z');
const START = NOW - HOURS * HOUR_MS;

/** The same numbers in every run. */
let state = 42;
const random = () => {
  state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return state / 4_294_967_296;
};

/** A walk that changes at every hour, with a gap here and there. */
function hourly(start: number, step: number): StepSeries {
  const times = new Float64Array(HOURS);
  const values = new Float64Array(HOURS);
  let value = start;
  for (let hour = 0; hour < HOURS; hour += 1) {
    value = Math.max(start * 0.4, value + (random() - 0.5) * step);
    times[hour] = START + hour * HOUR_MS;
    values[hour] = hour % 2_000 > 1_960 ? Number.NaN : value;
  }
  return seriesOf(times, values, NOW);
}

function sceneOf(): Scene {
  const lines: Line[] = [];
  const names = Array.from({ length: SELLERS }, (_, index) => `Seller ${index + 1}`);
  names.forEach((name, colour) => {
    const shared = { name, colour, seller: name, shape: 'thin' as const };
    lines.push({ ...shared, id: `seller:${name}`, pane: 'price', series: hourly(30, 0.6) });
    lines.push({ ...shared, id: `stock:${name}`, pane: 'stock', series: hourly(100, 4) });
  });
  const main = { shape: 'main' as const };
  lines.push({
    ...main,
    id: 'buybox',
    name: 'Buybox',
    pane: 'price',
    colour: 'buybox',
    series: hourly(30, 0.6),
  });
  lines.push({
    ...main,
    id: 'lowest',
    name: 'Lowest',
    pane: 'price',
    colour: 'lowest',
    series: hourly(28, 0.5),
  });
  lines.push({
    ...main,
    id: 'rank',
    name: 'Rank',
    pane: 'rank',
    colour: 'rank',
    series: hourly(900, 40),
  });
  lines.push({
    ...main,
    id: 'stock',
    name: 'All',
    pane: 'stock',
    colour: 'stock',
    series: hourly(2_000, 30),
  });
  const days = Array.from({ length: HOURS / 24 }, (_, day) => ({
    date: new Date(START + day * DAY_MS).toISOString().slice(0, 10),
    units_sold: Math.round(random() * 90),
    low: 10,
    high: 95,
  }));
  const sold = { ...main, id: 'sold', name: 'Units', pane: 'sold', colour: 'sold' } as const;
  lines.push({ ...sold, series: hourly(40, 3), bars: dayBars(days) });
  const spans = (every: number, hours: number) =>
    Array.from({ length: Math.floor(HOURS / every) }, (_, index) => ({
      fromAtMs: START + index * every * HOUR_MS,
      toAtMs: START + (index * every + hours) * HOUR_MS,
    }));
  return {
    lines,
    suppressed: spans(700, 9),
    unobserved: spans(2_000, 40),
    holders: spans(5, 5).map((span, index) => ({ ...span, seller: names[index % 7] ?? '' })),
    events: spans(90, 1).map(({ fromAtMs }, index) => ({
      id: String(index),
      atMs: fromAtMs,
      tone: 'neutral',
      text: '',
      kind: '',
    })),
    colourOfSeller: new Map(names.map((name, index) => [name, index])),
    isPercent: false,
    nowMs: NOW,
  };
}

const canvasOf = (id: string) => document.querySelector<HTMLCanvasElement>(id) as HTMLCanvasElement;
const extent = { fromAtMs: START, toAtMs: NOW };
const builtAtMs = performance.now();
const scene = sceneOf();
document.title = `built in ${Math.round(performance.now() - builtAtMs)} ms`;
const readout = document.querySelector('#readout') as HTMLElement;
const view = new ChartView(
  { base: canvasOf('#base'), over: canvasOf('#over') },
  { scene, window: extent },
  {
    onReadout: (frame, atMs) => {
      const { lines } = readingAt(frame, atMs);
      readout.textContent = lines.map(({ text }) => text).join(' ');
    },
  },
);
attachGestures(canvasOf('#over'), {
  view,
  extent: () => extent,
  onWindow: () => {},
  onBack: () => {},
  onReset: () => {},
  onMark: () => {},
});
view.setWidth(1_100);
Object.assign(globalThis, {
  show: (days: number) => view.setWindow({ fromAtMs: NOW - days * DAY_MS, toAtMs: NOW }),
});
