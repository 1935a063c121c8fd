import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Buybox } from '../catalog/snapshot.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { type BoxInterval, createBuyboxShare } from './buybox-share.ts';

const START = Date.parse('2026-03-01T00:00:00Z') / 1000;
const hour = (hours: number) => START + hours * HOUR_SECONDS;

type Seen = readonly [hours: number, box: Buybox | null | undefined];

const acme = (priceCents: number): Buybox => ({ priceCents, sellerName: 'Acme' });
const zeta = (priceCents: number): Buybox => ({ priceCents, sellerName: 'Zeta' });

function shareOf(seen: readonly Seen[], range: { from?: number; to: number }) {
  const share = createBuyboxShare({
    fromAtSeconds: range.from === undefined ? null : hour(range.from),
    toAtSeconds: hour(range.to),
  });
  const intervals: BoxInterval[] = [];
  for (const [hours, box] of seen) intervals.push(...share.add(hour(hours), box));
  intervals.push(...share.finish());
  return { intervals, days: share.days(), total: share.total() };
}

const spans = (intervals: readonly BoxInterval[]) =>
  intervals.map(({ fromAtSeconds, toAtSeconds, state, sellerName }) => [
    (fromAtSeconds - START) / HOUR_SECONDS,
    (toAtSeconds - START) / HOUR_SECONDS,
    sellerName ?? state,
  ]);

describe('the intervals of a buybox', () => {
  it('end when another seller, or nobody, holds it', () => {
    const seen: Seen[] = [
      [0, acme(100)],
      [1, acme(300)],
      [3, zeta(90)],
      [4, null],
      [5, { priceCents: 80, sellerName: null }],
    ];
    const { intervals } = shareOf(seen, { to: 6 });
    expect(spans(intervals)).toEqual([
      [0, 3, 'Acme'],
      [3, 4, 'Zeta'],
      [4, 5, 'suppressed'],
      [5, 6, 'held'],
    ]);
    expect(intervals[0]?.prices).toEqual({
      firstCents: 100,
      lastCents: 300,
      minCents: 100,
      maxCents: 300,
      averageCents: Math.round((100 + 2 * 300) / 3),
    });
    expect(intervals[2]?.prices).toBe(null);
  });

  it('do not end with an observation without the buybox', () => {
    const seen: Seen[] = [
      [0, acme(100)],
      [1, undefined],
      [2, acme(100)],
    ];
    expect(spans(shareOf(seen, { to: 3 }).intervals)).toEqual([[0, 3, 'Acme']]);
  });

  it('last 48 hours after the last observation; later time is not observed', () => {
    const seen: Seen[] = [
      [0, acme(100)],
      [60, acme(100)],
    ];
    expect(spans(shareOf(seen, { to: 200 }).intervals)).toEqual([
      [0, 48, 'Acme'],
      [48, 60, 'not_observed'],
      [60, 108, 'Acme'],
      [108, 200, 'not_observed'],
    ]);
  });

  it('begin with an observation before the range that still holds', () => {
    const seen: Seen[] = [
      [-10, acme(100)],
      [5, zeta(100)],
    ];
    expect(spans(shareOf(seen, { from: 0, to: 6 }).intervals)).toEqual([
      [0, 5, 'Acme'],
      [5, 6, 'Zeta'],
    ]);
    expect(spans(shareOf([[-48, acme(1)]], { from: 0, to: 6 }).intervals)).toEqual([
      [0, 6, 'not_observed'],
    ]);
  });
});

describe('the shares', () => {
  it('of a day are parts of its observed time, which is part of the day', () => {
    const seen: Seen[] = [
      [12, acme(100)],
      [30, zeta(200)],
      [36, null],
    ];
    const { days, total } = shareOf(seen, { from: 0, to: 48 });
    expect(days.map(({ day, seconds }) => [day - START / DAY_SECONDS, seconds])).toEqual([
      [0, DAY_SECONDS],
      [1, DAY_SECONDS],
    ]);
    expect(days[0]).toMatchObject({ observedSeconds: 12 * HOUR_SECONDS, averageCents: 100 });
    expect(days[1]?.sellers).toEqual([
      { sellerName: 'Acme', seconds: 6 * HOUR_SECONDS, averageCents: 100 },
      { sellerName: 'Zeta', seconds: 6 * HOUR_SECONDS, averageCents: 200 },
    ]);
    expect(days[1]?.suppressedSeconds).toBe(12 * HOUR_SECONDS);
    expect(total).toMatchObject({ observedSeconds: 36 * HOUR_SECONDS, averageCents: 125 });
  });

  it('of a range without a start begin with the first observation', () => {
    const { days } = shareOf([[20, acme(100)]], { to: 22 });
    expect(days.map(({ seconds, observedSeconds }) => [seconds, observedSeconds])).toEqual([
      [2 * HOUR_SECONDS, 2 * HOUR_SECONDS],
    ]);
  });

  it('are what an hour-by-hour count gives, for any history', () => {
    const box = fc.oneof(
      fc.constant(undefined),
      fc.constant(null),
      fc.record({
        priceCents: fc.integer({ min: 1, max: 9_999 }),
        sellerName: fc.constantFrom('Acme', 'Zeta', null),
      }),
    );
    const history = fc
      .uniqueArray(fc.tuple(fc.integer({ min: -100, max: 300 }), box), {
        selector: ([hours]) => hours,
        maxLength: 40,
      })
      .map((seen) => seen.sort(([a], [b]) => a - b));
    fc.assert(
      fc.property(history, fc.nat(200), (seen, length) => {
        const { intervals, days, total } = shareOf(seen, { from: 0, to: length });
        const counted = { held: 0, suppressed: 0, not_observed: 0 };
        for (let hours = 0; hours < length; hours++) {
          const last = seen.findLast(([at, one]) => at <= hours && one !== undefined);
          const holds = last !== undefined && hours < last[0] + 48;
          counted[holds ? (last[1] === null ? 'suppressed' : 'held') : 'not_observed']++;
        }
        const summed = { held: 0, suppressed: 0, not_observed: 0 };
        let untilAtSeconds = START;
        for (const { state, fromAtSeconds, toAtSeconds } of intervals) {
          expect(fromAtSeconds).toBe(untilAtSeconds);
          untilAtSeconds = toAtSeconds;
          summed[state] += (toAtSeconds - fromAtSeconds) / HOUR_SECONDS;
        }
        expect(summed).toEqual(counted);
        expect(total.suppressedSeconds).toBe(counted.suppressed * HOUR_SECONDS);
        const observed = days.reduce((sum, day) => sum + day.observedSeconds, 0);
        expect([observed, total.observedSeconds]).toEqual([
          (counted.held + counted.suppressed) * HOUR_SECONDS,
          observed,
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
