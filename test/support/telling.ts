// Events and deliveries made by hand: what a worker would record and send, without a marketplace or an endpoint.
import type { EventKind } from '../../src/events/kind.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts';
import { type NewEvent, recordEvents } from '../../src/webhooks/events.ts';
import { finishAttempts } from '../../src/webhooks/finish-attempts.ts';
import { payloadBody } from '../../src/webhooks/payload.ts';
import type { DeliveryOutcome } from '../../src/webhooks/post.ts';
import type { Customer, Service } from './service.ts';

export function newEvent(who: Customer, at: number, kind: EventKind = 'price.drop'): NewEvent {
  const [eventId, trackedId, code] = [newId(), newId(), '795033156'];
  const payload = payloadBody({
    ...{ type: kind, at, eventId, oversightProductId: trackedId, code, tier: 0 },
    productName: 'Acme Kettle 1.7 l',
    before: { value: { cents: 2_199 }, observedAt: at - 3_600_000 },
    after: { value: { cents: 1_999 }, observedAt: at },
    rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
    ...{ reason: null, unitsInStock: 42, rank: { position: 120, category: 'Kitchen' } },
    buybox: { priceCents: 1_999, sellerName: 'Acme Store' },
    offers: [{ sellerName: 'Acme Store', priceCents: 1_999, shippingCents: 0, unitsInStock: 42 }],
  });
  return { eventId, accountId: who.accountId, at, kind, trackedId, code, payload };
}

export async function record({ app }: Service, events: readonly NewEvent[]): Promise<void> {
  await app.webhookMonths.ready(app.clock.nowMs());
  await app.db.transaction((tx) => recordEvents(tx, events));
}

export const RECEIVED: DeliveryOutcome = {
  ...{ status: 200, durationMs: 12, responseBody: 'ok', reason: null },
  ...{ retryAfterSeconds: null, gone: false },
};
export const FAILED: DeliveryOutcome = {
  ...RECEIVED,
  ...{ status: 500, reason: 'answered 500; only 200 and 201 count as received' },
};
export const UNREACHED: DeliveryOutcome = {
  ...RECEIVED,
  ...{ status: null, reason: 'connection refused' },
};

/** Makes every attempt that is due, with this outcome; null leaves them under way. Answers the customer's ids. */
export async function attemptDue(
  { app }: Service,
  who: Customer,
  outcome: DeliveryOutcome | null,
): Promise<string[]> {
  const now = app.clock.nowMs();
  await app.webhookMonths.ready(now);
  const claimed = await claimDeliveries(app.db, {
    ...{ now, realNow: realNowMs(), token: newId(), limit: 10_000, full: [] },
    ...{ roomFor: () => 10_000, encryptionKeys: app.encryptionKeys },
  });
  if (outcome !== null && claimed.length > 0) {
    await finishAttempts(
      app.db,
      claimed.map((one) => ({ claimed: one, outcome, finishedAt: now, random: 0.5 })),
    );
  }
  const own = claimed.filter(({ accountId }) => accountId === who.accountId);
  return own.map(({ deliveryId }) => deliveryId);
}
