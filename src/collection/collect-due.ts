// Collecting what is due: claimed in batches, asked of the marketplace a few calls at a time, each recorded as it
// comes. What fails keeps its place in the schedule and is tried again.
import { isolate } from '../background/isolate.ts';
import type { Products } from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { type Clock, realNowMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { FetchOutcome, Source } from '../sources/source.ts';
import type { LossVerdict } from '../tracking/crawl-guard.ts';
import { judgeSnapshots } from '../tracking/judge-snapshots.ts';
import { type Postponed, postpone, releaseLeases } from '../tracking/schedule.ts';
import type { Due } from '../tracking/schedule-row.ts';
import { nextSlot, phaseMs } from '../tracking/slot.ts';
import { claimIsolated } from './claim-isolated.ts';
import { delistedSnapshots } from './delisted-snapshot.ts';
import { COLLECT_DUE, quarantineCollected } from './quarantine-collected.ts';
import { recordIsolated } from './record-isolated.ts';
import type { RecordContext } from './record-snapshot.ts';

/** Products of one call, calls at once, and products claimed at once. */
export type CollectLimits = { perCall: number; callsMax: number; claimMax: number };

export const COLLECT_LIMITS: CollectLimits = { perCall: 100, callsMax: 5, claimMax: 500 };

export type CollectDeps = {
  db: Database;
  products: Products;
  source: Source;
  clock: Clock;
  log: Log;
  metrics: Metrics;
};

/** First wait after a failure; doubled with each further one. */
const AWAY_MS = { first: 30_000, max: 5 * 60_000 };
const BAD_RESPONSE_MS = { first: 60_000, max: 60 * 60_000 };
/** How long a place is waited for that another session keeps locked. */
const LOCK_WAIT_MS = 250;

/** Collects one claim; answers how many products it was. */
export async function collectDue(
  deps: CollectDeps,
  options: { isTracked: boolean; limits?: CollectLimits; limit?: number; stopping?: AbortSignal },
): Promise<number> {
  const limits = options.limits ?? COLLECT_LIMITS;
  const token = newId();
  const due = await claimIsolated(deps, {
    ...{ nowMs: deps.clock.nowMs(), realNowMs: realNowMs(), token, isTracked: options.isTracked },
    limit: Math.min(options.limit ?? limits.claimMax, limits.claimMax),
  });
  const calls: Due[][] = [];
  for (let from = 0; from < due.length; from += limits.perCall) {
    calls.push(due.slice(from, from + limits.perCall));
  }
  const open = new Set(due);
  const caller = async () => {
    for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
      if (options.stopping?.aborted) return;
      await collectCall(deps, token, call);
      for (const done of call) open.delete(done);
    }
  };
  // All of them end before leases are given back: what one caller still records must stay its own.
  const callers = await Promise.allSettled(Array.from({ length: limits.callsMax }, caller));
  // What was not come to, because of the stop or an error, is anybody's at once.
  await releaseLeases(
    deps.db,
    token,
    [...open].map(({ code }) => code),
  ).catch(() => {});
  const failed = callers.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return due.length;
}

async function collectCall(deps: CollectDeps, token: string, call: readonly Due[]): Promise<void> {
  const startedAtMs = deps.clock.nowMs();
  const outcomes = await deps.source
    .fetchBatch(call.map(({ code }) => code))
    .catch((error): FetchOutcome[] =>
      call.map(() => ({ kind: 'unavailable', reason: String(error) })),
    );
  const at = deps.clock.nowMs();
  const { verdicts, unreadable } = await judgeSnapshots(deps, deps.source.name, {
    ...{ call, outcomes, startedAtMs, at },
  });
  const came: Snapshot[] = [];
  const postponed: Postponed[] = [];
  const delisted: Due[] = [];
  call.forEach((due, index) => {
    if (unreadable.has(index)) return;
    const outcome = outcomes[index] ?? { kind: 'bad_answer', reason: 'no outcome' };
    const verdict = verdicts[index];
    const isBelieved = verdict?.kind === 'sound' || verdict?.kind === 'confirmed';
    if (outcome.kind === 'snapshot' && isBelieved) {
      came.push(outcome.snapshot);
      deps.metrics.collectionLateSeconds.observe(Math.max(0, at - due.dueAtMs) / 1000);
      return;
    }
    if (verdict?.kind === 'confirmed') delisted.push(due);
    const next =
      verdict === undefined ? afterRefusal(due, outcome, at) : afterLoss(due, verdict, at);
    if (next.failures > due.failures) {
      const reason = verdict === undefined ? outcome.kind : 'source_alarm';
      deps.metrics.collectionFailures.inc({ reason });
    }
    postponed.push(next);
  });
  const round: CollectRound = {
    deps,
    token,
    at,
    dueOf: new Map(call.map((due) => [due.code, due])),
  };
  await recordCollected(round, came, { collectedAtMs: at, leaseToken: token });
  if (delisted.length > 0) {
    await recordCollected(round, delistedSnapshots(codesOf(delisted), at), {
      ...{ leaseToken: token, isDelisting: true },
    });
  }
  for (const [index, reason] of unreadable) {
    await setProductAside(round, { code: (call[index] as Due).code, snapshot: null, reason });
  }
  await postponeIsolated(round, postponed);
}

