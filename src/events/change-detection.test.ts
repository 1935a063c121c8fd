// What fires and what does not: for each kind a table of looks, and when what is told.
import { describe, expect, test } from 'vitest';
import type { Look, SeenOffer } from '../history/look.ts';
import { detectChanges } from './change-detection.ts';
import type { DetectedEvent } from './detected-event.ts';
import { DEFAULT_RULES, type Rules } from './rule.ts';
import type { WatchState } from './watch-state.ts';

const HOUR = 3_600;

type Shelf = Readonly<Record<string, readonly [cents: number, units: number | null]>>;
type Seen = {
  box?: readonly [cents: number, seller: string | null] | null;
  shelf?: Shelf;
  partly?: boolean;
  rank?: number;
  category?: string;
};

/** What the looks of successive hours see. */
function hourly(seen: readonly Seen[]): Look[] {
  return seen.map(({ box, shelf, partly = false, rank, category = 'Kettles' }, hour) => ({
    atSeconds: hour * HOUR,
    buybox: box && { priceCents: box[0], sellerName: box[1] },
    rank: rank === undefined ? undefined : { position: rank, category },
    offers: shelf && Object.entries(shelf).map(offer).sort(bySeller),
    offersComplete: shelf !== undefined && !partly,
  }));
}
const offer = ([sellerName, [priceCents, unitsInStock]]: [string, Shelf[string]]): SeenOffer => ({
  ...{ sellerName, priceCents, shippingCents: 0, unitsInStock },
});
const bySeller = (a: SeenOffer, b: SeenOffer) => (a.sellerName < b.sellerName ? -1 : 1);

type Watching = { watched?: string; rules?: Partial<Rules>; perDay?: number };

function eventsOf(looks: readonly Look[], watching: Watching = {}): DetectedEvent[] {
  let state: WatchState | null = null;
  return looks.flatMap((look, index) => {
    const detection = detectChanges({
      ...{ state, look, before: looks[index - 1] ?? null },
      watchedSeller: watching.watched ?? null,
      rules: { ...DEFAULT_RULES, ...watching.rules },
      estimatedUnitsPerDay: watching.perDay ?? null,
    });
    state = detection.state;
    return detection.events;
  });
}

/** As `hour kind before → after (reason)`. */
const told = (seen: readonly Seen[], watching?: Watching) =>
  eventsOf(hourly(seen), watching).map(
    ({ kind, before, after, reason }) =>
      `${after.observedAt / 1_000 / HOUR} ${kind} ${before.value} → ${after.value}${reason ? ` (${reason})` : ''}`,
  );

type Row = { why: string; seen: readonly Seen[]; told: readonly string[] } & Watching;
const check = ({ seen, told: expected, ...watching }: Row) =>
  expect(told(seen, watching)).toEqual(expected);

const prices = (...cents: number[]): Seen[] => cents.map((price) => ({ box: [price, 'A'] }));
const ranks = (...positions: number[]): Seen[] => positions.map((rank) => ({ rank }));
const stocks = (...units: (number | null)[]): Seen[] =>
  units.map((count) => ({ shelf: { A: [900, count] } }));
/** One letter a look: the holder; `-` nobody although somebody sells, `.` nobody sells, `?` not told whom. */
const holders = (letters: string): Seen[] =>
  [...letters].map((letter): Seen => {
    if (letter === '.') return { box: null, shelf: {} };
    const shelf = { A: [900, 5], B: [900, 5], C: [900, 5], W: [900, 5] } as const;
    return { box: letter === '-' ? null : [900, letter === '?' ? null : letter], shelf };
  });

