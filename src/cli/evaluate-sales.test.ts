// The evaluate-sales command on small files: valid, gzipped and malformed ones.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { seededDraws } from '../sales/sales-trial.ts';
import { TRIAL_WORLDS } from '../sales/trial-world.ts';
import { type Command, type Result, WrongUsage } from './command.ts';
import { evaluateSalesCommands } from './evaluate-sales.ts';

const folder = await mkdtemp(join(tmpdir(), 'oversight-truth-'));
afterAll(() => rm(folder, { recursive: true }));

/** CSV in which each item sells 1 to 4 units on each day, between 09:00 and 17:00. */
function truthText(items: number, days: number): string {
  const draw = seededDraws(1);
  const lines = ['code,time,units'];
  for (let item = 0; item < items; item++) {
    for (let day = 0; day < days; day++) {
      const atMs = Date.UTC(2025, 0, 1 + day, 9 + Math.floor(draw() * 8), Math.floor(draw() * 60));
      lines.push(`${item},${new Date(atMs).toISOString()},${1 + Math.floor(draw() * 4)}`);
    }
  }
  return lines.join('\n');
}

const command = evaluateSalesCommands[0] as Command & { on: 'nothing' };

async function evaluate(
  content: string | Buffer,
  options: Record<string, string | undefined> = {},
) {
  const file = join(folder, Buffer.isBuffer(content) ? 'truth.csv.gz' : 'truth.csv');
  await writeFile(file, content);
  const usual = { truth: file, seed: '1', 'min-days': '50', world: 'present', threads: '2' };
  return command.run(() => {}, { words: [], options: { ...usual, ...options } });
}

const truth = truthText(40, 60);
// biome-ignore lint/suspicious/noExplicitAny: tests read untyped JSON
const intervalsOf = ({ json }: Result): any[] => (json as any).intervals;

describe('a valid file', () => {
  test('is scored for each interval', async () => {
    const done = await evaluate(truth);
    expect(done.exitCode).toBeUndefined();
    expect(done.json).toMatchObject({
      seed: 1,
      min_days: 50,
      rows: 2_400,
      items: 40,
      left_out: 0,
      refused: [],
      refused_count: 0,
    });
    const intervals = intervalsOf(done);
    expect(intervals.map((one) => one.interval_hours)).toEqual([1, 2, 6, 12, 24]);
    let items = 0;
    for (const score of intervals) {
      items += score.items;
      expect(Object.keys(score)).toEqual([
        'interval_hours',
        'items',
        'days',
        'daily_wape',
        'monthly_wape',
        'bias',
        'coverage',
        'band_width_median',
        'seen_wape',
        'seen_bias',
        'interval_score',
        'unknown_part',
        'sure_part',
        'sure_wrong_part',
      ]);
      expect(Math.abs(score.bias)).toBeLessThan(0.2);
      expect(score.coverage).toBeGreaterThan(0.7);
    }
    expect(items).toBe(40);
    // Hourly snapshots miss almost nothing; with one a day, half of the sales may be another day's.
    expect(intervals[0].daily_wape).toBeLessThan(0.1);
    expect(intervals[0].daily_wape).toBeLessThan(intervals[4].daily_wape);
    expect(intervals[4].monthly_wape).toBeLessThan(intervals[4].daily_wape);
    expect(done.text).toMatch(/^world +interval +items +daily WAPE .*\npresent +1 h +\d/m);
  });

  test('scores the same when gzipped, and differently with another seed', async () => {
    const first = await evaluate(truth);
    expect(await evaluate(gzipSync(truth))).toEqual(first);
    const other = await evaluate(truth, { seed: '2' });
    expect(intervalsOf(other)).not.toEqual(intervalsOf(first));
  });

  test('scores only items that sold on enough days, but fits the model to all', async () => {
    const few = truthText(6, 60)
      .split('\n')
      .slice(0, 1 + 60 + 5 * 40)
      .join('\n');
    const done = await evaluate(few);
    const items = intervalsOf(done).map((one) => one.items);
    expect(items.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(intervalsOf(done).some((one) => one.items === 0 && one.daily_wape === null)).toBe(true);
  });
});

describe('the worlds', () => {
  test('are all played by default, with a table of reliability', async () => {
    const { json, text } = await evaluate(truthText(8, 60), { world: undefined });
    const { worlds, reliability } = json as {
      worlds: { world: string }[];
      reliability: { days: number }[];
    };
    expect(worlds.map(({ world }) => world)).toEqual(TRIAL_WORLDS.map(({ name }) => name));
    expect(worlds.length).toBeGreaterThanOrEqual(9);
    expect(reliability.reduce((sum, { days }) => sum + days, 0)).toBeGreaterThan(1_000);
    expect(text).toMatch(/^confidence up to +days +said +inside$/m);
  });

  test('can be chosen by name', async () => {
    const few = truthText(12, 60);
    const { json } = await evaluate(few, { world: 'gaps,bulk' });
    expect(json).toMatchObject({ worlds: [{ world: 'gaps' }, { world: 'bulk' }] });
    // However many threads play them, the figures are the same.
    expect((await evaluate(few, { world: 'gaps,bulk', threads: '1' })).json).toEqual(json);
    await expect(evaluate(truth, { world: 'gap' })).rejects.toThrow(/--world must be one or more/);
  });
});

describe('a malformed file', () => {
  test('has its bad lines listed and the others scored', async () => {
    const { exitCode, text } = await evaluate(`${truth}\n7,yesterday,2\n`);
    expect(exitCode).toBe(1);
    expect(text).toContain('2401 rows of 40 items; 0 without sales skipped, 1 refused.');
    expect(text).toContain('line 2402: yesterday is not a time');
  });

  test.each([
    ['sku,when,sold\n1,2,3', 'the first line must name code, time and units, or StockCode'],
    ['', 'it is empty; the first line must name code, time and units, or StockCode'],
    ['code,time,units\n5,2026-01-01,0\n', 'has no sales.'],
    ['code,time,units\n5,2026-01-01,x\n', 'line 2: x is not a number of units, and no sales.'],
    [`code,time,units\n${'9'.repeat(70_000)}\n`, 'line 2 is longer than 65536 bytes.'],
    [Buffer.from('not packed'), 'incorrect header check.'],
    [truthText(3, 20), 'none of 3 items sold on at least 50 days; lower --min-days.'],
  ])('is refused with the reason, case %#', async (content, reason) => {
    const refusal = await evaluate(content).catch((error: Error) => error.message);
    expect(refusal).toMatch(/^\S+truth\.csv(\.gz)?: /);
    expect(refusal).toContain(reason);
  });

  test('is refused when it is missing or is a folder', async () => {
    const missing = { truth: join(folder, 'none.csv') };
    await expect(evaluate(truth, missing)).rejects.toThrow('cannot be read: ENOENT');
    await expect(evaluate(truth, { truth: folder })).rejects.toThrow('is not a file');
  });
});

test.each([{ seed: 'x' }, { 'min-days': '-1' }, { truth: '' }, { threads: 'two' }])(
  '%o is wrong usage',
  async (wrong) => {
    await expect(evaluate(truth, wrong)).rejects.toThrow(WrongUsage);
  },
);
