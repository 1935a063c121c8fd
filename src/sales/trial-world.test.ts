// The worlds of the trial differ from the estimator: an estimator that shares a number with its
// exam is tuned to it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DAY_SECONDS } from '../foundation/time.ts';
import { seededDraws, TRIAL_INTERVAL_HOURS, trialItem } from './sales-trial.ts';
import { TRIAL_WORLDS } from './trial-world.ts';

/** The files of the estimator that hold constants. */
const ESTIMATOR = [
  'counted-drop',
  'day-sums',
  'hour-sums',
  'market-model',
  'market-sums',
  'moved-stock',
  'product-habit',
  'restock-reading',
  'sales-split',
  'seller-pace',
  'seller-rate',
  'seller-sales',
  'seller-track',
  'shelf-habit',
  'stock-cap',
];
/** Too common to be tuned: whole small numbers, a half, and hours of a day. */
const COMMON = new Set([0, 0.5, 1, 2, 3, 4, 6, 7, 8, 12, 24]);
const read = (file: string) => readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8');

/** The numbers of top-level constants, without lists such as those of usual caps. */
function constantsOf(file: string): number[] {
  const numbers: number[] = [];
  for (const [line] of read(file).matchAll(/^(?:export )?const [A-Z][A-Z_]+ = [^[{]*?;$/gm))
    for (const [number] of line.matchAll(/(?<![\w.])\d[\d_]*(?:\.\d+)?/g))
      numbers.push(Number(number.replaceAll('_', '')));
  return numbers;
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [Math.abs(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}

describe('the worlds', () => {
  test('have no number of the estimator', () => {
    const estimator = new Set(ESTIMATOR.flatMap(constantsOf).filter((one) => !COMMON.has(one)));
    expect(estimator.size).toBeGreaterThan(40);
    for (const world of TRIAL_WORLDS) {
      // Caps are facts of marketplaces that both have to know.
      const shared = numbersIn({ ...world, caps: null }).filter((one) => estimator.has(one));
      expect({ world: world.name, shared }).toEqual({ world: world.name, shared: [] });
    }
  });

  test('include one whose packs the estimator has no list of', () => {
    const [, list = ''] = /const USUAL_PACKS = new Set\(\[([^\]]+)/.exec(read('shelf-habit')) ?? [];
    const usual = new Set(list.split(',').map(Number));
    expect(usual.size).toBeGreaterThan(20);
    const world = TRIAL_WORLDS.find(({ name }) => name === 'odd-packs');
    const packs =
      JSON.stringify(world)
        .match(/"packUnits":\[([^\]]+)/)?.[1]
        ?.split(',') ?? [];
    expect(packs.length).toBeGreaterThan(4);
    expect(packs.filter((units) => usual.has(Number(units)))).toEqual([]);
  });

  test('are at least nine, with names of their own', () => {
    expect(new Set(TRIAL_WORLDS.map(({ name }) => name)).size).toBe(TRIAL_WORLDS.length);
    expect(TRIAL_WORLDS.length).toBeGreaterThanOrEqual(9);
  });

  const draw = seededDraws(4);
  const sales = Array.from({ length: 900 }, (_, index) => ({
    atSeconds: 20_000 * DAY_SECONDS + index * 9_000,
    units: 1 + Math.floor(draw() * 4),
  }));

  test.each(TRIAL_WORLDS)(
    '$name: no stock is negative, and no more is sold than demanded',
    (world) => {
      const demanded = sales.reduce((sum, { units }) => sum + units, 0);
      for (const intervalHours of TRIAL_INTERVAL_HOURS) {
        const { observations, truth } = trialItem(sales, {
          world,
          draw: seededDraws(9),
          intervalHours,
        });
        const counts = observations.flatMap(
          ({ offers }) => offers?.map(({ units }) => units) ?? [],
        );
        expect(counts.every((count) => count === null || count >= 0)).toBe(true);
        const sold = truth.units.reduce((sum, units) => sum + units, 0);
        if (world.bulk === undefined) expect(sold).toBeLessThanOrEqual(demanded);
        expect(sold).toBeGreaterThan(demanded / 4);
        expect(observations[0]?.atSeconds).toBeLessThan(sales[0]?.atSeconds ?? 0);
      }
    },
  );

  test('show what they are named for', () => {
    const played = (name: string) =>
      trialItem(sales, {
        world: TRIAL_WORLDS.find((world) => world.name === name) as (typeof TRIAL_WORLDS)[0],
        draw: seededDraws(3),
        intervalHours: 1,
      }).observations;
    const counts = (name: string) =>
      played(name).flatMap(({ offers }) => offers?.map(({ units }) => units) ?? []);
    expect([10, 50, 99, 999]).toContain(Math.max(...counts('capped').map((units) => units ?? 0)));
    expect(counts('unknown')).toContain(null);
    expect(new Set(played('come-and-go').map(({ offers }) => offers?.length)).size).toBeGreaterThan(
      1,
    );
    const times = played('gaps').map(({ atSeconds }) => atSeconds);
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
    expect(longest).toBeGreaterThan(1.5 * DAY_SECONDS);
  });
});
