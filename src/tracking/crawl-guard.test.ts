// Losses are believed when confirmed, unless it is the source that fails.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulateIngest, simulateSource } from '../../test/support/guard-simulation.ts';
import type { ObservedState } from '../events/observed-state.ts';
import { addTallies, isAlarmed, judgeLoss, losesProduct } from './crawl-guard.ts';

const OFFER = { sellerName: 'A', priceCents: 100, shippingCents: 0, unitsInStock: 0 };

const listed = (count: number, offersComplete = true): ObservedState => ({
  ...{ atSeconds: 0, buybox: undefined, rank: undefined },
  offers: Array.from({ length: count }, () => OFFER),
  offersComplete,
});

describe('a look loses its product', () => {
  test.each([
    { why: 'when the product is missing', found: 'missing' as const, had: true, loses: true },
    { why: 'when all offers are gone', found: listed(0), had: true, loses: true },
    { why: 'not when there was none before', found: listed(0), had: false, loses: false },
    { why: 'not when it was lost already', found: 'missing' as const, had: false, loses: false },
    { why: 'not when a list in part is empty', found: listed(0, false), had: true, loses: false },
    { why: 'not when an offer is sold out', found: listed(1), had: true, loses: false },
    {
      why: 'not when offers were not looked at',
      found: { ...listed(0), offers: undefined },
      ...{ had: true, loses: false },
    },
  ])('$why', ({ found, had, loses }) => {
    expect(losesProduct(had, found)).toBe(loses);
  });
});

describe('a loss', () => {
  const WELL = { snapshots: 8, losses: 2 };
  const loss = {
    ...{ losesProduct: true, atSeconds: 10_000, isAlarmed: false, spread: 0 },
    ...{ evidence: WELL, isFewWatched: false, census: null },
  };
  const held = (firstHeldAtSeconds: number, observations = 1) => ({
    firstHeldAtSeconds,
    observations,
  });

  test.each([
    {
      why: 'is held the first time',
      observation: { ...loss, held: null },
      verdict: {
        ...{ kind: 'held', firstHeldAtSeconds: 10_000, observations: 1 },
        repeatAtSeconds: 10_300,
      },
    },
    {
      why: 'is repeated after at most ten minutes',
      observation: { ...loss, held: null, spread: 1 },
      verdict: { kind: 'held', repeatAtSeconds: 10_600 },
    },
    {
      why: 'stays held when seen again too soon, which is no further observation',
      observation: { ...loss, held: held(9_701) },
      verdict: {
        ...{ kind: 'held', firstHeldAtSeconds: 9_701, observations: 1 },
        repeatAtSeconds: 10_001,
      },
    },
    {
      why: 'is confirmed five minutes later, others being there',
      observation: { ...loss, held: held(9_700) },
      verdict: { kind: 'confirmed' },
    },
    {
      why: 'stays held while too few others were seen since',
      observation: { ...loss, held: held(9_000), evidence: { snapshots: 5, losses: 0 } },
      verdict: {
        kind: 'held',
        firstHeldAtSeconds: 9_000,
        observations: 2,
        repeatAtSeconds: 11_000,
      },
    },
    {
      why: 'is a failed look when a third of the others were lost since',
      observation: { ...loss, held: held(9_000), evidence: { snapshots: 9, losses: 3 } },
      verdict: { kind: 'failed' },
    },
    {
      why: 'is confirmed without others by three observations over two hours, where few are watched',
      observation: {
        ...loss,
        isFewWatched: true,
        held: held(2_800, 2),
        evidence: { snapshots: 0, losses: 0 },
      },
      verdict: { kind: 'confirmed' },
    },
    {
      why: 'not by three within less',
      observation: {
        ...loss,
        isFewWatched: true,
        held: held(2_801, 3),
        evidence: { snapshots: 0, losses: 0 },
      },
      verdict: { kind: 'held', observations: 4 },
    },
    {
      why: 'not by two',
      observation: {
        ...loss,
        isFewWatched: true,
        held: held(2_800, 1),
        evidence: { snapshots: 0, losses: 0 },
      },
      verdict: { kind: 'held', observations: 2 },
    },
    {
      why: 'not where many are watched',
      observation: { ...loss, held: held(2_800, 9), evidence: { snapshots: 0, losses: 0 } },
      verdict: { kind: 'held' },
    },
    {
      why: 'is a failed look while the source is in alarm',
      observation: { ...loss, held: held(9_000), isAlarmed: true },
      verdict: { kind: 'failed' },
    },
    {
      why: 'is none when the product is there, alarm or not',
      observation: { ...loss, losesProduct: false, held: held(9_000), isAlarmed: true },
      verdict: { kind: 'sound' },
    },
  ])('$why', ({ observation, verdict }) => {
    expect(judgeLoss(observation)).toMatchObject(verdict);
  });
});

