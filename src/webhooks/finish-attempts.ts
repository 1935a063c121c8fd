// Writing down what came of attempts, many in one transaction: the log, the delivery and its next attempt, and how the
// registration stands.
import { createHoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { blameFor } from '../database/blame.ts';
import type { Transaction } from '../database/database.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { Problem } from '../foundation/problem.ts';
import { completeAttempts } from './attempts.ts';
import type { Claimed } from './claim-deliveries.ts';
import {
  type Abandoned,
  readAbandoned,
  repeatAbandoned,
  type Settled,
  settleDeliveries,
} from './deliveries.ts';
import { afterAttempt } from './endpoint-health.ts';
import {
  type HealthRecord,
  lockFreeHealth,
  lockHealth,
  saveHealth,
  setNextDue,
  type WebhookKey,
  wake,
} from './health-records.ts';
import type { DeliveryOutcome } from './post.ts';
import { DELIVER, type DeliverIsolation, quarantineDelivery } from './quarantine-delivery.ts';
import { nextAttemptAtMs } from './retry-schedule.ts';
import { holdWhilePaused } from './subscriptions.ts';
import { countFinished } from './success-rates.ts';

export type FinishedAttempt = {
  claimed: Claimed;
  outcome: DeliveryOutcome;
  /** On the business clock, and how fast that goes. */
  finishedAtMs: number;
  clockSpeed: number;
  /** From 0 to under 1, for the spread of retries. */
  random: number;
};

/** How long a registration's row that somebody keeps locked is waited for, before the others go on without it. */
const LOCK_WAIT_MS = 250;

/**
 * Those whose lease has passed to somebody else are left alone: their attempt was given up, and made again. What cannot
 * be written is set aside, the rest written in the same round. Returns those whose registration somebody keeps locked.
 */
export async function finishAttempts(
  deps: DeliverIsolation,
  finished: readonly FinishedAttempt[],
): Promise<FinishedAttempt[]> {
  const paused: WebhookKey[] = [];
  const locked: FinishedAttempt[] = [];
  const { left } = await isolate(finished, {
    ...{ loop: DELIVER, log: deps.log },
    keyOf: ({ claimed }) => claimed.deliveryId,
    run: async (batch) => {
      const busy = await whereFree(deps, batch, {
        keyOf: ({ claimed }) => claimed,
        run: async (tx, items, healthRecords) =>
          paused.push(...(await finish(tx, items, healthRecords))),
      });
      locked.push(...busy);
    },
    setAside: ({ claimed, finishedAtMs }, reason) =>
      quarantineDelivery(deps, { key: claimed, reason, atMs: finishedAtMs }),
  });
  // Afterwards, and let go in between: much may wait for one, and the outcomes of others are in the same transaction.
  for (const key of paused) await holdWhilePaused(deps.db, key);
  return [...locked, ...left];
}

/**
 * Runs with the standings of the items locked: first for those that are free, then for those that others hold for a
 * moment. Returns the items whose registration somebody keeps locked.
 */
async function whereFree<Item>(
  { db }: DeliverIsolation,
  items: readonly Item[],
  work: {
    keyOf(item: Item): WebhookKey;
    run(tx: Transaction, items: readonly Item[], healthRecords: HealthRecords): Promise<unknown>;
  },
): Promise<Item[]> {
  const keysOf = (some: readonly Item[]) => [
    ...new Map(some.map(work.keyOf).map((key) => [key.webhookId, key] as const)).values(),
  ];
  const byWebhook = (healthRecords: readonly HealthRecord[]): HealthRecords =>
    new Map(healthRecords.map((health) => [health.webhookId, health]));
  const run = (tx: Transaction, some: readonly Item[], healthRecords: HealthRecords) =>
    work.run(tx, some, healthRecords).catch(asNobodysFault);
  const rest = await db.transaction(async (tx) => {
    const healthRecords = byWebhook(await lockFreeHealth(tx, keysOf(items)));
    const isFree = (item: Item) => healthRecords.has(work.keyOf(item).webhookId);
    const free = items.filter(isFree);
    if (free.length > 0) await run(tx, free, healthRecords);
    return items.filter((item) => !isFree(item));
  });
  if (rest.length === 0) return [];
  return db.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    const locked = await inSavepoint(tx, () => lockHealth(tx, keysOf(rest))).catch(onlyBusy);
    if (locked === null) return rest;
    await tx.query('set local lock_timeout = 0');
    await run(tx, rest, byWebhook(locked));
    return [];
  });
}

