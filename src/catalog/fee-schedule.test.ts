// Fees: every threshold of the default schedule, and properties that hold for every schedule and
// sale.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { categoryKey, editionOn, type FeeSchedule, feesFor, type Sale } from './fee-schedule.ts';
import { defaultFeeSchedule, readFeeSchedule } from './read-fee-schedule.ts';

const defaultSchedule = defaultFeeSchedule();
const sale = (over: Partial<Sale>): Sale => ({
  priceCents: 1999,
  categories: ['Everything Else'],
  sellerType: 'marketplace',
  weightLb: null,
  onDay: '2026-07-01',
  ...over,
});
const feesOf = (over: Partial<Sale>, schedule: FeeSchedule = defaultSchedule) =>
  feesFor(schedule, sale(over));
const flat = (rateBp: number) => [{ upToCents: null, rateBp }];
const steps = [{ upToLb: 1, firstLbCents: 345 }];

describe('the default referral fee', () => {
  test.each([
    // Whole: one band's rate for the whole price.
    ['Apparel & Accessories', 1, 0],
    ['Apparel & Accessories', 1499, 75],
    ['Apparel & Accessories', 1500, 75],
    ['Apparel & Accessories', 1501, 150],
    ['Apparel & Accessories', 1999, 200],
    ['Apparel & Accessories', 2000, 200],
    ['Apparel & Accessories', 2001, 300],
    ['Baby Products', 999, 80],
    ['Baby Products', 1000, 80],
    ['Baby Products', 1001, 150],
    ['Beauty, Health & Personal Care', 999, 80],
    ['Beauty, Health & Personal Care', 1000, 80],
    ['Beauty, Health & Personal Care', 1001, 150],
    ['Grocery', 1499, 120],
    ['Grocery', 1500, 120],
    ['Grocery', 1501, 225],
    // Marginal: each part at its own rate, so there is no jump at a threshold.
    ['Appliances - Compact', 29_999, 3600],
    ['Appliances - Compact', 30_000, 3600],
    ['Appliances - Compact', 30_001, 3600],
    ['Appliances - Compact', 40_000, 4400],
    ['Electronics Accessories', 9_999, 1500],
    ['Electronics Accessories', 10_000, 1500],
    ['Electronics Accessories', 10_001, 1500],
    ['Electronics Accessories', 10_007, 1501],
    ['Electronics Accessories', 20_000, 2300],
    ['Indoor & Outdoor Furniture', 20_000, 3000],
    ['Indoor & Outdoor Furniture', 20_005, 3001],
    ['Indoor & Outdoor Furniture', 50_000, 6000],
    ['Jewelry', 24_999, 5000],
    ['Jewelry', 25_000, 5000],
    ['Jewelry', 25_001, 5000],
    ['Jewelry', 30_000, 5250],
    ['Watches', 149_999, 22_500],
    ['Watches', 150_000, 22_500],
    ['Watches', 150_001, 22_500],
    ['Watches', 200_000, 24_000],
    // Unsettled: read as marginal.
    ['Outdoor Power Tools', 49_999, 7500],
    ['Outdoor Power Tools', 50_000, 7500],
    ['Outdoor Power Tools', 50_001, 7500],
    ['Outdoor Power Tools', 60_000, 8300],
    // One rate.
    ['Personal Computers', 99_999, 6000],
    ['Tires & Wheels', 12_345, 1235],
    ['Everything Else', 100_000_000, 15_000_000],
  ])('of %s at %i cents is %i cents', (category, priceCents, referralCents) => {
    expect(feesOf({ categories: [category], priceCents })).toMatchObject({
      category,
      referralCents,
    });
  });

  test.each([
    [8, 3, 0],
    [8, 6, 0],
    [8, 7, 1],
    [15, 10, 2],
    [15, 3, 0],
    [15, 4, 1],
    [5, 10, 1],
    [5, 9, 0],
  ])(
    'of %i %% of %i cents is %i: half a cent is rounded up',
    (percent, priceCents, referralCents) => {
      const schedule = made([{ category: 'Everything Else', bands: flat(percent * 100) }]);
      expect(feesOf({ priceCents }, schedule).referralCents).toBe(referralCents);
    },
  );

  test('of a marginal category is rounded once, not band by band', () => {
    const bands = [
      { upToCents: 5, rateBp: 1000 },
      { upToCents: 10, rateBp: 1000 },
      { upToCents: null, rateBp: 0 },
    ];
    const schedule = made([{ category: 'Everything Else', kind: 'marginal', bands }]);
    expect(feesOf({ priceCents: 10 }, schedule).referralCents).toBe(1);
  });

  test('is marked unsettled where the sources leave something open', () => {
    const open = [...editionOn(defaultSchedule, '2026-07-01').categories.values()]
      .map(({ name }) => feesOf({ categories: [name] }))
      .filter(({ unsettled }) => unsettled);
    expect(open.map(({ category }) => category)).toEqual(['Grocery', 'Outdoor Power Tools']);
  });

  test('has no closing fee', () => {
    expect(feesOf({ categories: ['Books'] }).closingCents).toBe(0);
  });
});

