// Quarantines deliveries that cannot be claimed or finished; also how an operator retries or drops
// them.
import type { HoldOff } from '../background/hold-off.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import { endDelivery, reopenDelivery } from './deliveries.ts';
import type { DeliveryKey, WebhookKey } from './delivery-row.ts';
import { lockHealth, wake } from './health-records.ts';

export const DELIVER = 'deliver';

/** `heldOff`: ids of deliveries and webhooks that this process skips for a while. */
export type DeliverIsolation = { db: Database; log: Log; heldOff?: HoldOff };

type QuarantineInput = { key: DeliveryKey & WebhookKey; reason: string; atMs: number };

/**
 * Quarantines and ends a delivery in one transaction. A row that cannot be changed is only skipped.
 */
export async function quarantineDelivery(
  { db, heldOff }: DeliverIsolation,
  { key, reason, atMs }: QuarantineInput,
): Promise<void> {
  const { accountId, webhookId, deliveryId } = key;
  const item = { owner: accountId, loop: DELIVER, item: deliveryId, reason, atMs };
  const payload: Payload = { accountId, webhookId, deliveryId, at: key.atMs };
  heldOff?.add([deliveryId]);
  try {
    await db.transaction(async (tx) => {
      await putInQuarantine(tx, { ...item, payload });
      await endDelivery(tx, key);
    });
  } catch {
    // It stays as it is and is tried again after the hold-off; the quarantine has the reason.
    await putInQuarantine(db, { ...item, payload });
  }
}

/** A webhook whose rows cannot be changed: it is skipped and quarantined, its deliveries wait. */
export async function quarantineWebhook(
  { db, heldOff }: DeliverIsolation,
  { key, reason, atMs }: { key: WebhookKey; reason: string; atMs: number },
): Promise<void> {
  heldOff?.add([key.webhookId]);
  const { accountId, webhookId } = key;
  await putInQuarantine(db, {
    owner: accountId,
    loop: DELIVER,
    item: webhookId,
    reason,
    atMs,
    payload: { accountId, webhookId },
  });
}

/** As stored in the quarantine; `at` is in milliseconds, and only deliveries have the last two. */
type Payload = WebhookKey & { deliveryId?: string; at?: number };

export const deliverHandler: QuarantineHandler = {
  loop: DELIVER,
  async retry(deps, item) {
    const { accountId, webhookId, deliveryId, at: atMs } = item.payload as Payload;
    const now = deps.clock.nowMs();
    await release(deps, item, async (tx) => {
      const [health] = await lockHealth(tx, [{ accountId, webhookId }]);
      if (health === undefined) return;
      const dueAtMs = health.status === 'Active' ? now : null;
      if (deliveryId !== undefined && atMs !== undefined) {
        await reopenDelivery(tx, { accountId, deliveryId, atMs, dueAtMs });
      }
      if (dueAtMs !== null) await wake(tx, [{ accountId, webhookId, dueAtMs }]);
    });
  },
  drop: { means: 'The delivery is not sent; the customer can still retry or recover it.' },
};