describe('a source is in alarm', () => {
  test.each([
    { why: 'not before 50 looks', tallies: [[49, 49]], alarmed: false },
    { why: 'from a third on', tallies: [[51, 17]], alarmed: true },
    { why: 'not under a third', tallies: [[50, 16]], alarmed: false },
    {
      why: 'over several stretches',
      tallies: [
        [97, 0],
        [49, 49],
        [1, 0],
      ],
      alarmed: true,
    },
    {
      why: 'not for what is 500 looks ago',
      tallies: [
        [400, 400],
        [500, 0],
      ],
      alarmed: false,
    },
    {
      why: 'by the last 500 alone',
      tallies: [
        [5_000, 0],
        [250, 0],
        [250, 167],
      ],
      alarmed: true,
    },
    {
      why: 'by a part of a long stretch',
      tallies: [
        [10_000, 6_000],
        [250, 20],
      ],
      alarmed: true,
    },
    {
      why: 'by no more than its part',
      tallies: [
        [10_000, 2_000],
        [250, 20],
      ],
      alarmed: false,
    },
    { why: 'not without a look', tallies: [[0, 0]], alarmed: false },
  ])('$why', ({ tallies, alarmed }) => {
    const ascending = tallies.map(([snapshots, losses], bucket) => ({
      ...{ bucket, snapshots: snapshots as number, losses: losses as number },
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

  test('whoever adds up, in any order and in parts', () => {
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

  test('as the last 500 looks say, counted one by one', () => {
    const snapshots = fc.array(fc.boolean(), { minLength: 50, maxLength: 900, size: 'max' });
    fc.assert(
      fc.property(snapshots, (lost) => {
        const tallies = addTallies(
          // Ten a stretch, counted from the last one: all of them within the minutes that are
          // judged.
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

const HOUR = 3600;
const TIERS = [1, 2, 6, 12, 24];
const count = (believed: readonly (number | null)[]) => believed.filter((at) => at !== null).length;

describe('a total outage, believed of nothing', () => {
  /**
   * After a healthy round and a half, for five hours or two and a half rounds; then all is as
   * before.
   */
  const outage = (products: number, hours: number) => {
    const [from, length] = [1.5 * hours * HOUR, Math.max(5, 2.5 * hours) * HOUR];
    return {
      ...{ products, intervalSeconds: hours * HOUR, endSeconds: from + length + 2 * hours * HOUR },
      isShown: (_: number, at: number) => at < from || at >= from + length,
    };
  };
  /**
   * Larger ones by `node scripts/outage-table.ts`, which wrote the table of docs/decisions/0008.
   */
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

describe('a source that loses a large part of its products, believed of nothing however long', () => {
  const outage = (hours: number, { fifths, length }: { fifths: number; length: number }) => ({
    ...{ products: 100, intervalSeconds: hours * HOUR, endSeconds: 3.5 * hours * HOUR + length },
    isShown: (product: number, at: number) =>
      at < 1.5 * hours * HOUR || at >= 1.5 * hours * HOUR + length || product % 5 >= fifths,
  });

  test.each([2, 3])('%i fifths', (fifths) => {
    const counts = [
      { hours: 1, length: 3 * HOUR },
      { hours: 6, length: 18 * HOUR },
      { hours: 24, length: 72 * HOUR },
    ].map(({ hours, length }) => count(simulateSource(outage(hours, { fifths, length }))));
    expect(counts).toEqual([0, 0, 0]);
    const ingested = simulateIngest(outage(1, { fifths, length: 3 * HOUR }), {
      ...{ linesPerPart: 1, crawlSeconds: 1_800 },
    });
    expect(count(ingested)).toBe(0);
  });
});

describe('what is really gone is believed', () => {
  /** From some time after the first round on. */
  const gone = (products: number, hours: number, isGone: (product: number) => boolean) => ({
    ...{ products, intervalSeconds: hours * HOUR, endSeconds: 5.25 * hours * HOUR },
    isShown: (product: number, at: number) => at < 1.25 * hours * HOUR || !isGone(product),
  });
  const slots = (believed: readonly (number | null)[], product: number, hours: number) =>
    ((believed[product] ?? Number.POSITIVE_INFINITY) - 1.25 * hours * HOUR) / (hours * HOUR);

  test.each(TIERS)('collected every %i h: within two slots', (hours) => {
    for (const products of [10, 100]) {
      const believed = simulateSource(gone(products, hours, (product) => product === 7));
      expect(count(believed)).toBe(1);
      expect(slots(believed, 7, hours)).toBeLessThanOrEqual(2);
    }
  });

  test.each([1, 500])('ingested in parts of %i lines: with the second crawl', (linesPerPart) => {
    const market = gone(100, 1, (product) => product === 7);
    const believed = simulateIngest(market, { linesPerPart, crawlSeconds: 1_800 });
    expect(count(believed)).toBe(1);
    expect(slots(believed, 7, 1)).toBeLessThanOrEqual(2);
  });

  test('a fifth of all at once', () => {
    expect(count(simulateSource(gone(1_000, 1, (product) => product % 5 === 0)))).toBe(200);
  });

  test('of a few watched products, after two hours', () => {
    const believed = simulateSource(gone(3, 1, (product) => product === 1));
    expect(count(believed)).toBe(1);
    expect(slots(believed, 1, 1)).toBeLessThanOrEqual(4);
  });

  test.each([10, 30])('of a fine tier among %i of a coarse one, as soon as alone', (products) => {
    const believed = simulateSource({
      ...gone(products, 1, (product) => product === 7),
      intervalOf: (product) => (product === 7 ? 1 : 24) * HOUR,
    });
    expect(count(believed)).toBe(1);
    expect(slots(believed, 7, 1)).toBeLessThanOrEqual(2);
  });

  test('also when it went in an outage', () => {
    const isOut = (at: number) => at >= 2 * HOUR && at < 6 * HOUR;
    for (const products of [20, 1_000]) {
      const believed = simulateSource({
        ...{ products, intervalSeconds: HOUR, endSeconds: 9 * HOUR },
        isShown: (product, at) => !isOut(at) && (product !== 7 || at < 3 * HOUR),
      });
      expect(count(believed)).toBe(1);
      expect(believed[7]).toBeGreaterThan(6 * HOUR);
    }
  });
});
