// The window, the address, marks and ticks of the chart.
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../app/server-clock.ts';
import { readChoice, writeChoice } from './chart-address.ts';
import {
  clampWindow,
  defaultRange,
  moved,
  rangeWindow,
  usefulRanges,
  zoomed,
} from './chart-window.ts';
import { barAt, dayBars, daysPerBar } from './day-bars.ts';
import { eventMarks } from './event-marks.ts';
import { joinSpans, spanAt, withoutSpans } from './spans.ts';
import { timeTicks } from './time-ticks.ts';
import { scaleOf } from './value-scale.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const extent = { fromAtMs: NOW - 1_000 * DAY_MS, toAtMs: NOW };

describe('the window', () => {
  it('of a range ends now', () => {
    expect(rangeWindow('1w', extent)).toEqual({ fromAtMs: NOW - 7 * DAY_MS, toAtMs: NOW });
    expect(rangeWindow('all', extent)).toEqual(extent);
  });

  it('keeps its width when it is moved beyond the data', () => {
    const window = { fromAtMs: NOW - 10 * DAY_MS, toAtMs: NOW };
    expect(clampWindow(moved(window, 5 * DAY_MS), extent)).toEqual(window);
    expect(clampWindow(moved(window, -5_000 * DAY_MS), extent)).toEqual({
      fromAtMs: extent.fromAtMs,
      toAtMs: extent.fromAtMs + 10 * DAY_MS,
    });
  });

  it('zooms around an instant, to an hour at the finest and to all data at the widest', () => {
    const window = { fromAtMs: NOW - 10 * DAY_MS, toAtMs: NOW };
    expect(zoomed(window, 0.5, NOW)).toEqual({ fromAtMs: NOW - 5 * DAY_MS, toAtMs: NOW });
    const fine = clampWindow({ fromAtMs: NOW - 1_000, toAtMs: NOW - 500 }, extent);
    expect(fine.toAtMs - fine.fromAtMs).toBe(HOUR_MS);
    expect(clampWindow(zoomed(window, 1_000, NOW), extent)).toEqual(extent);
  });

  it('offers no range that would be mostly empty', () => {
    expect(usefulRanges({ fromAtMs: NOW - 10 * DAY_MS, toAtMs: NOW })).toEqual([
      '1d',
      '1w',
      '1m',
      'all',
    ]);
    expect(defaultRange(extent)).toBe('3m');
    expect(defaultRange({ fromAtMs: NOW - DAY_MS, toAtMs: NOW })).toBe('all');
  });
});

describe('the address', () => {
  it('keeps every choice, also names with commas, and the parameters of others', () => {
    const choice = {
      range: '1y' as const,
      window: { fromAtMs: NOW - DAY_MS, toAtMs: NOW },
      hidden: ['rank', 'events'],
      sellers: ['Acme, Inc.', 'B & C=D'],
      compare: '588986217',
      isPercent: true,
      isTable: true,
    };
    const text = writeChoice(new URLSearchParams('tab=1'), choice).toString();
    const read = new URLSearchParams(text);
    expect(readChoice(read)).toEqual(choice);
    expect(read.get('tab')).toBe('1');
    const none = { ...choice, sellers: [] };
    expect(readChoice(writeChoice(new URLSearchParams(), none)).sellers).toEqual([]);
  });

  it('ignores what it cannot read', () => {
    const text = 'range=2y&from=x&to=2026-01-01&compare=../x&percent=1&sellers=%25E0%25A4%25A';
    const choice = readChoice(new URLSearchParams(text));
    expect(choice).toMatchObject({ range: null, window: null, compare: null, isPercent: false });
    expect(choice.sellers).toHaveLength(1);
    expect(writeChoice(new URLSearchParams(), readChoice(new URLSearchParams())).size).toBe(0);
  });
});

it('spans are joined, cut and found', () => {
  const span = (fromAtMs: number, toAtMs: number) => ({ fromAtMs, toAtMs });
  expect(joinSpans([span(5, 8), span(1, 3), span(3, 4), span(9, 9)])).toEqual([
    span(1, 4),
    span(5, 8),
  ]);
  expect(withoutSpans([span(0, 10), span(20, 30)], [span(2, 3), span(9, 22)])).toEqual([
    span(0, 2),
    span(3, 9),
    span(22, 30),
  ]);
  expect(spanAt([span(1, 4), span(5, 8)], 5)).toEqual(span(5, 8));
  expect(spanAt([span(1, 4), span(5, 8)], 4)).toBeUndefined();
});

it('marks that would overlap become one, as urgent as its most urgent event', () => {
  const event = (atMs: number, tone: 'neutral' | 'critical') => ({
    id: String(atMs),
    atMs,
    tone,
    text: '',
    kind: '',
  });
  const events = [
    event(10, 'neutral'),
    event(12, 'critical'),
    event(60, 'neutral'),
    event(999, 'neutral'),
  ];
  const marks = eventMarks(events, (atMs) => atMs, 100);
  expect(marks.map(({ x, events: some, tone }) => [x, some.length, tone])).toEqual([
    [10, 2, 'critical'],
    [60, 1, 'neutral'],
  ]);
});

describe('the scales', () => {
  it.each([
    ['price', 30.2, 35.9, [30, 32.5, 35]],
    ['count', 3, 1_023, [0, 500, 1_000]],
    ['rank', 1, 2, [1, 2]],
  ] as const)('of a %s have round numbers', (kind, low, high, ticks) => {
    expect(scaleOf(kind, { low, high }, 3).ticks).toEqual(ticks);
  });

  it('give a flat line space, and nothing a scale of its own', () => {
    const { low, high } = scaleOf('price', { low: 20, high: 20 }, 4);
    expect(low).toBeLessThan(20);
    expect(high).toBeGreaterThan(20);
    expect(scaleOf('price', { low: Number.POSITIVE_INFINITY, high: -1 }, 4).ticks).toEqual([]);
  });

  it('of time lie on whole units, and never more than fit', () => {
    for (const days of [0.2, 1, 7, 30, 91, 365, 1_096, 4_000]) {
      const ticks = timeTicks({ fromAtMs: NOW - days * DAY_MS, toAtMs: NOW }, 10);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThanOrEqual(11);
      for (const [index, { text }] of ticks.entries())
        expect(text).not.toBe(ticks[index + 1]?.text);
      for (const { atMs } of ticks) expect(new Date(atMs).getMinutes()).toBe(0);
    }
  });
});

it('bars of narrow days are weeks with the average per day', () => {
  expect([20, 1, 0.1].map((pixels) => daysPerBar(pixels, 4))).toEqual([1, 7, 56]);
  const days = Array.from({ length: 14 }, (_, index) => ({
    date: new Date(Date.parse('2026-01-01T00:00:00Z') + index * DAY_MS).toISOString().slice(0, 10),
    units_sold: index === 3 ? null : 2,
    low: index === 3 ? null : 1,
    high: index === 3 ? null : 3,
  }));
  const bar = barAt(dayBars(days), Date.parse('2026-01-05T00:00:00Z'), 7);
  expect(bar).toMatchObject({ units: 2, low: 1, high: 3 });
});
