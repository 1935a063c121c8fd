// Webhooks driven by hand: registrations, events and a deliverer on a clock that the test sets.
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createPartitionKeeper } from '../../src/database/partitions.ts';
import type { EventKind } from '../../src/events/kind.ts';
import { type ManualClock, manualClock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createMetrics } from '../../src/foundation/metrics.ts';
import { ATTEMPTS_TABLE, type LoggedAttempt, listAttempts } from '../../src/webhooks/attempts.ts';
import {
  createDeliverer,
  type Deliverer,
  type DeliverLimits,
} from '../../src/webhooks/deliver-due.ts';
import { DELIVERIES_TABLE } from '../../src/webhooks/deliveries.ts';
import { EVENTS_TABLE, type NewEvent, recordEvents } from '../../src/webhooks/events.ts';
import { testPayloadBody } from '../../src/webhooks/payload.ts';
import { createPoster } from '../../src/webhooks/post.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';
import {
  findSubscription,
  insertSubscription,
  type NewSubscription,
  type Subscription,
} from '../../src/webhooks/subscriptions.ts';
import { accountWith } from './charging.ts';
import { cloneDatabase } from './database.ts';

export type Registered = { accountId: string; webhookId: string; secret: string };

export type Webhooks = {
  db: Database;
  clock: ManualClock;
  encryptionKeys: Buffer[];
  newAccount(): Promise<string>;
  register(accountId: string, url: string, more?: Partial<NewSubscription>): Promise<Registered>;
  /** Records so many events; answers their ids. */
  record(accountId: string, count?: number, more?: Partial<NewEvent>): Promise<NewEvent[]>;
  newDeliverer(limits?: Partial<DeliverLimits>): Deliverer;
  /** Sends what is due until nothing is. */
  deliver(deliverer?: Deliverer): Promise<number>;
  log(who: Registered): Promise<LoggedAttempt[]>;
  show(who: Registered): Promise<Subscription | undefined>;
};

/** To be called inside a test. */
export async function openWebhooks(at = '2026-11-15T10:00:00Z'): Promise<Webhooks> {
  const { db } = await cloneDatabase();
  const clock = manualClock(Date.parse(at));
  const encryptionKeys = [randomBytes(32)];
  const webhookMonths = createPartitionKeeper(db, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE);
  await webhookMonths.ready(clock.nowMs());
  const deps = { db, clock, log: createLog('silent'), metrics: createMetrics(), webhookMonths };
  const rules = { allowPrivateTargets: true, own: { addresses: [], port: 1 } };

  const newDeliverer: Webhooks['newDeliverer'] = (limits) => {
    const poster = createPoster({ rules });
    onTestFinished(() => poster.close());
    return createDeliverer({ ...deps, encryptionKeys, poster }, limits);
  };
  let usual: Deliverer | undefined;
  return {
    ...{ db, clock, encryptionKeys, newDeliverer },
    newAccount: () => accountWith(db, 1_000),
    async register(accountId, url, more = {}) {
      const [webhookId, secret] = [newId(), newWebhookSecret()];
      const now = clock.nowMs();
      await db.transaction((tx) =>
        insertSubscription(tx, {
          ...{ accountId, webhookId, name: 'Test', url, kinds: null, secret, encryptionKeys, now },
          ...more,
        }),
      );
      return { accountId, webhookId, secret: more.secret ?? secret };
    },
    async record(accountId, count = 1, more = {}) {
      const events = Array.from({ length: count }, (): NewEvent => {
        const [eventId, at] = [newId(), clock.nowMs()];
        const kind: EventKind = 'price.drop';
        const payload = testPayloadBody({ eventId, at });
        const what = { trackedId: newId(), code: '510000001', payload };
        return { eventId, accountId, at, kind, ...what, ...more };
      });
      await db.transaction((tx) => recordEvents(tx, events));
      return events;
    },
    async deliver(deliverer) {
      usual ??= newDeliverer();
      const own = deliverer ?? usual;
      let total = 0;
      for (let sent = await own.sendSome(); sent > 0; sent = await own.sendSome()) {
        total += sent;
        await own.settled();
      }
      return total;
    },
    log: (who) => listAttempts(db, { ...who, limit: 1_000 }),
    show: (who) => findSubscription(db, { ...who, now: clock.nowMs() }),
  };
}
