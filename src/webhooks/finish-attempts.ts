// Writing down what came of attempts, many in one transaction: the log, the delivery and its next attempt, and how the
// registration stands.
import type { Database, Transaction } from '../database/database.ts';
import { completeAttempts } from './attempts.ts';
import type { Claimed } from './claim-deliveries.ts';
import {
  type Abandoned,
  readAbandoned,
  repeatAbandoned,
  type Settled,
  settleDeliveries,
} from './deliveries.ts';
import type { DeliveryOutcome } from './post.ts';
import { nextAttemptAt } from './retry-schedule.ts';
import { afterAttempt } from './standing.ts';
import {
  lockStandings,
  type StandingRecord,
  saveStandings,
  setTurns,
  type WebhookKey,
  wake,
} from './standings.ts';
import { holdWhilePaused } from './subscriptions.ts';
import { countFinished } from './success-rates.ts';

export type FinishedAttempt = {
  claimed: Claimed;
  outcome: DeliveryOutcome;
  /** On the business clock, and how fast that goes. */
  finishedAt: number;
  clockSpeed: number;
  /** From 0 to under 1, for the spread of retries. */
  random: number;
};

/** Those whose lease has passed to somebody else are left alone: their attempt was given up, and made again. */
export async function finishAttempts(
  db: Database,
  finished: readonly FinishedAttempt[],
): Promise<void> {
  const paused = await db.transaction((tx) => finish(tx, finished));
  // Afterwards, and let go in between: much may wait for one, and the outcomes of others are in the same transaction.
  for (const key of paused) await holdWhilePaused(db, key);
}

/** Answers the registrations that are not called any more. */
async function finish(
  tx: Transaction,
  finished: readonly FinishedAttempt[],
): Promise<readonly WebhookKey[]> {
  const standings = await lockByWebhook(
    tx,
    finished.map(({ claimed }) => claimed),
  );
  // Of a registration that was removed, its deliveries have ended with it.
  const own = finished.filter(({ claimed }) => standings.has(claimed.webhookId));
  if (own.length === 0) return [];
  for (const one of own) standings.set(one.claimed.webhookId, standingAfter(standings, one));
  const settled = own.map((one) => settle(one, standings));
  const still = await settleDeliveries(tx, settled);
  const known = own.filter(({ claimed }) => still.has(claimed.deliveryId));
  await completeAttempts(
    tx,
    known.map(({ claimed, outcome }) => ({ ...claimed, at: claimed.attemptAt, ...outcome })),
  );
  await saveStandings(tx, [...standings.values()]);
  const paused = await stopPaused(tx, [...standings.values()], own);
  await wake(tx, earliest(settled.filter(({ deliveryId }) => still.has(deliveryId))));
  await count(tx, known, settled);
  return paused;
}

async function lockByWebhook(
  tx: Transaction,
  keys: readonly WebhookKey[],
): Promise<Map<string, StandingRecord>> {
  const distinct = [...new Map(keys.map((key) => [key.webhookId, key])).values()];
  const standings = await lockStandings(tx, distinct);
  return new Map(standings.map((standing) => [standing.webhookId, standing]));
}

function standingAfter(
  standings: ReadonlyMap<string, StandingRecord>,
  { claimed, outcome, finishedAt }: FinishedAttempt,
): StandingRecord {
  const before = standings.get(claimed.webhookId) as StandingRecord;
  const attempt = { at: finishedAt, isReceived: outcome.reason === null, isGone: outcome.gone };
  const lastDeliveryAt = Math.max(before.lastDeliveryAt ?? 0, claimed.attemptAt);
  return { ...before, ...afterAttempt(before, attempt), lastDeliveryAt };
}

type SettledOne = Settled & WebhookKey;

function settle(
  { claimed, outcome, finishedAt, clockSpeed, random }: FinishedAttempt,
  standings: ReadonlyMap<string, StandingRecord>,
): SettledOne {
  const isReceived = outcome.reason === null;
  const next = isReceived
    ? null
    : nextAttemptAt({
        // Of the delivery's own counters, which are rebased together.
        attempt: claimed.attempts + 1 - claimed.attemptsUncounted,
        failedAt: finishedAt,
        ...{ retryAfterSeconds: outcome.retryAfterSeconds, clockSpeed, random },
      });
  const isPaused = standings.get(claimed.webhookId)?.status === 'Paused';
  return { ...claimed, isReceived, isPending: next !== null, dueAt: isPaused ? null : next };
}

/** Those that have just been paused, or failed while they were, have no turn any more. */
async function stopPaused(
  tx: Transaction,
  standings: readonly StandingRecord[],
  own: readonly FinishedAttempt[],
): Promise<readonly WebhookKey[]> {
  const failed = new Set(
    own.filter(({ outcome }) => outcome.reason !== null).map(({ claimed }) => claimed.webhookId),
  );
  const paused = standings.filter(
    ({ status, pausedReason, webhookId }) =>
      status === 'Paused' && pausedReason !== null && failed.has(webhookId),
  );
  await setTurns(
    tx,
    paused.map((key) => ({ ...key, dueAt: null })),
    0,
  );
  return paused;
}

function earliest(
  settled: readonly (WebhookKey & { dueAt: number | null })[],
): (WebhookKey & { dueAt: number })[] {
  const found = new Map<string, WebhookKey & { dueAt: number }>();
  for (const { accountId, webhookId, dueAt } of settled) {
    if (dueAt === null) continue;
    const known = found.get(webhookId)?.dueAt ?? dueAt;
    found.set(webhookId, { accountId, webhookId, dueAt: Math.min(known, dueAt) });
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
  const now = known.reduce((latest, { finishedAt }) => Math.max(latest, finishedAt), 0);
  await countFinished(tx, finished, now);
}

const UNKNOWN = 'outcome unknown (service restarted)';
const ABANDONED_AT_ONCE = 500;

/**
 * Attempts whose outcome nobody will write any more are logged as unknown, and made again at once. With a token also
 * those that are still leased under it: whoever stops gives back what is not finished. Answers how many.
 */
export async function repeatLost(
  db: Database,
  input: { now: number; realNow: number; token: string | null },
): Promise<number> {
  const found = await readAbandoned(db, { ...input, limit: ABANDONED_AT_ONCE });
  if (found.length === 0) return 0;
  return db.transaction(async (tx) => {
    const standings = await lockByWebhook(tx, found);
    const dueAt = ({ webhookId }: Abandoned) =>
      standings.get(webhookId)?.status === 'Active' ? input.now : null;
    const again = found.map((one) => ({ ...one, dueAt: dueAt(one) }));
    const still = await repeatAbandoned(tx, again);
    const lost = again.filter(({ deliveryId }) => still.has(deliveryId));
    const nothing = { status: null, durationMs: null, responseBody: null, reason: UNKNOWN };
    await completeAttempts(
      tx,
      lost.map((one) => ({ ...one, at: one.attemptAt, ...nothing })),
    );
    await wake(tx, earliest(lost));
    return lost.length;
  });
}
