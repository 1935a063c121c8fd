import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PLACES, placeOn } from './popularity.ts';

const anyDay = fc.integer({ min: 18_262, max: 22_000 });
const anyKey = fc.integer({ min: 0, max: 0xffffffff });
const placesOn = (leafKey: number, day: number) =>
  Array.from({ length: PLACES }, (_, standing) => placeOn(leafKey, standing, day));

test('on each day every place of a leaf is taken once', () => {
  fc.assert(
    fc.property(anyKey, anyDay, (leafKey, day) => {
      const places = placesOn(leafKey, day);
      expect(new Set(places).size).toBe(PLACES);
      expect(Math.min(...places)).toBe(0);
      expect(Math.max(...places)).toBe(PLACES - 1);
    }),
    { numRuns: 25 },
  );
});

test('a product stays around its standing, and moves', () => {
  fc.assert(
    fc.property(anyKey, anyDay, (leafKey, day) => {
      const places = placesOn(leafKey, day);
      for (const [standing, place] of places.entries())
        expect(Math.abs(place - standing)).toBeLessThanOrEqual(2 + standing);
      const later = placesOn(leafKey, day + 30);
      expect(places.filter((place, standing) => place !== later[standing]).length).toBeGreaterThan(
        PLACES / 2,
      );
    }),
    { numRuns: 10 },
  );
});

test('from one day to the next most keep their place', () => {
  const today = placesOn(7, 20_000);
  const tomorrow = placesOn(7, 20_001);
  const kept = today.filter((place, standing) => place === tomorrow[standing]).length;
  expect(kept).toBeGreaterThan(PLACES * 0.4);
  expect(kept).toBeLessThan(PLACES);
});
