// Back-testing counts what a watcher of a tier would have been told.
import { expect, test } from 'vitest';
import type { Look } from '../history/look.ts';
import { type BackTestInput, startBackTest } from './back-test.ts';
import { EVENT_KINDS } from './kind.ts';
import { DEFAULT_RULES, type Rules } from './rule.ts';

const HOUR = 3_600;

function backTest({ looks, ...input }: BackTestInput & { looks: readonly Look[] }) {
  const test = startBackTest(input);
  for (const look of looks) test.add(look);
  return test.counts;
}

/** Hourly from hour 0, whose price goes up and down every three hours. */
const LOOKS: readonly Look[] = Array.from({ length: 48 }, (_, hour) => ({
  atSeconds: hour * HOUR + 30,
  buybox: { priceCents: Math.floor(hour / 3) % 2 === 0 ? 2_000 : 1_900, sellerName: 'A' },
  rank: undefined,
  offers: undefined,
  offersComplete: false,
}));

type Options = { everyHours?: number; phaseHours?: number; fromHour?: number; rules?: Rules };

const counted = ({ everyHours = 1, phaseHours = 0, fromHour = 0, rules }: Options) =>
  backTest({
    looks: LOOKS,
    slot: { intervalSeconds: everyHours * HOUR, phaseSeconds: phaseHours * HOUR },
    fromSeconds: fromHour * HOUR,
    watchedSeller: null,
    rules: rules ?? DEFAULT_RULES,
    estimatedUnitsPerDay: null,
  });

test('every kind is counted, those that did not happen too', () => {
  const counts = counted({});
  expect(Object.keys(counts)).toEqual(EVENT_KINDS);
  expect(counts).toMatchObject({ 'price.drop': 8, 'price.increase': 7, 'stock.out': 0 });
});

test.each([
  { why: 'a coarser tier sees less', options: { everyHours: 6 }, drops: 0 },
  { why: 'slots start at the phase', options: { everyHours: 12, phaseHours: 5 }, drops: 1 },
  { why: 'only what lies in the range counts', options: { fromHour: 24 }, drops: 4 },
  {
    why: 'the rules decide',
    options: { rules: { ...DEFAULT_RULES, price: { basisPoints: 501, cents: 5 } } },
    drops: 0,
  },
])('$why', ({ options, drops }) => {
  expect(counted(options)['price.drop']).toBe(drops);
});

test('of a slot the first look counts', () => {
  const [first, second] = [LOOKS[2] as Look, LOOKS[3] as Look];
  const looks = [first, { ...second, atSeconds: first.atSeconds + 1 }];
  const slot = { intervalSeconds: HOUR, phaseSeconds: 0 };
  const counts = backTest({
    ...{ looks, slot, fromSeconds: 0, watchedSeller: null, rules: DEFAULT_RULES },
    estimatedUnitsPerDay: null,
  });
  expect(counts['price.drop']).toBe(0);
});
