import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakEvenCents } from './break-even.ts';
import { categoryKey, EVERYTHING_ELSE, type FeeSchedule, feesFor } from './fee-schedule.ts';

const anyBands = fc
  .array(
    fc.record({
      upToCents: fc.integer({ min: 1, max: 400 }),
      rateBp: fc.integer({ min: 0, max: 10_000 }),
    }),
    { maxLength: 4 },
  )
  .chain((bands) =>
    fc
      .integer({ min: 0, max: 9_000 })
      .map((rateBp) => [
        ...[...new Map(bands.map((band) => [band.upToCents, band])).values()].sort(
          (a, b) => a.upToCents - b.upToCents,
        ),
        { upToCents: Number.POSITIVE_INFINITY, rateBp },
      ]),
  );

const anyPromotion = fc.record({
  name: fc.constant('Promotion'),
  fromDay: fc.constant('2026-01-01'),
  toDay: fc.constant(null),
  categories: fc.constant(null),
  sellerTypes: fc.constant(null),
  cuts: fc.array(
    fc.record({
      fee: fc.constantFrom('referral' as const, 'closing' as const, 'shipping' as const),
      offBp: fc.integer({ min: 0, max: 10_000 }),
      offCents: fc.integer({ min: 0, max: 60 }),
    }),
    { maxLength: 2 },
  ),
});

const anySchedule = fc
  .record({
    kind: fc.constantFrom('whole' as const, 'marginal' as const),
    bands: anyBands,
    closingCents: fc.integer({ min: 0, max: 100 }),
    promotions: fc.array(anyPromotion, { maxLength: 2 }),
  })
  .map(({ promotions, ...category }): FeeSchedule => {
    const everythingElse = { name: EVERYTHING_ELSE, isUnsettled: false, ...category };
    return {
      editions: [
        {
          fromDay: null,
          categories: new Map([[categoryKey(EVERYTHING_ELSE), everythingElse]]),
          everythingElse,
          shippingSteps: [
            { upToLb: Number.POSITIVE_INFINITY, firstLbCents: 35, furtherLbCents: 1 },
          ],
        },
      ],
      promotions,
    };
  });

const sale = (sellerType: 'marketplace' | 'fulfilled') => ({
  categories: [],
  sellerType,
  weightLb: 1,
  onDay: '2026-11-15',
});

test('the break-even price is the lowest whose proceeds cover the costs', () => {
  fc.assert(
    fc.property(
      anySchedule,
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom('marketplace' as const, 'fulfilled' as const),
      (schedule, costsCents, sellerType) => {
        const of = sale(sellerType);
        const isCovered = (priceCents: number) =>
          priceCents - feesFor(schedule, { ...of, priceCents }).totalCents >= costsCents;
        let expected = 0;
        // A rate of 90 percent and all costs are covered before this.
        while (expected < 6_000 && !isCovered(expected)) expected++;
        expect(breakEvenCents(schedule, of, costsCents)).toBe(expected);
      },
    ),
    { numRuns: 150 },
  );
});

test('there is none if fees take the whole price', () => {
  const everythingElse = {
    name: EVERYTHING_ELSE,
    kind: 'whole' as const,
    bands: [{ upToCents: Number.POSITIVE_INFINITY, rateBp: 10_000 }],
    closingCents: 0,
    isUnsettled: false,
  };
  const schedule: FeeSchedule = {
    editions: [{ fromDay: null, categories: new Map(), everythingElse, shippingSteps: [] }],
    promotions: [],
  };
  expect(breakEvenCents(schedule, sale('marketplace'), 1)).toBe(null);
  expect(breakEvenCents(schedule, sale('marketplace'), 0)).toBe(0);
});
