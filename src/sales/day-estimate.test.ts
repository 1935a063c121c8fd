// Every rule of the estimate as a table of observations and days.
import { describe, expect, test } from 'vitest';
import {
  DAY,
  habit,
  observation,
  ranked,
  rankedModel,
} from '../../test/support/stock-observations.ts';
import { estimateDays } from './day-estimate.ts';
import { EMPTY_MODEL, type MarketModel } from './market-model.ts';
import { habitOf, type ProductHabit } from './product-habit.ts';
import { seededDraws } from './sales-trial.ts';
import type { StockObservation } from './stock-observation.ts';

/** Hourly observations of a stock that sells one unit an hour. */
function steady(fromHour: number, toHour: number, stock: number, seller = 'A'): StockObservation[] {
  const observations: StockObservation[] = [];
  for (let hour = fromHour; hour <= toHour; hour++)
    observations.push(observation(hour, { [seller]: stock - (hour - fromHour) }));
  return observations;
}

describe('a day', () => {
  const cases: {
    why: string;
    observations: StockObservation[];
    units: number[];
    method?: string[];
    habit?: ProductHabit | null;
    model?: MarketModel;
  }[] = [
    { why: 'does not exist without observations', observations: [], units: [] },
    {
      why: 'with one observation has no sales',
      observations: [observation(5, { A: 5 })],
      units: [0],
    },
    {
      why: 'counts the decrease of the stock',
      observations: [observation(1, { A: 9 }), observation(5, { A: 7 }), observation(9, { A: 4 })],
      units: [5],
      method: ['counted'],
    },
    {
      why: 'sums over sellers',
      observations: [observation(1, { A: 9, B: 5 }), observation(5, { A: 7, B: 4 })],
      units: [3],
    },
    {
      why: 'gets its share of the units sold over midnight',
      observations: [observation(0, { A: 90 }), observation(36, { A: 0 })],
      habit: null,
      units: [62, 28],
      method: ['inferred', 'inferred'],
    },
    {
      why: 'exists between two others',
      observations: [observation(0, { A: 90 }), observation(48, { A: 90 })],
      units: [0, 0, 0],
      method: ['counted', 'typical', 'counted'],
    },
    {
      why: 'gets a whole order if it is the busier day',
      observations: [observation(2, { A: 1 }), observation(26, { A: 0 })],
      units: [1, 0],
    },
    {
      why: 'is filled in around a restock from the rate before and after it',
      observations: [...steady(0, 96, 200), ...steady(120, 216, 200)],
      habit: null,
      units: [24, 24, 24, 24, 24, 24, 24, 24, 24, 0],
      method: [
        'counted',
        'counted',
        'counted',
        'counted',
        'inferred',
        'counted',
        'counted',
        'counted',
        'counted',
        'counted',
      ],
    },
    {
      why: 'sells no more before a restock than was in stock',
      observations: [...steady(0, 96, 96), ...steady(120, 216, 200)],
      habit: null,
      units: [24, 24, 24, 24, 12, 24, 24, 24, 24, 0],
    },
    {
      why: 'does not count the stock of a seller who leaves',
      observations: [
        ...steady(0, 48, 500),
        ...Array.from({ length: 24 }, (_, hour) => observation(49 + hour, {})),
      ],
      habit: null,
      units: [24, 24, 1, 0],
    },
    {
      why: 'sells no more than the stock of a seller who leaves',
      observations: [...steady(0, 48, 50), observation(70, {})],
      habit: null,
      units: [24, 24, 2],
    },
    {
      why: 'is not affected by a seller who is missing from an incomplete list',
      observations: [
        observation(0, { A: 9, B: 9 }),
        observation(4, { B: 9 }, { offersComplete: false }),
        observation(8, { A: 7, B: 9 }),
      ],
      units: [2],
    },
    {
      why: 'ignores a count that is unknown for hours',
      observations: [
        observation(0, { A: 9 }),
        observation(4, { A: null }),
        observation(8, { A: 7 }),
      ],
      units: [2],
      method: ['counted'],
    },
    {
      why: 'follows the rank if the count is unknown for long',
      observations: Array.from({ length: 97 }, (_, hour) =>
        observation(hour, { A: null }, ranked(8)),
      ),
      model: rankedModel,
      units: [12, 12, 12, 12, 0],
      method: ['typical', 'typical', 'typical', 'typical', 'counted'],
    },
    {
      why: 'is typical if the count is unknown and there is no rank',
      observations: Array.from({ length: 49 }, (_, hour) => observation(hour, { A: null })),
      units: [6, 6, 0],
      method: ['typical', 'typical', 'counted'],
    },
    {
      why: 'is unknown without counts, rank and habit',
      observations: [observation(0, { A: null }), observation(24, { A: null })],
      habit: null,
      units: [0, 0],
      method: ['unknown', 'counted'],
    },
    {
      why: 'is at least what is missing from the cap if the count is capped',
      observations: Array.from({ length: 49 }, (_, hour) =>
        observation(hour, { A: 10 }, ranked(8)),
      ),
      model: rankedModel,
      habit: { ...habit, caps: { A: 10 } },
      units: [0, 0, 0],
      method: ['at_least', 'at_least', 'counted'],
    },
    {
      why: 'follows the rank if offers were not observed',
      observations: [
        observation(0, undefined, ranked(8)),
        observation(24, undefined, ranked(4)),
        observation(48, undefined, ranked(4)),
      ],
      model: rankedModel,
      units: [24, 24, 0],
      method: ['typical', 'typical', 'typical'],
    },
    {
      why: 'counts a large order',
      observations: [...steady(0, 48, 500), observation(49, { A: 52 }), observation(50, { A: 51 })],
      units: [24, 24, 401],
    },
    {
      why: 'does not count a drop that was observed once and is back',
      observations: [
        ...steady(0, 48, 500),
        observation(49, { A: 52 }),
        observation(50, { A: 451 }),
      ],
      units: [24, 24, 1],
    },
  ];
  test.each(cases)(
    '$why',
    ({ observations, units, method, habit: fittedHabit = habit, model = EMPTY_MODEL }) => {
      const days = estimateDays(observations, { model, habit: fittedHabit });
      expect(days.map((day) => day.units)).toEqual(units);
      expect(days.map((day) => day.day)).toEqual(units.map((_, index) => DAY + index));
      if (method !== undefined) expect(days.map((day) => day.method)).toEqual(method);
    },
  );

  test('in a long gap is typical, with a wide band', () => {
    const observations = [observation(0, { A: 900 }), observation(30 * 24, { A: 10 })];
    const days = estimateDays(observations, { model: EMPTY_MODEL, habit });
    expect(days.slice(0, 30).map(({ units }) => units)).toEqual(new Array(30).fill(6));
    expect(days[10]?.method).toBe('typical');
    expect(days[10]?.low).toBeLessThan(4);
    expect(days[10]?.high).toBeGreaterThan(9);
    expect(days[10]?.confidence).toBeLessThan(0.9);
  });

  test('that was fully counted has no band and is nearly certain', () => {
    const [first] = estimateDays(steady(0, 48, 500), { model: EMPTY_MODEL, habit });
    expect(first).toEqual({
      day: DAY,
      units: 24,
      low: 24,
      high: 24,
      method: 'counted',
      confidence: 0.992,
    });
  });

  test('that was filled in has a band', () => {
    const observations = [...steady(0, 96, 200), ...steady(120, 216, 200)];
    const filled = estimateDays(observations, { model: EMPTY_MODEL, habit: null })[4];
    expect(filled?.low).toBeLessThan(16);
    expect(filled?.high).toBeGreaterThan(30);
    expect(filled?.confidence).toBeLessThan(0.9);
  });
});

