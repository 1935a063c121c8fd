// Daily positions: a permutation of each leaf that changes slowly.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { POSITIONS, positionOn } from './popularity.ts';

const anyDay = fc.integer({ min: 18_262, max: 22_000 });
const anyKey = fc.integer({ min: 0, max: 0xffffffff });
const positionsOn = (leafKey: number, day: number) =>
  Array.from({ length: POSITIONS }, (_, baseRank) => positionOn(leafKey, baseRank, day));

test('on each day every position of a leaf occurs once', () => {
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

test('a product stays around its base rank, and moves', () => {
  fc.assert(
    fc.property(anyKey, anyDay, (leafKey, day) => {
      const positions = positionsOn(leafKey, day);
      for (const [baseRank, position] of positions.entries())
        expect(Math.abs(position - baseRank)).toBeLessThanOrEqual(2 + baseRank);
      const later = positionsOn(leafKey, day + 30);
      expect(
        positions.filter((position, baseRank) => position !== later[baseRank]).length,
      ).toBeGreaterThan(POSITIONS / 2);
    }),
    { numRuns: 10 },
  );
});

test('from one day to the next most positions stay', () => {
  const today = positionsOn(7, 20_000);
  const tomorrow = positionsOn(7, 20_001);
  const unchanged = today.filter((position, baseRank) => position === tomorrow[baseRank]).length;
  expect(unchanged).toBeGreaterThan(POSITIONS * 0.4);
  expect(unchanged).toBeLessThan(POSITIONS);
});
