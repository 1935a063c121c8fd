// A loss is believed once it is confirmed, unless the source is failing.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulateIngest, simulateSource } from '../../test/support/guard-simulation.ts';
import type { ObservedState } from '../events/observed-state.ts';
import { HOUR_SECONDS } from '../foundation/time.ts';
import { addTallies, isAlarmed, judgeLoss, losesProduct } from './crawl-guard.ts';

const OFFER = { sellerName: 'A', priceCents: 100, shippingCents: 0, unitsInStock: 0 };

const listed = (count: number, offersComplete = true): ObservedState => ({
  atSeconds: 0,
  buybox: undefined,
  rank: undefined,
  offers: Array.from({ length: count }, () => OFFER),
  offersComplete,
});

describe('a snapshot loses its product', () => {
  test.each([
    { why: 'when the product is missing', observed: 'missing' as const, had: true, loses: true },
    { why: 'when it has no offers any more', observed: listed(0), had: true, loses: true },
    { why: 'not when it had no offers before', observed: listed(0), had: false, loses: false },
    { why: 'not when it was lost already', observed: 'missing' as const, had: false, loses: false },
    {
      why: 'not when an incomplete list is empty',
      observed: listed(0, false),
      had: true,
      loses: false,
    },
    {
      why: 'when it was for sale and is said to be sold out',
      observed: { ...listed(1, false), buybox: null },
      had: true,
      loses: true,
    },
    {
      why: 'not when it was sold out before',
      observed: { ...listed(1, false), buybox: null },
      had: false,
      loses: false,
    },
    { why: 'not when an offer is sold out', observed: listed(1), had: true, loses: false },
    {
      why: 'not when offers were not observed',
      observed: { ...listed(0), offers: undefined },
      had: true,
      loses: false,
    },
  ])('$why', ({ observed, had, loses }) => {
    expect(losesProduct({ hadOffers: had, wasForSale: had }, observed)).toBe(loses);
  });
});

describe('a loss', () => {
  const HEALTHY = { snapshots: 8, losses: 2 };
  const loss = {
    losesProduct: true,
    atSeconds: 10_000,
    isAlarmed: false,
    spread: 0,
    evidence: HEALTHY,
    isFewWatched: false,
    others: null,
  };
  const held = (firstHeldAtSeconds: number, observations = 1) => ({
    firstHeldAtSeconds,
    observations,
  });

  test.each([
    {
      why: 'is held the first time',
      snapshot: { ...loss, held: null },
      verdict: {
        kind: 'held',
        firstHeldAtSeconds: 10_000,
        observations: 1,
        repeatAtSeconds: 10_300,
      },
    },
    {
      why: 'is repeated after at most ten minutes',
      snapshot: { ...loss, held: null, spread: 1 },
      verdict: { kind: 'held', repeatAtSeconds: 10_600 },
    },
    {
      why: 'stays held when observed again too soon, which is no further observation',
      snapshot: { ...loss, held: held(9_701) },
      verdict: {
        kind: 'held',
        firstHeldAtSeconds: 9_701,
        observations: 1,
        repeatAtSeconds: 10_001,
      },
    },
    {
      why: 'is confirmed five minutes later when the others are there',
      snapshot: { ...loss, held: held(9_700) },
      verdict: { kind: 'confirmed' },
    },
    {
      why: 'stays held while too few others were observed since',
      snapshot: { ...loss, held: held(9_000), evidence: { snapshots: 5, losses: 0 } },
      verdict: {
        kind: 'held',
        firstHeldAtSeconds: 9_000,
        observations: 2,
        repeatAtSeconds: 11_000,
      },
    },
    {
      why: 'fails when a third of the others were lost since',
      snapshot: { ...loss, held: held(9_000), evidence: { snapshots: 9, losses: 3 } },
      verdict: { kind: 'failed' },
    },
    {
      why: 'is confirmed alone by three observations over two hours, if few are watched',
      snapshot: {
        ...loss,
        isFewWatched: true,
        held: held(2_800, 2),
        evidence: { snapshots: 0, losses: 0 },
      },
      verdict: { kind: 'confirmed' },
    },
    {
      why: 'is not confirmed alone by three within less time',
      snapshot: {
        ...loss,
        isFewWatched: true,
        held: held(2_801, 3),
        evidence: { snapshots: 0, losses: 0 },
      },
      verdict: { kind: 'held', observations: 4 },
    },
    {
      why: 'is not confirmed alone by two',
      snapshot: {
        ...loss,
        isFewWatched: true,
        held: held(2_800, 1),
        evidence: { snapshots: 0, losses: 0 },
      },
      verdict: { kind: 'held', observations: 2 },
    },
    {
      why: 'is not confirmed alone if many are watched',
      snapshot: { ...loss, held: held(2_800, 9), evidence: { snapshots: 0, losses: 0 } },
      verdict: { kind: 'held' },
    },
    {
      why: 'fails while the source is in alarm',
      snapshot: { ...loss, held: held(9_000), isAlarmed: true },
      verdict: { kind: 'failed' },
    },
    {
      why: 'does not exist when the product is there, alarm or not',
      snapshot: { ...loss, losesProduct: false, held: held(9_000), isAlarmed: true },
      verdict: { kind: 'sound' },
    },
  ])('$why', ({ snapshot, verdict }) => {
    expect(judgeLoss(snapshot)).toMatchObject(verdict);
  });
});

