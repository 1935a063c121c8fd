// The axes of a chart: round ticks, labels that do not touch.
import { describe, expect, test } from 'vitest';
import { LABEL } from './draw-panel.ts';
import { widthOf } from './svg-text.ts';
import { timeTicks } from './time-axis.ts';
import { valueAxis } from './value-axis.ts';

const at = (text: string) => Date.parse(text) / 1000;

describe('times', () => {
  const labels = (from: string, to: string, widthPx = 700) =>
    timeTicks({ fromAtSeconds: at(from), toAtSeconds: at(to) }, widthPx).map(({ label }) => label);

  test('a day has hours, and the date at midnight', () => {
    expect(labels('2026-11-15T12:00:00Z', '2026-11-16T12:00:00Z', 300)).toEqual([
      '12:00',
      '18:00',
      '16 Nov',
      '06:00',
      '12:00',
    ]);
  });

  test('weeks begin on Monday', () => {
    const shown = labels('2026-09-01T00:00:00Z', '2026-11-01T00:00:00Z');
    expect(shown.slice(0, 3)).toEqual(['7 Sep', '14 Sep', '21 Sep']);
  });

  test('years stand where January would', () => {
    expect(labels('2023-11-16T00:00:00Z', '2026-11-16T00:00:00Z')).toEqual([
      '2024',
      'Jul',
      '2025',
      'Jul',
      '2026',
      'Jul',
    ]);
  });

  test.each([1 / 24, 1, 3, 7, 30, 91, 365, 1096, 9_000])(
    'labels of %d days never touch, at any width',
    (days) => {
      for (const widthPx of [220, 380, 700, 1500]) {
        const span = { fromAtSeconds: at('2026-11-16T12:34:56Z') - days * 86_400 };
        const toAtSeconds = at('2026-11-16T12:34:56Z');
        const ticks = timeTicks({ ...span, toAtSeconds }, widthPx);
        expect(ticks.length).toBeLessThan(30);
        ticks.slice(1).forEach(({ atSeconds, label }, index) => {
          const before = ticks[index] as (typeof ticks)[number];
          const apartPx = ((atSeconds - before.atSeconds) / (days * 86_400)) * widthPx;
          const halves = (widthOf(label, LABEL) + widthOf(before.label, LABEL)) / 2;
          expect(apartPx).toBeGreaterThan(halves);
        });
      }
    },
  );
});

describe('values', () => {
  const ticks = (min: number, max: number, scale: 'padded' | 'from-zero' | 'rank', ticksMax = 4) =>
    valueAxis({ min, max }, { scale, ticksMax }).ticks;

  test('prices have round ticks around the values', () => {
    expect(ticks(1_314, 2_506, 'padded')).toEqual([1500, 2000, 2500]);
    expect(ticks(1_999, 1_999, 'padded')).toEqual([1800, 1900, 2000, 2100]);
  });

  test('stock begins at zero', () => {
    expect(ticks(37, 390, 'from-zero')).toEqual([0, 200, 400]);
  });

  test('rank 1 is above rank 2, and a wide range grows by factors', () => {
    const narrow = valueAxis({ min: 1, max: 9 }, { scale: 'rank', ticksMax: 3 });
    expect(narrow.position(1)).toBeLessThan(narrow.position(2));
    expect(narrow.ticks.every((tick) => Number.isInteger(tick) && tick >= 1)).toBe(true);
    expect(ticks(1, 250_000, 'rank', 6)).toEqual([1, 10, 100, 1_000, 10_000, 100_000]);
  });

  test.each([
    [1, 1],
    [0, 0],
    [1, 100_000_000],
    [99_999_999, 100_000_000],
    [3, 4],
  ])('every value from %d to %d lies inside, on every scale', (min, max) => {
    for (const scale of ['padded', 'from-zero', 'rank'] as const) {
      const low = scale === 'rank' ? Math.max(1, min) : min;
      const high = Math.max(low, max);
      const axis = valueAxis({ min: low, max: high }, { scale, ticksMax: 4 });
      for (const value of [low, high]) {
        expect(axis.position(value)).toBeGreaterThanOrEqual(0);
        expect(axis.position(value)).toBeLessThanOrEqual(1);
      }
      expect(axis.ticks.length).toBeLessThanOrEqual(9);
    }
  });
});
