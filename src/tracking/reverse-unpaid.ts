// Taking back what was served of a day that could not be paid, on the product's side: its data is not shown, and what
// changed is told when a paid look finds it.
import type { Transaction } from '../database/database.ts';
import { deleteServedSince, type Outgoing } from './outgoing.ts';
import { lockScheduleEntries } from './schedule.ts';
import { takeBackServed } from './watchers.ts';

/** Of some rows those that one of them takes with it: of each tracked product all from its first unpaid slot on. */
export function sinceFirstUnpaid(
  rows: readonly Outgoing[],
  unpaid: readonly Outgoing[],
): Outgoing[] {
  const firstAt = new Map<string, number>();
  for (const { trackedId, at } of unpaid) {
    firstAt.set(trackedId, Math.min(at, firstAt.get(trackedId) ?? at));
  }
  return rows.filter(({ trackedId, at }) => at >= (firstAt.get(trackedId) ?? Infinity));
}

/**
 * The same again changes nothing. Places before watchers, as whoever records or reschedules locks them; while they are
 * held nothing more is served.
 */
export async function takeBackUnpaid(tx: Transaction, rows: readonly Outgoing[]): Promise<void> {
  if (rows.length === 0) return;
  await lockScheduleEntries(tx, [...new Set(rows.map(({ code }) => code))]);
  const firsts = [...Map.groupBy(rows, ({ trackedId }) => trackedId).values()].map(
    (own) => own.toSorted((a, b) => a.at - b.at)[0] as Outgoing,
  );
  // Where there is nothing to go back to, later slots were served and paid by themselves: they stay.
  const slots = firsts.flatMap((row) => {
    return row.before === null ? [] : [{ ...row, before: row.before }];
  });
  await takeBackServed(tx, slots);
  await deleteServedSince(tx, slots);
}
