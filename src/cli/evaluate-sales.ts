// Command evaluate-sales: scores the estimates of units sold against true sales from a file. Uses
// no database.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { realClock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { readLines } from '../foundation/read-lines.ts';
import { type Evaluation, evaluateSales, type IntervalScore } from '../sales/evaluate-sales.ts';
import { SOLD_DAYS_MIN } from '../sales/sales-score.ts';
import { readTruth, type SalesTruth } from '../sales/sales-truth.ts';
import { TRIAL_WORLDS, type TrialWorld } from '../sales/trial-world.ts';
import {
  type Command,
  type Result,
  requiredOption,
  table,
  WrongUsage,
  wholeNumber,
} from './command.ts';
import { createProgress } from './progress.ts';

const LINE_BYTES_MAX = 65_536;
const THREADS_MAX = 64;

export const evaluateSalesCommands: readonly Command[] = [
  {
    name: 'evaluate-sales',
    words: [],
    usage:
      'evaluate-sales --truth FILE [--world NAME,NAME] [--seed 1] [--min-days 100] [--threads 2]   (CSV with code,time,units, or UCI Online Retail as it is; .gz is unpacked)',
    options: {
      truth: { type: 'string' },
      world: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'min-days': { type: 'string', default: String(SOLD_DAYS_MIN) },
      threads: { type: 'string', default: '2' },
    },
    on: 'nothing',
    async run(_say, { options }) {
      const file = requiredOption(options, 'truth');
      const seed = wholeNumber(requiredOption(options, 'seed'), '--seed', 4_294_967_295);
      const soldDaysMin = wholeNumber(requiredOption(options, 'min-days'), '--min-days', 100_000);
      const threads = wholeNumber(requiredOption(options, 'threads'), '--threads', THREADS_MAX);
      const worlds = worldsNamed(options.world);
      const truth = await readTruthFile(file);
      const nowSeconds = Math.floor(realClock.nowMs() / 1_000);
      const items = truth.items.size;
      const progress = createProgress('items', 1);
      const evaluation = await evaluateSales(
        truth.items,
        { seed, soldDaysMin, nowSeconds, worlds, threads: Math.max(1, threads) },
        ({ part, finished }) => {
          progress.show(part, Math.round(part * items * worlds.length));
          if (finished !== null) sayFinished(finished, part);
        },
      );
      progress.clear();
      const scores = evaluation.worlds.flatMap(({ intervals }) => intervals);
      if (scores.every(({ score }) => score === null)) {
        throw new Problem(
          'sales_truth_invalid',
          `${file}: none of ${items} items sold on at least ${soldDaysMin} days; lower --min-days.`,
        );
      }
      return report(truth, evaluation, { seed, soldDaysMin });
    },
  },
];

/** Without a terminal there is no bar: one line per world says that the trial goes on. */
function sayFinished({ name }: TrialWorld, part: number): void {
  if (process.stderr.isTTY !== true)
    process.stderr.write(`${name} (${Math.round(part * 100)} %)\n`);
}

function worldsNamed(names: string | boolean | undefined): readonly TrialWorld[] {
  if (typeof names !== 'string') return TRIAL_WORLDS;
  return names.split(',').map((name) => {
    const world = TRIAL_WORLDS.find((one) => one.name === name);
    if (world !== undefined) return world;
    const all = TRIAL_WORLDS.map((one) => one.name).join(', ');
    throw new WrongUsage(`--world must be one or more of ${all}; got "${name}".`);
  });
}

async function readTruthFile(file: string): Promise<SalesTruth> {
  const refuse = (reason: string) => new Problem('sales_truth_invalid', `${file}: ${reason}`);
  const info = await stat(file).catch((error: Error) => {
    throw refuse(`cannot be read: ${error.message}`);
  });
  if (!info.isFile() && !info.isFIFO()) throw refuse('is not a file.');
  const bytes = createReadStream(file);
  // The reader of the stream gets the file's errors.
  const chunks = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  const truth = await readTruth(textLines(chunks)).catch((error: Error) => {
    throw refuse(`${error.message}.`);
  });
  const [first] = truth.refused.named;
  if (truth.items.size === 0) {
    throw refuse(
      first === undefined ? 'has no sales.' : `line ${first.line}: ${first.reason}, and no sales.`,
    );
  }
  return truth;
}

