// Lanes decide where rows are stored. These vectors must never change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../foundation/id.ts';
import { LANES, lane, lanesOf, TABLES } from './families.ts';

describe('the lane of a key', () => {
  // The first byte of `printf %s KEY | sha256sum`.
  test.each([
    ['795033156', 44],
    ['demo@oversight.example', 32],
    ['0190a000-0000-7000-8000-000000000001', 119],
    ['00044579413717', 183],
    ['ü@example.com', 42],
    ['', 227],
  ])('%s is %i', (key, expected) => {
    expect(lane(key)).toBe(expected);
  });

  test('is one of 256, and always the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        expect(lane(key)).toBe(lane(key));
        expect(Number.isInteger(lane(key))).toBe(true);
        expect(lane(key)).toBeGreaterThanOrEqual(0);
        expect(lane(key)).toBeLessThan(LANES);
      }),
    );
  });

  test.each([
    ['numbers that follow each other', (index: number) => String(500_000_000 + index)],
    ['ids made in one moment', () => newId()],
  ])('spreads %s evenly', (_, keyOf) => {
    const perLane = 100;
    const counts = new Array<number>(LANES).fill(0);
    for (let index = 0; index < LANES * perLane; index++) {
      const at = lane(keyOf(index));
      counts[at] = (counts[at] ?? 0) + 1;
    }
    // Chi-squared with 255 degrees of freedom: mean 255, deviation 22.6. Seven deviations
    // never occur.
    const chiSquared = counts.reduce((sum, count) => sum + (count - perLane) ** 2 / perLane, 0);
    expect(chiSquared).toBeLessThan(255 + 7 * 22.6);
    expect(chiSquared).toBeGreaterThan(255 - 7 * 22.6);
  });
});

test('every lane table has a family', () => {
  for (const [name, table] of Object.entries(TABLES)) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    if (table.kind === 'lane') expect(['account', 'product', 'look-up']).toContain(table.family);
  }
});

test('shares of the lanes are disjoint and complete, for any number of processes', () => {
  for (const count of [1, 2, 3, 7, 256, 300]) {
    const shares = Array.from({ length: count }, (_, index) => lanesOf({ index, count })).flat();
    expect(shares.toSorted((a, b) => a - b)).toEqual([...Array(LANES).keys()]);
  }
});
