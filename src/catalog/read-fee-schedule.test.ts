// Reading a fee schedule: the default one is valid, and every kind of error is refused with its
// path.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editionOn } from './fee-schedule.ts';
import { BadFeeSchedule } from './fee-schedule-file.ts';
import { defaultFeeSchedule, readFeeSchedule } from './read-fee-schedule.ts';

const defaultText = readFileSync(new URL('default-fee-schedule.json', import.meta.url), 'utf8');

/** A schedule that uses every member. */
const fullSchedule = () => ({
  about: 'Invented.',
  sources: { page: 'https://example.com/fees' },
  editions: [
    {
      fromOn: null,
      closingCents: 0,
      categories: [
        {
          category: 'Books',
          kind: 'marginal',
          bands: [
            { upToCents: 1000, rateBp: 800 },
            { upToCents: 2000, rateBp: 1000 },
            { upToCents: null, rateBp: 1500 },
          ],
          confidence: 'official',
          sources: ['page'],
        },
        { category: 'Everything Else', bands: [{ upToCents: null, rateBp: 1500 }] },
      ],
      shipping: {
        steps: [
          { upToLb: 1, firstLbCents: 345 },
          { upToLb: 20, firstLbCents: 495, furtherLbCents: 40 },
        ],
      },
    },
    {
      fromOn: '2026-03-01',
      categories: [{ category: 'Everything Else', bands: [{ upToCents: null, rateBp: 1400 }] }],
      shipping: { steps: [{ upToLb: 1, firstLbCents: 345 }] },
    },
  ],
  promotions: [
    {
      name: 'Spring',
      fromOn: '2026-03-01',
      toOn: '2026-04-01',
      categories: ['books'],
      sellerTypes: ['fulfilled'],
      cuts: [{ fee: 'shipping', offBp: 5000 }],
    },
  ],
});

// biome-ignore lint/suspicious/noExplicitAny: the types would forbid most damage.
type Damage = (schedule: any) => unknown;

function refusal(json: string): string {
  try {
    readFeeSchedule(json);
  } catch (error) {
    expect(error).toBeInstanceOf(BadFeeSchedule);
    return (error as Error).message;
  }
  return 'not refused';
}

describe('a valid schedule', () => {
  test('is the default one: one edition, 41 categories, no promotion', () => {
    const schedule = defaultFeeSchedule();
    expect(schedule.editions).toHaveLength(1);
    expect(editionOn(schedule, '2026-01-01').categories.size).toBe(41);
    expect(schedule.promotions).toEqual([]);
  });

  test('names the source of every figure, in the default one', () => {
    const { sources, editions } = JSON.parse(defaultText);
    const entries = editions.flatMap((one: { categories: object[]; shipping: object }) => [
      ...one.categories,
      one.shipping,
    ]);
    const named = entries.flatMap((entry: { sources: string[] }) => entry.sources);
    expect(entries.every((entry: { sources: string[] }) => entry.sources.length > 0)).toBe(true);
    expect([...new Set(named)].sort()).toEqual(Object.keys(sources).sort());
  });

  test('may use every member', () => {
    const schedule = readFeeSchedule(JSON.stringify(fullSchedule()));
    expect(schedule.editions.map(({ fromDay }) => fromDay)).toEqual([null, '2026-03-01']);
    expect(schedule.editions[0]?.categories.get('books')).toEqual({
      name: 'Books',
      kind: 'marginal',
      bands: [
        { upToCents: 1000, rateBp: 800 },
        { upToCents: 2000, rateBp: 1000 },
        { upToCents: Number.POSITIVE_INFINITY, rateBp: 1500 },
      ],
      closingCents: 0,
      isUnsettled: false,
    });
    expect(schedule.promotions).toEqual([
      {
        name: 'Spring',
        fromDay: '2026-03-01',
        toDay: '2026-04-01',
        categories: new Set(['books']),
        sellerTypes: new Set(['fulfilled']),
        cuts: [{ fee: 'shipping', offBp: 5000, offCents: 0 }],
      },
    ]);
  });

  test.each([
    ['unsettled', undefined, { kind: 'marginal', isUnsettled: true }],
    ['whole', 'Where it ends.', { kind: 'whole', isUnsettled: true }],
    ['marginal', undefined, { kind: 'marginal', isUnsettled: false }],
  ])('of kind %s with doubt %j', (kind, doubt, read) => {
    const schedule = fullSchedule();
    Object.assign(schedule.editions[0]?.categories[0] ?? {}, { kind, doubt });
    const { editions } = readFeeSchedule(JSON.stringify(schedule));
    expect(editions[0]?.categories.get('books')).toMatchObject(read);
  });

  test('may omit every optional member', () => {
    const bands = [{ upToCents: null, rateBp: 1500 }];
    const plain = {
      fromOn: null,
      categories: [{ category: 'Everything Else', bands }],
      shipping: { steps: [{ upToLb: 1, firstLbCents: 345 }] },
    };
    const { editions, promotions } = readFeeSchedule(JSON.stringify({ editions: [plain] }));
    expect(promotions).toEqual([]);
    expect(editions[0]?.shippingSteps).toEqual([
      { upToLb: 1, firstLbCents: 345, furtherLbCents: 0 },
    ]);
    expect(editions[0]?.everythingElse).toMatchObject({ closingCents: 0, isUnsettled: false });
  });
});