describe('a shelf', () => {
  /** Hourly observations of a stock that sells one unit an hour from 8 to 18 o'clock. */
  const days = 20;
  const byHour = (stockAt: (day: number, sold: number) => number): StockObservation[] =>
    Array.from({ length: days * 24 }, (_, index) => {
      const hour = index % 24;
      const sold = Math.min(10, Math.max(0, hour - 8));
      return observation(index, { A: stockAt(Math.floor(index / 24), sold) });
    });
  const estimated = (observations: StockObservation[]) =>
    estimateDays(observations, {
      model: EMPTY_MODEL,
      habit: habitOf(observations, EMPTY_MODEL),
    }).slice(1, -1);

  test('that is refilled to a level every night is counted, and so is a large order', () => {
    const observations = byHour((day, sold) => 100 - sold - (day === 9 && sold >= 5 ? 60 : 0));
    const habits = habitOf(observations, EMPTY_MODEL).sellers;
    expect(habits.A).toMatchObject({ level: 100, nightly: true });
    const units = estimated(observations).map((day) => day.units);
    expect(units.filter((one) => one < 9 || one > 11)).toEqual([units[8]]);
    expect(units[8]).toBeGreaterThanOrEqual(69);
    expect(units[8]).toBeLessThanOrEqual(72);
  });

  test('that is sparsely observed and refilled every night is read from its level', () => {
    // Observed once a day: the shelf misses what was sold since the night.
    const draw = seededDraws(5);
    const sold = Array.from({ length: 90 }, () => (draw() < 0.3 ? 0 : Math.floor(draw() * 12)));
    const sparse = sold.map((units, day) => observation(day * 24 + 15, { A: 100 - units }));
    const refilled = habitOf(sparse, EMPTY_MODEL);
    expect(refilled.sellers.A).toMatchObject({ level: 100, nightly: true });
    const total = estimateDays(sparse, { model: EMPTY_MODEL, habit: refilled }).reduce(
      (sum, day) => sum + day.units,
      0,
    );
    expect(total).toBeGreaterThan(sold.reduce((sum, units) => sum + units, 0));
  });

  test('that is restocked by packs shows what was sold meanwhile', () => {
    let stock = 30;
    const observations = Array.from({ length: 200 * 4 }, (_, index) => {
      stock -= index % 2 === 0 ? 1 : 0;
      if (stock <= 12 && index % 14 === 7) stock += 24;
      return observation(index * 6, { A: stock });
    });
    expect(habitOf(observations, EMPTY_MODEL).sellers.A).toMatchObject({ pack: 24 });
  });

  test('to which a unit comes back is not restocked', () => {
    const observations = byHour((day, sold) => 500 - day * 10 - sold + (day >= 9 ? 1 : 0));
    const day = estimated(observations)[8];
    expect(day?.units).toBeLessThanOrEqual(11);
    expect(day?.units).toBeGreaterThanOrEqual(9);
  });
});

test('a habit is computed from the observations and survives JSON', () => {
  const observations = steady(0, 30 * 24, 2_000);
  const computed = habitOf(observations, EMPTY_MODEL);
  expect(computed.unitsPerDay).toBeCloseTo(24);
  expect(computed.jumpUnits).toBeCloseTo(124.8);
  expect(JSON.parse(JSON.stringify(computed))).toEqual(computed);
});
