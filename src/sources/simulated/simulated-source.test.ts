// The simulated source: reproducible snapshots, and the contract's rules.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { manualClock } from '../../foundation/clock.ts';
import { DAY_MS } from '../../foundation/time.ts';
import type { Source } from '../source.ts';
import { createSimulatedSource, HISTORY_START_MS } from './simulated-source.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12, 34, 56, 789);
const open = (seed?: number) =>
  createSimulatedSource({ clock: manualClock(NOW_MS), ...(seed === undefined ? {} : { seed }) });
const source = open() satisfies Source;

const anyCode = fc
  .integer({ min: 0, max: source.productCount - 1 })
  .map((index) => source.productAt(index).code);
const anyTime = fc.integer({ min: HISTORY_START_MS, max: NOW_MS });

async function all(snapshots: AsyncIterable<Snapshot>): Promise<Snapshot[]> {
  const seen: Snapshot[] = [];
  for await (const snapshot of snapshots) seen.push(snapshot);
  return seen;
}

describe('a snapshot', () => {
  test('does not depend on earlier calls', () => {
    const calls = fc.array(fc.tuple(anyCode, anyTime), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(calls, fc.integer({ min: 0, max: 5 }), (requests, seed) => {
        const once = open(seed);
        const seen = requests.map(([code, atMs]) => once.snapshotAt(code, atMs));
        const backwards = open(seed);
        const again = requests.toReversed().map(([code, atMs]) => backwards.snapshotAt(code, atMs));
        expect(again.toReversed()).toEqual(seen);
        for (const [index, [code, atMs]] of requests.entries())
          expect(open(seed).snapshotAt(code, atMs)).toEqual(seen[index]);
      }),
    );
  });

  test('does not depend on the order of times', () => {
    const aroundOnePoint = fc.tuple(anyTime, fc.array(fc.integer({ min: 0, max: 70 * 24 })));
    fc.assert(
      fc.property(anyCode, aroundOnePoint, (code, [startMs, hours]) => {
        const times = hours.map((hour) => startMs + hour * 3_600_000);
        const one = open();
        for (const atMs of times)
          expect(one.snapshotAt(code, atMs)).toEqual(open().snapshotAt(code, atMs));
      }),
    );
  });

  test('depends on the seed', () => {
    const { code } = source.productAt(0);
    const sellersWith = (seed: number) =>
      open(seed)
        .snapshotAt(code, NOW_MS)
        ?.offers?.map(({ sellerName }) => sellerName);
    expect(sellersWith(1)).not.toEqual(sellersWith(2));
    expect(open(1).productAt(0)).toEqual(open(2).productAt(0));
  });

  test('obeys the rules of the feed', () => {
    fc.assert(
      fc.property(anyCode, anyTime, (code, atMs) => {
        const snapshot = source.snapshotAt(code, atMs) as Snapshot;
        expect(snapshot.observedAtMs).toBe(atMs - (atMs % 1_000));
        expect(snapshot.rank?.position).toBeGreaterThanOrEqual(1);
        expect(snapshot.rank?.category).toBe(snapshot.categories?.at(-1));
        expect(Number.isInteger(snapshot.reviewCount)).toBe(true);
        expect(snapshot.customerRating ?? 5).toBeGreaterThanOrEqual(1);
        expect(snapshot.customerRating ?? 5).toBeLessThanOrEqual(5);
        expect(snapshot.shippingWeightLb).toBeGreaterThan(0);
        for (const text of [snapshot.name, snapshot.brand, ...(snapshot.categories ?? [])])
          expect(text?.length).toBeLessThanOrEqual(500);
        checkOffers(snapshot);
      }),
      { numRuns: 1_000 },
    );
  });
});