const BOOKS = 'editions[0].categories[0] ("Books")';

describe('refused with its path:', () => {
  const table: readonly [string, Damage, string][] = [
    // Bands.
    [
      'bands that overlap',
      (s) => {
        s.editions[0].categories[0].bands[1].upToCents = 999;
      },
      `${BOOKS}.bands[1].upToCents: is 999, overlaps the band up to 1000.`,
    ],
    [
      'two bands with the same end',
      (s) => {
        s.editions[0].categories[0].bands[1].upToCents = 1000;
      },
      `${BOOKS}.bands[1].upToCents: is 1000, overlaps the band up to 1000.`,
    ],
    [
      'a band without an end before the last',
      (s) => {
        s.editions[0].categories[0].bands[0].upToCents = null;
      },
      `${BOOKS}.bands[0].upToCents: is null, so this band overlaps the next.`,
    ],
    [
      'a gap above the last band',
      (s) => s.editions[0].categories[0].bands.pop(),
      `${BOOKS}.bands[1].upToCents: is 2000, which leaves a gap above: must be null.`,
    ],
    [
      'an empty first band',
      (s) => {
        s.editions[0].categories[0].bands[0].upToCents = 0;
      },
      `${BOOKS}.bands[0].upToCents: is 0, must be above 0.`,
    ],
    [
      'half cents',
      (s) => {
        s.editions[0].categories[0].bands[0].upToCents = 10.5;
      },
      `${BOOKS}.bands[0].upToCents: is 10.5, must be a whole number from 0 to 100000000.`,
    ],
    [
      'no bands',
      (s) => {
        s.editions[0].categories[0].bands = [];
      },
      `${BOOKS}.bands: must be a list of 1 to 1000 entries.`,
    ],
    [
      'several bands without a kind',
      (s) => delete s.editions[0].categories[0].kind,
      `${BOOKS}.kind: is missing, ` +
        'must be whole, marginal, unsettled where there are several bands.',
    ],
    [
      'an unknown kind',
      (s) => {
        s.editions[0].categories[0].kind = 'flat';
      },
      `${BOOKS}.kind: is "flat", must be whole, marginal, unsettled.`,
    ],
    [
      'a kind of null',
      (s) => {
        s.editions[0].categories[0].kind = null;
      },
      `${BOOKS}.kind: is null, give a value or leave it out.`,
    ],
    // Rates.
    ...[10_001, -1, 0.15, '1500', null].map((rate): [string, Damage, string] => [
      `a rate of ${JSON.stringify(rate)}`,
      (s) => {
        s.editions[0].categories[0].bands[0].rateBp = rate;
      },
      `${BOOKS}.bands[0].rateBp: is ${JSON.stringify(rate)}, ` +
        'must be a whole number from 0 to 10000.',
    ]),
    // Categories.
    [
      'a category twice',
      (s) => s.editions[0].categories.push({ ...s.editions[0].categories[0], category: ' BOOKS' }),
      'editions[0].categories[2]: " BOOKS" is the same category as "Books".',
    ],
    [
      'no Everything Else',
      (s) => s.editions[0].categories.pop(),
      'editions[0].categories: must include a category named "Everything Else".',
    ],
    [
      'a category without a letter',
      (s) => {
        s.editions[0].categories[0].category = '--';
      },
      'editions[0].categories[0].category: "--" has no letter or digit.',
    ],
    [
      'a category of spaces',
      (s) => {
        s.editions[0].categories[0].category = ' ';
      },
      'editions[0].categories[0].category: is " ", must be a text of 1 to 500 characters.',
    ],
    [
      'a source that is not listed',
      (s) => {
        s.editions[0].categories[0].sources = ['hearsay'];
      },
      `${BOOKS}.sources[0]: is "hearsay", must be a key of sources.`,
    ],
    [
      'an unknown confidence',
      (s) => {
        s.editions[0].categories[0].confidence = 'high';
      },
      `${BOOKS}.confidence: is "high", must be official, secondary, calculator.`,
    ],
    [
      'a negative closing fee',
      (s) => {
        s.editions[0].closingCents = -1;
      },
      'editions[0].closingCents: is -1, must be a whole number from 0 to 100000000.',
    ],
    // Weight.
    [
      'steps that overlap',
      (s) => {
        s.editions[0].shipping.steps[1].upToLb = 1;
      },
      'editions[0].shipping.steps[1].upToLb: is 1, overlaps the step up to 1.',
    ],
    [
      'no steps',
      (s) => {
        s.editions[0].shipping.steps = [];
      },
      'editions[0].shipping.steps: must be a list of 1 to 1000 entries.',
    ],
    [
      'a step to half a pound',
      (s) => {
        s.editions[0].shipping.steps[0].upToLb = 0.5;
      },
      'editions[0].shipping.steps[0].upToLb: is 0.5, must be a whole number from 1 to 100000.',
    ],
    // Days.
    ...['2026-02-29', '2026-13-01', '2026-3-1', '01.03.2026', 20260301, '2026-03-01\n'].map(
      (day): [string, Damage, string] => [
        `a day ${JSON.stringify(day)}`,
        (s) => {
          s.editions[1].fromOn = day;
        },
        `editions[1].fromOn: is ${JSON.stringify(day)}, must be a day such as "2026-01-31".`,
      ],
    ),
    [
      'a first edition with a start',
      (s) => {
        s.editions[0].fromOn = '2026-01-01';
      },
      'editions[0].fromOn: is "2026-01-01", the first edition must have null.',
    ],
    [
      'a second edition without a start',
      (s) => {
        s.editions[1].fromOn = null;
      },
      'editions[1].fromOn: is null, only the first edition may have null.',
    ],
    [
      'two editions from one day',
      (s) => s.editions.push(s.editions[1]),
      'editions[2].fromOn: is "2026-03-01", ' +
        "must be after the previous edition's fromOn (2026-03-01).",
    ],
    // Promotions.
    [
      'a promotion that ends on its first day',
      (s) => {
        s.promotions[0].toOn = '2026-03-01';
      },
      'promotions[0].toOn: is "2026-03-01", must be after fromOn (2026-03-01).',
    ],
    [
      'a promotion of an unknown category',
      (s) => {
        s.promotions[0].categories = ['Bokks'];
      },
      'promotions[0].categories[0]: is "Bokks", which is not a category of any edition.',
    ],
    [
      'a promotion for nobody',
      (s) => {
        s.promotions[0].sellerTypes = [];
      },
      'promotions[0].sellerTypes: must be a list of 1 to 1000 entries.',
    ],
    [
      'a promotion for the marketplace itself',
      (s) => {
        s.promotions[0].sellerTypes = ['first_party'];
      },
      'promotions[0].sellerTypes[0]: is "first_party", must be marketplace, fulfilled.',
    ],
    [
      'a misspelt restriction',
      (s) => {
        s.promotions[0].sellerType = 'fulfilled';
      },
      'promotions[0]: has "sellerType", ' +
        'may have name, fromOn, toOn, cuts, categories, sellerTypes.',
    ],
    [
      'a cut by share and by amount',
      (s) => {
        s.promotions[0].cuts[0].offCents = 1;
      },
      'promotions[0].cuts[0]: must have either offBp or offCents.',
    ],
    [
      'a cut without an amount',
      (s) => delete s.promotions[0].cuts[0].offBp,
      'promotions[0].cuts[0]: must have either offBp or offCents.',
    ],
    [
      'a cut of more than 100 %',
      (s) => {
        s.promotions[0].cuts[0].offBp = 10_001;
      },
      'promotions[0].cuts[0].offBp: is 10001, must be a whole number from 0 to 10000.',
    ],
    [
      'two cuts of one fee',
      (s) => s.promotions[0].cuts.push({ fee: 'shipping', offCents: 1 }),
      'promotions[0].cuts[1].fee: is "shipping", which has a cut already.',
    ],
    [
      'an unknown fee',
      (s) => {
        s.promotions[0].cuts[0].fee = 'storage';
      },
      'promotions[0].cuts[0].fee: is "storage", must be referral, closing, shipping.',
    ],
    // The file.
    ['no editions', (s) => delete s.editions, 'the file: editions is missing.'],
    ['no shipping', (s) => delete s.editions[1].shipping, 'editions[1]: shipping is missing.'],
    [
      'an edition that is not an object',
      (s) => {
        s.editions[1] = [];
      },
      'editions[1]: is [], must be an object.',
    ],
  ];

  test.each(table)('%s', (_, damage, expected) => {
    const schedule = fullSchedule();
    damage(schedule);
    expect(refusal(JSON.stringify(schedule))).toBe(`Fee schedule, ${expected}`);
  });

  test.each(['', '{', '[]', 'null', '"fees"', '{"editions":\n[,]}\n'])('the text %j', (json) => {
    expect(refusal(json)).toMatch(/^Fee schedule, the file: .+\.$/);
  });

  test('a long text, which is shortened and put on one line', () => {
    const schedule = fullSchedule();
    Object.assign(schedule.editions[0] ?? {}, { fromOn: `\n\u2028${'x'.repeat(1000)}` });
    expect(refusal(JSON.stringify(schedule))).toMatch(/^.{1,200}$/);
  });
});

test('any JSON anywhere in a schedule is read or refused with one line', () => {
  const pathsIn = (value: unknown, path: readonly string[] = []): string[][] => [
    [...path],
    ...(typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))
      : []),
  ];
  const paths = pathsIn(fullSchedule()).filter((path) => path.length > 0);
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
      const schedule = fullSchedule();
      let at = schedule as unknown as Record<string, unknown>;
      for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
      at[path.at(-1) as string] = value;
      expect(refusal(JSON.stringify(schedule))).toMatch(/^(not refused|Fee schedule, .+\.)$/);
    }),
    { numRuns: 1000 },
  );
});
