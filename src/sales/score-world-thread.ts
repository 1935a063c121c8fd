// A thread of the trial: scores the worlds it is sent, one after the other. See evaluate-sales.
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicMs } from '../foundation/clock.ts';
import type { ScoreSums } from './sales-score.ts';
import type { TrialIntervalHours } from './sales-trial.ts';
import { scoreWorld, type WorldTrial } from './score-world.ts';
import type { Sale } from './trial-shelf.ts';
import { TRIAL_WORLDS, type TrialWorld } from './trial-world.ts';

export type ThreadData = { items: Sale[][]; trial: WorldTrial };

/** What a thread sends back. A world is named by its place in TRIAL_WORLDS. */
export type ThreadMessage =
  | { kind: 'progress'; worldIndex: number; part: number }
  | { kind: 'scores'; worldIndex: number; scores: [TrialIntervalHours, ScoreSums][] };

const PROGRESS_INTERVAL_MS = 100;

const send = (message: ThreadMessage) => parentPort?.postMessage(message);

parentPort?.on('message', (worldIndex: number) => {
  const { items, trial } = workerData as ThreadData;
  const world = TRIAL_WORLDS[worldIndex] as TrialWorld;
  let sentAtMs = monotonicMs();
  const scores = scoreWorld(items, { ...trial, world }, (part) => {
    if (monotonicMs() - sentAtMs < PROGRESS_INTERVAL_MS) return;
    sentAtMs = monotonicMs();
    send({ kind: 'progress', worldIndex, part });
  });
  send({ kind: 'scores', worldIndex, scores: [...scores] });
});