function checkOffers({ offers = [], buybox, observedAtMs }: Snapshot) {
  expect(offers.length).toBeLessThanOrEqual(30);
  expect(new Set(offers.map(({ sellerName }) => sellerName)).size).toBe(offers.length);
  for (const offer of offers) {
    for (const whole of [offer.priceCents, offer.shippingCents, offer.unitsInStock ?? 0])
      expect(Number.isInteger(whole)).toBe(true);
    expect(offer.priceCents).toBeGreaterThan(0);
    expect(offer.priceCents).toBeLessThanOrEqual(100_000_000);
    expect(offer.shippingCents).toBeGreaterThanOrEqual(0);
    expect(offer.unitsInStock ?? 0).toBeGreaterThanOrEqual(0);
    expect(offer.unitsInStock ?? 0).toBeLessThanOrEqual(1_000_000);
    expect(offer.lastUpdatedAtMs).toBeLessThanOrEqual(observedAtMs);
    expect(offer.lastUpdatedAtMs).toBeGreaterThan(observedAtMs - 3_600_000);
    expect((offer.lastUpdatedAtMs as number) % 1_000).toBe(0);
  }
  if (!buybox) return;
  const holder = offers.find(({ sellerName }) => sellerName === buybox.sellerName);
  expect(holder?.priceCents).toBe(buybox.priceCents);
  expect(holder?.unitsInStock).not.toBe(0);
}

describe('a batch', () => {
  test('has one outcome per code, in order; unknown codes are not found', async () => {
    const listed = [source.productAt(5).code, source.productAt(119_999).code];
    const codes = [listed[0], '500000000', listed[1], '427182818', 'x'] as string[];
    const outcomes = await source.fetchBatch(codes);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'snapshot',
      'not_found',
      'snapshot',
      'not_found',
      'not_found',
    ]);
    expect(outcomes[2]).toEqual({
      kind: 'snapshot',
      snapshot: source.snapshotAt(listed[1] as string, NOW_MS),
    });
    expect(source.snapshotAt('500000000', NOW_MS)).toBeNull();
    expect(source.trueDailySales('500000000', NOW_MS, NOW_MS + DAY_MS)).toEqual([]);
  });
});

describe('a search by GTIN', () => {
  test('finds the product, and nothing for an unknown GTIN', async () => {
    await fc.assert(
      fc.asyncProperty(anyCode, async (code) => {
        const { gtins } = source.snapshotAt(code, NOW_MS) as Snapshot;
        expect(await source.findByGtin(gtins[0] as string)).toEqual({
          kind: 'codes',
          codes: [code],
        });
      }),
    );
    expect(await source.findByGtin('00000000000000')).toEqual({ kind: 'codes', codes: [] });
    expect(await source.findByGtin('09999999999994')).toEqual({ kind: 'codes', codes: [] });
  });
});

describe('a history', () => {
  const { code } = source.productAt(42);

  test('equals the snapshots of each time, oldest first', async () => {
    const fromMs = NOW_MS - 90 * DAY_MS;
    const seen = await all(source.history(code, { fromMs, toMs: NOW_MS }));
    const times = Array.from({ length: 90 }, (_, day) => fromMs + day * DAY_MS);
    expect(seen).toEqual(times.map((atMs) => open().snapshotAt(code, atMs)));
  });

  test('may have another step', async () => {
    const range = { fromMs: NOW_MS - DAY_MS, toMs: NOW_MS, stepMs: 3_600_000 };
    expect(await all(source.history(code, range))).toHaveLength(24);
  });

  test('starts in 2020 and ends now', async () => {
    const seen = await all(source.history(code, { fromMs: 0, toMs: NOW_MS + 90 * DAY_MS }));
    const times = seen.map(({ observedAtMs }) => observedAtMs);
    expect(times[0]).toBe(HISTORY_START_MS);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(NOW_MS);
    expect(times.at(-1)).toBeGreaterThan(NOW_MS - DAY_MS);
  });

  test('of an unknown code is empty', async () => {
    expect(await all(source.history('500000000', { fromMs: 0, toMs: NOW_MS }))).toEqual([]);
  });
});

test('the number of reviews never falls', async () => {
  const range = { fromMs: HISTORY_START_MS, toMs: NOW_MS, stepMs: 20 * DAY_MS };
  for (const index of [0, 777, 60_000]) {
    const seen = await all(source.history(source.productAt(index).code, range));
    const counts = seen.map(({ reviewCount }) => reviewCount as number);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBeGreaterThan(counts[0] as number);
  }
});
