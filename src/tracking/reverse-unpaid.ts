// Reverses what was served of a day that could not be paid, on the product's side: the data is not
// shown, and the changes are notified when a paid observation finds them.
import type { Transaction } from '../database/database.ts';
import { deleteOutboxRowsSince } from './outbox.ts';
import type { OutboxRow } from './outbox-row.ts';
import { lockScheduleEntries } from './schedule.ts';
import { revertServed } from './watchers.ts';

/** Returns, for each tracked product, its rows from the first unpaid slot on. */
export function sinceFirstUnpaid(
  rows: readonly OutboxRow[],
  unpaid: readonly OutboxRow[],
): OutboxRow[] {
  const firstUnpaidAtMs = new Map<string, number>();
  for (const { trackedId, atMs } of unpaid) {
    firstUnpaidAtMs.set(trackedId, Math.min(atMs, firstUnpaidAtMs.get(trackedId) ?? atMs));
  }
  return rows.filter(({ trackedId, atMs }) => atMs >= (firstUnpaidAtMs.get(trackedId) ?? Infinity));
}

/**
 * Idempotent. Locks schedule entries before watchers, in the same order as recording and
 * rescheduling do; nothing more is served while they are locked.
 */
export async function reverseUnpaid(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await lockScheduleEntries(tx, [...new Set(rows.map(({ code }) => code))]);
  const firsts = [...Map.groupBy(rows, ({ trackedId }) => trackedId).values()].map(
    (ofProduct) => ofProduct.toSorted((a, b) => a.atMs - b.atMs)[0] as OutboxRow,
  );
  // Without a `before`, later slots were served and paid on their own: they stay.
  const slots = firsts.flatMap((row) =>
    row.before === null ? [] : [{ ...row, before: row.before }],
  );
  await revertServed(tx, slots);
  await deleteOutboxRowsSince(tx, slots);
}
