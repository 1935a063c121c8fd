// Manual sends: retry one delivery, recover missed ones, or send a test.
import type { Database, Transaction } from '../database/database.ts';
import { type EventPosition, listEvents } from '../events/events.ts';
import { realNowMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import {
  findDelivery,
  insertDeliveries,
  makeDueNow,
  readDigestsOf,
  repeatDeliveries,
} from './deliveries.ts';
import { deliveryOf } from './delivery-row.ts';
import { gatherEvents } from './gather-events.ts';
import { lockHealth, type WebhookKey, wake } from './health-records.ts';
import { testPayloadBody } from './payload.ts';
import { quotaSpent, RETRIES_PER_DELIVERY, spendQuota } from './quotas.ts';
import { ATTEMPTS_MAX } from './retry-schedule.ts';
import { wants } from './subscription-filter.ts';
import { readFilters } from './subscriptions.ts';

export const TEST_KIND = 'webhook.test';

const EVENTS_AT_ONCE = 1_000;

/** Quotas are counted in real time. */
type ManualSend = { now: number; realNow?: number };

/**
 * Makes a new attempt due now, with the same `webhook-id`. Returns false if the delivery or its
 * webhook does not exist. Throws `rate_limited` when the delivery or the account had too many.
 */
export async function retryDelivery(
  tx: Transaction,
  input: { accountId: string; deliveryId: string } & ManualSend,
): Promise<boolean> {
  const { realNow = realNowMs(), now } = input;
  const key = await findDelivery(tx, input);
  if (key === undefined || (await lockHealth(tx, [key])).length === 0) return false;
  const { max, windowMs } = RETRIES_PER_DELIVERY;
  const window = { realNow, windowMs, retriesMax: max };
  if (!(await makeDueNow(tx, { ...input, ...window, attemptsMax: ATTEMPTS_MAX }))) {
    const endsAtMs = (key.retriesSinceAtMs ?? realNow) + windowMs;
    throw quotaSpent(`A delivery has at most ${max} retries by hand a day`, { endsAtMs, realNow });
  }
  await spendQuota(tx, { ...input, quota: 'retry', realNow });
  await wake(tx, [{ ...key, dueAtMs: now }]);
  return true;
}

/**
 * Sends the events since `since` that the webhook subscribes to and has not received, attempted or
 * not; if paused, once it is active again. Events that a webhook with digests missed are gathered
 * for the next one. Returns the number of deliveries and gathered events. A delivery that was
 * already recovered or retried within a day counts as one of the account's retries, and is skipped
 * when those are used up.
 */
export async function recoverDeliveries(
  db: Database,
  input: WebhookKey & { since: number } & ManualSend,
): Promise<number> {
  const { accountId, realNow = realNowMs() } = input;
  let count = 0;
  let retriesMax: number = RETRIES_PER_DELIVERY.max;
  let spent: Problem | undefined;
  const digestsDone = new Set<string>();
  // Just before the first possible event.
  let after: EventPosition | null = {
    recordedAtMs: input.since - 1,
    eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  };
  // One transaction per part: while it runs nobody can add or finish deliveries of this webhook,
  // and a fan-out that waits for it holds other accounts' balances.
  while (after !== null) {
    const from: EventPosition = after;
    try {
      const part = await db.transaction(async (tx) => {
        const done = await recoverSome(tx, { ...input, realNow, retriesMax, digestsDone }, from);
        const { repeated } = done;
        if (repeated > 0) {
          await spendQuota(tx, { accountId, quota: 'retry', count: repeated, realNow });
        }
        return done;
      });
      count += part.count;
      for (const digestId of part.digestIds) digestsDone.add(digestId);
      after = part.after;
    } catch (error) {
      const isSpent = error instanceof Problem && error.kind === 'rate_limited';
      if (!isSpent || retriesMax === 0) throw error;
      // Repeats the part without those deliveries.
      spent = error;
      retriesMax = 0;
    }
  }
  if (count === 0 && spent !== undefined) throw spent;
  return count;
}

type Recovered = {
  count: number;
  repeated: number;
  digestIds: readonly string[];
  after: EventPosition | null;
};

async function recoverSome(
  tx: Transaction,
  input: WebhookKey & {
    now: number;
    realNow: number;
    retriesMax: number;
    /** Digests that an earlier part has repeated: their events may be in several parts. */
    digestsDone: ReadonlySet<string>;
  },
  after: EventPosition,
): Promise<Recovered> {
  const { accountId, webhookId, now, realNow, retriesMax } = input;
  const none = { count: 0, repeated: 0, digestIds: [], after: null };
  const [health] = await lockHealth(tx, [{ accountId, webhookId }]);
  if (health === undefined) return none;
  const filter = (await readFilters(tx, [{ accountId, webhookId }])).get(webhookId);
  const dueAtMs = health.status === 'Active' ? now : null;
  // Read without a filter: rare kinds would read all events while the webhook is locked.
  const events = await listEvents(tx, { accountId, after, limit: EVENTS_AT_ONCE });
  const last = events.at(-1);
  if (last === undefined) return none;
  const missed = events.filter((event) => filter !== undefined && wants(filter, event));
  const digest = filter?.digest ?? null;
  const isPaused = dueAtMs === null;
  const gathering = { accountId, webhookId, events: missed, atMs: now, isPaused };
  const gathered = digest === null ? 0 : await gatherEvents(tx, [{ ...gathering, digest }]);
  const deliveries = missed.map((event) => ({ ...deliveryOf(event, webhookId), dueAtMs }));
  const digests = (await readDigestsOf(tx, deliveries))
    .filter(({ deliveryId }) => !input.digestsDone.has(deliveryId))
    .map((key) => ({ ...key, dueAtMs }));
  const window = { realNow, windowMs: RETRIES_PER_DELIVERY.windowMs, retriesMax };
  const sent = await repeatDeliveries(tx, { deliveries, existing: digests }, window);
  if (sent.count > 0 && dueAtMs !== null) await wake(tx, [{ accountId, webhookId, dueAtMs }]);
  const lastRecordedAtMs = last.recordedAtMs ?? last.atMs;
  // Events recorded from now on are delivered anyway.
  const isDone = events.length < EVENTS_AT_ONCE || lastRecordedAtMs > now;
  return {
    count: gathered + sent.count,
    repeated: sent.repeated,
    digestIds: digests.map(({ deliveryId }) => deliveryId),
    after: isDone ? null : { recordedAtMs: lastRecordedAtMs, eventId: last.eventId },
  };
}

/**
 * Sends a test without an event, also while paused, to try an endpoint before resuming its webhook.
 */
export async function sendTest(
  tx: Transaction,
  { subscription, now, realNow = realNowMs() }: { subscription: WebhookKey } & ManualSend,
): Promise<{ deliveryId: string; eventId: string }> {
  const { accountId, webhookId } = subscription;
  const [deliveryId, eventId] = [newId(), newId()];
  await lockHealth(tx, [subscription]);
  await spendQuota(tx, { accountId, quota: 'test', realNow });
  const payload = testPayloadBody({ eventId, atMs: now });
  const test = { deliveryId, eventId, atMs: now, kind: TEST_KIND, payload, dueAtMs: now };
  await insertDeliveries(tx, [{ accountId, webhookId, ...test, isManual: true }]);
  await wake(tx, [{ accountId, webhookId, dueAtMs: now }]);
  return { deliveryId, eventId };
}
