// Splits between two days: by weight for many orders, all on the busier day for one.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { betaBelow, betaQuantile, splitPart } from './sales-split.ts';

describe('the part of the first day', () => {
  test.each([
    { why: 'is 0 without weight', share: 0, orders: 3, middle: 0 },
    { why: 'is 1 with all the weight', share: 1, orders: 3, middle: 1 },
    { why: 'is a half for even days', share: 0.5, orders: 1.5, middle: 0.5 },
    { why: 'is the share of the weight for many orders', share: 0.3, orders: 300, middle: 0.3 },
    { why: 'is 0 for one order if the second day is busier', share: 0.2, orders: 1.1, middle: 0 },
    { why: 'is 1 for one order if the first day is busier', share: 0.8, orders: 1.1, middle: 1 },
  ])('$why', ({ share, orders, middle }) => {
    expect(splitPart(share, orders).middle).toBeCloseTo(middle, 2);
  });

  test('has a band around it, narrower with more orders', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 500 }),
        (share, orders) => {
          const { low, middle, high } = splitPart(share, orders);
          expect(low).toBeGreaterThanOrEqual(0);
          expect(middle).toBeGreaterThanOrEqual(low);
          expect(high).toBeGreaterThanOrEqual(middle);
          expect(high).toBeLessThanOrEqual(1);
        },
      ),
    );
    const few = splitPart(0.4, 4);
    const many = splitPart(0.4, 40);
    expect(many.high - many.low).toBeLessThan((few.high - few.low) / 2);
  });
});

describe('the beta distribution', () => {
  // Closed forms: I_x(1, b) = 1 − (1 − x)^b, I_x(a, 1) = x^a, and the arcsine law.
  test.each([
    { x: 0.3, a: 1, b: 3, below: 1 - 0.7 ** 3 },
    { x: 0.3, a: 2.5, b: 1, below: 0.3 ** 2.5 },
    { x: 0.2, a: 0.5, b: 0.5, below: (2 / Math.PI) * Math.asin(Math.sqrt(0.2)) },
    { x: 0, a: 2, b: 2, below: 0 },
    { x: 1, a: 2, b: 2, below: 1 },
  ])('is $below below $x for $a and $b', ({ x, a, b, below }) => {
    expect(betaBelow(x, a, b)).toBeCloseTo(below, 8);
    if (below > 0 && below < 1) expect(betaQuantile(below, a, b)).toBeCloseTo(x, 6);
  });
});
