// Billing periods: tables for days that some months lack, and properties of every anchor.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { daysUntil, monthsAfter, periodAt } from './billing-period.ts';

const ms = (text: string) => Date.parse(text);
const iso = (atMs: number) => new Date(atMs).toISOString();

const instant = (from: string, to: string) => fc.integer({ min: ms(from), max: ms(to) });
const anchors = instant('2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z');
/** An anchor and an instant up to some decades after it. */
const anchorAndMoment = anchors.chain((anchorAtMs) =>
  fc.record({
    anchorAtMs: fc.constant(anchorAtMs),
    atMs: fc.integer({ min: anchorAtMs, max: ms('2070-01-01T00:00:00Z') }),
  }),
);

describe('the days on which periods start', () => {
  test.each([
    {
      why: 'the 31st falls back to the last day of shorter months and comes back',
      anchor: '2026-01-31T10:30:00.000Z',
      starts: [
        '2026-02-28T10:30:00.000Z',
        '2026-03-31T10:30:00.000Z',
        '2026-04-30T10:30:00.000Z',
        '2026-05-31T10:30:00.000Z',
      ],
    },
    {
      why: 'February of a leap year has a 29th',
      anchor: '2028-01-30T00:00:00.000Z',
      starts: ['2028-02-29T00:00:00.000Z', '2028-03-30T00:00:00.000Z'],
    },
    {
      why: 'an anchor on 29 February stays on the 29th where there is one',
      anchor: '2028-02-29T23:59:59.999Z',
      starts: ['2028-03-29T23:59:59.999Z', '2028-04-29T23:59:59.999Z'],
    },
    {
      why: 'December is followed by January of the next year',
      anchor: '2026-11-15T06:07:08.009Z',
      starts: ['2026-12-15T06:07:08.009Z', '2027-01-15T06:07:08.009Z'],
    },
    {
      why: 'the last instant of a year is kept',
      anchor: '2026-12-31T23:59:59.999Z',
      starts: ['2027-01-31T23:59:59.999Z', '2027-02-28T23:59:59.999Z', '2027-03-31T23:59:59.999Z'],
    },
  ])('$why', ({ anchor, starts }) => {
    expect(starts.map((_, index) => iso(monthsAfter(ms(anchor), index + 1)))).toEqual(starts);
  });

  test('29 February returns after four years, the 28th in between', () => {
    const years = [12, 24, 36, 48].map((months) =>
      iso(monthsAfter(ms('2028-02-29T12:00Z'), months)),
    );
    expect(years).toEqual([
      '2029-02-28T12:00:00.000Z',
      '2030-02-28T12:00:00.000Z',
      '2031-02-28T12:00:00.000Z',
      '2032-02-29T12:00:00.000Z',
    ]);
  });

  test('always on the anchor’s day, or the last day of a shorter month', () => {
    fc.assert(
      fc.property(anchors, fc.nat({ max: 600 }), (anchorAtMs, months) => {
        const start = new Date(monthsAfter(anchorAtMs, months));
        const anchorDayOfMonth = new Date(anchorAtMs).getUTCDate();
        const nextDay = new Date(start.getTime() + DAY_MS);
        if (start.getUTCDate() !== anchorDayOfMonth) {
          expect(start.getUTCDate()).toBeLessThan(anchorDayOfMonth);
          expect(nextDay.getUTCDate()).toBe(1);
        }
      }),
    );
  });

  test('always at the anchor’s time of day, one calendar month after the other', () => {
    fc.assert(
      fc.property(anchors, fc.nat({ max: 600 }), (anchorAtMs, months) => {
        const start = monthsAfter(anchorAtMs, months);
        expect(start % DAY_MS).toBe(anchorAtMs % DAY_MS);
        const count = (atMs: number) =>
          new Date(atMs).getUTCFullYear() * 12 + new Date(atMs).getUTCMonth();
        expect(count(start)).toBe(count(anchorAtMs) + months);
      }),
    );
  });
});

describe('the period of an instant', () => {
  test('includes its start and excludes its end', () => {
    const anchorAtMs = ms('2026-01-31T10:30:00.000Z');
    const first = { startAtMs: anchorAtMs, endAtMs: ms('2026-02-28T10:30:00.000Z') };
    const second = { startAtMs: first.endAtMs, endAtMs: ms('2026-03-31T10:30:00.000Z') };
    expect(periodAt(anchorAtMs, anchorAtMs)).toEqual(first);
    expect(periodAt(anchorAtMs, first.endAtMs - 1)).toEqual(first);
    expect(periodAt(anchorAtMs, first.endAtMs)).toEqual(second);
    expect(periodAt(anchorAtMs, second.endAtMs - 1)).toEqual(second);
  });

  test('holds the instant', () => {
    fc.assert(
      fc.property(anchorAndMoment, ({ anchorAtMs, atMs }) => {
        const { startAtMs, endAtMs } = periodAt(anchorAtMs, atMs);
        expect(startAtMs).toBeLessThanOrEqual(atMs);
        expect(endAtMs).toBeGreaterThan(atMs);
      }),
    );
  });

  test('is the same for every instant in it, and adjacent periods have no gap', () => {
    fc.assert(
      fc.property(anchorAndMoment, fc.double({ min: 0, max: 1, noNaN: true }), (one, share) => {
        const period = periodAt(one.anchorAtMs, one.atMs);
        const lengthMs = period.endAtMs - period.startAtMs;
        const inside = period.startAtMs + Math.floor(share * (lengthMs - 1));
        expect(periodAt(one.anchorAtMs, inside)).toEqual(period);
        expect(periodAt(one.anchorAtMs, period.endAtMs).startAtMs).toBe(period.endAtMs);
        if (period.startAtMs > one.anchorAtMs) {
          expect(periodAt(one.anchorAtMs, period.startAtMs - 1).endAtMs).toBe(period.startAtMs);
        }
      }),
    );
  });

  test('before the anchor is the first one', () => {
    fc.assert(
      fc.property(anchors, fc.integer({ min: 1, max: 1000 * DAY_MS }), (anchorAtMs, earlierMs) => {
        expect(periodAt(anchorAtMs, anchorAtMs - earlierMs)).toEqual(
          periodAt(anchorAtMs, anchorAtMs),
        );
      }),
    );
  });

  test('lasts 28 to 31 days', () => {
    fc.assert(
      fc.property(anchorAndMoment, ({ anchorAtMs, atMs }) => {
        const { startAtMs, endAtMs } = periodAt(anchorAtMs, atMs);
        const days = (endAtMs - startAtMs) / DAY_MS;
        expect(Number.isInteger(days)).toBe(true);
        expect(days).toBeGreaterThanOrEqual(28);
        expect(days).toBeLessThanOrEqual(31);
      }),
    );
  });
});

describe('days until the refresh', () => {
  test.each([
    ['at the refresh', 0, 0],
    ['a millisecond before it', 1, 1],
    ['a day before it', DAY_MS, 1],
    ['a day and a millisecond before it', DAY_MS + 1, 2],
    ['a month before it', 31 * DAY_MS, 31],
    ['after it', -1, 0],
    ['long after it', -100 * DAY_MS, 0],
  ])('%s', (_, untilMs, days) => {
    const endAtMs = ms('2026-03-31T10:30:00.000Z');
    expect(daysUntil(endAtMs, endAtMs - untilMs)).toBe(days);
  });
});
