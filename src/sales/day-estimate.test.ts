// Every rule of the estimate as a table of looks and days.
import { describe, expect, test } from 'vitest';
import { DAY, habit, known, observation, ranked } from '../../test/support/stock-observations.ts';
import { estimateDays } from './day-estimate.ts';
import { EMPTY_MODEL, type MarketModel } from './market-model.ts';
import { habitOf, type ProductHabit } from './product-habit.ts';
import type { StockObservation } from './stock-observation.ts';

/** A day of a unit an hour from each of these hours on. */
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
    { why: 'without looks is not there', observations: [], units: [] },
    { why: 'of one look has no sales', observations: [observation(5, { A: 5 })], units: [0] },
    {
      why: 'counts what left the shelf',
      observations: [observation(1, { A: 9 }), observation(5, { A: 7 }), observation(9, { A: 4 })],
      units: [5],
      method: ['counted'],
    },
    {
      why: 'adds up sellers',
      observations: [observation(1, { A: 9, B: 5 }), observation(5, { A: 7, B: 4 })],
      units: [3],
    },
    {
      why: 'shares what was sold over midnight by weight',
      observations: [observation(0, { A: 90 }), observation(36, { A: 0 })],
      habit: null,
      units: [61, 29],
      method: ['split', 'split'],
    },
    {
      why: 'is there between two others',
      observations: [observation(0, { A: 90 }), observation(72, { A: 90 })],
      units: [0, 0, 0, 0],
    },
    {
      why: 'keeps an order on the busier day',
      observations: [observation(2, { A: 1 }), observation(26, { A: 0 })],
      units: [1, 0],
    },
    {
      why: 'fills a restock from the rate around it',
      observations: [...steady(0, 96, 200), ...steady(120, 216, 200)],
      habit: null,
      units: [24, 24, 24, 24, 24, 24, 24, 24, 24, 0],
      method: [
        'counted',
        'counted',
        'counted',
        'counted',
        'restock',
        'counted',
        'counted',
        'counted',
        'counted',
        'counted',
      ],
    },
    {
      why: 'sells no more before a restock than there was',
      observations: [...steady(0, 96, 96), ...steady(120, 216, 200)],
      habit: null,
      units: [24, 24, 24, 24, 12, 24, 24, 24, 24, 0],
    },
    {
      why: 'does not count what a leaving seller took along',
      observations: [
        ...steady(0, 48, 500),
        ...Array.from({ length: 24 }, (_, hour) => observation(49 + hour, {})),
      ],
      habit: null,
      units: [24, 24, 1, 0],
    },
    {
      why: 'sells no more than was there of a seller who goes',
      observations: [...steady(0, 48, 50), observation(70, {})],
      habit: null,
      units: [24, 24, 2],
    },
    {
      why: 'concludes nothing from an incomplete list',
      observations: [
        observation(0, { A: 9, B: 9 }),
        observation(4, { B: 9 }, { offersComplete: false }),
        observation(8, { A: 7, B: 9 }),
      ],
      units: [2],
    },
    {
      why: 'bridges a count that is unknown for hours',
      observations: [
        observation(0, { A: 9 }),
        observation(4, { A: null }),
        observation(8, { A: 7 }),
      ],
      units: [2],
      method: ['counted'],
    },
    {
      why: 'follows the rank while the count is unknown for long',
      observations: Array.from({ length: 97 }, (_, hour) =>
        observation(hour, { A: null }, ranked(8)),
      ),
      model: known,
      units: [12, 12, 12, 12, 0],
      method: ['rank_curve', 'rank_curve', 'rank_curve', 'rank_curve', 'counted'],
    },
    {
      why: 'is typical while the count is unknown and there is no rank',
      observations: Array.from({ length: 49 }, (_, hour) => observation(hour, { A: null })),
      units: [6, 6, 0],
      method: ['typical', 'typical', 'counted'],
    },
    {
      why: 'is unknown when nothing at all is known',
      observations: [observation(0, { A: null }), observation(24, { A: null })],
      habit: null,
      units: [0, 0],
      method: ['unknown', 'counted'],
    },
    {
      why: 'follows the rank while the count is capped',
      observations: Array.from({ length: 49 }, (_, hour) =>
        observation(hour, { A: 10 }, ranked(8)),
      ),
      model: known,
      habit: { ...habit, caps: { A: 10 } },
      units: [12, 12, 0],
      method: ['rank_curve', 'rank_curve', 'counted'],
    },
    {
      why: 'follows the rank where nobody looks at offers',
      observations: [
        observation(0, undefined, ranked(8)),
        observation(24, undefined, ranked(4)),
        observation(48, undefined, ranked(4)),
      ],
      model: known,
      units: [24, 24, 0],
      method: ['rank_curve', 'rank_curve', 'counted'],
    },
    {
      why: 'does not take a jump for sales',
      observations: [...steady(0, 48, 500), observation(49, { A: 52 }), observation(50, { A: 51 })],
      units: [24, 24, 2],
    },
    {
      why: 'takes a jump for sales where orders are like that',
      observations: [...steady(0, 48, 500), observation(49, { A: 52 }), observation(50, { A: 51 })],
      habit: { ...habit, lumpy: true },
      units: [24, 24, 401],
    },
    {
      why: 'does not take a miscount for sales even there',
      observations: [
        ...steady(0, 48, 500),
        observation(49, { A: 52 }),
        observation(50, { A: 451 }),
      ],
      habit: { ...habit, lumpy: true },
      units: [24, 24, 2],
    },
  ];
  test.each(cases)(
    '$why',
    ({ observations, units, method, habit: own = habit, model = EMPTY_MODEL }) => {
      const days = estimateDays(observations, { model, habit: own });
      expect(days.map((day) => day.units)).toEqual(units);
      expect(days.map((day) => day.day)).toEqual(units.map((_, index) => DAY + index));
      if (method !== undefined) expect(days.map((day) => day.method)).toEqual(method);
    },
  );

  test('of a long gap is what the product usually sells, and hardly trusted', () => {
    const observations = [observation(0, { A: 900 }), observation(30 * 24, { A: 10 })];
    const days = estimateDays(observations, { model: EMPTY_MODEL, habit });
    expect(days.slice(0, 30).map(({ units }) => units)).toEqual(new Array(30).fill(6));
    expect(days[10]?.method).toBe('typical');
    expect(days[10]?.confidence).toBeLessThan(0.2);
  });

  test('that was counted whole has no band and full confidence', () => {
    const [first] = estimateDays(steady(0, 48, 500), { model: EMPTY_MODEL, habit });
    expect(first).toEqual({
      day: DAY,
      units: 24,
      low: 24,
      high: 24,
      method: 'counted',
      confidence: 1,
    });
  });

  test('that was filled in may have been without sales', () => {
    const observations = [...steady(0, 96, 200), ...steady(120, 216, 200)];
    const filled = estimateDays(observations, { model: EMPTY_MODEL, habit: null })[4];
    expect(filled?.low).toBe(0);
    expect(filled?.high).toBeGreaterThan(30);
    expect(filled?.confidence).toBeLessThan(0.7);
  });
});