describe('the category', () => {
  test.each([
    { why: 'the deepest that matches', path: ['Home & Garden', 'Kitchen'], used: 'Kitchen' },
    { why: 'not the broadest that matches', path: ['Jewelry', 'Watches'], used: 'Watches' },
    {
      why: 'not a deeper one without a match',
      path: ['Jewelry', 'Rings', 'Gold'],
      used: 'Jewelry',
    },
    { why: 'in any case', path: ['VIDEO games'], used: 'Video Games' },
    { why: 'with spaces around', path: ['  Pet   Supplies\t'], used: 'Pet Supplies' },
    { why: '& written as and', path: ['toys and games'], used: 'Toys & Games' },
    { why: '& without spaces', path: ['Toys&Games'], used: 'Toys & Games' },
    { why: 'without its dash', path: ['Appliances Major'], used: 'Appliances - Major' },
    { why: 'no match by part of a name', path: ['Musical'], used: 'Everything Else' },
    { why: 'unknown', path: ['Spaceships', 'Used'], used: 'Everything Else' },
    { why: 'without a letter', path: ['', '&', '--'], used: 'Everything Else' },
    { why: 'no path', path: [], used: 'Everything Else' },
  ])('$why: $path is $used', ({ path, used }) => {
    expect(feesOf({ categories: path }).category).toBe(used);
  });

  test('of any text exists, and the key of a key is the key itself', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (path) => {
        expect(typeof feesOf({ categories: path }).category).toBe('string');
        for (const name of path) expect(categoryKey(categoryKey(name))).toBe(categoryKey(name));
      }),
    );
  });
});

describe('the shipping fee', () => {
  test.each([
    [0.01, 345],
    [0.99, 345],
    [1, 345],
    [1.01, 495],
    [2, 495],
    [2.1, 545],
    [3, 545],
    [3.001, 575],
    [4, 575],
    [4.5, 615],
    [8.63, 775],
    [20, 1215],
    [20.1, 1555],
    [21, 1555],
    [30, 1915],
    [30.1, 1455],
    [31, 1455],
    [50, 2215],
    [50.1, 1755],
    [51, 1755],
    [115.11, 4355],
    [150, 5715],
  ])('of %d lb is %i cents when the marketplace ships', (weightLb, shippingCents) => {
    expect(feesOf({ sellerType: 'fulfilled', weightLb })).toMatchObject({
      shippingCents,
      unsettled: false,
    });
  });

  test('above the last step follows its rule and is marked unsettled', () => {
    const fees = feesOf({ sellerType: 'fulfilled', weightLb: 150.01 });
    expect(fees).toMatchObject({ shippingCents: 5755, unsettled: true });
  });

  test.each([null, 0, -0.5, -3, Number.NaN, Number.POSITIVE_INFINITY, 2_147_483_439])(
    'of an invalid weight of %d is that of 1 lb',
    (weightLb) => {
      const byPound = [{ upToLb: 5, firstLbCents: 345, furtherLbCents: 40 }];
      const schedule = made([{ category: 'Everything Else', bands: flat(1500) }], [], byPound);
      const fees = feesOf({ sellerType: 'fulfilled', weightLb }, schedule);
      expect(fees).toMatchObject({ shippingCents: 345, unsettled: false });
    },
  );

  test.each(['marketplace', 'first_party', null] as const)('is 0 for %s', (sellerType) => {
    expect(feesOf({ sellerType, weightLb: 200 })).toEqual({
      referralCents: 300,
      closingCents: 0,
      shippingCents: 0,
      totalCents: 300,
      category: 'Everything Else',
      unsettled: false,
      promotion: null,
    });
  });
});

