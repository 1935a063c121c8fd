// Webhooks, events and deliveries as a worker makes them, on the
// database of a service or on a separate one, with a deliverer on a manual clock.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Database } from '../../src/database/database.ts';
import { createPartitionKeeper } from '../../src/database/partitions.ts';
import { EVENTS_TABLE, type NewEvent } from '../../src/events/events.ts';
import type { EventKind } from '../../src/events/kind.ts';
import {
  type Clock,
  type ManualClock,
  manualClock,
  realNowMs,
} from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createMetrics } from '../../src/foundation/metrics.ts';
import { ATTEMPTS_TABLE, type LoggedAttempt, listAttempts } from '../../src/webhooks/attempts.ts';
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts';
import { createConcurrencyLimiter } from '../../src/webhooks/concurrency-limiter.ts';
import { Deliverer, type DeliverLimits } from '../../src/webhooks/deliver-due.ts';
import { DELIVERIES_TABLE } from '../../src/webhooks/deliveries.ts';
import { finishAttempts } from '../../src/webhooks/finish-attempts.ts';
import { payloadBody } from '../../src/webhooks/payload.ts';
import { createPoster, type DeliveryOutcome } from '../../src/webhooks/post.ts';
import { recordEvents } from '../../src/webhooks/record-events.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';
import type { NewSubscription, Subscription } from '../../src/webhooks/subscription-row.ts';
import {
  changeSubscription,
  findSubscription,
  insertSubscription,
} from '../../src/webhooks/subscriptions.ts';
import { atEnd } from './at-end.ts';
import { accountWith } from './charging.ts';
import { cloneDatabase } from './database.ts';
import type { Customer, Service } from './service.ts';
import { openSink, type Received } from './sink.ts';

export type Registered = { accountId: string; webhookId: string; secret: string };

export type Webhooks = {
  db: Database;
  clock: ManualClock;
  encryptionKeys: Buffer[];
  newAccount(): Promise<string>;
  register(accountId: string, url: string, more?: Partial<NewSubscription>): Promise<Registered>;
  /** Records `count` events and returns them. */
  record(accountId: string, count?: number, more?: Partial<NewEvent>): Promise<NewEvent[]>;
  newDeliverer(limits?: Partial<DeliverLimits>): Deliverer;
  /** Sends due deliveries until there are none; returns how many. */
  deliver(deliverer?: Deliverer): Promise<number>;
  log(who: Registered): Promise<LoggedAttempt[]>;
  show(who: Registered): Promise<Subscription | undefined>;
};

/** Registers a webhook, on the deps of a service or of `openWebhooks`. */
export async function register(
  { db, clock, encryptionKeys }: { db: Database; clock: Clock; encryptionKeys: readonly Buffer[] },
  input: Partial<NewSubscription> & { accountId: string; url: string },
): Promise<Registered> {
  const subscription = {
    webhookId: newId(),
    secret: newWebhookSecret(),
    name: 'Test',
    kinds: null,
    encryptionKeys,
    now: clock.nowMs(),
    ...input,
  };
  await db.transaction((tx) => insertSubscription(tx, subscription));
  const { accountId, webhookId, secret } = subscription;
  return { accountId, webhookId, secret };
}

export function newEvent(
  who: { accountId: string },
  atMs: number,
  kind: EventKind = 'price.drop',
): NewEvent {
  const [eventId, trackedId, code] = [newId(), newId(), '795033156'];
  const payload = payloadBody({
    type: kind,
    atMs,
    eventId,
    oversightProductId: trackedId,
    code,
    tier: 0,
    productName: 'Acme Kettle 1.7 l',
    before: { value: { cents: 2_199 }, observedAtMs: atMs - 3_600_000 },
    after: { value: { cents: 1_999 }, observedAtMs: atMs },
    rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
    reason: null,
    unitsInStock: 42,
    rank: { position: 120, category: 'Kitchen' },
    buybox: { priceCents: 1_999, sellerName: 'Acme Store' },
    offers: [{ sellerName: 'Acme Store', priceCents: 1_999, shippingCents: 0, unitsInStock: 42 }],
  });
  return { eventId, accountId: who.accountId, atMs, kind, trackedId, code, payload };
}

export async function record({ app }: Service, events: readonly NewEvent[]): Promise<void> {
  await app.webhookMonths.ready(app.clock.nowMs());
  await app.db.transaction((tx) => recordEvents(tx, events));
}