describe('before a restock', () => {
  // Shelves of this market are restocked with 0 to 3 units left.
  const left = Array.from({ length: 64 }, (_, units) => (units < 4 ? 0.25 : 1e-5));
  const model = { ...EMPTY_MODEL, left, restockPull: [1, 1, 1] };
  test.each([
    { why: 'what usually is left was left', before: 3, least: 0, most: 2 },
    { why: 'all else was sold', before: 60, least: 50, most: 60 },
  ])('$why', ({ before, least, most }) => {
    const observations = [
      observation(1, { A: before }),
      observation(23, { A: 300 }),
      observation(48, { A: 300 }),
    ];
    const fit = { model, habit: { ...habit, unitsPerDrop: 20, jumpUnits: null } };
    const units = estimateDays(observations, fit)[0]?.units;
    expect(units).toBeGreaterThanOrEqual(least);
    expect(units).toBeLessThanOrEqual(most);
  });
});

test('habits come from the looks alone, and are the same as JSON', () => {
  const observations = steady(0, 30 * 24, 2_000);
  const own = habitOf(observations, EMPTY_MODEL);
  expect(own.unitsPerDay).toBeCloseTo(24);
  expect(own.jumpUnits).toBe(120);
  expect(JSON.parse(JSON.stringify(own))).toEqual(own);
});
