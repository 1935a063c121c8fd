// Collects due products: claims them in batches, fetches them with a few calls at a time and
// records each call as it arrives. A product that fails keeps its slots and is retried.
import { isolateByGroup } from '../background/isolate.ts';
import type { Products } from '../catalog/read-batched.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { cutByGroup } from '../database/lane-groups.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { type Clock, realNowMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../foundation/time.ts';
import type { FetchOutcome, Source } from '../sources/source.ts';
import type { LossVerdict } from '../tracking/crawl-guard.ts';
import { type SlotCounts, slotsAfterFailure, slotsAfterSnapshot } from '../tracking/freshness.ts';
import { judgeSnapshots } from '../tracking/judge-snapshots.ts';
import { type Postponed, postpone, releaseLeases } from '../tracking/schedule.ts';
import type { Due } from '../tracking/schedule-row.ts';
import { nextSlot, phaseMs } from '../tracking/slot.ts';
import { claimIsolated } from './claim-isolated.ts';
import { delistedSnapshots } from './delisted-snapshot.ts';
import { COLLECT_DUE, quarantineCollected } from './quarantine-collected.ts';
import { recordIsolated } from './record-isolated.ts';
import type { RecordContext } from './record-snapshot.ts';

/** Products per call, concurrent calls, and products per claim. */
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

/** The wait after a first failure; it doubles with each further one. */
const UNAVAILABLE_MS = { first: 30 * SECOND_MS, max: 5 * MINUTE_MS };
const BAD_RESPONSE_MS = { first: MINUTE_MS, max: HOUR_MS };
/** How long to wait for a schedule entry that another session has locked. */
const LOCK_WAIT_MS = 250;

/** Collects one claim; returns the number of products. */
export async function collectDue(
  deps: CollectDeps,
  options: { isTracked: boolean; limits?: CollectLimits; limit?: number; stopping?: AbortSignal },
): Promise<number> {
  const limits = options.limits ?? COLLECT_LIMITS;
  const token = newId();
  const claimed = await claimIsolated(deps, {
    nowMs: deps.clock.nowMs(),
    realNowMs: realNowMs(),
    token,
    isTracked: options.isTracked,
    limit: Math.min(options.limit ?? limits.claimMax, limits.claimMax),
  });
  // Products of one group follow each other, so that most calls are recorded by one transaction.
  const due = cutByGroup(deps.db, claimed, ({ code }) => code).flat();
  const calls: Due[][] = [];
  for (let from = 0; from < due.length; from += limits.perCall) {
    calls.push(due.slice(from, from + limits.perCall));
  }
  const open = new Set(due);
  const worker = async () => {
    for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
      if (options.stopping?.aborted) return;
      await collectCall(deps, { token, isTracked: options.isTracked }, call);
      for (const done of call) open.delete(done);
    }
  };
  // All workers end before leases are released: what one still records must stay leased.
  const workers = await Promise.allSettled(Array.from({ length: limits.callsMax }, worker));
  // Products that were not reached, because of the stop or an error, can be claimed at once.
  await releaseLeases(deps.db, token, codesOf([...open])).catch(() => {});
  const failed = workers.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return due.length;
}

/** One call to the marketplace. */
type CollectCall = {
  deps: CollectDeps;
  token: string;
  atMs: number;
  dueByCode: ReadonlyMap<string, Due>;
};

async function collectCall(
  deps: CollectDeps,
  { token, isTracked }: { token: string; isTracked: boolean },
  products: readonly Due[],
): Promise<void> {
  const countSlots = (slots: SlotCounts | null) => {
    if (!isTracked || slots === null) return;
    for (const [outcome, count] of Object.entries(slots.counts)) {
      deps.metrics.slots.inc({ tier: slots.tier, outcome }, count);
    }
  };
  const startedAtMs = deps.clock.nowMs();
  const outcomes = await deps.source
    .fetchBatch(codesOf(products))
    .catch((error): FetchOutcome[] =>
      products.map(() => ({ kind: 'unavailable', reason: String(error) })),
    );
  const atMs = deps.clock.nowMs();
  const { verdicts, unreadable } = await judgeSnapshots(deps, deps.source.name, {
    call: products,
    outcomes,
    startedAtMs,
    atMs,
  });
  const snapshots: Snapshot[] = [];
  const postponed: Postponed[] = [];
  const delisted: Due[] = [];
  products.forEach((due, index) => {
    if (unreadable.has(index)) return;
    const outcome = outcomes[index] ?? { kind: 'bad_response', reason: 'no outcome' };
    const verdict = verdicts[index];
    const isBelieved = verdict?.kind === 'sound' || verdict?.kind === 'confirmed';
    if (outcome.kind === 'snapshot' && isBelieved) {
      snapshots.push(outcome.snapshot);
      deps.metrics.collectionLateSeconds.observe(Math.max(0, atMs - due.dueAtMs) / SECOND_MS);
      countSlots(slotsAfterSnapshot(due, atMs));
      return;
    }
    if (verdict?.kind === 'confirmed') delisted.push(due);
    const next =
      verdict === undefined ? afterFailure(due, outcome, atMs) : afterLoss(due, verdict, atMs);
    if (next.failures > due.failures) {
      const reason = verdict === undefined ? outcome.kind : 'source_alarm';
      deps.metrics.collectionFailures.inc({ reason });
    }
    countSlots(slotsAfterFailure(due, next.dueAtMs));
    postponed.push(next);
  });
  const call: CollectCall = {
    deps,
    token,
    atMs,
    dueByCode: new Map(products.map((due) => [due.code, due])),
  };
  await recordCollected(call, snapshots, { collectedAtMs: atMs, leaseToken: token });
  if (delisted.length > 0) {
    const context = { leaseToken: token, isDelisting: true };
    await recordCollected(call, delistedSnapshots(codesOf(delisted), atMs), context);
  }
  for (const [index, reason] of unreadable) {
    await setProductAside(call, { code: (products[index] as Due).code, snapshot: null, reason });
  }
  await postponeIsolated(call, postponed);
}