/** Call it inside a test. */
export async function openWebhooks(at = '2026-11-15T10:00:00Z'): Promise<Webhooks> {
  const { db } = await cloneDatabase();
  const clock = manualClock(Date.parse(at));
  const encryptionKeys = [randomBytes(32)];
  const webhookMonths = createPartitionKeeper(db, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE);
  await webhookMonths.ready(clock.nowMs());
  const deps = { db, clock, log: createLog('silent'), metrics: createMetrics(), webhookMonths };
  const rules = { allowPrivateTargets: true, service: { addresses: [], port: 1 } };

  const newDeliverer: Webhooks['newDeliverer'] = (limits) => {
    const poster = createPoster({ rules });
    atEnd(() => poster.close());
    return new Deliverer({ ...deps, encryptionKeys, poster }, limits);
  };
  let usual: Deliverer | undefined;
  return {
    db,
    clock,
    encryptionKeys,
    newDeliverer,
    newAccount: () => accountWith(db, 1_000),
    register: (accountId, url, more = {}) =>
      register({ db, clock, encryptionKeys }, { ...more, accountId, url }),
    async record(accountId, count = 1, more = {}) {
      const events = Array.from({ length: count }, () => ({
        ...newEvent({ accountId }, clock.nowMs()),
        ...more,
      }));
      await db.transaction((tx) => recordEvents(tx, events));
      return events;
    },
    async deliver(deliverer) {
      usual ??= newDeliverer();
      const active = deliverer ?? usual;
      let total = 0;
      for (let sent = await active.sendSome(); sent > 0; sent = await active.sendSome()) {
        total += sent;
        await active.settled();
      }
      return total;
    },
    log: (who) => listAttempts(db, { ...who, limit: 1_000 }),
    show: (who) => findSubscription(db, { ...who, now: clock.nowMs() }),
  };
}

/** Grants every webhook as many slots as it needs. */
export const unlimited = () => ({
  ...createConcurrencyLimiter({ inFlightMax: 100_000, perEndpointMax: 100_000 }),
  roomFor: () => 10_000,
  allot: (demands: readonly { webhookId: string; slotsNeeded: number }[]) =>
    new Map(demands.map(({ webhookId, slotsNeeded }) => [webhookId, slotsNeeded])),
});

export const RECEIVED: DeliveryOutcome = {
  status: 200,
  durationMs: 12,
  responseBody: 'ok',
  reason: null,
  retryAfterSeconds: null,
  gone: false,
};
export const FAILED: DeliveryOutcome = {
  ...RECEIVED,
  status: 500,
  reason: 'responded with 500; only 200 and 201 count as received',
};
export const UNREACHED: DeliveryOutcome = {
  ...RECEIVED,
  status: null,
  reason: 'connection refused',
};

/**
 * Makes every due attempt with this outcome; null leaves them in flight. Returns the ids of the
 * customer's deliveries.
 */
export async function attemptDue(
  { app }: Service,
  who: Customer,
  outcome: DeliveryOutcome | null,
): Promise<string[]> {
  const now = app.clock.nowMs();
  await app.webhookMonths.ready(now);
  const claimed = await claimDeliveries(app, {
    now,
    realNow: realNowMs(),
    token: newId(),
    limit: 10_000,
    limiter: unlimited(),
    encryptionKeys: app.encryptionKeys,
  });
  if (outcome !== null && claimed.length > 0) {
    await finishAttempts(
      app,
      claimed.map((one) => ({
        claimed: one,
        outcome,
        finishedAtMs: now,
        clockSpeed: 1,
        random: 0.5,
      })),
    );
  }
  const claimedForAccount = claimed.filter(({ accountId }) => accountId === who.accountId);
  return claimedForAccount.map(({ deliveryId }) => deliveryId);
}

/** An account with one webhook and its endpoint. */
export async function startRegistered(response: Parameters<typeof openSink>[0] = 200) {
  const webhooks = await openWebhooks();
  const sink = await openSink(response);
  const accountId = await webhooks.newAccount();
  const who = await webhooks.register(accountId, sink.url);
  return { webhooks, sink, accountId, who };
}

export const setStatus = (webhooks: Webhooks, who: Registered, status: 'Active' | 'Paused') =>
  changeSubscription(webhooks.db, { ...who, status, now: webhooks.clock.nowMs() });

export const states = async ({ db }: Webhooks) => {
  const rows = await db.query<{ state: string }>('select state from deliveries order by 1');
  return rows.map(({ state }) => state);
};

/** Verifies with the library of the standard. */
export const verify = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
