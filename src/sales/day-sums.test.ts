// What holds for the days of any looks at all: none is missing, nothing is lost, and each can be told alone.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { habit, known, observation, ranked } from '../../test/support/stock-observations.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { contextOf, type DayRange, estimateDays, touchedBy } from './day-estimate.ts';
import { EMPTY_MODEL } from './market-model.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

const HOUR = 3_600;

const count = fc.oneof(
  { weight: 8, arbitrary: fc.nat(60) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.nat(900) },
);
const offers = fc.option(
  fc.dictionary(fc.constantFrom('A', 'B', 'C'), count, { noNullPrototype: true }),
  { nil: undefined, freq: 12 },
);
const step = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 600, max: 90_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 90_000, max: 11 * DAY_SECONDS }) },
  { weight: 1, arbitrary: fc.integer({ min: 100_000, max: 40 * DAY_SECONDS }) },
);
/** As long as it may be: short histories fit into the context whole. */
const anyObservations = (sizes: { minLength?: number; maxLength: number }) =>
  fc
    .array(
      fc.record({
        step,
        offers,
        complete: fc.boolean(),
        rank: fc.option(fc.integer({ min: 1, max: 500 })),
      }),
      { ...sizes, size: 'max' },
    )
    .map((seen) => {
      let hour = 0;
      return seen.map(({ step: seconds, offers: units, complete, rank }) => {
        hour += seconds / HOUR;
        return observation(hour, units, {
          offersComplete: complete && units !== undefined,
          ...(rank === null ? {} : ranked(rank)),
        });
      });
    });
const anyHabit = fc.constantFrom(null, habit, { ...habit, lumpy: true, caps: { A: 50 } });
const left = Array.from({ length: 64 }, (_, units) => (units < 4 ? 0.25 : 1e-5));
const anyModel = fc.constantFrom(EMPTY_MODEL, known, { ...known, lumpy: true, left });

describe('for any looks', () => {
  test('days follow each other without a gap, and no number is out of its bounds', () => {
    fc.assert(
      fc.property(
        anyObservations({ maxLength: 60 }),
        anyHabit,
        anyModel,
        (observations, own, model) => {
          const days = estimateDays(observations, { model, habit: own });
          const first = observations[0];
          const last = observations.at(-1);
          if (first === undefined || last === undefined) {
            expect(days).toEqual([]);
            return;
          }
          expect(days.map(({ day }) => day)).toEqual(
            Array.from(
              { length: dayOf(last.atSeconds) - dayOf(first.atSeconds) + 1 },
              (_, index) => dayOf(first.atSeconds) + index,
            ),
          );
          for (const { units, low, high, confidence } of days) {
            expect(Number.isInteger(units) && Number.isInteger(low) && Number.isInteger(high)).toBe(
              true,
            );
            expect(0 <= low && low <= units && units <= high).toBe(true);
            expect(confidence >= 0 && confidence <= 1).toBe(true);
          }
        },
      ),
    );
  });

  test('what was counted is neither lost nor doubled', () => {
    const falling = fc.array(
      fc.record({ step: fc.integer({ min: 60, max: 200_000 }), sold: fc.nat(50) }),
      { maxLength: 200, size: 'max' },
    );
    fc.assert(
      fc.property(falling, (steps) => {
        let hour = 0;
        let stock = 20_000;
        const observations = steps.map(({ step: seconds, sold }) => {
          hour += seconds / HOUR;
          stock -= sold;
          return observation(hour, { A: stock });
        });
        const all = estimateDays(observations, { model: EMPTY_MODEL, habit: null });
        const sold = 20_000 - (steps[0]?.sold ?? 0) - stock;
        expect(all.reduce((sum, { units }) => sum + units, 0)).toBe(sold);
      }),
    );
  });

  test('a window is told alone as within the whole', () => {
    const index = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        anyObservations({ minLength: 1, maxLength: 400 }),
        anyHabit,
        anyModel,
        index,
        fc.nat(30),
        (observations, own, model, at, length) => {
          const whole = estimateDays(observations, { model, habit: own });
          const fromDay = (whole[Math.floor(at * (whole.length - 1))] as { day: number }).day;
          const range = { fromDay, toDay: fromDay + length };
          const part = estimateDays(neededFor(observations, range), { model, habit: own }, range);
          expect(part).toEqual(whole.filter(({ day }) => day >= fromDay && day <= range.toDay));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('one more look changes only the days it touches', () => {
    fc.assert(
      fc.property(
        anyObservations({ minLength: 2, maxLength: 300 }),
        anyHabit,
        fc.nat(1_000),
        (observations, own, number) => {
          const more = observations[1 + (number % (observations.length - 1))] as StockObservation;
          const fit = { model: known, habit: own };
          const before = estimateDays(
            observations.filter((one) => one !== more),
            fit,
          );
          const after = estimateDays(observations, fit);
          // The first and the last look say which days there are; in a gap, how far it goes.
          const near = nearest(observations, more);
          const { fromDay, toDay } = touchedBy(dayOf(more.atSeconds));
          const changed = after.filter(({ day }, index) => {
            const old = before[day - (before[0]?.day ?? 0)];
            return JSON.stringify(old) !== JSON.stringify(after[index]);
          });
          for (const { day } of changed) {
            expect(day).toBeGreaterThanOrEqual(Math.min(fromDay, dayOf(near.before)));
            expect(day).toBeLessThanOrEqual(Math.max(toDay, dayOf(near.after)));
          }
        },
      ),
    );
  });
});

/** What contextOf says: the looks of the span, and on each side the nearest with offers, else the very end. */
function neededFor(observations: readonly StockObservation[], range: DayRange): StockObservation[] {
  const { fromAtSeconds, toAtSeconds } = contextOf(range);
  const before = observations.filter(({ atSeconds }) => atSeconds < fromAtSeconds);
  const after = observations.filter(({ atSeconds }) => atSeconds >= toAtSeconds);
  const inside = observations.filter(
    ({ atSeconds }) => atSeconds >= fromAtSeconds && atSeconds < toAtSeconds,
  );
  const edges = [
    before.findLast(({ offers: seen }) => seen !== undefined) ?? before[0],
    after.find(({ offers: seen }) => seen !== undefined) ?? after.at(-1),
  ];
  return [edges[0], ...inside, edges[1]].filter((one) => one !== undefined);
}

function nearest(
  observations: readonly StockObservation[],
  to: StockObservation,
): { before: number; after: number } {
  const seen = observations.filter((one) => one.offers !== undefined && one !== to);
  return {
    before: (seen.findLast(({ atSeconds }) => atSeconds < to.atSeconds) ?? observations[0] ?? to)
      .atSeconds,
    after: (seen.find(({ atSeconds }) => atSeconds > to.atSeconds) ?? observations.at(-1) ?? to)
      .atSeconds,
  };
}
