// The simulated market as a whole: what happens in it, ranks, sales and seasons.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { manualClock } from '../../foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../foundation/time.ts';
import { POSITIONS } from './popularity.ts';
import { LEAVES, type Pricing } from './shelf.ts';
import { createSimulatedSource } from './simulated-source.ts';

const START_MS = Date.UTC(2026, 7, 17);
const source = createSimulatedSource({ clock: manualClock(START_MS) });
const codeAt = (index: number) => source.productAt(index).code;
const snapshotOf = (code: string, atMs: number) => source.snapshotAt(code, atMs) as Snapshot;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const leafNamed = (name: string) => LEAVES.findIndex(({ path }) => path[2] === name);
const codesOfLeaf = (leaf: number, count: number) =>
  Array.from({ length: count }, (_, baseRank) => codeAt(baseRank * LEAVES.length + leaf));

const unitsOf = ({ offers = [] }: Snapshot) => sum(offers.map((offer) => offer.unitsInStock ?? 0));
const namesOf = ({ offers = [] }: Snapshot) => offers.map(({ sellerName }) => sellerName);

describe('in 90 days of 80 products', () => {
  const seen = {
    prices: 0,
    holders: 0,
    suppressed: 0,
    left: 0,
    came: 0,
    sellerOut: 0,
    allOut: 0,
    restocked: 0,
  };
  for (let number = 0; number < 80; number++) {
    const code = codeAt(number * 211);
    let before = snapshotOf(code, START_MS);
    for (let atMs = START_MS; atMs < START_MS + 90 * DAY_MS; atMs += 3 * HOUR_MS) {
      const now = snapshotOf(code, atMs);
      count(before, now);
      before = now;
    }
  }

  function count(before: Snapshot, now: Snapshot) {
    const namesBefore = namesOf(before);
    const names = namesOf(now);
    if (before.buybox && now.buybox) {
      if (before.buybox.priceCents !== now.buybox.priceCents) seen.prices++;
      if (before.buybox.sellerName !== now.buybox.sellerName) seen.holders++;
    }
    if (now.buybox === null && unitsOf(now) > 0) seen.suppressed++;
    if (namesBefore.some((name) => !names.includes(name))) seen.left++;
    if (names.some((name) => !namesBefore.includes(name))) seen.came++;
    if (now.offers?.some(({ unitsInStock }) => unitsInStock === 0)) seen.sellerOut++;
    if (names.length > 0 && unitsOf(now) === 0) seen.allOut++;
    if (names.length === namesBefore.length && unitsOf(now) > unitsOf(before)) seen.restocked++;
  }

  test.each([
    ['the buybox price changes', 'prices', 500],
    ['the buybox holder changes', 'holders', 500],
    ['the buybox is suppressed although there is stock', 'suppressed', 50],
    ['sellers leave', 'left', 20],
    ['sellers come back', 'came', 20],
    ['a seller is out of stock', 'sellerOut', 200],
    ['all sellers are out of stock', 'allOut', 20],
    ['stock is delivered', 'restocked', 200],
  ] as const)('%s', (_, what, atLeast) => {
    expect(seen[what]).toBeGreaterThanOrEqual(atLeast);
  });
});

