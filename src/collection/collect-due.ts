// Collecting what is due: claimed in batches, asked of the marketplace a few calls at a time, each recorded as it
// comes. What fails keeps its place in the schedule and is tried again.
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { type Clock, realNowMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import {
  claimDue,
  type Due,
  type Postponed,
  postpone,
  releaseLeases,
} from '../oversight/schedule.ts';
import { nextSlot, phaseMs } from '../oversight/slot.ts';
import { recordSnapshots } from './record-snapshot.ts';
import type { FetchOutcome, Refusal, Source } from './source.ts';

/** Products of one call, calls at once, and products claimed at once. */
export type CollectLimits = { perCall: number; callsMax: number; claimMax: number };

export const COLLECT_LIMITS: CollectLimits = { perCall: 100, callsMax: 4, claimMax: 500 };

export type CollectDeps = {
  db: Database;
  source: Source;
  clock: Clock;
  log: Log;
  metrics: Metrics;
};

const DAY_MS = 86_400_000;
/** First wait after a failure; doubled with each further one. */
const AWAY_MS = { first: 30_000, max: 5 * 60_000 };
const BAD_ANSWER_MS = { first: 60_000, max: 60 * 60_000 };
/** A product that is missing is looked at again after this, before it counts. */
const MISSING_AGAIN_MS = { min: 5 * 60_000, max: 10 * 60_000 };
/** Answered "not found" so many times in a row, a product is delisted. */
const MISSING_MAX = 2;

/** Collects one claim; answers how many products it was. */
export async function collectDue(
  deps: CollectDeps,
  options: { isTracked: boolean; limits?: CollectLimits; limit?: number; stopping?: AbortSignal },
): Promise<number> {
  const limits = options.limits ?? COLLECT_LIMITS;
  const token = newId();
  const due = await claimDue(deps.db, {
    ...{ now: deps.clock.nowMs(), realNow: realNowMs(), token, isTracked: options.isTracked },
    limit: Math.min(options.limit ?? limits.claimMax, limits.claimMax),
  });
  const calls: Due[][] = [];
  for (let from = 0; from < due.length; from += limits.perCall) {
    calls.push(due.slice(from, from + limits.perCall));
  }
  const caller = async () => {
    for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
      if (options.stopping?.aborted) return;
      await collectCall(deps, token, call);
    }
  };
  try {
    await Promise.all(Array.from({ length: limits.callsMax }, caller));
  } finally {
    // What was not come to, because of the stop or an error, is anybody's at once.
    await releaseLeases(
      deps.db,
      token,
      due.map(({ code }) => code),
    ).catch(() => {});
  }
  return due.length;
}

async function collectCall(deps: CollectDeps, token: string, call: readonly Due[]): Promise<void> {
  const outcomes = await deps.source
    .fetchBatch(call.map(({ code }) => code))
    .catch((error): FetchOutcome[] =>
      call.map(() => ({ kind: 'unavailable', reason: String(error) })),
    );
  const collectedAt = deps.clock.nowMs();
  const came: Snapshot[] = [];
  const postponed: Postponed[] = [];
  const delisted: Due[] = [];
  call.forEach((due, index) => {
    const outcome = outcomes[index] ?? { kind: 'bad_answer', reason: 'no outcome' };
    if (outcome.kind === 'snapshot') {
      came.push(outcome.snapshot);
      deps.metrics.collectionLateSeconds.observe(Math.max(0, collectedAt - due.dueAt) / 1000);
      return;
    }
    deps.metrics.collectionFailures.inc({ reason: outcome.kind });
    const next = afterRefusal(due, outcome, collectedAt);
    postponed.push(next);
    if (next.missing === MISSING_MAX && due.missing < MISSING_MAX) delisted.push(due);
  });
  await recordSnapshots(deps, came, { collectedAt, leaseToken: token });
  if (delisted.length > 0) await recordDelisted(deps, { token, delisted, at: collectedAt });
  await postpone(deps.db, token, postponed);
}

/** When a product that could not be collected is tried again. */
export function afterRefusal(due: Due, refusal: Refusal, now: number): Postponed {
  const { code } = due;
  if (refusal.kind === 'not_found') {
    const missing = Math.min(due.missing + 1, MISSING_MAX);
    const again =
      MISSING_AGAIN_MS.min + Math.random() * (MISSING_AGAIN_MS.max - MISSING_AGAIN_MS.min);
    // Delisted: once a day until it returns.
    const dueAt = missing < MISSING_MAX ? now + again : nextSlot(now, phaseMs(code), DAY_MS);
    return { code, dueAt, missing, failures: 0 };
  }
  const failures = Math.min(due.failures + 1, 10_000);
  const step = refusal.kind === 'unavailable' ? AWAY_MS : BAD_ANSWER_MS;
  const wait = Math.min(step.first * 2 ** Math.min(failures - 1, 20), step.max);
  const jittered = wait * (0.8 + Math.random() * 0.4);
  return { code, dueAt: now + jittered, failures, missing: due.missing };
}

/** What is no longer listed is an empty, complete list: a fact of its history, nobody's slot, no charge. */
async function recordDelisted(
  deps: CollectDeps,
  input: { token: string; delisted: readonly Due[]; at: number },
): Promise<void> {
  const looks = input.delisted.map(
    ({ code }): Snapshot => ({
      ...{ code, observedAt: Math.floor(input.at / 1000) * 1000, gtins: [] },
      ...{ buybox: null, offers: [], offersComplete: true },
    }),
  );
  await recordSnapshots(deps, looks, { leaseToken: input.token, isDelisting: true });
}