describe('buybox.won and buybox.lost of a watched seller', () => {
  const shelf: Shelf = { A: [900, 25], W: [900, 5] };
  const held: Seen = { box: [900, 'W'], shelf };
  test.each<Row>([
    { why: 'won from another', seen: holders('AW'), told: ['1 buybox.won A → W'] },
    { why: 'outbid', seen: holders('WAA'), told: ['1 buybox.lost W → A (outbid)'] },
    { why: 'held is silent', seen: holders('WWW'), told: [] },
    {
      why: "a box that appears is another's",
      seen: [{ box: null, shelf: {} }, { box: [900, 'A'] }],
      told: [],
    },
    { why: 'an unknown holder says nothing', seen: holders('W?W?'), told: [] },
    { why: 'the first known holder is the baseline', seen: holders('?W'), told: [] },
    {
      why: 'out of stock',
      seen: [held, { box: [900, 'A'], shelf: { A: [900, 25], W: [900, 0] } }],
      told: ['1 buybox.lost W → A (out of stock)'],
    },
    {
      why: 'no more in the whole list',
      seen: [held, { box: [900, 'A'], shelf: { A: [900, 20] } }],
      told: ['1 buybox.lost W → A (out of stock)'],
    },
    {
      why: 'not seen in a part of the list',
      seen: [held, { box: [900, 'A'], shelf: { A: [900, 20] }, partly: true }],
      told: ['1 buybox.lost W → A (outbid)'],
    },
    {
      why: 'suppressed, and back',
      seen: holders('W-W'),
      told: [
        '1 buybox.lost W → null (suppressed)',
        '1 price.suppressed 900 → null',
        '2 buybox.won null → W',
        '2 price.restored null → 900',
      ],
    },
    {
      why: 'delisted',
      seen: holders('W.').slice(0, 2),
      told: ['1 buybox.lost W → null (delisted)', '1 stock.out 20 → 0'],
    },
    {
      why: 'everybody out of stock',
      seen: [held, { box: null, shelf: { A: [900, 0], W: [900, 0] } }],
      told: ['1 buybox.lost W → null (out of stock)', '1 stock.out 30 → 0'],
    },
    {
      why: 'no box in a part of the list says nothing',
      seen: [held, { box: null, shelf, partly: true }, { box: null }],
      told: [],
    },
    {
      why: 'seen again after nobody and an unknown holder',
      seen: holders('W-?W').map(({ box }) =>
        box === null ? { box, shelf } : { box: box as never },
      ),
      told: [
        '1 buybox.lost W → null (suppressed)',
        '1 price.suppressed 900 → null',
        '2 price.restored null → 900',
        '3 buybox.won null → W',
      ],
    },
  ])('$why', ({ watched = 'W', ...row }) => check({ ...row, watched }));
});

describe('buybox.won and buybox.lost with nobody watched', () => {
  const [gone, back] = [
    { box: null, shelf: {} },
    { box: [900, 'A'], shelf: {} },
  ] as const;
  const soldOut: Seen = { box: null, shelf: { A: [900, 0] } };
  const full: Seen = { box: [900, 'A'], shelf: { A: [900, 90] } };
  test.each<Row>([
    {
      why: 'the box goes with the last offer, and comes back',
      seen: [full, soldOut, soldOut, full],
      told: [
        '1 buybox.lost A → null (out of stock)',
        '1 stock.out 90 → 0',
        '3 buybox.won null → A',
        '3 stock.restored 0 → 90',
      ],
    },
    {
      why: 'an empty list has no box, looked at or not',
      seen: [full, { shelf: {} }],
      told: ['1 buybox.lost A → null (delisted)', '1 stock.out 90 → 0'],
    },
    {
      why: 'sold out says nothing about a box that was not looked at',
      seen: [full, { shelf: { A: [900, 0] } }],
      told: ['1 stock.out 90 → 0'],
    },
    { why: 'a box that appears', seen: [gone, back], told: ['1 buybox.won null → A'] },
    {
      why: 'suppression is not a loss, also when the offers go after it',
      seen: [full, { ...full, box: null }, soldOut, full],
      told: [
        '1 price.suppressed 900 → null',
        '2 stock.out 90 → 0',
        '3 price.restored null → 900',
        '3 stock.restored 0 → 90',
      ],
    },
    {
      why: 'lost, then offers without a box, then the box',
      seen: [full, soldOut, { ...full, box: null }, full],
      told: [
        '1 buybox.lost A → null (out of stock)',
        '1 stock.out 90 → 0',
        '2 price.suppressed 900 → null',
        '2 stock.restored 0 → 90',
        '3 buybox.won null → A',
        '3 price.restored null → 900',
      ],
    },
  ])('$why', check);
});