function onlyBusy(error: unknown): null {
  if (blameFor(error) === 'busy') return null;
  throw error;
}

/** A table that is locked or a deadlock is no item's fault: all of them are tried again, together. */
function asNobodysFault(error: unknown): never {
  if (blameFor(error) !== 'busy') throw error;
  throw new Problem('temporarily_unavailable', `The database is busy: ${String(error)}`);
}

type HealthRecords = Map<string, HealthRecord>;

/** Returns the registrations that are not called any more. */
async function finish(
  tx: Transaction,
  finished: readonly FinishedAttempt[],
  healthRecords: HealthRecords,
): Promise<readonly WebhookKey[]> {
  // Of a registration that was removed, its deliveries have ended with it.
  const own = finished.filter(({ claimed }) => healthRecords.has(claimed.webhookId));
  if (own.length === 0) return [];
  for (const one of own) healthRecords.set(one.claimed.webhookId, healthAfter(healthRecords, one));
  const settled = own.map((one) => settle(one, healthRecords));
  const still = await settleDeliveries(tx, settled);
  const known = own.filter(({ claimed }) => still.has(claimed.deliveryId));
  await completeAttempts(
    tx,
    known.map(({ claimed, outcome }) => ({ ...claimed, atMs: claimed.attemptAtMs, ...outcome })),
  );
  await saveHealth(tx, [...healthRecords.values()]);
  const paused = await stopPaused(tx, [...healthRecords.values()], own);
  await wake(tx, earliest(settled.filter(({ deliveryId }) => still.has(deliveryId))));
  await count(tx, known, settled);
  return paused;
}

function healthAfter(
  healthRecords: ReadonlyMap<string, HealthRecord>,
  { claimed, outcome, finishedAtMs }: FinishedAttempt,
): HealthRecord {
  const before = healthRecords.get(claimed.webhookId) as HealthRecord;
  const attempt = { atMs: finishedAtMs, isReceived: outcome.reason === null, isGone: outcome.gone };
  const lastDeliveryAtMs = Math.max(before.lastDeliveryAtMs ?? 0, claimed.attemptAtMs);
  return { ...before, ...afterAttempt(before, attempt), lastDeliveryAtMs };
}

type SettledOne = Settled & WebhookKey;

function settle(
  { claimed, outcome, finishedAtMs, clockSpeed, random }: FinishedAttempt,
  healthRecords: ReadonlyMap<string, HealthRecord>,
): SettledOne {
  const isReceived = outcome.reason === null;
  const next = isReceived
    ? null
    : nextAttemptAtMs({
        // Of the delivery's own counters, which are rebased together.
        attempt: claimed.attempts + 1 - claimed.attemptsUncounted,
        failedAtMs: finishedAtMs,
        ...{ retryAfterSeconds: outcome.retryAfterSeconds, clockSpeed, random },
      });
  const isPaused = healthRecords.get(claimed.webhookId)?.status === 'Paused';
  return { ...claimed, isReceived, isPending: next !== null, dueAtMs: isPaused ? null : next };
}

/** Those that have just been paused, or failed while they were, have no turn any more. */
async function stopPaused(
  tx: Transaction,
  healthRecords: readonly HealthRecord[],
  own: readonly FinishedAttempt[],
): Promise<readonly WebhookKey[]> {
  const failed = new Set(
    own.filter(({ outcome }) => outcome.reason !== null).map(({ claimed }) => claimed.webhookId),
  );
  const paused = healthRecords.filter(
    ({ status, pausedReason, webhookId }) =>
      status === 'Paused' && pausedReason !== null && failed.has(webhookId),
  );
  await setNextDue(
    tx,
    paused.map((key) => ({ ...key, dueAtMs: null })),
    0,
  );
  return paused;
}

