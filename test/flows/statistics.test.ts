// Statistics from the summaries of runs equal those computed from every single observation.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTails } from '../../src/catalog/products.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { HOUR_SECONDS, SECOND_MS } from '../../src/foundation/time.ts';
import type { BlockSummary, Series } from '../../src/history/block-summary.ts';
import type { Observation } from '../../src/history/observation.ts';
import { OBSERVED_SPAN_SECONDS } from '../../src/history/observed-span.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { readStatistics } from '../../src/history/read-statistics.ts';
import { averageOf, medianOf, type StepSummary } from '../../src/history/step-summary.ts';
import { cloneDatabase } from '../support/database.ts';

const { db } = await cloneDatabase();
const deps = { db, log: createLog('silent') };
const START_SECONDS = Date.parse('2025-01-01T00:00:00Z') / SECOND_MS;

let codes = 0;
const freshCode = () => `${930_000_000 + codes++}`;

type Content = readonly [hour: number, cents: number, units: number, kind: number];

const snapshotOf = (code: string, [hour, cents, units, kind]: Content): Snapshot => ({
  code,
  observedAtMs: (START_SECONDS + hour * HOUR_SECONDS) * SECOND_MS,
  gtins: [],
  // Kinds leave members out: not observed differs from none.
  buybox: kind === 1 ? undefined : cents < 20 ? null : { priceCents: cents, sellerName: 'Acme' },
  offers:
    kind === 2
      ? undefined
      : Array.from({ length: units % 3 }, (_, index) => ({
          sellerName: `A seller with a long name that fills runs, number ${newId()} ${index}`,
          priceCents: cents,
          shippingCents: 0,
          unitsInStock: units === 7 ? null : units % 2 === 0 ? 0 : units,
          lastUpdatedAtMs: null,
        })),
  offersComplete: kind !== 3,
  rank: kind === 2 || kind === 4 ? undefined : { position: 1 + (cents % 900), category: 'Kettles' },
});

type Point = { atSeconds: number; value: number | null };

const pointsOf = (observations: readonly Observation[]): Record<Series, Point[]> => ({
  price: observations.flatMap(({ atSeconds, buybox }) =>
    buybox === undefined ? [] : [{ atSeconds, value: buybox?.priceCents ?? null }],
  ),
  rank: observations.flatMap(({ atSeconds, rank }) =>
    rank === undefined ? [] : [{ atSeconds, value: rank.position }],
  ),
  stock: observations.flatMap(({ atSeconds, offers }) =>
    offers === undefined
      ? []
      : [{ atSeconds, value: offers.some(({ unitsInStock }) => unitsInStock !== 0) ? 1 : 0 }],
  ),
});

/** Every interval of a value that lies in the window, one by one. */
function naive(points: readonly Point[], fromAtSeconds: number, toAtSeconds: number) {
  const past = points.filter(({ atSeconds }) => atSeconds < toAtSeconds);
  const intervals = past.flatMap(({ atSeconds, value }, index) => {
    const nextAtSeconds = past[index + 1]?.atSeconds ?? toAtSeconds;
    const start = Math.max(atSeconds, fromAtSeconds);
    const end = Math.min(nextAtSeconds, atSeconds + OBSERVED_SPAN_SECONDS);
    const isSeen = atSeconds >= fromAtSeconds;
    return isSeen || end > start
      ? [{ start, seconds: Math.max(0, end - start), value, isSeen }]
      : [];
  });
  // The newest observation before the window is the only one that may reach into it.
  const numbers = intervals.flatMap(({ value, ...rest }) =>
    value === null ? [] : [{ value, ...rest }],
  );
  const sum = (parts: readonly { seconds: number }[]) =>
    parts.reduce((total, { seconds }) => total + seconds, 0);
  const sorted = numbers.flatMap(({ value, seconds }) => (seconds > 0 ? [{ value, seconds }] : []));
  sorted.sort((a, b) => a.value - b.value);
  let passed = 0;
  const median = sorted.find(({ seconds }) => {
    passed += seconds;
    return 2 * passed >= sum(numbers);
  });
  const extreme = (better: (a: number, b: number) => boolean) =>
    numbers.reduce<{ value: number; atSeconds: number } | null>(
      (best, { value, start }) =>
        best === null || better(value, best.value) ? { value, atSeconds: start } : best,
      null,
    );
  const weighted = numbers.reduce((total, { value, seconds }) => total + value * seconds, 0);
  return {
    count: intervals.filter(({ isSeen }) => isSeen).length,
    numberSeconds: sum(numbers),
    nullSeconds: sum(intervals.filter(({ value }) => value === null)),
    average: sum(numbers) === 0 ? null : Math.floor(weighted / sum(numbers) + 0.5),
    median: median?.value ?? null,
    min: extreme((a, b) => a < b),
    max: extreme((a, b) => a > b),
    increases: numbers.filter(({ value }, i) => i > 0 && value > (numbers[i - 1]?.value ?? 0))
      .length,
    decreases: numbers.filter(({ value }, i) => i > 0 && value < (numbers[i - 1]?.value ?? 0))
      .length,
  };
}