describe('buybox.rotation', () => {
  const day = (letters: string) => holders(letters);
  const rotation = (hour: number, from: string, to: string) =>
    `${hour} buybox.rotation ${from} → ${to}`;
  const four = [rotation(1, 'A', 'B'), rotation(2, 'B', 'A'), rotation(3, 'A', 'B')];
  test.each<Row>([
    { why: 'from one to another', seen: day('ABBB'), told: [rotation(1, 'A', 'B')] },
    {
      why: 'not when nobody was between',
      seen: day('A-B').slice(1),
      told: ['1 price.restored null → 900'],
    },
    {
      why: 'neither is the watched seller',
      ...{ seen: day('AWBC'), watched: 'W' },
      told: ['1 buybox.won A → W', '2 buybox.lost W → B (outbid)', rotation(3, 'B', 'C')],
    },
    { why: 'three in 24 h are told', seen: day('ABAB'), told: four },
    {
      why: 'the fourth sums up, those after it within a day are silent',
      seen: day('ABABACAB'),
      told: [...four, `${rotation(4, 'A', 'A')} (4 changes of holder in 24 h: A 50 %, B 50 %)`],
    },
    {
      why: 'a day later what was silent is summed up, once',
      seen: day(`ABABACAB${'B'.repeat(60)}`),
      told: [
        ...four,
        `${rotation(4, 'A', 'A')} (4 changes of holder in 24 h: A 50 %, B 50 %)`,
        `${rotation(28, 'A', 'B')} (3 changes of holder in 24 h: B 88 %, A 8 %, C 4 %)`,
      ],
    },
    {
      why: 'after a quiet day they are told one by one again',
      seen: day(`ABABA${'A'.repeat(30)}B`),
      told: [
        ...four,
        `${rotation(4, 'A', 'A')} (4 changes of holder in 24 h: A 50 %, B 50 %)`,
        rotation(35, 'A', 'B'),
      ],
    },
    {
      why: 'few in a day are never summed up',
      seen: day(`${('A'.repeat(12) + 'B'.repeat(12)).repeat(2)}A`),
      told: [
        rotation(12, 'A', 'B'),
        rotation(24, 'B', 'A'),
        rotation(36, 'A', 'B'),
        rotation(48, 'B', 'A'),
      ],
    },
    {
      why: 'shares are of the last 24 h, with who held when they began',
      seen: day(`${'A'.repeat(30)}BABA`),
      told: [
        ...[rotation(30, 'A', 'B'), rotation(31, 'B', 'A'), rotation(32, 'A', 'B')],
        `${rotation(33, 'A', 'A')} (4 changes of holder in 24 h: A 92 %, B 8 %)`,
      ],
    },
    {
      why: 'wins and losses are no rotations',
      ...{ seen: day('AWAWAB').slice(1), watched: 'W' },
      told: [
        '1 buybox.lost W → A (outbid)',
        '2 buybox.won A → W',
        '3 buybox.lost W → A (outbid)',
        rotation(4, 'A', 'B'),
      ],
      rules: { rotation: { count: 1 } },
    },
    {
      why: 'a count of 0 sums up at once',
      ...{ seen: day('AABAB'), rules: { rotation: { count: 0 } } },
      told: [`${rotation(2, 'A', 'B')} (1 change of holder in 24 h: A 100 %)`],
    },
  ])('$why', check);
});

