// Weights of hours: sums do not depend on where a timeline begins.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { DAY_WEIGHT, EVEN_SHAPE, profileOf, timelineOf, weightBetween } from './hour-shape.ts';

const busyAtNoon = profileOf(Array.from({ length: 168 }, (_, hour) => (hour % 24 === 12 ? 9 : 1)));

test('a profile has a sum of seven days and no weight of 0', () => {
  const weights = new Array<number>(168).fill(0);
  weights[5] = 1;
  const profile = profileOf(weights);
  expect(profile.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(7);
  expect(Math.min(...profile)).toBeGreaterThan(0);
  expect(profileOf(new Array<number>(168).fill(0))).toEqual(EVEN_SHAPE.profile);
});

test('a busy hour weighs more; a pulse and a profile of the product take precedence', () => {
  const day = 20_000 * DAY_SECONDS;
  const span = { fromAtSeconds: day, toAtSeconds: day + 2 * DAY_SECONDS };
  const noon = [day + 12 * HOUR_SECONDS, day + 13 * HOUR_SECONDS] as const;
  const shape = { ...EVEN_SHAPE, profile: busyAtNoon };
  expect(weightBetween(timelineOf(shape, span), ...noon) / DAY_WEIGHT).toBeCloseTo(9 / 32, 4);
  const closed = {
    ...shape,
    pulse: { fromHour: 20_000 * 24, weights: new Array<number>(24).fill(0) },
  };
  expect(weightBetween(timelineOf(closed, span), ...noon) / DAY_WEIGHT).toBeLessThan(0.001);
  const later = noon.map((atSeconds) => atSeconds + DAY_SECONDS) as [number, number];
  expect(weightBetween(timelineOf(closed, span), ...later) / DAY_WEIGHT).toBeCloseTo(9 / 32, 4);
  const ownLine = timelineOf(EVEN_SHAPE, span, busyAtNoon);
  expect(weightBetween(ownLine, ...noon) / DAY_WEIGHT).toBeCloseTo(9 / 32, 4);
});

test('the weight between two instants does not depend on the beginning', () => {
  const anyInstant = fc.integer({ min: 0, max: 30 * DAY_SECONDS });
  fc.assert(
    fc.property(anyInstant, anyInstant, anyInstant, (a, b, c) => {
      const [first, from, to] = [a, b, c].sort((one, other) => one - other) as [
        number,
        number,
        number,
      ];
      const uneven = profileOf(Array.from({ length: 168 }, (_, hour) => Math.sqrt(hour + 2)));
      const shape = { ...EVEN_SHAPE, profile: uneven };
      const toAtSeconds = 31 * DAY_SECONDS;
      const long = timelineOf(shape, { fromAtSeconds: 0, toAtSeconds });
      const short = timelineOf(shape, { fromAtSeconds: first, toAtSeconds });
      expect(weightBetween(short, from, to)).toBe(weightBetween(long, from, to));
    }),
  );
});
