// Saves the outcomes of attempts, many in one transaction: the log, the delivery with its next
// attempt, and the endpoint's health.
import { createHoldOff, type HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import { blameFor } from '../database/blame.ts';
import type { Transaction } from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { Problem } from '../foundation/problem.ts';
import { completeAttempts } from './attempts.ts';
import type { Claimed } from './claim-deliveries.ts';
import { readAbandoned, releaseAbandoned, settleDeliveries } from './deliveries.ts';
import type { Abandoned, Settled } from './delivery-row.ts';
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
  /** On the business clock, which runs at `clockSpeed`. */
  finishedAtMs: number;
  clockSpeed: number;
  /** In [0, 1), for the jitter of retries. */
  random: number;
};

/** How long to wait for a locked health row before the others continue without it. */
const LOCK_WAIT_MS = 250;

/**
 * Skips attempts that lost their lease: they were abandoned and are made again. An outcome that
 * cannot be saved is quarantined and the others are saved. Returns those whose health row stayed
 * locked.
 */
export async function finishAttempts(
  deps: DeliverIsolation,
  finished: readonly FinishedAttempt[],
): Promise<FinishedAttempt[]> {
  const locked = await inGroups(deps.db, finished, {
    keyOf: ({ claimed }) => claimed.accountId,
    work: (part) => finishInGroup(deps, part),
  });
  return locked.flat();
}

async function finishInGroup(
  deps: DeliverIsolation,
  finished: readonly FinishedAttempt[],
): Promise<FinishedAttempt[]> {
  const paused: WebhookKey[] = [];
  const locked: FinishedAttempt[] = [];
  const { left } = await isolate(finished, {
    loop: DELIVER,
    log: deps.log,
    keyOf: ({ claimed }) => claimed.deliveryId,
    run: async (batch) => {
      const busy = await withLockedHealth(deps, batch, {
        keyOf: ({ claimed }) => claimed,
        run: async (tx, items, healthRecords) =>
          paused.push(...(await finish(tx, items, healthRecords))),
      });
      locked.push(...busy);
    },
    setAside: ({ claimed, finishedAtMs }, reason) =>
      quarantineDelivery(deps, { key: claimed, reason, atMs: finishedAtMs }),
  });
  // After the transaction, in parts: many deliveries may wait for one webhook, and the transaction
  // holds the outcomes of others.
  for (const key of paused) await holdWhilePaused(deps.db, key);
  return [...locked, ...left];
}

/**
 * Runs with the health rows of the items locked: first those that are free, then those that others
 * hold briefly. Returns the items whose row stayed locked.
 */
async function withLockedHealth<Item>(
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
    work.run(tx, some, healthRecords).catch(asTemporary);
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
    const locked = await inSavepoint(tx, () => lockHealth(tx, keysOf(rest))).catch(nullIfBusy);
    if (locked === null) return rest;
    await tx.query('set local lock_timeout = 0');
    await run(tx, rest, byWebhook(locked));
    return [];
  });
}

function nullIfBusy(error: unknown): null {
  if (blameFor(error) === 'busy') return null;
  throw error;
}

/** A locked table or a deadlock is not an item's fault: all items are tried again together. */
export function asTemporary(error: unknown): never {
  if (blameFor(error) !== 'busy') throw error;
  throw new Problem('temporarily_unavailable', `The database is busy: ${String(error)}`);
}

type HealthRecords = Map<string, HealthRecord>;