describe('price.drop and price.increase', () => {
  test.each<Row>([
    { why: 'exactly 1 %', seen: prices(2000, 1980), told: ['1 price.drop 2000 → 1980'] },
    { why: 'a cent less than 1 %', seen: prices(2000, 1981), told: [] },
    { why: 'up by exactly 1 %', seen: prices(2000, 2020), told: ['1 price.increase 2000 → 2020'] },
    { why: 'exactly $0.05', seen: prices(300, 305), told: ['1 price.increase 300 → 305'] },
    { why: 'over 1 % but under $0.05', seen: prices(300, 304), told: [] },
    { why: 'a wobble does not repeat', seen: prices(2000, 1990, 2000, 1990, 2010), told: [] },
    {
      why: 'after a drop, a wobble around the new price',
      seen: prices(2000, 1900, 1910, 1900, 1890),
      told: ['1 price.drop 2000 → 1900'],
    },
    {
      why: 'a slow creep is caught',
      seen: prices(2000, 1995, 1990, 1985, 1980, 1975),
      told: ['4 price.drop 2000 → 1980'],
    },
    {
      why: 'there and back is told twice',
      seen: prices(2000, 1900, 2000),
      told: ['1 price.drop 2000 → 1900', '2 price.increase 1900 → 2000'],
    },
    {
      why: 'by own rules',
      ...{ seen: prices(2000, 1949, 1799), rules: { price: { basisPoints: 1_000, cents: 0 } } },
      told: ['2 price.drop 2000 → 1799'],
    },
    {
      why: 'any change with thresholds of 0, but no standstill',
      ...{ seen: prices(2000, 2000, 1999), rules: { price: { basisPoints: 0, cents: 0 } } },
      told: ['2 price.drop 2000 → 1999'],
    },
    {
      why: 'a look without the box changes nothing',
      seen: [...prices(2000), {}, ...prices(1900)],
      told: ['2 price.drop 2000 → 1900'],
    },
  ])('$why', check);
});

describe('price.suppressed and price.restored', () => {
  const [held, none]: Seen[] = [
    { box: [900, 'A'], shelf: { A: [900, 50] } },
    { box: null, shelf: { A: [900, 50] } },
  ];
  test.each<Row>([
    {
      why: 'once each, however long it lasts',
      seen: [held, none, none, none, held, held] as Seen[],
      told: ['1 price.suppressed 900 → null', '4 price.restored null → 900'],
    },
    {
      why: 'stock unknown is stock',
      seen: [held as Seen, { box: null, shelf: { A: [900, null] } }],
      told: ['1 price.suppressed 900 → null'],
    },
    {
      why: 'back at another price',
      seen: [held, none, { ...held, box: [800, 'A'] }] as Seen[],
      told: [
        '1 price.suppressed 900 → null',
        '2 price.drop 900 → 800',
        '2 price.restored null → 800',
      ],
    },
    {
      why: 'suppressed from the start',
      seen: [none, held] as Seen[],
      told: ['1 price.restored null → 900'],
    },
    {
      why: 'not told by a part of the list',
      seen: [held as Seen, { ...none, partly: true }],
      told: [],
    },
  ])('$why', check);
});

describe('seller.new and seller.removed', () => {
  const [a, b, c] = [
    [900, 50],
    [950, 50],
    [990, 50],
  ] as const;
  test.each<Row>([
    {
      why: 'a new one',
      seen: [{ shelf: { B: b } }, { shelf: { A: a, B: b, C: c } }],
      told: ['1 seller.new null → A', '1 seller.new null → C'],
    },
    {
      why: 'absent once is a slip',
      seen: [{ shelf: { A: a, B: b } }, { shelf: { A: a } }, { shelf: { A: a, B: b } }],
      told: [],
    },
    {
      why: 'so is absent every other time',
      seen: [0, 1, 0, 1, 0].map((without) => ({ shelf: without ? { A: a } : { A: a, B: b } })),
      told: [],
    },
    {
      why: 'absent twice is gone, and may come again',
      seen: [
        { shelf: { A: a, B: b } },
        ...Array(3).fill({ shelf: { A: a } }),
        { shelf: { A: a, B: b } },
      ],
      told: ['2 seller.removed B → null', '4 seller.new null → B'],
    },
    {
      why: 'a part of the list shows neither',
      seen: [{ shelf: { A: a } }, ...Array(3).fill({ shelf: { B: b }, partly: true })],
      told: [],
    },
    {
      why: 'a part of the list shows who is there',
      seen: [
        { shelf: { A: a, B: b } },
        { shelf: { A: a } },
        { shelf: { B: b }, partly: true },
        { shelf: { A: a } },
      ],
      told: [],
    },
    {
      why: 'a look without offers is no list',
      seen: [{ shelf: { A: a, B: b } }, { shelf: { A: a } }, {}, { shelf: { A: a } }],
      told: ['3 seller.removed B → null'],
    },
  ])('$why', check);
});