function earliest(
  settled: readonly (WebhookKey & { dueAtMs: number | null })[],
): (WebhookKey & { dueAtMs: number })[] {
  const found = new Map<string, WebhookKey & { dueAtMs: number }>();
  for (const { accountId, webhookId, dueAtMs } of settled) {
    if (dueAtMs === null) continue;
    const known = found.get(webhookId)?.dueAtMs ?? dueAtMs;
    found.set(webhookId, { accountId, webhookId, dueAtMs: Math.min(known, dueAtMs) });
  }
  return [...found.values()];
}

async function count(
  tx: Transaction,
  known: readonly FinishedAttempt[],
  settled: readonly SettledOne[],
): Promise<void> {
  const ids = new Set(known.map(({ claimed }) => claimed.deliveryId));
  const ended = settled.filter(({ deliveryId, isPending }) => !isPending && ids.has(deliveryId));
  const byWebhook = Map.groupBy(ended, ({ webhookId }) => webhookId);
  const finished = [...byWebhook.values()].map((own) => {
    const { accountId, webhookId } = own[0] as SettledOne;
    const succeeded = own.filter(({ isReceived }) => isReceived).length;
    return { accountId, webhookId, succeeded, failed: own.length - succeeded };
  });
  const now = known.reduce((latest, { finishedAtMs }) => Math.max(latest, finishedAtMs), 0);
  await countFinished(tx, finished, now);
}

const UNKNOWN = 'outcome unknown (service restarted)';
const ABANDONED_AT_ONCE = 500;
/** What is locked or broken is tried again after this. */
export const HELD_OFF_MS = 30_000;

/**
 * Attempts whose outcome nobody will write any more are logged as unknown, and made again at once. With a token also
 * those that are still leased under it: whoever stops gives back what is not finished. Returns how many.
 */
export async function repeatLost(
  deps: DeliverIsolation,
  input: { now: number; realNow: number; token: string | null },
): Promise<number> {
  const { heldOff = createHoldOff(HELD_OFF_MS) } = deps;
  const except = heldOff.keys();
  const found = await readAbandoned(deps.db, { ...input, limit: ABANDONED_AT_ONCE, except });
  let count = 0;
  const { left } = await isolate(found, {
    ...{ loop: DELIVER, log: deps.log },
    keyOf: ({ deliveryId }) => deliveryId,
    run: async (batch) => {
      const busy = await whereFree(deps, batch, {
        keyOf: (one) => one,
        run: async (tx, items, healthRecords) => {
          count += await repeatSome(tx, items, { healthRecords, now: input.now });
        },
      });
      heldOff.add(busy.map(({ deliveryId }) => deliveryId));
    },
    setAside: (key, reason) =>
      quarantineDelivery({ ...deps, heldOff }, { key, reason, atMs: input.now }),
  });
  heldOff.add(left.map(({ deliveryId }) => deliveryId));
  return count;
}

async function repeatSome(
  tx: Transaction,
  found: readonly Abandoned[],
  { healthRecords, now }: { healthRecords: HealthRecords; now: number },
): Promise<number> {
  const dueAtMs = ({ webhookId }: Abandoned) =>
    healthRecords.get(webhookId)?.status === 'Active' ? now : null;
  const again = found.map((one) => ({ ...one, dueAtMs: dueAtMs(one) }));
  const still = await repeatAbandoned(tx, again);
  const lost = again.filter(({ deliveryId }) => still.has(deliveryId));
  const nothing = { status: null, durationMs: null, responseBody: null, reason: UNKNOWN };
  await completeAttempts(
    tx,
    lost.map((one) => ({ ...one, atMs: one.attemptAtMs, ...nothing })),
  );
  await wake(tx, earliest(lost));
  return lost.length;
}