const shown = (summary: StepSummary, isPrice: boolean) => ({
  count: summary.count,
  numberSeconds: summary.numberSeconds,
  nullSeconds: summary.nullSeconds,
  average: averageOf(summary),
  median: isPrice ? medianOf(summary) : null,
  min: summary.min,
  max: summary.max,
  increases: summary.increases,
  decreases: summary.decreases,
});

const anyHistory = fc.array(
  fc.tuple(
    fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 500, max: 3_000 })),
    fc.oneof(fc.integer({ min: 15, max: 30 }), fc.integer({ min: 0, max: 100_000_000 })),
    fc.integer({ min: 0, max: 9 }),
    fc.integer({ min: 0, max: 9 }),
  ),
  { minLength: 1, maxLength: 400 },
);
const anyWindows = fc.array(fc.integer({ min: 1, max: 3_100 }), { minLength: 1, maxLength: 4 });

async function statisticsOf(code: string, hours: readonly number[], nowHour: number) {
  const tail = (await readTails(db, [code])).get(code);
  if (tail === undefined) throw new Error('no tail');
  const toAtSeconds = START_SECONDS + nowHour * HOUR_SECONDS;
  const windows = {
    fromAtSeconds: hours.map((hour) => toAtSeconds - hour * HOUR_SECONDS),
    toAtSeconds,
  };
  const [statistics] = await readStatistics(deps, [{ code, tail }], windows);
  if (statistics === undefined) throw new Error('no statistics');
  return { statistics, windows };
}

async function expectEqual(code: string, hours: readonly number[], nowHour: number) {
  const { statistics, windows } = await statisticsOf(code, hours, nowHour);
  const points = pointsOf(await readObservations(deps, code));
  for (const [index, fromAtSeconds] of windows.fromAtSeconds.entries()) {
    for (const series of ['price', 'rank', 'stock'] as const) {
      const expected = naive(points[series], fromAtSeconds, windows.toAtSeconds);
      const summary = (statistics.windows[index] as BlockSummary)[series];
      expect({ series, ...shown(summary, series === 'price') }).toEqual({
        series,
        ...expected,
        median: series === 'price' ? expected.median : null,
      });
    }
  }
  const past = (all: readonly Point[]) => all.filter((p) => p.atSeconds < windows.toAtSeconds);
  const prices = past(points.price);
  const current = prices.at(-1);
  expect(statistics.current.price).toEqual(current);
  expect(statistics.current.rank).toEqual(past(points.rank).at(-1));
  const longest = Math.min(...windows.fromAtSeconds);
  const inside = prices.filter(({ atSeconds }) => atSeconds >= longest);
  expect(statistics.firstPriceAtSeconds).toBe(inside[0]?.atSeconds ?? null);
  const at = inside.findLastIndex(
    ({ value }) => value !== null && current?.value != null && value < current.value,
  );
  expect(statistics.undercut?.atSeconds).toBe(inside[at]?.atSeconds);
  expect(statistics.undercut?.endedAtSeconds).toBe(
    at === -1 ? undefined : inside[at + 1]?.atSeconds,
  );
}

describe('statistics', () => {
  it('from summaries equal those from all observations, also after late ones arrive', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyHistory, anyWindows, async (first, late, hours) => {
        const code = freshCode();
        for (const contents of [first, late.slice(0, 20)]) {
          await recordSnapshots(
            deps,
            contents.map((content) => snapshotOf(code, content)),
          );
          await expectEqual(code, hours, 3_010);
          // Observations newer than the end of the windows do not count.
          await expectEqual(code, hours, 400);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('of runs without a summary are the same, and the summaries are stored', async () => {
    const code = freshCode();
    const contents = Array.from(
      { length: 2_000 },
      (_, hour): Content => [hour, 1_000 + (hour % 90), hour % 10, 0],
    );
    await recordSnapshots(
      deps,
      contents.map((content) => snapshotOf(code, content)),
    );
    const missing = async () => {
      const [row] = await db.query<{ count: number }>(
        `select count(*)::integer as count from history_runs
          where retailer_product_code = $1 and summary is null`,
        [code],
      );
      return row?.count;
    };
    expect(await missing()).toBe(0);
    await db.query('update history_runs set summary = null where retailer_product_code = $1', [
      code,
    ]);
    await expectEqual(code, [24, 700, 2_000], 2_000);
    await expectEqual(code, [24, 700, 2_000], 2_000);
    expect(await missing()).toBeLessThan(400);
  });

  it('a damaged summary or run is skipped, and the rest still counts', async () => {
    const code = freshCode();
    const contents = Array.from({ length: 3_000 }, (_, hour): Content => [hour, 1_000, 1, 2]);
    await recordSnapshots(
      deps,
      contents.map((content) => snapshotOf(code, content)),
    );
    await db.query(
      `update history_runs r set summary = overlay(summary placing '\\xff'::bytea from 9)
        where retailer_product_code = $1 and first_at = (select min(f.first_at) from history_runs f
                                                          where f.retailer_product_code = $1)`,
      [code],
    );
    const { statistics } = await statisticsOf(code, [3_000], 3_000);
    const { count } = (statistics.windows[0] as BlockSummary).price;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(3_000);
  });
});
