// The trial turns sales into observations as the protocol says. A model fitted to frequent
// observations improves the estimates from sparse ones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { estimateDays } from './day-estimate.ts';
import { EMPTY_MODEL, fitMarketModel } from './market-model.ts';
import { addProduct, emptyMarketSums, leftRate, mergeMarketSums } from './market-sums.ts';
import { habitOf } from './product-habit.ts';
import { addToScore, emptyScore, scoreOf } from './sales-score.ts';
import {
  seededDraws,
  TRIAL_INTERVAL_HOURS,
  type TrialItem,
  trialItem,
  weeksForward,
} from './sales-trial.ts';
import type { Sale } from './trial-shelf.ts';

const units = ({ observations }: TrialItem) =>
  observations.map(({ offers }) => offers?.[0]?.units ?? -1);

describe('an item of the trial', () => {
  const sales = fc
    .array(
      fc.record({
        gap: fc.integer({ min: 0, max: 100_000 }),
        units: fc.integer({ min: 1, max: 90 }),
      }),
      { minLength: 1, maxLength: 150 },
    )
    .map((gaps) => {
      let atSeconds = 20_000 * DAY_SECONDS;
      return gaps.map(({ gap, units: sold }): Sale => {
        atSeconds += gap;
        return { atSeconds, units: sold };
      });
    });

  test('has a stock for every sale, and observations before the first and after the last', () => {
    fc.assert(
      fc.property(
        sales,
        fc.nat(),
        fc.constantFrom(...TRIAL_INTERVAL_HOURS),
        (sold, seed, hours) => {
          const item = trialItem(sold, { draw: seededDraws(seed), intervalHours: hours });
          expect(Math.min(...units(item))).toBeGreaterThanOrEqual(0);
          expect(item.observations[0]?.atSeconds).toBeLessThan(sold[0]?.atSeconds ?? 0);
          expect(item.observations.at(-1)?.atSeconds).toBeGreaterThanOrEqual(
            sold.at(-1)?.atSeconds ?? 0,
          );
          expect(item.truth.units.reduce((sum, day) => sum + day, 0)).toBe(
            sold.reduce((sum, sale) => sum + sale.units, 0),
          );
          item.observations.slice(1).forEach(({ atSeconds }, index) => {
            const apart = atSeconds - (item.observations[index]?.atSeconds ?? 0);
            expect(apart > 0 && apart % (hours * HOUR_SECONDS)).toBe(0);
          });
        },
      ),
    );
  });

  test('misses one observation in twenty and is refilled about every ten days', () => {
    const sold = shop(seededDraws(1), 300);
    const item = trialItem(sold, { draw: seededDraws(2), intervalHours: 1 });
    const span =
      (item.observations.at(-1)?.atSeconds ?? 0) - (item.observations[0]?.atSeconds ?? 0);
    expect(1 - (item.observations.length - 1) / (span / HOUR_SECONDS)).toBeCloseTo(0.05, 2);
    const counts = units(item);
    const refills = counts.filter((count, index) => count > (counts[index - 1] ?? count)).length;
    expect(refills).toBeGreaterThan(15);
    expect(refills).toBeLessThan(45);
  });

  test('is the same for the same seed', () => {
    const sold = shop(seededDraws(1), 30);
    expect(trialItem(sold, { draw: seededDraws(7) })).toEqual(
      trialItem(sold, { draw: seededDraws(7) }),
    );
    expect(trialItem(sold, { draw: seededDraws(7) })).not.toEqual(
      trialItem(sold, { draw: seededDraws(8) }),
    );
  });

  test('is moved by whole weeks to end before now', () => {
    const week = 7 * DAY_SECONDS;
    expect(weeksForward(1_000, 1_000 + 3 * week + 5)).toBe(3 * week);
    expect(weeksForward(1_000, 1_000 + 3 * week - 5)).toBe(2 * week);
  });
});

/** Orders of a few units between 9 and 17 o'clock; closed on two days of the week. */
function shop(draw: () => number, days: number): Sale[] {
  const sold: Sale[] = [];
  for (let day = 0; day < days; day++) {
    if (day % 7 >= 5) continue;
    const times = Array.from({ length: Math.floor(draw() * 5) }, () => 9 + 8 * draw()).sort(
      (a, b) => a - b,
    );
    for (const time of times)
      sold.push({
        atSeconds: (20_000 + day) * DAY_SECONDS + Math.floor(time * HOUR_SECONDS),
        units: 1 + Math.floor(draw() * 6),
      });
  }
  return sold;
}

describe('a model fitted to many items', () => {
  const draw = seededDraws(3);
  const items = Array.from({ length: 60 }, (_, index) => {
    const hours = TRIAL_INTERVAL_HOURS[index % TRIAL_INTERVAL_HOURS.length] ?? 1;
    return trialItem(shop(draw, 150), { draw, intervalHours: hours });
  });
  const whole = emptyMarketSums();
  for (const { observations } of items) addProduct(whole, observations);
  const model = fitMarketModel(whole, 1);

  const wapeAt = (hours: number, fitted: typeof model) => {
    const sums = emptyScore();
    for (const item of items) {
      if (item.intervalHours !== hours) continue;
      const habit = habitOf(item.observations, fitted);
      addToScore(sums, item.truth, estimateDays(item.observations, { model: fitted, habit }));
    }
    return scoreOf(sums) as NonNullable<ReturnType<typeof scoreOf>>;
  };

  test('knows when the shop is open', () => {
    const { profile } = model.shape;
    const open = profile.filter((weight) => weight > 0.01).length;
    expect(open).toBeGreaterThanOrEqual(5 * 8);
    expect(open).toBeLessThanOrEqual(5 * 11);
  });

  test('knows that shelves are nearly empty when they are restocked', () => {
    const few = (model.leftByRate[leftRate(10)] ?? []).slice(0, 6);
    expect(few.reduce((sum, part) => sum + part, 0)).toBeGreaterThan(0.75);
  });

  test('improves sparse observations and does not harm frequent ones', () => {
    expect(wapeAt(24, model).dayWape).toBeLessThan(0.6 * wapeAt(24, EMPTY_MODEL).dayWape);
    expect(wapeAt(1, model).dayWape).toBeLessThan(0.01);
    for (const hours of TRIAL_INTERVAL_HOURS) {
      expect(Math.abs(wapeAt(hours, model).bias)).toBeLessThan(0.03);
      expect(wapeAt(hours, model).coverage).toBeGreaterThan(0.8);
    }
  });

  test('is the same when fitted from merged sums, and survives JSON', () => {
    const parts = [emptyMarketSums(), emptyMarketSums()] as const;
    for (const [index, { observations }] of items.entries())
      addProduct(parts[index % 2 === 0 ? 0 : 1], observations);
    mergeMarketSums(...parts);
    const merged = fitMarketModel(parts[0], 1);
    expect(merged.orders).toEqual(model.orders);
    expect(merged.leftByRate).toEqual(model.leftByRate);
    merged.shape.profile.forEach((weight, hour) => {
      expect(weight).toBeCloseTo(model.shape.profile[hour] ?? 0, 3);
    });
    expect(JSON.parse(JSON.stringify(model))).toEqual(model);
  });
});