describe('a source is in alarm', () => {
  test.each([
    { why: 'not before 50 snapshots', tallies: [[49, 49]], alarmed: false },
    { why: 'from a third of losses on', tallies: [[51, 17]], alarmed: true },
    { why: 'not below a third', tallies: [[50, 16]], alarmed: false },
    {
      why: 'over several buckets',
      tallies: [
        [97, 0],
        [49, 49],
        [1, 0],
      ],
      alarmed: true,
    },
    {
      why: 'not for losses more than 500 snapshots ago',
      tallies: [
        [400, 400],
        [500, 0],
      ],
      alarmed: false,
    },
    {
      why: 'by the last 500 snapshots alone',
      tallies: [
        [5_000, 0],
        [250, 0],
        [250, 167],
      ],
      alarmed: true,
    },
    {
      why: 'by its share of a large bucket',
      tallies: [
        [10_000, 6_000],
        [250, 20],
      ],
      alarmed: true,
    },
    {
      why: 'by no more than its share of a large bucket',
      tallies: [
        [10_000, 2_000],
        [250, 20],
      ],
      alarmed: false,
    },
    { why: 'not without a snapshot', tallies: [[0, 0]], alarmed: false },
  ])('$why', ({ tallies, alarmed }) => {
    const ascending = tallies.map(([snapshots, losses], bucket) => ({
      bucket,
      snapshots: snapshots as number,
      losses: losses as number,
    }));
    expect(isAlarmed(ascending)).toBe(alarmed);
  });

  const anyTallies = fc.array(
    fc.nat(30).chain((snapshots) =>
      fc.record({
        bucket: fc.nat(40),
        snapshots: fc.constant(snapshots),
        losses: fc.nat(snapshots),
      }),
    ),
    { maxLength: 60 },
  );

  test('whatever the order and the parts in which tallies are added', () => {
    fc.assert(
      fc.property(anyTallies, fc.nat(), (tallies, cut) => {
        const whole = addTallies(tallies);
        const at = cut % (tallies.length + 1);
        const parts = addTallies(
          addTallies(tallies.slice(at).reverse()),
          addTallies(tallies.slice(0, at)),
        );
        expect(parts).toEqual(whole);
      }),
    );
  });

  test('exactly when the last 500 snapshots say so, counted one by one', () => {
    const snapshots = fc.array(fc.boolean(), { minLength: 50, maxLength: 900, size: 'max' });
    fc.assert(
      fc.property(snapshots, (lost) => {
        const tallies = addTallies(
          // Ten per bucket, counted from the last one, so that all are within the judged minutes.
          lost.map((isLoss, index) => ({
            bucket: 1_000 - Math.floor((lost.length - 1 - index) / 10),
            snapshots: 1,
            losses: isLoss ? 1 : 0,
          })),
        );
        const last = lost.slice(-500);
        expect(isAlarmed(tallies)).toBe(last.filter(Boolean).length * 3 >= last.length);
      }),
    );
  });
});

const TIERS = [1, 2, 6, 12, 24];
const count = (believed: readonly (number | null)[]) => believed.filter((at) => at !== null).length;

describe('in a total outage no loss is believed', () => {
  /** Starts after 1.5 healthy rounds and lasts five hours or 2.5 rounds; then all is healthy. */
  const outage = (products: number, hours: number) => {
    const [from, length] = [1.5 * hours * HOUR_SECONDS, Math.max(5, 2.5 * hours) * HOUR_SECONDS];
    return {
      products,
      intervalSeconds: hours * HOUR_SECONDS,
      endSeconds: from + length + 2 * hours * HOUR_SECONDS,
      isShown: (_: number, at: number) => at < from || at >= from + length,
    };
  };
  /** `node scripts/outage-table.ts` simulates larger ones: the table of docs/decisions/0008. */
  const sizes = [10, 100];

  test.each(TIERS)('collected every %i h', (hours) => {
    const counts = [...sizes, 1_000 / hours].map((products) =>
      count(simulateSource(outage(Math.floor(products), hours))),
    );
    expect(counts).toEqual([0, 0, 0]);
  });

  test.each(TIERS)('ingested every %i h, in one file and line by line', (hours) => {
    for (const linesPerPart of [500, 1]) {
      for (const crawlSeconds of [0, 1_800]) {
        const shape = { linesPerPart, crawlSeconds };
        const counts = sizes.map((products) =>
          count(simulateIngest(outage(products, hours), shape)),
        );
        expect(counts).toEqual([0, 0]);
      }
    }
  });
});