type Json = Record<string, unknown>;
const edition = (fromOn: string | null, categories: readonly Json[], more: Json = {}) => ({
  fromOn,
  categories,
  shipping: { steps },
  ...more,
});
function made(
  categories: readonly Json[],
  promotions: readonly Json[] = [],
  shippingSteps: readonly Json[] = steps,
): FeeSchedule {
  const only = edition(null, categories, { shipping: { steps: shippingSteps } });
  return readFeeSchedule(JSON.stringify({ editions: [only], promotions }));
}

describe('the closing fee', () => {
  const categories = [
    { category: 'Everything Else', bands: flat(1000) },
    { category: 'Books', bands: flat(1000), closingCents: 180 },
  ];
  const schedule = readFeeSchedule(
    JSON.stringify({ editions: [edition(null, categories, { closingCents: 25 })] }),
  );

  test('is the category’s, else the edition’s', () => {
    expect(feesOf({ categories: ['Books'] }, schedule)).toMatchObject({
      referralCents: 200,
      closingCents: 180,
      totalCents: 380,
    });
    expect(feesOf({}, schedule)).toMatchObject({ closingCents: 25, totalCents: 225 });
  });
});

describe('an edition', () => {
  const schedule = readFeeSchedule(
    JSON.stringify({
      editions: [
        edition(null, [{ category: 'Everything Else', bands: flat(1000) }]),
        edition('2026-02-01', [{ category: 'Everything Else', bands: flat(1100) }]),
        edition('2026-03-01', [{ category: 'Everything Else', bands: flat(1200) }]),
      ],
    }),
  );

  test.each([
    ['0001-01-01', 1000],
    ['2026-01-31', 1000],
    ['2026-02-01', 1100],
    ['2026-02-28', 1100],
    ['2026-03-01', 1200],
    ['9999-12-31', 1200],
  ])('in force on %s charges %i of 10,000', (onDay, referralCents) => {
    expect(feesOf({ onDay, priceCents: 10_000 }, schedule).referralCents).toBe(referralCents);
  });
});