/** Retries a product that cannot be stored like a bad response, and a locked one soon. */
async function recordCollected(
  call: CollectCall,
  snapshots: readonly Snapshot[],
  context: RecordContext,
): Promise<void> {
  const { left } = await recordIsolated(call.deps, snapshots, {
    loop: COLLECT_DUE,
    context,
    setAside: (snapshot, reason) =>
      setProductAside(call, { code: snapshot.code, snapshot, reason }),
  });
  const locked = left.map(({ code }) => call.dueByCode.get(code) as Due);
  await postponeIsolated(
    call,
    locked.map((due) => ({ ...due, dueAtMs: call.atMs + UNAVAILABLE_MS.first })),
  );
}

/** Quarantines the snapshot and schedules the next attempt, in one transaction. */
async function setProductAside(
  { deps, token, atMs, dueByCode }: CollectCall,
  { code, snapshot, reason }: { code: string; snapshot: Snapshot | null; reason: string },
): Promise<void> {
  deps.metrics.collectionFailures.inc({ reason: 'not_stored' });
  const next = afterFailure(dueByCode.get(code) as Due, { kind: 'bad_response' }, atMs);
  await withLockTimeout(deps.db, LOCK_WAIT_MS).transaction(async (tx) => {
    await quarantineCollected(tx, { code, snapshot, reason, atMs });
    await postpone(tx, token, [next]);
  });
}

/** A product that cannot be postponed keeps its lease until it expires. */
async function postponeIsolated(
  { deps, token, atMs }: CollectCall,
  postponed: readonly Postponed[],
): Promise<void> {
  const db = withLockTimeout(deps.db, LOCK_WAIT_MS);
  await isolateByGroup(deps.db, postponed, {
    loop: COLLECT_DUE,
    log: deps.log,
    keyOf: ({ code }) => code,
    ownerOf: ({ code }) => code,
    run: (batch) => db.transaction((tx) => postpone(tx, token, batch)),
    setAside: ({ code }, reason) =>
      quarantineCollected(deps.db, { code, snapshot: null, reason, atMs }),
  });
}

/** The next attempt after a snapshot that lost its product, or a product that is still missing. */
function afterLoss(due: Due, verdict: LossVerdict, nowMs: number): Postponed {
  const { code } = due;
  switch (verdict.kind) {
    case 'held':
      return {
        code,
        failures: 0,
        dueAtMs: verdict.repeatAtSeconds * SECOND_MS,
        firstHeldAtMs: verdict.firstHeldAtSeconds * SECOND_MS,
      };
    case 'failed':
      return { ...afterFailure(due, { kind: 'unavailable' }, nowMs), firstHeldAtMs: null };
    // Delisted, just now or before: collected once a day until it returns.
    case 'confirmed':
    case 'sound':
      return {
        code,
        failures: 0,
        firstHeldAtMs: null,
        dueAtMs: nextSlot(nowMs, phaseMs(code), DAY_MS),
      };
  }
}

/** The next attempt after a failure. The product keeps its slots. */
function afterFailure(due: Due, { kind }: { kind: string }, nowMs: number): Postponed {
  const failures = Math.min(due.failures + 1, 10_000);
  const wait = kind === 'unavailable' ? UNAVAILABLE_MS : BAD_RESPONSE_MS;
  const waitMs = Math.min(wait.first * 2 ** Math.min(failures - 1, 20), wait.max);
  const jitteredMs = waitMs * (0.8 + Math.random() * 0.4);
  return {
    code: due.code,
    dueAtMs: nowMs + jitteredMs,
    failures,
    firstHeldAtMs: due.firstHeldAtMs,
  };
}

const codesOf = (products: readonly Due[]) => products.map(({ code }) => code);
