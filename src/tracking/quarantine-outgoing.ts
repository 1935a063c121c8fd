// Setting aside what cannot be fanned out to an account, putting it back, and what dropping it loses.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, type QuarantinedItem } from '../background/quarantined-items.ts';
import type { Transaction } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { deleteOutgoing, insertOutgoing, type Outgoing } from './outgoing.ts';
import { creditsPerDay } from './tier.ts';
import { findWatcher } from './watchers.ts';

export const FAN_OUT = 'fan-out';

/** Moves a row out of the outbox, in the product's lane. */
export async function quarantineOutgoing(
  tx: Transaction,
  { row, reason, atMs }: { row: Outgoing; reason: string; atMs: number },
): Promise<void> {
  const item = [row.code, row.accountId, row.kind, isoTime(row.at)].join('/');
  await putInQuarantine(tx, {
    ...{ owner: row.code, loop: FAN_OUT, item, reason, atMs },
    payload: row,
  });
  await deleteOutgoing(tx, [row]);
}

export const fanOutHandler: QuarantineHandler = {
  loop: FAN_OUT,
  async retry(deps, item) {
    const row = item.payload as Outgoing;
    await release(deps, item, async (tx) => {
      const watcher = await findWatcher(tx, row);
      // Later slots were served and paid meanwhile: an unpaid day must not take them back.
      const isLast = watcher?.trackedId === row.trackedId && watcher.servedAt === row.at;
      await insertOutgoing(tx, [{ ...row, before: isLast ? row.before : null }]);
    });
  },
  drop: {
    means: 'The event is not recorded, and a charge or refund of the day is not booked.',
    losesMoney,
  },
};

function losesMoney({ payload }: QuarantinedItem): string | null {
  const { kind, day, tier, code, accountId } = payload as Outgoing;
  const which = `of ${isoTime(day * DAY_MS).slice(0, 10)} for product ${code}, account ${accountId},`;
  if (kind === 'return') return `The refund ${which} would never be booked.`;
  if (kind === 'served') {
    return `The charge of ${creditsPerDay(tier)} credits ${which} might never be booked.`;
  }
  return null;
}
