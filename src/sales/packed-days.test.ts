// Packing and unpacking estimated days.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METHODS } from './day-sums.ts';
import { packDays, unpackDays } from './packed-days.ts';

const anyDays = fc
  .tuple(
    fc.integer({ min: 0, max: 40_000 }),
    fc.array(
      fc.record({
        units: fc.oneof(fc.nat(30), fc.nat(50_000_000)),
        below: fc.nat(1000),
        above: fc.oneof(fc.nat(30), fc.nat(50_000_000)),
        method: fc.constantFrom(...METHODS),
        percent: fc.nat(100),
      }),
      { maxLength: 366 },
    ),
  )
  .map(([first, list]) =>
    list.map(({ units, below, above, method, percent }, index) => ({
      day: first + index,
      units,
      low: Math.max(0, units - below),
      high: units + above,
      method,
      confidence: percent / 100,
    })),
  );

describe('packed days', () => {
  it('unpack to what was packed', () => {
    fc.assert(
      fc.property(anyDays, (days) => {
        expect(unpackDays(packDays(days))).toEqual(days);
      }),
    );
  });
});