describe('a promotion', () => {
  const categories = [
    { category: 'Everything Else', bands: flat(1000), closingCents: 50 },
    { category: 'Books', bands: flat(1000), closingCents: 50 },
  ];
  const spring = { name: 'Spring', fromOn: '2026-03-01', toOn: '2026-04-01' };
  const onDay = '2026-03-15';
  const withOne = (more: Json) => made(categories, [{ ...spring, ...more }]);

  test.each([
    ['2026-02-28', null],
    ['2026-03-01', 'Spring'],
    ['2026-03-31', 'Spring'],
    ['2026-04-01', null],
  ])('from 1 March to 1 April on %s: %s', (day, promotion) => {
    const schedule = withOne({ cuts: [{ fee: 'referral', offBp: 2500 }] });
    const fees = feesOf({ onDay: day, priceCents: 10_000 }, schedule);
    expect(fees).toMatchObject({ promotion, referralCents: promotion === null ? 1000 : 750 });
  });

  test('without an end continues', () => {
    const schedule = withOne({ toOn: null, cuts: [{ fee: 'closing', offBp: 10_000 }] });
    expect(feesOf({ onDay: '2099-01-01' }, schedule)).toMatchObject({
      promotion: 'Spring',
      closingCents: 0,
    });
  });

  test.each([
    { why: 'a share', cuts: [{ fee: 'referral', offBp: 3333 }], parts: [667, 50, 345] },
    { why: 'an amount', cuts: [{ fee: 'referral', offCents: 1 }], parts: [999, 50, 345] },
    {
      why: 'no more than the fee',
      cuts: [{ fee: 'closing', offCents: 90 }],
      parts: [1000, 0, 345],
    },
    {
      why: 'several fees',
      cuts: [
        { fee: 'shipping', offBp: 5000 },
        { fee: 'referral', offCents: 100 },
      ],
      parts: [900, 50, 173],
    },
  ])('takes off $why', ({ cuts, parts }) => {
    const input = { onDay, priceCents: 10_000, sellerType: 'fulfilled' } as const;
    const fees = feesOf(input, withOne({ cuts }));
    expect([fees.referralCents, fees.closingCents, fees.shippingCents]).toEqual(parts);
    expect(fees.promotion).toBe('Spring');
  });

  test('applies before rounding', () => {
    // 10 % of 1005 is 100.5; half of that is 50.25, whereas half of 101 would be rounded to 51.
    const schedule = withOne({ cuts: [{ fee: 'referral', offBp: 5000 }] });
    expect(feesOf({ onDay, priceCents: 1005 }, schedule).referralCents).toBe(50);
  });

  test('applies to its categories only, by the matched category', () => {
    const schedule = withOne({
      categories: [' books '],
      cuts: [{ fee: 'referral', offBp: 5000 }],
    });
    const promoted = (path: string[]) => feesOf({ onDay, categories: path }, schedule).promotion;
    expect(promoted(['Media', 'Books', 'Novels'])).toBe('Spring');
    expect(promoted(['Media'])).toBeNull();
  });

  test('applies to its seller types only; first party counts as marketplace', () => {
    const promoted = (sellerTypes: string[], sellerType: Sale['sellerType']) =>
      feesOf(
        { onDay, sellerType },
        withOne({ sellerTypes, cuts: [{ fee: 'referral', offBp: 5000 }] }),
      ).promotion;
    expect(promoted(['fulfilled'], 'fulfilled')).toBe('Spring');
    expect(promoted(['fulfilled'], 'marketplace')).toBeNull();
    expect(promoted(['marketplace'], 'fulfilled')).toBeNull();
    expect(promoted(['marketplace'], 'first_party')).toBe('Spring');
    expect(promoted(['marketplace'], null)).toBe('Spring');
  });

  test('that saves nothing is not named', () => {
    const schedule = withOne({ cuts: [{ fee: 'shipping', offBp: 5000 }] });
    expect(feesOf({ onDay }, schedule).promotion).toBeNull();
  });

  test('applies alone: the one with the lowest total, among equals the first', () => {
    const cut = (name: string, offCents: number) => ({
      ...spring,
      name,
      cuts: [{ fee: 'referral', offCents }],
    });
    const schedule = made(categories, [cut('Small', 1), cut('Big', 3), cut('As big', 3)]);
    const fees = feesOf({ onDay, priceCents: 10_000 }, schedule);
    expect(fees).toMatchObject({ promotion: 'Big', referralCents: 997 });
  });
});

