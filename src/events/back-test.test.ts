// A back-test counts the events that a watcher of a tier would have received.
import { expect, test } from 'vitest';
import { HOUR_SECONDS } from '../foundation/time.ts';
import type { Observation } from '../history/observation.ts';
import { type BackTestInput, startBackTest } from './back-test.ts';
import { type DetectedKind, EVENT_KINDS } from './kind.ts';
import { DEFAULT_RULES, type Rules } from './rule.ts';

function backTest({
  observations,
  ...input
}: BackTestInput & { observations: readonly Observation[] }) {
  const test = startBackTest(input);
  for (const observation of observations) test.add(observation);
  return test.counts;
}

/** Hourly from hour 0; the price changes every three hours. */
const OBSERVATIONS: readonly Observation[] = Array.from({ length: 48 }, (_, hour) => ({
  atSeconds: hour * HOUR_SECONDS + 30,
  buybox: { priceCents: Math.floor(hour / 3) % 2 === 0 ? 2_000 : 1_900, sellerName: 'A' },
  rank: undefined,
  offers: undefined,
  offersComplete: false,
}));

type Options = { everyHours?: number; phaseHours?: number; fromHour?: number; rules?: Rules };

const counted = ({ everyHours = 1, phaseHours = 0, fromHour = 0, rules }: Options) =>
  backTest({
    observations: OBSERVATIONS,
    slot: { intervalSeconds: everyHours * HOUR_SECONDS, phaseSeconds: phaseHours * HOUR_SECONDS },
    fromAtSeconds: fromHour * HOUR_SECONDS,
    watchedSeller: null,
    rules: rules ?? DEFAULT_RULES,
    estimatedUnitsPerDay: null,
  });

test('every kind has a count, also 0', () => {
  const counts = counted({});
  expect(Object.keys(counts)).toEqual(EVENT_KINDS);
  expect(counts).toMatchObject({ 'price.drop': 8, 'price.increase': 7, 'stock.out': 0 });
});

test.each([
  { why: 'a coarser tier has fewer events', options: { everyHours: 6 }, drops: 0 },
  { why: 'slots start at the phase', options: { everyHours: 12, phaseHours: 5 }, drops: 1 },
  { why: 'only events in the range count', options: { fromHour: 24 }, drops: 4 },
  {
    why: 'the rules apply',
    options: { rules: { ...DEFAULT_RULES, price: { basisPoints: 501, cents: 5 } } },
    drops: 0,
  },
])('$why', ({ options, drops }) => {
  expect(counted(options)['price.drop']).toBe(drops);
});

test('the first observation of a slot counts', () => {
  const [first, second] = [OBSERVATIONS[2] as Observation, OBSERVATIONS[3] as Observation];
  const observations = [first, { ...second, atSeconds: first.atSeconds + 1 }];
  const slot = { intervalSeconds: HOUR_SECONDS, phaseSeconds: 0 };
  const counts = backTest({
    observations,
    slot,
    fromAtSeconds: 0,
    watchedSeller: null,
    rules: DEFAULT_RULES,
    estimatedUnitsPerDay: null,
  });
  expect(counts['price.drop']).toBe(0);
});

test.each<{ why: string; seen: Partial<Observation>[]; kind: DetectedKind; count: number }>([
  { why: 'a rank observed once', seen: [{ rank: at(300) }, {}], kind: 'rank.lost', count: 0 },
  {
    why: 'a rank observed twice',
    seen: [{ rank: at(300) }, {}, { rank: at(300) }],
    kind: 'rank.lost',
    count: 1,
  },
  { why: 'a list observed once', seen: [listed('A'), {}], kind: 'seller.removed', count: 0 },
  {
    why: 'a list observed twice',
    seen: [listed('A'), {}, listed('A')],
    kind: 'seller.removed',
    count: 1,
  },
])('$why counts no more often when observations without it follow', ({ seen, kind, count }) => {
  const observations = [{ rank: at(120), ...listed('A', 'B') }, ...seen].map((part, index) => ({
    ...(OBSERVATIONS[0] as Observation),
    ...part,
    atSeconds: index * HOUR_SECONDS,
  }));
  const counts = backTest({
    observations,
    slot: { intervalSeconds: HOUR_SECONDS, phaseSeconds: 0 },
    fromAtSeconds: 0,
    watchedSeller: null,
    rules: DEFAULT_RULES,
    estimatedUnitsPerDay: null,
  });
  expect(counts[kind]).toBe(count);
});

test('changes between two slots count at the next slot, whatever that one observes', () => {
  const seen = [
    { hour: 0, ...listed('A', 'B') },
    // B is missing and back before the next slot, which observes only the box: no two lists lack B.
    { hour: 2, ...listed('A') },
    { hour: 3, ...listed('A', 'B', 'C'), rank: at(120) },
    { hour: 4 },
    { hour: 6, ...listed('A', 'C') },
  ];
  const observations = seen.map(({ hour, ...part }) => ({
    ...(OBSERVATIONS[0] as Observation),
    ...part,
    atSeconds: hour * HOUR_SECONDS,
  }));
  const counts = backTest({
    observations,
    slot: { intervalSeconds: 2 * HOUR_SECONDS, phaseSeconds: 0 },
    fromAtSeconds: 0,
    watchedSeller: null,
    rules: DEFAULT_RULES,
    estimatedUnitsPerDay: null,
  });
  expect([counts['seller.new'], counts['seller.removed']]).toEqual([1, 0]);
});

function at(position: number) {
  return { position, category: 'Kettles' };
}

function listed(...names: string[]) {
  const offers = names.map((sellerName) => ({
    sellerName,
    priceCents: 900,
    shippingCents: 0,
    unitsInStock: 50,
  }));
  return { offers, offersComplete: true };
}

test('a box seen beside an empty list is compared with once there are offers again', () => {
  const offer = { sellerName: 'B', priceCents: 1_000, shippingCents: 0, unitsInStock: 3 };
  const at = (minutes: number, part: Partial<Observation>): Observation => ({
    atSeconds: minutes * 60,
    buybox: undefined,
    rank: undefined,
    offers: undefined,
    offersComplete: false,
    ...part,
  });
  const counts = backTest({
    observations: [
      at(0, { offers: [] }),
      at(7, {
        buybox: { priceCents: 2_000, sellerName: 'A' },
        offers: [],
        offersComplete: true,
      }),
      at(14, { rank: { position: 70, category: 'Kettles' } }),
      at(60, { offers: [offer], offersComplete: true }),
      at(120, { buybox: { priceCents: 1_100, sellerName: 'A' } }),
    ],
    slot: { intervalSeconds: HOUR_SECONDS, phaseSeconds: 0 },
    fromAtSeconds: 0,
    watchedSeller: null,
    rules: DEFAULT_RULES,
    estimatedUnitsPerDay: null,
  });
  expect(counts['price.drop']).toBe(1);
});
