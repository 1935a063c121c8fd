// Tables of observations and the events they give: sellers that enter, leave and change their
// price.
import { describe, expect, test } from 'vitest';
import { check, eventsOf, hourly, type Row, type Seen } from '../../test/support/change-notices.ts';
import type { Observation } from '../history/observation.ts';

describe('seller.new and seller.removed', () => {
  const [a, b, c] = [
    [900, 50],
    [950, 50],
    [990, 50],
  ] as const;
  test.each<Row>([
    {
      why: 'a new seller',
      seen: [{ shelf: { B: b } }, { shelf: { A: a, B: b, C: c } }],
      emitted: ['1 seller.new null → A', '1 seller.new null → C'],
    },
    {
      why: 'absent once gives no event',
      seen: [{ shelf: { A: a, B: b } }, { shelf: { A: a } }, { shelf: { A: a, B: b } }],
      emitted: [],
    },
    {
      why: 'absent every other time gives no event',
      seen: [0, 1, 0, 1, 0].map((without) => ({ shelf: without ? { A: a } : { A: a, B: b } })),
      emitted: [],
    },
    {
      why: 'absent twice is removed, and may return',
      seen: [
        { shelf: { A: a, B: b } },
        ...Array(3).fill({ shelf: { A: a } }),
        { shelf: { A: a, B: b } },
      ],
      emitted: ['2 seller.removed B → null', '4 seller.new null → B'],
    },
    {
      why: 'a partial list shows neither',
      seen: [{ shelf: { A: a } }, ...Array(3).fill({ shelf: { B: b }, partly: true })],
      emitted: [],
    },
    {
      why: 'a partial list shows who is present',
      seen: [
        { shelf: { A: a, B: b } },
        { shelf: { A: a } },
        { shelf: { B: b }, partly: true },
        { shelf: { A: a } },
      ],
      emitted: [],
    },
    {
      why: 'an observation without offers is not a list',
      seen: [{ shelf: { A: a, B: b } }, { shelf: { A: a } }, {}, { shelf: { A: a } }],
      emitted: ['3 seller.removed B → null'],
    },
    {
      why: 'a carried list is not a second list',
      asListed: true,
      emitted: ['4 seller.removed B → null'],
      seen: [
        { shelf: { A: a, B: b } },
        { shelf: { A: a } },
        ...[{ box: [900, 'A'] }, { rank: 5 }].map((one) => one as Seen),
        { shelf: { A: a } },
      ],
    },
    {
      why: 'a carried list neither clears nor starts an absence',
      asListed: true,
      emitted: [],
      seen: [
        { shelf: { A: a, B: b } },
        { shelf: { A: a } },
        { rank: 5 },
        { shelf: { A: a, B: b } },
        { rank: 5 },
        { shelf: { A: a } },
        { rank: 5 },
      ],
    },
  ])('$why', check);
});

describe('seller.price_change', () => {
  const shelf = (...cents: number[]): Seen => ({
    shelf: Object.fromEntries(
      cents.map((price, index) => [String.fromCharCode(97 + index), [price, 50]]),
    ),
  });
  const rising = (count: number) =>
    Array.from({ length: count }, (_, index) => 1_000 + 100 * index);
  const replaced = (index: number, cents: number) => rising(24).with(index, cents);
  test.each<Row>([
    {
      why: 'exactly 1 %',
      seen: [shelf(2000, 900), shelf(1980, 900)],
      emitted: ['1 seller.price_change 2000 → 1980'],
    },
    { why: 'a cent less than 1 %', seen: [shelf(2000), shelf(1981)], emitted: [] },
    { why: 'under $0.05', seen: [shelf(300), shelf(304)], emitted: [] },
    {
      why: 'a wobble does not repeat',
      seen: [2000, 1990, 2005, 1990].map((price) => shelf(price)),
      emitted: [],
    },
    {
      why: 'a slow creep is caught',
      seen: [2000, 1992, 1984, 1976].map((price) => shelf(price)),
      emitted: ['3 seller.price_change 2000 → 1976'],
    },
    {
      why: 'the twentieth cheapest counts',
      seen: [shelf(...rising(24)), shelf(...replaced(19, 2_850))],
      emitted: ['1 seller.price_change 2900 → 2850'],
    },
    {
      why: 'the twenty-first cheapest does not',
      seen: [shelf(...rising(24)), shelf(...replaced(20, 2_950))],
      emitted: [],
    },
    {
      why: 'a fall into the cheapest counts',
      seen: [shelf(...rising(24)), shelf(...replaced(23, 500))],
      emitted: ['1 seller.price_change 3300 → 500'],
    },
    {
      why: 'a rise out of the cheapest counts',
      seen: [shelf(...rising(24)), shelf(...replaced(0, 9_900))],
      emitted: ['1 seller.price_change 1000 → 9900'],
    },
    {
      why: 'a single absence keeps the last notified price',
      seen: [shelf(900, 2000), shelf(900), shelf(900, 1500)],
      emitted: ['2 seller.price_change 2000 → 1500'],
    },
  ])('$why', check);

  test('the price includes shipping', () => {
    const [first, second] = hourly([shelf(2000), shelf(2000)]) as [Observation, Observation];
    const offers = second.offers?.map((one) => ({ ...one, shippingCents: 499 }));
    expect(eventsOf([first, { ...second, offers }])).toMatchObject([
      {
        kind: 'seller.price_change',
        sellerName: 'a',
        before: { value: 2000 },
        after: { value: 2499 },
      },
    ]);
  });
});