describe('seller.price_change', () => {
  const shelf = (...cents: number[]): Seen => ({
    shelf: Object.fromEntries(
      cents.map((price, place) => [String.fromCharCode(97 + place), [price, 50]]),
    ),
  });
  const rising = (count: number) =>
    Array.from({ length: count }, (_, place) => 1_000 + 100 * place);
  const replaced = (place: number, cents: number) => rising(24).with(place, cents);
  test.each<Row>([
    {
      why: 'exactly 1 %',
      seen: [shelf(2000, 900), shelf(1980, 900)],
      told: ['1 seller.price_change 2000 → 1980'],
    },
    { why: 'a cent less than 1 %', seen: [shelf(2000), shelf(1981)], told: [] },
    { why: 'under $0.05', seen: [shelf(300), shelf(304)], told: [] },
    {
      why: 'a wobble does not repeat',
      seen: [2000, 1990, 2005, 1990].map((price) => shelf(price)),
      told: [],
    },
    {
      why: 'a slow creep is caught',
      seen: [2000, 1992, 1984, 1976].map((price) => shelf(price)),
      told: ['3 seller.price_change 2000 → 1976'],
    },
    {
      why: 'the twentieth counts',
      seen: [shelf(...rising(24)), shelf(...replaced(19, 2_850))],
      told: ['1 seller.price_change 2900 → 2850'],
    },
    {
      why: 'the twenty-first does not',
      seen: [shelf(...rising(24)), shelf(...replaced(20, 2_950))],
      told: [],
    },
    {
      why: 'falling among the cheapest counts',
      seen: [shelf(...rising(24)), shelf(...replaced(23, 500))],
      told: ['1 seller.price_change 3300 → 500'],
    },
    {
      why: 'rising out of them counts',
      seen: [shelf(...rising(24)), shelf(...replaced(0, 9_900))],
      told: ['1 seller.price_change 1000 → 9900'],
    },
    {
      why: 'a slip of one list keeps the price last told',
      seen: [shelf(900, 2000), shelf(900), shelf(900, 1500)],
      told: ['2 seller.price_change 2000 → 1500'],
    },
  ])('$why', check);

  test('the price is the landed one', () => {
    const [first, second] = hourly([shelf(2000), shelf(2000)]) as [Look, Look];
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

describe('stock', () => {
  test.each<Row>([
    { why: 'exactly at the threshold', seen: stocks(40, 11, 10), told: ['2 stock.low 11 → 10'] },
    {
      why: 'once until re-armed',
      seen: stocks(40, 10, 9, 12, 15, 10, 3),
      told: ['1 stock.low 40 → 10'],
    },
    {
      why: 're-armed above 1.5 times',
      seen: stocks(40, 10, 16, 10),
      told: ['1 stock.low 40 → 10', '3 stock.low 16 → 10'],
    },
    { why: 'low from the start is silent', seen: stocks(5, 4, 3), told: [] },
    {
      why: 'under 7 days of sales',
      ...{ seen: stocks(100, 70, 69, 68), perDay: 10 },
      told: ['2 stock.low 70 → 69 (under 7 days of estimated sales)'],
    },
    {
      why: 're-armed above 1.5 times the days',
      ...{ seen: stocks(100, 60, 105, 60, 106, 60), perDay: 10 },
      told: [
        '1 stock.low 100 → 60 (under 7 days of estimated sales)',
        '5 stock.low 106 → 60 (under 7 days of estimated sales)',
      ],
    },
    { why: 'a fall to 0 is out only', seen: stocks(40, 0), told: ['1 stock.out 40 → 0'] },
    {
      why: 'back, low, is not told as low',
      seen: stocks(40, 0, 0, 5, 4, 16, 10),
      told: ['1 stock.out 40 → 0', '3 stock.restored 0 → 5', '6 stock.low 16 → 10'],
    },
    {
      why: 'unknown stock says nothing',
      seen: stocks(40, null, 0, null, 40),
      told: ['2 stock.out 40 → 0', '4 stock.restored 0 → 40'],
    },
    {
      why: 'one unknown makes the sum unknown',
      seen: [{ shelf: { A: [900, 20], B: [900, 20] } }, { shelf: { A: [900, 0], B: [900, null] } }],
      told: [],
    },
    {
      why: 'a part of the list is no sum',
      seen: [...stocks(40), { shelf: { A: [900, 0] }, partly: true }],
      told: [],
    },
    {
      why: 'by own rules',
      ...{ seen: stocks(40, 30, 0), rules: { stockLow: { units: 30, days: 0 } } },
      told: ['1 stock.low 40 → 30', '2 stock.out 30 → 0'],
    },
  ])('$why', check);
});

describe('rank.gained and rank.lost', () => {
  test.each<Row>([
    { why: 'exactly 20 %', seen: ranks(500, 400), told: ['1 rank.gained 500 → 400'] },
    { why: 'just under 20 %', seen: ranks(500, 401, 599, 599), told: [] },
    { why: 'exactly 5 places', seen: ranks(25, 20), told: ['1 rank.gained 25 → 20'] },
    { why: '20 % but 4 places', seen: ranks(20, 16, 24, 24), told: [] },
    { why: 'a loss needs two looks', seen: ranks(500, 600, 610), told: ['2 rank.lost 500 → 610'] },
    { why: 'a loss of one look is none', seen: ranks(500, 600, 590, 600, 590), told: [] },
    {
      why: 'looks without a rank are not counted',
      seen: [...ranks(500, 600), {}, ...ranks(600)],
      told: ['3 rank.lost 500 → 600'],
    },
    {
      why: 'a slow creep is caught',
      seen: ranks(500, 470, 440, 410, 399, 390),
      told: ['4 rank.gained 500 → 399'],
    },
    {
      why: 'a wobble does not repeat',
      seen: ranks(500, 400, 420, 400, 450, 400),
      told: ['1 rank.gained 500 → 400'],
    },
    {
      why: 'entering the top 100',
      seen: ranks(105, 100),
      told: ['1 rank.gained 105 → 100 (entered the top 100)'],
    },
    {
      why: 'leaving the top 50, confirmed',
      seen: ranks(50, 51, 51),
      told: ['2 rank.lost 50 → 51 (left the top 50)'],
    },
    {
      why: 'of several lines the innermost entered',
      seen: ranks(300, 9),
      told: ['1 rank.gained 300 → 9 (entered the top 10)'],
    },
    {
      why: 'of several lines the outermost left',
      seen: ranks(9, 300, 300),
      told: ['2 rank.lost 9 → 300 (left the top 100)'],
    },
    {
      why: 'to and fro over a line is told once',
      seen: ranks(105, 100, 103, 103, 99, 110, 110, 99),
      told: ['1 rank.gained 105 → 100 (entered the top 100)'],
    },
    {
      why: 'again after more than 10 % past the line, outside',
      seen: ranks(105, 100, 111, 111, 100),
      told: [
        '1 rank.gained 105 → 100 (entered the top 100)',
        '3 rank.lost 100 → 111 (left the top 100)',
        '4 rank.gained 111 → 100 (entered the top 100)',
      ],
    },
    {
      why: 'again after more than 10 % past the line, inside',
      seen: ranks(105, 100, 89, 101, 101),
      told: [
        '1 rank.gained 105 → 100 (entered the top 100)',
        '4 rank.lost 100 → 101 (left the top 100)',
      ],
    },
    {
      why: 'to and fro between 10 and 11',
      seen: ranks(11, 10, 11, 11, 10, 11, 11, 10),
      told: ['1 rank.gained 11 → 10 (entered the top 10)'],
    },
    {
      why: 'another category begins anew',
      seen: [...ranks(500), { rank: 20, category: 'Pots' }, { rank: 15, category: 'Pots' }],
      told: ['2 rank.gained 20 → 15'],
    },
    {
      why: 'by own rules',
      ...{ seen: ranks(500, 490), rules: { rank: { basisPoints: 100, places: 10 } } },
      told: ['1 rank.gained 500 → 490'],
    },
  ])('$why', check);
});

describe('one look', () => {
  const before: Seen = { box: [900, 'W'], shelf: { W: [900, 50], Z: [990, 50] }, rank: 500 };
  const after: Seen = { box: [800, 'A'], shelf: { A: [800, 2], W: [700, 3] }, rank: 300 };

  test('tells in the order of the kinds', () => {
    expect(
      told([before, after, { ...after, rank: 900 }, { ...after, rank: 900 }], { watched: 'W' }),
    ).toEqual([
      '1 buybox.lost W → A (outbid)',
      '1 price.drop 900 → 800',
      '1 seller.new null → A',
      '1 seller.price_change 900 → 700',
      '1 stock.low 100 → 5',
      '1 rank.gained 500 → 300',
      '2 seller.removed Z → null',
      '3 rank.lost 300 → 900',
    ]);
  });

  test('the first one sets the baseline silently, each value on its own', () => {
    expect(told([{}, { box: [900, 'A'] }, { rank: 5 }, { shelf: { A: [900, 3] } }])).toEqual([]);
  });

  test('says which rule fired, and carries both observations with their times', () => {
    const events = eventsOf(hourly([...prices(2000, 1990), ...prices(1900)]));
    expect(events).toEqual([
      {
        kind: 'price.drop',
        rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
        reason: null,
        before: { value: 2000, observedAt: 0 },
        after: { value: 1900, observedAt: 2 * HOUR * 1_000 },
        ...{ sellerName: null, shares: null },
      },
    ]);
  });

  test.each([
    { seen: holders('AAW'), rule: 'any_change', threshold: null, beforeHour: 1 },
    { seen: holders('AAB'), rule: 'rotation', threshold: { count: 3 }, beforeHour: 1 },
    { seen: stocks(40, 30, 9), rule: 'stock_low', threshold: { units: 10 }, beforeHour: 1 },
    { seen: stocks(40, 30, 0), rule: 'any_change', threshold: null, beforeHour: 1 },
    {
      seen: ranks(300, 301, 200),
      rule: 'rank',
      threshold: { percent: 20, places: 5 },
      beforeHour: 0,
    },
    { seen: ranks(110, 111, 99), rule: 'rank_crossing', threshold: { top: 100 }, beforeHour: 0 },
  ])('$rule $threshold against hour $beforeHour', ({ seen, rule, threshold, beforeHour }) => {
    const events = eventsOf(hourly(seen), { watched: 'W' });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      rule: { name: rule, threshold },
      before: { observedAt: beforeHour * HOUR * 1_000 },
      after: { observedAt: 2 * HOUR * 1_000 },
    });
  });

  test('that changes nothing leaves the state itself', () => {
    const [first, second] = hourly([before, before]) as [Look, Look];
    const rest = { watchedSeller: 'W', rules: DEFAULT_RULES, estimatedUnitsPerDay: 1 };
    const { state } = detectChanges({ state: null, before: null, look: first, ...rest });
    expect(detectChanges({ state, before: first, look: second, ...rest }).state).toBe(state);
  });

  test('that is no newer is no look', () => {
    const [first, second] = hourly([before, after]) as [Look, Look];
    const rest = { watchedSeller: 'W', rules: DEFAULT_RULES, estimatedUnitsPerDay: 1 };
    const { state } = detectChanges({ state: null, before: null, look: second, ...rest });
    expect(detectChanges({ state, before: null, look: first, ...rest })).toEqual({
      state,
      events: [],
    });
  });
});