/** Returns the webhooks that were paused. */
async function finish(
  tx: Transaction,
  finished: readonly FinishedAttempt[],
  healthRecords: HealthRecords,
): Promise<readonly WebhookKey[]> {
  // The deliveries of a removed webhook ended with it.
  const attempts = finished.filter(({ claimed }) => healthRecords.has(claimed.webhookId));
  if (attempts.length === 0) return [];
  for (const one of attempts) {
    healthRecords.set(one.claimed.webhookId, healthAfter(healthRecords, one));
  }
  const settled = attempts.map((one) => settle(one, healthRecords));
  const stillLeasedIds = await settleDeliveries(tx, settled);
  const stillLeased = attempts.filter(({ claimed }) => stillLeasedIds.has(claimed.deliveryId));
  await completeAttempts(
    tx,
    stillLeased.map(({ claimed, outcome }) => ({
      ...claimed,
      atMs: claimed.attemptAtMs,
      ...outcome,
    })),
  );
  await saveHealth(tx, [...healthRecords.values()]);
  const paused = await stopPaused(tx, [...healthRecords.values()], attempts);
  await wake(tx, earliest(settled.filter(({ deliveryId }) => stillLeasedIds.has(deliveryId))));
  await count(tx, stillLeased, settled);
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

type SettledForWebhook = Settled & WebhookKey;

function settle(
  { claimed, outcome, finishedAtMs, clockSpeed, random }: FinishedAttempt,
  healthRecords: ReadonlyMap<string, HealthRecord>,
): SettledForWebhook {
  const isReceived = outcome.reason === null;
  const next = isReceived
    ? null
    : nextAttemptAtMs({
        // From the delivery's two counters, which are rebased together.
        attempt: claimed.attempts + 1 - claimed.attemptsUncounted,
        failedAtMs: finishedAtMs,
        retryAfterSeconds: outcome.retryAfterSeconds,
        clockSpeed,
        random,
      });
  const isPaused = healthRecords.get(claimed.webhookId)?.status === 'Paused';
  return { ...claimed, isReceived, isPending: next !== null, dueAtMs: isPaused ? null : next };
}

/** Webhooks that were just paused, or failed while paused, are no longer due. */
async function stopPaused(
  tx: Transaction,
  healthRecords: readonly HealthRecord[],
  attempts: readonly FinishedAttempt[],
): Promise<readonly WebhookKey[]> {
  const failed = new Set(
    attempts
      .filter(({ outcome }) => outcome.reason !== null)
      .map(({ claimed }) => claimed.webhookId),
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
  const byWebhook = new Map<string, WebhookKey & { dueAtMs: number }>();
  for (const { accountId, webhookId, dueAtMs } of settled) {
    if (dueAtMs === null) continue;
    const earlierAtMs = byWebhook.get(webhookId)?.dueAtMs ?? dueAtMs;
    byWebhook.set(webhookId, { accountId, webhookId, dueAtMs: Math.min(earlierAtMs, dueAtMs) });
  }
  return [...byWebhook.values()];
}

async function count(
  tx: Transaction,
  stillLeased: readonly FinishedAttempt[],
  settled: readonly SettledForWebhook[],
): Promise<void> {
  const ids = new Set(stillLeased.map(({ claimed }) => claimed.deliveryId));
  const ended = settled.filter(({ deliveryId, isPending }) => !isPending && ids.has(deliveryId));
  const byWebhook = Map.groupBy(ended, ({ webhookId }) => webhookId);
  const finished = [...byWebhook.values()].map((deliveries) => {
    const { accountId, webhookId } = deliveries[0] as SettledForWebhook;
    const succeeded = deliveries.filter(({ isReceived }) => isReceived).length;
    return { accountId, webhookId, succeeded, failed: deliveries.length - succeeded };
  });
  const now = stillLeased.reduce((latest, { finishedAtMs }) => Math.max(latest, finishedAtMs), 0);
  await countFinished(tx, finished, now);
}

const OUTCOME_UNKNOWN = 'outcome unknown (service restarted)';
const ABANDONED_AT_ONCE = 500;
/** Locked or failing items are tried again after this. */
export const HOLD_OFF_MS = 30_000;

/**
 * Logs abandoned attempts as unknown and makes their deliveries due again. With a token it includes
 * attempts still leased under it: a stopping process releases what it did not finish. Returns how
 * many.
 */
export async function retryAbandoned(
  deps: DeliverIsolation,
  input: { now: number; realNow: number; token: string | null },
): Promise<number> {
  const { heldOff = createHoldOff(HOLD_OFF_MS) } = deps;
  const except = heldOff.keys();
  const abandoned = await readAbandoned(deps.db, { ...input, limit: ABANDONED_AT_ONCE, except });
  const counts = await inGroups(deps.db, abandoned, {
    keyOf: ({ accountId }) => accountId,
    work: (part) => retryInGroup({ ...deps, heldOff }, part, input.now),
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

async function retryInGroup(
  deps: DeliverIsolation & { heldOff: HoldOff },
  abandoned: readonly Abandoned[],
  now: number,
): Promise<number> {
  const { heldOff } = deps;
  let count = 0;
  const { left } = await isolate(abandoned, {
    loop: DELIVER,
    log: deps.log,
    keyOf: ({ deliveryId }) => deliveryId,
    run: async (batch) => {
      const busy = await withLockedHealth(deps, batch, {
        keyOf: (one) => one,
        run: async (tx, items, healthRecords) => {
          count += await retrySome(tx, items, { healthRecords, now });
        },
      });
      heldOff.add(busy.map(({ deliveryId }) => deliveryId));
    },
    setAside: (key, reason) => quarantineDelivery(deps, { key, reason, atMs: now }),
  });
  heldOff.add(left.map(({ deliveryId }) => deliveryId));
  return count;
}

async function retrySome(
  tx: Transaction,
  abandoned: readonly Abandoned[],
  { healthRecords, now }: { healthRecords: HealthRecords; now: number },
): Promise<number> {
  const dueAtMs = ({ webhookId }: Abandoned) =>
    healthRecords.get(webhookId)?.status === 'Active' ? now : null;
  const withDue = abandoned.map((one) => ({ ...one, dueAtMs: dueAtMs(one) }));
  const stillLeasedIds = await releaseAbandoned(tx, withDue);
  const lost = withDue.filter(({ deliveryId }) => stillLeasedIds.has(deliveryId));
  const nothing = { status: null, durationMs: null, responseBody: null, reason: OUTCOME_UNKNOWN };
  await completeAttempts(
    tx,
    lost.map((one) => ({ ...one, atMs: one.attemptAtMs, ...nothing })),
  );
  await wake(tx, earliest(lost));
  return lost.length;
}