describe('prices of 300 products at noon, for 200 days', () => {
  /** Kinds of pricing as docs/decisions/0021-mix-of-trades.md describes them. */
  const pricesOf = (kind: Pricing['kind']) => {
    const counts = { changes: 0, back: 0, still: 0, days: 0, onBusiest: 0, products: 0 };
    const sizes: number[] = [];
    for (let index = 0; counts.products < 100; index += 61) {
      const { code, leaf } = source.productAt(index);
      if (leaf.pricing.kind !== kind) continue;
      counts.products++;
      const prices = Array.from({ length: 200 }, (_, day) => {
        const atMs = START_MS + day * DAY_MS + 12 * HOUR_MS;
        return { atMs, cents: snapshotOf(code, atMs).buybox?.priceCents };
      }).filter(({ cents }) => cents !== undefined) as { atMs: number; cents: number }[];
      const changed = prices.filter(({ cents }, at) => at > 0 && cents !== prices[at - 1]?.cents);
      counts.days += prices.length;
      counts.changes += changed.length;
      if (changed.length === 0) counts.still++;
      for (const [at, { atMs, cents }] of changed.entries()) {
        const before = at === 0 ? (prices[0]?.cents ?? cents) : (changed[at - 1]?.cents ?? cents);
        sizes.push(Math.abs(cents / before - 1));
        const twoBefore = at === 1 ? prices[0]?.cents : changed[at - 2]?.cents;
        if (cents === twoBefore) counts.back++;
        const { pricing } = leaf;
        const weekday = new Date(atMs).getUTCDay();
        if (pricing.kind !== 'repriced' && weekday === pricing.weekday) counts.onBusiest++;
      }
    }
    const median = sizes.toSorted((a, b) => a - b)[sizes.length >> 1] as number;
    return { ...counts, median };
  };

  test('of repriced goods change every few days, by little', () => {
    const { changes, days, median, still } = pricesOf('repriced');
    expect(changes / days).toBeGreaterThan(0.15);
    expect(median).toBeLessThan(0.04);
    expect(still).toBeLessThan(3);
  });

  test.each(['promoted', 'steady'] as const)(
    'of %s goods change seldom and by much, mostly back, on certain weekdays, many never',
    (kind) => {
      const { changes, days, median, still, back, onBusiest } = pricesOf(kind);
      expect(changes / days).toBeGreaterThan(0.002);
      expect(changes / days).toBeLessThan(0.06);
      expect(median).toBeGreaterThan(0.1);
      expect(median).toBeLessThan(0.33);
      expect(back / changes).toBeGreaterThan(0.4);
      // One seventh, if weekdays did not matter.
      expect(onBusiest / changes).toBeGreaterThan(0.2);
      expect(still).toBeGreaterThan(30);
      expect(still).toBeLessThan(80);
    },
  );
});

test('some sellers display a capped count or none, but always that nothing is left', () => {
  const shown = { capped: 0, unknown: 0, offers: 0, out: 0 };
  for (let index = 0; index < 1_000; index++) {
    for (const { unitsInStock } of snapshotOf(codeAt(index), START_MS).offers ?? []) {
      shown.offers++;
      if (unitsInStock === null) shown.unknown++;
      else if ([10, 50, 99, 999].includes(unitsInStock)) shown.capped++;
      else if (unitsInStock === 0) shown.out++;
    }
  }
  expect(shown.unknown / shown.offers).toBeGreaterThan(0.01);
  expect(shown.unknown / shown.offers).toBeLessThan(0.1);
  expect(shown.capped / shown.offers).toBeGreaterThan(0.01);
  expect(shown.out).toBeGreaterThan(0);
});

test('single days sell many times the usual: orders of shops and offices', () => {
  let bulkDays = 0;
  for (let index = 0; index < 100; index++) {
    const sales = source.trueDailySales(codeAt(index), START_MS, START_MS + 84 * DAY_MS);
    const usual = sales.toSorted((a, b) => a - b)[42] as number;
    bulkDays += sales.filter((sold) => sold > 5 * usual + 5).length;
  }
  expect(bulkDays).toBeGreaterThan(10);
  expect(bulkDays).toBeLessThan(400);
});

test('most products have one or two sellers, few have up to thirty', () => {
  const counts = Array.from(
    { length: 3_000 },
    (_, n) => namesOf(snapshotOf(codeAt(n * 40), START_MS)).length,
  );
  expect(counts.filter((count) => count <= 2).length).toBeGreaterThan(1_500);
  expect(counts.filter((count) => count >= 10).length).toBeGreaterThan(30);
  expect(Math.max(...counts)).toBeGreaterThanOrEqual(25);
  expect(Math.max(...counts)).toBeLessThanOrEqual(30);
});

test('the buybox holder has stock and a landed price close to the lowest', () => {
  let withoutBox = 0;
  for (let index = 0; index < 2_000; index++) {
    const { buybox, offers = [] } = snapshotOf(codeAt(index), START_MS + 5 * HOUR_MS);
    const stocked = offers.filter(({ unitsInStock }) => unitsInStock !== 0);
    if (!buybox && stocked.length > 0) withoutBox++;
    if (!buybox) continue;
    const landed = stocked.map(({ priceCents, shippingCents }) => priceCents + shippingCents);
    const holder = stocked.findIndex(({ sellerName }) => sellerName === buybox.sellerName);
    expect((landed[holder] as number) / Math.min(...landed)).toBeLessThan(1.05);
  }
  // Suppressed: about one in a hundred.
  expect(withoutBox).toBeGreaterThan(2);
  expect(withoutBox).toBeLessThan(60);
});

