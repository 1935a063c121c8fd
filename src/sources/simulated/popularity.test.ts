import fc from 'fast-check';
import { expect, test } from 'vitest';
import { POSITIONS, positionOn } from './popularity.ts';

const anyDay = fc.integer({ min: 18_262, max: 22_000 });
const anyKey = fc.integer({ min: 0, max: 0xffffffff });
const positionsOn = (leafKey: number, day: number) =>
  Array.from({ length: POSITIONS }, (_, standing) => positionOn(leafKey, standing, day));

test('on each day every place of a leaf is taken once', () => {
  fc.assert(
    fc.property(anyKey, anyDay, (leafKey, day) => {
      const positions = positionsOn(leafKey, day);
      expect(new Set(positions).size).toBe(POSITIONS);
      expect(Math.min(...positions)).toBe(0);
      expect(Math.max(...positions)).toBe(POSITIONS - 1);
    }),
    { numRuns: 25 },
  );
});

test('a product stays around its standing, and moves', () => {
  fc.assert(
    fc.property(anyKey, anyDay, (leafKey, day) => {
      const positions = positionsOn(leafKey, day);
      for (const [standing, position] of positions.entries())
        expect(Math.abs(position - standing)).toBeLessThanOrEqual(2 + standing);
      const later = positionsOn(leafKey, day + 30);
      expect(
        positions.filter((position, standing) => position !== later[standing]).length,
      ).toBeGreaterThan(POSITIONS / 2);
    }),
    { numRuns: 10 },
  );
});

test('from one day to the next most keep their place', () => {
  const today = positionsOn(7, 20_000);
  const tomorrow = positionsOn(7, 20_001);
  const kept = today.filter((position, standing) => position === tomorrow[standing]).length;
  expect(kept).toBeGreaterThan(POSITIONS * 0.4);
  expect(kept).toBeLessThan(POSITIONS);
});