/** One call to the marketplace, and what belongs to it. */
type CollectRound = {
  deps: CollectDeps;
  token: string;
  at: number;
  dueOf: ReadonlyMap<string, Due>;
};

/** A product that cannot be stored is tried again like a bad answer; one that is locked, soon. */
async function recordCollected(
  round: CollectRound,
  snapshots: readonly Snapshot[],
  context: RecordContext,
): Promise<void> {
  const { deps, at } = round;
  const { left } = await recordIsolated(deps, snapshots, {
    ...{ loop: COLLECT_DUE, context },
    setAside: (snapshot, reason) =>
      setProductAside(round, { code: snapshot.code, snapshot, reason }),
  });
  const locked = left.map(({ code }) => round.dueOf.get(code) as Due);
  await postponeIsolated(
    round,
    locked.map((due) => ({ ...due, dueAtMs: at + AWAY_MS.first })),
  );
}

/** The snapshot goes into the quarantine with the product's next try, in one transaction of the product's lane. */
async function setProductAside(
  { deps, token, at, dueOf }: CollectRound,
  { code, snapshot, reason }: { code: string; snapshot: Snapshot | null; reason: string },
): Promise<void> {
  deps.metrics.collectionFailures.inc({ reason: 'not_stored' });
  const next = afterRefusal(dueOf.get(code) as Due, { kind: 'bad_answer' }, at);
  await withLockTimeout(deps.db, LOCK_WAIT_MS).transaction(async (tx) => {
    await quarantineCollected(tx, { code, snapshot, reason, atMs: at });
    await postpone(tx, token, [next]);
  });
}

/** What cannot even be postponed keeps its lease until that runs out. */
async function postponeIsolated(
  { deps, token, at }: CollectRound,
  postponed: readonly Postponed[],
): Promise<void> {
  const db = withLockTimeout(deps.db, LOCK_WAIT_MS);
  await isolate(postponed, {
    ...{ loop: COLLECT_DUE, log: deps.log, keyOf: ({ code }) => code },
    run: (batch) => db.transaction((tx) => postpone(tx, token, batch)),
    setAside: ({ code }, reason) =>
      quarantineCollected(deps.db, { code, snapshot: null, reason, atMs: at }),
  });
}

/** A look that lost its product, or found it lost as before. */
function afterLoss(due: Due, verdict: LossVerdict, now: number): Postponed {
  const { code } = due;
  switch (verdict.kind) {
    case 'held':
      return {
        ...{ code, failures: 0 },
        dueAtMs: verdict.repeatAtSeconds * 1000,
        firstHeldAtMs: verdict.firstHeldAtSeconds * 1000,
      };
    case 'failed':
      return {
        ...afterRefusal(due, { kind: 'unavailable', reason: 'the source is in alarm' }, now),
        firstHeldAtMs: null,
      };
    // Delisted, just now or before: once a day until it returns.
    case 'confirmed':
    case 'sound':
      return {
        code,
        failures: 0,
        firstHeldAtMs: null,
        dueAtMs: nextSlot(now, phaseMs(code), DAY_MS),
      };
  }
}

/** When a product that could not be collected is tried again, without losing its place. */
function afterRefusal(
  due: Due,
  refusal: { kind: string; reason?: string },
  now: number,
): Postponed {
  const failures = Math.min(due.failures + 1, 10_000);
  const step = refusal.kind === 'unavailable' ? AWAY_MS : BAD_RESPONSE_MS;
  const wait = Math.min(step.first * 2 ** Math.min(failures - 1, 20), step.max);
  const jittered = wait * (0.8 + Math.random() * 0.4);
  return { code: due.code, dueAtMs: now + jittered, failures, firstHeldAtMs: due.firstHeldAtMs };
}

const codesOf = (due: readonly Due[]) => due.map(({ code }) => code);