describe('ranks of a category on a day', () => {
  const codes = codesOfLeaf(leafNamed('Board Games'), POSITIONS);
  const positions = codes.map(
    (code) => snapshotOf(code, START_MS + 7 * HOUR_MS).rank?.position as number,
  );

  test('are all different and without gaps', () => {
    const expected = Array.from({ length: POSITIONS }, (_, position) => position + 1);
    expect(positions.toSorted((a, b) => a - b)).toEqual(expected);
  });

  test('stay the same until midnight', () => {
    for (const [index, code] of codes.entries())
      if (index % 20 === 0)
        expect(snapshotOf(code, START_MS + 23 * HOUR_MS).rank?.position).toBe(positions[index]);
  });

  test('follow sales: at ten times the position, sales are several times lower', () => {
    const soldAround = (position: number) => {
      const near = codes.filter((_, n) => Math.abs((positions[n] as number) / position - 1) < 0.25);
      const sold = near.map((code) =>
        sum(source.trueDailySales(code, START_MS - 3 * DAY_MS, START_MS + 4 * DAY_MS)),
      );
      return sum(sold) / near.length;
    };
    const [top, middle, low] = [soldAround(10), soldAround(100), soldAround(1_000)];
    expect(top / middle).toBeGreaterThan(4);
    expect(top / middle).toBeLessThan(14);
    expect(middle / low).toBeGreaterThan(4);
    expect(middle / low).toBeLessThan(14);
  });
});

describe('shoppers', () => {
  const weekOf = (leaf: string) => {
    const week = Array<number>(7).fill(0);
    for (const code of codesOfLeaf(leafNamed(leaf), 60)) {
      const sales = source.trueDailySales(code, START_MS, START_MS + 84 * DAY_MS);
      for (const [day, sold] of sales.entries()) week[day % 7] = (week[day % 7] as number) + sold;
    }
    // The first day is a Monday.
    return ((week[5] as number) + (week[6] as number)) / 2 / (sum(week.slice(0, 5)) / 5);
  };

  test('buy for themselves at weekends and for work on weekdays', () => {
    expect(weekOf('Cookware')).toBeGreaterThan(1.2);
    expect(weekOf('Keyboards')).toBeLessThan(0.8);
  });

  test('follow the season of each category', () => {
    const soldIn = (leaf: string, month: number) =>
      sum(
        codesOfLeaf(leafNamed(leaf), 60).flatMap((code) =>
          source.trueDailySales(code, Date.UTC(2025, month, 1), Date.UTC(2025, month, 29)),
        ),
      );
    expect(soldIn('Board Games', 11) / soldIn('Board Games', 1)).toBeGreaterThan(1.5);
    expect(soldIn('Tents', 6) / soldIn('Tents', 0)).toBeGreaterThan(1.5);
  });

  test('buy more when the price is low', () => {
    const mean = (numbers: readonly number[]) => sum(numbers) / numbers.length;
    const gains: number[] = [];
    for (let number = 0; number < 400; number++) {
      const code = codeAt(1_200 + number * 7);
      // Days with a single seller in stock, so that only the price makes a difference.
      const days = source
        .trueDailySales(code, START_MS, START_MS + 84 * DAY_MS)
        .map((sold, day) => ({ sold, ...snapshotOf(code, START_MS + day * DAY_MS + 20 * HOUR_MS) }))
        .filter(({ offers, buybox }) => offers?.length === 1 && buybox)
        .map(({ sold, buybox }) => ({ sold, cents: buybox?.priceCents as number }));
      if (days.length < 60) continue;
      const usual = days.map(({ cents }) => cents).toSorted((a, b) => a - b)[30] as number;
      const onSale = days.filter(({ cents }) => cents < usual * 0.95).map(({ sold }) => sold);
      const otherwise = days.filter(({ cents }) => cents >= usual * 0.95).map(({ sold }) => sold);
      if (onSale.length > 0) gains.push(mean(onSale) / mean(otherwise));
    }
    expect(gains.length).toBeGreaterThan(20);
    expect(mean(gains)).toBeGreaterThan(1.1);
  });
});
