// Serving those who watch a product with a look at it: what each sees, the day that must be paid, the next slot.
// In the transaction that records the look, after the products' rows are locked.
import type { Transaction } from '../database/database.ts';
import { insertOutgoing, type Outgoing } from '../oversight/outgoing.ts';
import { moveOn, readIntervals } from '../oversight/schedule.ts';
import { afterServing } from '../oversight/serving.ts';
import { dayOf, nextSlot, phaseMs } from '../oversight/slot.ts';
import { lockWatchers, type Watcher, writeServed } from '../oversight/watchers.ts';

/** at: when it was looked; seenAt: the observation that is known since. */
export type Sight = { code: string; at: number; seenAt: number };

export async function serveWatchers(tx: Transaction, sights: readonly Sight[]): Promise<void> {
  if (sights.length === 0) return;
  const codes = sights.map(({ code }) => code);
  const watching = await lockWatchers(tx, codes);
  const served: Watcher[] = [];
  const outgoing: Outgoing[] = [];
  for (const sight of sights) {
    for (const watcher of watching.get(sight.code) ?? []) {
      const after = afterServing(watcher, sight);
      if (after === null) continue;
      const day = dayOf(sight.at);
      if (after.chargedOn !== day) {
        outgoing.push(dayToPay(after, { day, at: sight.at }));
        after.chargedOn = day;
      }
      served.push(after);
    }
  }
  await writeServed(tx, served);
  await insertOutgoing(tx, outgoing);
  const intervals = await readIntervals(tx, codes);
  await moveOn(
    tx,
    sights.flatMap(({ code, at }) => {
      const seconds = intervals.get(code);
      if (seconds === undefined) return [];
      return [{ code, at, nextDueAt: nextSlot(at, phaseMs(code), seconds * 1000) }];
    }),
  );
}

function dayToPay(watcher: Watcher, { day, at }: { day: number; at: number }): Outgoing {
  const { code, accountId, trackedId, tier } = watcher;
  return { kind: 'served', code, accountId, trackedId, tier, day, at, body: null };
}
