// The time limit of properties.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundedInTime } from './bounded-properties.ts';

const over = { plugins: [boundedInTime(0)], numRuns: 50 };

describe('a property whose time has run out', () => {
  test('has tried one case', () => {
    let tried = 0;
    fc.assert(
      fc.property(fc.nat(), () => void tried++),
      over,
    );
    expect(tried).toBe(1);
  });

  test('has finished the case that it started', async () => {
    let finished = 0;
    const property = fc.asyncProperty(fc.nat(), async () => {
      await new Promise((done) => setTimeout(done, 5));
      finished++;
    });
    await fc.assert(property, { ...over, plugins: [boundedInTime(12)] });
    expect(finished).toBeGreaterThan(0);
    const before = finished;
    await new Promise((done) => setTimeout(done, 20));
    expect(finished).toBe(before);
  });

  test('still fails when its one case fails', () => {
    expect(() =>
      fc.assert(
        fc.property(fc.nat(), () => false),
        over,
      ),
    ).toThrow('Property failed');
  });
});

test('a property with time left tries every case', () => {
  let tried = 0;
  fc.assert(
    fc.property(fc.nat(), () => void tried++),
    { numRuns: 50 },
  );
  expect(tried).toBe(50);
});
