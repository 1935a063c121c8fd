// Steps over time and their summaries by bucket.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../app/server-clock.ts';
import { levelFor } from './pyramid.ts';
import {
  firstValueIn,
  HELD_MS,
  seriesOf,
  stepsOfChanges,
  stepsOfObservations,
  stepsOfSpans,
  valueAt,
} from './step-series.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (hours: number) => START + hours * HOUR_MS;

it('a series ends with its last step, also if the clock is behind', () => {
  const times = Float64Array.from([at(0), at(1), at(2)]);
  const series = seriesOf(times, Float64Array.from([1, 2, 3]), at(-100));
  expect([series.endAtMs, valueAt(series, at(2))]).toEqual([at(2), 3]);
});

describe('a series of observations', () => {
  it('holds each value until the next one, and stores no repetition', () => {
    const series = stepsOfObservations(
      [
        { atMs: at(0), value: 5 },
        { atMs: at(1), value: 5 },
        { atMs: at(2), value: 7 },
      ],
      at(10),
    );
    expect([...series.times]).toEqual([at(0), at(2)]);
    expect([0, 1.5, 2, 9].map((hours) => valueAt(series, at(hours)))).toEqual([5, 5, 7, 7]);
  });

  it('has no value 48 hours after an observation: neither 0 nor the last one', () => {
    const series = stepsOfObservations(
      [
        { atMs: at(0), value: 5 },
        { atMs: at(100), value: 6 },
      ],
      at(1_000),
    );
    expect(valueAt(series, at(47))).toBe(5);
    expect(valueAt(series, at(49))).toBeNaN();
    expect(valueAt(series, at(100))).toBe(6);
    expect(series.endAtMs).toBe(at(100) + HELD_MS);
    expect(valueAt(series, at(149))).toBeNaN();
    expect(valueAt(series, at(-1))).toBeNaN();
  });

  it('ends now, not in the future', () => {
    const series = stepsOfObservations([{ atMs: at(0), value: 5 }], at(3));
    expect(series.endAtMs).toBe(at(3));
  });

  it('shows an observed absence as a gap', () => {
    const series = stepsOfObservations(
      [
        { atMs: at(0), value: 5 },
        { atMs: at(1), value: null },
        { atMs: at(2), value: 5 },
      ],
      at(3),
    );
    expect(valueAt(series, at(1.5))).toBeNaN();
    expect(firstValueIn(series, at(1.2), at(3))).toBe(5);
    expect(firstValueIn(series, at(1.2), at(1.5))).toBeNaN();
  });
});

it('spans may leave time between them', () => {
  const series = stepsOfSpans([
    { fromAtMs: at(0), toAtMs: at(24), value: 3 },
    { fromAtMs: at(48), toAtMs: at(72), value: 4 },
  ]);
  expect([1, 30, 50, 73].map((hours) => valueAt(series, at(hours)))).toEqual([
    3,
    Number.NaN,
    4,
    Number.NaN,
  ]);
});

describe('the pyramid', () => {
  const step = fc.record({
    hours: fc.integer({ min: 1, max: 30 }),
    value: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: null }),
  });

  it('agrees with the steps at every level: extremes, average and observed share', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 60 }), (steps) => {
        let hours = 0;
        const changes = steps.map(({ hours: gap, value }) => {
          hours += gap;
          return { atMs: at(hours), value };
        });
        const series = stepsOfChanges(changes, at(hours + 5));
        for (const level of series.levels) {
          const { bucketMs, first, min, max, mean, share } = level;
          for (let bucket = 0; bucket < min.length; bucket += 1) {
            const expected = summary(changes, at(hours + 5), (first + bucket) * bucketMs, bucketMs);
            expect(share[bucket]).toBeCloseTo(expected.share, 3);
            if (expected.share === 0) continue;
            expect([min[bucket], max[bucket]]).toEqual([expected.min, expected.max]);
            expect(mean[bucket]).toBeCloseTo(expected.mean, 1);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('has at most as many buckets at a level as the screen needs', () => {
    const changes = Array.from({ length: 26_280 }, (_, index) => ({
      atMs: at(index),
      value: 10 + (index % 7),
    }));
    const series = stepsOfChanges(changes, at(26_280));
    const level = levelFor(series.levels, (26_280 * HOUR_MS) / 300);
    expect(level?.min.length).toBeLessThanOrEqual(301);
    expect(level?.min.length).toBeGreaterThan(140);
  });
});

/** The same by brute force. */
function summary(
  changes: readonly { atMs: number; value: number | null }[],
  endAtMs: number,
  fromAtMs: number,
  bucketMs: number,
) {
  let [min, max, sum, ms] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  changes.forEach(({ atMs, value }, index) => {
    const until = changes[index + 1]?.atMs ?? endAtMs;
    const part = Math.min(until, fromAtMs + bucketMs) - Math.max(atMs, fromAtMs);
    if (value === null || part <= 0) return;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value * part;
    ms += part;
  });
  return { min, max, mean: sum / ms, share: ms / bucketMs };
}