async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let line = 0;
  for await (const bytes of readLines(chunks, LINE_BYTES_MAX)) {
    line++;
    if (bytes === null) throw new RangeError(`line ${line} is longer than ${LINE_BYTES_MAX} bytes`);
    yield bytes.toString();
  }
}

type Trial = { seed: number; soldDaysMin: number };

function report(
  { items, rows, skipped, refused }: SalesTruth,
  evaluation: Evaluation,
  { seed, soldDaysMin }: Trial,
): Result {
  const named = refused.named.map(({ line, reason }) => `  line ${line}: ${reason}`);
  if (refused.count > named.length) named.push(`  and ${refused.count - named.length} more`);
  const [first] = evaluation.worlds;
  return {
    json: {
      seed,
      min_days: soldDaysMin,
      rows,
      items: items.size,
      left_out: skipped,
      refused: refused.named,
      refused_count: refused.count,
      // The first world alone, as before there were several.
      intervals: (first?.intervals ?? []).map(intervalJson),
      worlds: evaluation.worlds.map(({ world, intervals }) => ({
        world: world.name,
        about: world.about,
        intervals: intervals.map(intervalJson),
      })),
      reliability: evaluation.reliability,
    },
    text: [
      `${rows} rows of ${items.size} items; ${skipped} without sales skipped, ${refused.count} refused. Seed ${seed}, items that sold on at least ${soldDaysMin} days:`,
      table([
        WORLD_HEADINGS,
        ...evaluation.worlds.flatMap(({ world, intervals }) =>
          intervals.map((one) => [world.name, ...intervalCells(one)]),
        ),
      ]),
      '',
      'Of the days said with a confidence, the share whose true units are inside their band:',
      table([
        ['confidence up to', 'days', 'said', 'inside'],
        ...evaluation.reliability.map(({ upTo, days, said, inside }) => [
          upTo,
          days,
          said.toFixed(3),
          inside.toFixed(3),
        ]),
      ]),
      ...named,
    ].join('\n'),
    ...(refused.count > 0 ? { exitCode: 1 } : {}),
  };
}

const intervalJson = ({ intervalHours, score }: IntervalScore) => ({
  interval_hours: intervalHours,
  items: score?.items ?? 0,
  days: score?.days ?? 0,
  daily_wape: score?.dayWape ?? null,
  monthly_wape: score?.monthWape ?? null,
  bias: score?.bias ?? null,
  coverage: score?.coverage ?? null,
  band_width_median: score?.widthMedian ?? null,
  seen_wape: score?.seenWape ?? null,
  seen_bias: score?.seenBias ?? null,
  interval_score: score?.intervalScore ?? null,
  unknown_part: score?.unknownPart ?? null,
  sure_part: score?.surePart ?? null,
  sure_wrong_part: score?.sureWrongPart ?? null,
});

const WORLD_HEADINGS = [
  'world',
  'interval',
  'items',
  'daily WAPE',
  'on seen days',
  'bias',
  'on seen days',
  'monthly WAPE',
  'coverage',
  'median band',
  'interval score',
  'unknown',
  'sure',
  'sure but wrong',
];

function intervalCells({ intervalHours, score }: IntervalScore): (string | number | null)[] {
  const part = (value: number | undefined) => (value === undefined ? null : value.toFixed(4));
  const percent = (value: number | undefined) =>
    value === undefined ? null : `${(value * 100).toFixed(1)} %`;
  return [
    `${intervalHours} h`,
    score?.items ?? 0,
    part(score?.dayWape),
    part(score?.seenWape),
    percent(score?.bias),
    percent(score?.seenBias),
    part(score?.monthWape),
    percent(score?.coverage),
    score?.widthMedian ?? null,
    part(score?.intervalScore),
    percent(score?.unknownPart),
    percent(score?.surePart),
    percent(score?.sureWrongPart),
  ];
}
