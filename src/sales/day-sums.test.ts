// Properties of the estimates for any observations: no day is missing, no counted unit is lost, and
// a range of days can be estimated alone.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  habit,
  observation,
  ranked,
  rankedModel,
  sellerHabit,
} from '../../test/support/stock-observations.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { affectedDays, contextOf, type DayRange, estimateDays } from './day-estimate.ts';
import { EMPTY_MODEL } from './market-model.ts';
import { NEW_SELLER } from './seller-habit.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

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
/** As long as possible: short histories fit into the context completely. */
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
    .map((steps) => {
      let hour = 0;
      return steps.map(({ step: seconds, offers: units, complete, rank }) => {
        hour += seconds / HOUR_SECONDS;
        return observation(hour, units, {
          offersComplete: complete && units !== undefined,
          ...(rank === null ? {} : ranked(rank)),
        });
      });
    });
const anyHabit = fc.constantFrom(
  null,
  habit,
  { ...habit, lumpy: true, caps: { A: 50 } },
  { ...habit, sellers: { A: { ...sellerHabit, level: 40, nightly: true }, B: NEW_SELLER } },
  { ...habit, sellers: { A: { ...sellerHabit, pack: 12, packPart: 0.8 }, B: sellerHabit } },
);
const left = Array.from({ length: 48 }, (_, units) => (units < 4 ? 0.25 : 1e-5));
const leftByRate = Array.from({ length: 8 }, () => left);
const missed = Array.from({ length: 15 }, () => ({ after: 1.3, hidden: 0.4 }));
const anyModel = fc.constantFrom(EMPTY_MODEL, rankedModel, {
  ...rankedModel,
  lumpy: true,
  leftByRate,
  missed,
  returnsPerDay: 0.3,
});

describe('for any observations', () => {
  test('days are consecutive and all numbers are within their bounds', () => {
    fc.assert(
      fc.property(
        anyObservations({ maxLength: 60 }),
        anyHabit,
        anyModel,
        (observations, fittedHabit, model) => {
          const days = estimateDays(observations, { model, habit: fittedHabit });
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

  test('counted units are neither lost nor doubled', () => {
    const falling = fc.array(
      fc.record({ step: fc.integer({ min: 60, max: 180_000 }), sold: fc.nat(50) }),
      { maxLength: 200, size: 'max' },
    );
    fc.assert(
      fc.property(falling, (steps) => {
        let hour = 0;
        let stock = 20_000;
        const observations = steps.map(({ step: seconds, sold }) => {
          hour += seconds / HOUR_SECONDS;
          stock -= sold;
          return observation(hour, { A: stock });
        });
        const all = estimateDays(observations, { model: EMPTY_MODEL, habit: null });
        const sold = 20_000 - (steps[0]?.sold ?? 0) - stock;
        expect(all.reduce((sum, { units }) => sum + units, 0)).toBe(sold);
      }),
    );
  });

  test('a range of days has the same estimates alone and within the whole', () => {
    const anyStart = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        anyObservations({ minLength: 1, maxLength: 400 }),
        anyHabit,
        anyModel,
        anyStart,
        fc.nat(30),
        (observations, fittedHabit, model, start, length) => {
          const whole = estimateDays(observations, { model, habit: fittedHabit });
          const fromDay = (whole[Math.floor(start * (whole.length - 1))] as { day: number }).day;
          const range = { fromDay, toDay: fromDay + length };
          const part = estimateDays(
            neededFor(observations, range),
            { model, habit: fittedHabit },
            range,
          );
          expect(part).toEqual(whole.filter(({ day }) => day >= fromDay && day <= range.toDay));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('one more observation changes only the affected days', () => {
    fc.assert(
      fc.property(
        anyObservations({ minLength: 2, maxLength: 300 }),
        anyHabit,
        fc.nat(1_000),
        (observations, fittedHabit, index) => {
          const more = observations[1 + (index % (observations.length - 1))] as StockObservation;
          const fit = { model: rankedModel, habit: fittedHabit };
          const before = estimateDays(
            observations.filter((one) => one !== more),
            fit,
          );
          const after = estimateDays(observations, fit);
          // The first and the last observation decide which days exist, and how far a gap extends.
          const near = nearest(observations, more);
          const { fromDay, toDay } = affectedDays(dayOf(more.atSeconds));
          const changed = after.filter((estimate) => {
            const old = before[estimate.day - (before[0]?.day ?? 0)];
            return JSON.stringify(old) !== JSON.stringify(estimate);
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

/** The observations that contextOf describes. */
function neededFor(observations: readonly StockObservation[], range: DayRange): StockObservation[] {
  const { fromAtSeconds, toAtSeconds } = contextOf(range);
  const before = observations.filter(({ atSeconds }) => atSeconds < fromAtSeconds);
  const after = observations.filter(({ atSeconds }) => atSeconds >= toAtSeconds);
  const inside = observations.filter(
    ({ atSeconds }) => atSeconds >= fromAtSeconds && atSeconds < toAtSeconds,
  );
  const edges = [
    before.findLast(({ offers: list }) => list !== undefined) ?? before[0],
    after.find(({ offers: list }) => list !== undefined) ?? after.at(-1),
  ];
  return [edges[0], ...inside, edges[1]].filter((one) => one !== undefined);
}

function nearest(
  observations: readonly StockObservation[],
  to: StockObservation,
): { before: number; after: number } {
  const withOffers = observations.filter((one) => one.offers !== undefined && one !== to);
  return {
    before: (
      withOffers.findLast(({ atSeconds }) => atSeconds < to.atSeconds) ??
      observations[0] ??
      to
    ).atSeconds,
    after: (
      withOffers.find(({ atSeconds }) => atSeconds > to.atSeconds) ??
      observations.at(-1) ??
      to
    ).atSeconds,
  };
}