describe('while a source loses a large part of its products no loss is believed', () => {
  const outage = (hours: number, { fifths, length }: { fifths: number; length: number }) => ({
    products: 100,
    intervalSeconds: hours * HOUR_SECONDS,
    endSeconds: 3.5 * hours * HOUR_SECONDS + length,
    isShown: (product: number, at: number) =>
      at < 1.5 * hours * HOUR_SECONDS ||
      at >= 1.5 * hours * HOUR_SECONDS + length ||
      product % 5 >= fifths,
  });

  test.each([2, 3])('%i fifths, however long', (fifths) => {
    const counts = [
      { hours: 1, length: 3 * HOUR_SECONDS },
      { hours: 6, length: 18 * HOUR_SECONDS },
      { hours: 24, length: 72 * HOUR_SECONDS },
    ].map(({ hours, length }) => count(simulateSource(outage(hours, { fifths, length }))));
    expect(counts).toEqual([0, 0, 0]);
    const ingested = simulateIngest(outage(1, { fifths, length: 3 * HOUR_SECONDS }), {
      linesPerPart: 1,
      crawlSeconds: 1_800,
    });
    expect(count(ingested)).toBe(0);
  });
});

describe('a real loss is believed', () => {
  /** Some products are lost after 1.25 rounds. */
  const losing = (products: number, hours: number, isLost: (product: number) => boolean) => ({
    products,
    intervalSeconds: hours * HOUR_SECONDS,
    endSeconds: 5.25 * hours * HOUR_SECONDS,
    isShown: (product: number, at: number) => at < 1.25 * hours * HOUR_SECONDS || !isLost(product),
  });
  const slots = (believed: readonly (number | null)[], product: number, hours: number) =>
    ((believed[product] ?? Number.POSITIVE_INFINITY) - 1.25 * hours * HOUR_SECONDS) /
    (hours * HOUR_SECONDS);

  test.each(TIERS)('collected every %i h: within two slots', (hours) => {
    for (const products of [10, 100]) {
      const believed = simulateSource(losing(products, hours, (product) => product === 7));
      expect(count(believed)).toBe(1);
      expect(slots(believed, 7, hours)).toBeLessThanOrEqual(2);
    }
  });

  test.each([1, 500])('ingested in parts of %i lines: with the second crawl', (linesPerPart) => {
    const market = losing(100, 1, (product) => product === 7);
    const believed = simulateIngest(market, { linesPerPart, crawlSeconds: 1_800 });
    expect(count(believed)).toBe(1);
    expect(slots(believed, 7, 1)).toBeLessThanOrEqual(2);
  });

  test('when a fifth of all products are lost at once', () => {
    expect(count(simulateSource(losing(1_000, 1, (product) => product % 5 === 0)))).toBe(200);
  });

  test('when few products are watched, after two hours', () => {
    const believed = simulateSource(losing(3, 1, (product) => product === 1));
    expect(count(believed)).toBe(1);
    expect(slots(believed, 1, 1)).toBeLessThanOrEqual(4);
  });

  test.each([10, 30])(
    'in a fine tier among %i products of a coarse one, as soon as alone',
    (products) => {
      const believed = simulateSource({
        ...losing(products, 1, (product) => product === 7),
        intervalOf: (product) => (product === 7 ? 1 : 24) * HOUR_SECONDS,
      });
      expect(count(believed)).toBe(1);
      expect(slots(believed, 7, 1)).toBeLessThanOrEqual(2);
    },
  );

  test('when it happened during an outage', () => {
    const isOut = (at: number) => at >= 2 * HOUR_SECONDS && at < 6 * HOUR_SECONDS;
    for (const products of [20, 1_000]) {
      const believed = simulateSource({
        products,
        intervalSeconds: HOUR_SECONDS,
        endSeconds: 9 * HOUR_SECONDS,
        isShown: (product, at) => !isOut(at) && (product !== 7 || at < 3 * HOUR_SECONDS),
      });
      expect(count(believed)).toBe(1);
      expect(believed[7]).toBeGreaterThan(6 * HOUR_SECONDS);
    }
  });
});
