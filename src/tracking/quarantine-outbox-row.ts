// Quarantines an outbox row that cannot be fanned out, and retries or drops it later.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, type QuarantinedItem } from '../background/quarantined-items.ts';
import type { Transaction } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { deleteOutboxRows, insertOutboxRows } from './outbox.ts';
import {
  type OutboxRow,
  outboxRowOf,
  type StoredOutboxRow,
  storedOutboxRow,
} from './outbox-row.ts';
import { creditsPerDay } from './tier.ts';
import { findWatcher } from './watchers.ts';

export const FAN_OUT = 'fan-out';

/** Moves a row from the outbox to the quarantine, within the product's lane. */
export async function quarantineOutboxRow(
  tx: Transaction,
  { row, reason, atMs }: { row: OutboxRow; reason: string; atMs: number },
): Promise<void> {
  await putInQuarantine(tx, {
    owner: row.code,
    loop: FAN_OUT,
    item: [row.code, row.accountId, row.kind, isoTime(row.atMs)].join('/'),
    reason,
    payload: storedOutboxRow(row),
    atMs,
  });
  await deleteOutboxRows(tx, [row]);
}

export const fanOutHandler: QuarantineHandler = {
  loop: FAN_OUT,
  async retry(deps, item) {
    const row = outboxRowOf(item.payload as StoredOutboxRow);
    await release(deps, item, async (tx) => {
      const watcher = await findWatcher(tx, row);
      // If later slots have been served and paid since, an unpaid day must not reverse them.
      const isLast = watcher?.trackedId === row.trackedId && watcher.servedAtMs === row.atMs;
      await insertOutboxRows(tx, [{ ...row, before: isLast ? row.before : null }]);
    });
  },
  drop: {
    means: 'The event is not recorded, and a charge or refund of the day is not booked.',
    losesMoney,
  },
};

function losesMoney({ payload }: QuarantinedItem): string | null {
  const { kind, day, tier, code, accountId } = payload as StoredOutboxRow;
  const date = isoTime(day * DAY_MS).slice(0, 10);
  const which = `of ${date} for product ${code}, account ${accountId},`;
  if (kind === 'return') return `The refund ${which} would never be booked.`;
  if (kind === 'served') {
    return `The charge of ${creditsPerDay(tier)} credits ${which} might never be booked.`;
  }
  return null;
}
