// Scores the estimates against known sales, in every world. Worlds are independent, so threads of
// their own play them.
import { Worker } from 'node:worker_threads';
import {
  type ReliabilityRow,
  reliabilityOf,
  type Score,
  type ScoreSums,
  scoreOf,
} from './sales-score.ts';
import { movedSales, type TrialIntervalHours } from './sales-trial.ts';
import type { WorldTrial } from './score-world.ts';
import type { ThreadData, ThreadMessage } from './score-world-thread.ts';
import type { Sale } from './trial-shelf.ts';
import { TRIAL_WORLDS, type TrialWorld } from './trial-world.ts';

export type Trial = WorldTrial & {
  nowSeconds: number;
  worlds: readonly TrialWorld[];
  threads: number;
};

/** null: no item with this interval was scored. */
export type IntervalScore = { intervalHours: TrialIntervalHours; score: Score | null };
export type WorldScore = { world: TrialWorld; intervals: IntervalScore[] };
export type Evaluation = { worlds: WorldScore[]; reliability: ReliabilityRow[] };

/** `part` of everything is done; `finished` is a world that was scored completely, if any. */
export type Done = { part: number; finished: TrialWorld | null };

type WorldSums = Map<TrialIntervalHours, ScoreSums>;

export async function evaluateSales(
  truth: ReadonlyMap<string, readonly Sale[]>,
  trial: Trial,
  onProgress: (done: Done) => void = () => {},
): Promise<Evaluation> {
  const { seed, soldDaysMin, worlds, threads } = trial;
  const data: ThreadData = {
    items: movedSales(truth, trial.nowSeconds),
    trial: { seed, soldDaysMin },
  };
  const parts = new Map<TrialWorld, number>();
  const scores = new Map<TrialWorld, WorldSums>();
  const report = (world: TrialWorld, part: number) => {
    parts.set(world, part);
    let sum = 0;
    for (const one of parts.values()) sum += one;
    onProgress({ part: sum / worlds.length, finished: scores.has(world) ? world : null });
  };
  const waiting = [...worlds];
  const workers = Array.from({ length: Math.min(threads, worlds.length) }, () => startThread(data));
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let world = waiting.shift(); world !== undefined; world = waiting.shift()) {
          const current = world;
          scores.set(current, await play(worker, current, (part) => report(current, part)));
          report(current, 1);
        }
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  // In the order of the worlds: sums of fractions depend on it, but not on who was first.
  const sums = worlds.map((world) => scores.get(world) as WorldSums);
  return {
    worlds: worlds.map((world, index) => ({
      world,
      intervals: intervalsOf(sums[index] as WorldSums),
    })),
    reliability: reliabilityOf(sums.flatMap((one) => [...one.values()])),
  };
}

const startThread = (workerData: ThreadData) =>
  new Worker(new URL('./score-world-thread.ts', import.meta.url), { workerData });

const intervalsOf = (sums: WorldSums): IntervalScore[] =>
  Array.from(sums, ([intervalHours, one]) => ({ intervalHours, score: scoreOf(one) }));

/** Lets a thread play one world. */
function play(
  worker: Worker,
  world: TrialWorld,
  onPart: (part: number) => void,
): Promise<WorldSums> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number) => reject(new Error(`A thread of the trial ended with ${code}.`));
    const onMessage = (message: ThreadMessage) => {
      if (message.kind === 'progress') {
        onPart(message.part);
        return;
      }
      worker.off('error', reject).off('exit', onExit).off('message', onMessage);
      resolve(new Map(message.scores));
    };
    worker.on('error', reject).on('exit', onExit).on('message', onMessage);
    worker.postMessage(TRIAL_WORLDS.indexOf(world));
  });
}