describe('for every schedule and sale', () => {
  const rateBp = fc.integer({ min: 0, max: 10_000 });
  const bands = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 1, max: 300_000 }), { maxLength: 5 }),
      fc.array(rateBp, { minLength: 6, maxLength: 6 }),
    )
    .map(([ends, rates]) =>
      [...ends.sort((a, b) => a - b), null].map((upToCents, index) => ({
        upToCents,
        rateBp: rates[index] ?? 0,
      })),
    );
  const kind = fc.constantFrom('whole', 'marginal', 'unsettled');
  const cut = fc.record({
    fee: fc.constantFrom('referral', 'closing', 'shipping'),
    offBp: rateBp,
  });
  const promotion = fc.record({
    name: fc.constantFrom('A', 'B'),
    fromOn: fc.constant('2026-01-01'),
    toOn: fc.constant(null),
    cuts: cut.map((one) => [one]),
  });
  const priceCents = fc.oneof(fc.nat({ max: 300_010 }), fc.nat({ max: 200_000_000 }));
  const schedules = fc
    .record({
      kind,
      bands,
      closingCents: fc.nat({ max: 500 }),
      promotions: fc.array(promotion, { maxLength: 3 }),
    })
    .map(({ promotions, ...category }) => ({
      schedule: made([{ category: 'Everything Else', ...category }], promotions),
      rateMaxBp: Math.max(...category.bands.map((band) => band.rateBp)),
    }));
  const sales = fc.record({
    priceCents,
    sellerType: fc.constantFrom('marketplace', 'fulfilled', 'first_party', null),
    weightLb: fc.option(fc.double({ min: 0, max: 200, noNaN: true })),
  });

  test('the parts are whole and never negative, and add up to the total', () => {
    fc.assert(
      fc.property(schedules, sales, ({ schedule }, over) => {
        const fees = feesOf(over, schedule);
        const parts = [fees.referralCents, fees.closingCents, fees.shippingCents];
        for (const cents of parts) {
          expect(Number.isSafeInteger(cents)).toBe(true);
          expect(cents).toBeGreaterThanOrEqual(0);
        }
        expect(fees.totalCents).toBe(parts.reduce((sum, cents) => sum + cents, 0));
      }),
    );
  });

  test('the referral fee is at most the price at the highest rate', () => {
    fc.assert(
      fc.property(schedules, sales, ({ schedule, rateMaxBp }, over) => {
        const most = (BigInt(over.priceCents) * BigInt(rateMaxBp) + 5000n) / 10_000n;
        expect(feesOf(over, schedule).referralCents).toBeLessThanOrEqual(Number(most));
      }),
    );
  });

  test('a promotion never raises the total', () => {
    fc.assert(
      fc.property(schedules, sales, ({ schedule }, over) => {
        const listed = feesOf(over, { ...schedule, promotions: [] });
        const fees = feesOf(over, schedule);
        expect(fees.totalCents).toBeLessThanOrEqual(listed.totalCents);
        expect(fees.promotion === null).toBe(fees.totalCents === listed.totalCents);
      }),
    );
  });

  test('a marginal referral fee never falls as the price rises', () => {
    fc.assert(
      fc.property(bands, priceCents, fc.nat({ max: 1000 }), (some, low, more) => {
        const schedule = made([{ category: 'Everything Else', kind: 'marginal', bands: some }]);
        const referral = (cents: number) => feesOf({ priceCents: cents }, schedule).referralCents;
        expect(referral(low + more)).toBeGreaterThanOrEqual(referral(low));
      }),
    );
  });

  test('a marginal referral fee equals the sum cent by cent', () => {
    fc.assert(
      fc.property(bands, fc.nat({ max: 3000 }), (some, cents) => {
        const small = some.map(({ upToCents, rateBp: rate }, index) => ({
          upToCents: upToCents === null ? null : Math.ceil(upToCents / 100) + index,
          rateBp: rate,
        }));
        const schedule = made([{ category: 'Everything Else', kind: 'marginal', bands: small }]);
        let sum = 0;
        for (let cent = 1; cent <= cents; cent++) {
          sum +=
            small.find(({ upToCents }) => upToCents === null || cent <= upToCents)?.rateBp ?? 0;
        }
        const counted = Math.floor((sum + 5000) / 10_000);
        expect(feesOf({ priceCents: cents }, schedule).referralCents).toBe(counted);
      }),
    );
  });

  test('a whole-price referral fee is the price at the rate of its band', () => {
    fc.assert(
      fc.property(bands, priceCents, (some, cents) => {
        const schedule = made([{ category: 'Everything Else', kind: 'whole', bands: some }]);
        const band = some.find(({ upToCents }) => upToCents === null || cents <= upToCents);
        const exact = BigInt(cents) * BigInt(band?.rateBp ?? 0);
        const expected = Number((exact + 5000n) / 10_000n);
        expect(feesOf({ priceCents: cents }, schedule).referralCents).toBe(expected);
      }),
    );
  });

  test.each([1.5, -1, Number.NaN, 2 ** 53])('a price of %d cents fails an assertion', (cents) => {
    expect(() => feesOf({ priceCents: cents })).toThrow('whole number of cents');
  });

  test.each(['2026-7-1', '2026-07-01T00:00:00Z', ''])('a day %j fails an assertion', (onDay) => {
    expect(() => feesOf({ onDay })).toThrow('YYYY-MM-DD');
  });
});
