// Serving those who watch a product with a look at it: what each sees, what changed for it, the day that must be
// paid, the next slot. In the transaction that records the look, after the products' rows are locked.
import type { Product } from '../catalog/product.ts';
import type { Transaction } from '../database/database.ts';
import { type ObservedLook, totalUnits } from '../events/observed-look.ts';
import { toldChanges } from '../events/told-changes.ts';
import { readUnitsPerDay } from '../history/daily-sales.ts';
import { insertOutgoing, type Outgoing } from '../oversight/outgoing.ts';
import { moveOn, type Place } from '../oversight/schedule.ts';
import { afterServing } from '../oversight/serving.ts';
import { dayOf, nextSlot, phaseMs } from '../oversight/slot.ts';
import { lockWatchers, servedState, type Watcher, writeServed } from '../oversight/watchers.ts';
import { detectFor, lookOfProduct } from './detect-for-watchers.ts';

/** `at`: when it was looked, and the product as it is known since. */
export type Sight = { at: number; product: Product; isDelisting: boolean };

/** What has no place on the schedule is watched by nobody. */
/** Answers how much was left to be carried over to accounts. */
export async function serveWatchers(
  tx: Transaction,
  all: readonly Sight[],
  places: ReadonlyMap<string, Place>,
): Promise<number> {
  const sights = all.filter(({ product }) => places.has(product.code));
  if (sights.length === 0) return 0;
  const codes = sights.map(({ product }) => product.code);
  const watching = await lockWatchers(tx, codes);
  const served: Watcher[] = [];
  const outgoing: Outgoing[] = [];
  const watched = codes.filter((code) => watching.has(code));
  const unitsPerDay = watched.length === 0 ? new Map() : await readUnitsPerDay(tx, watched);
  for (const sight of sights) {
    const watchers = watching.get(sight.product.code);
    if (watchers === undefined) continue;
    const look = lookOfProduct(sight.product);
    const usual = unitsPerDay.get(sight.product.code) ?? null;
    for (const watcher of watchers) {
      const after = serve(watcher, sight, { look, usual });
      if (after === null) continue;
      served.push(after.watcher);
      if (after.outgoing !== null) outgoing.push(after.outgoing);
    }
  }
  await writeServed(tx, served);
  await insertOutgoing(tx, outgoing);
  await moveSlots(
    tx,
    sights.filter(({ isDelisting }) => !isDelisting),
    places,
  );
  return outgoing.length;
}

/** A delisting is nobody's slot and costs nothing, but those who watch are told. */
function serve(
  watcher: Watcher,
  sight: Sight,
  { look, usual }: { look: ObservedLook; usual: number | null },
): { watcher: Watcher; outgoing: Outgoing | null } | null {
  const { at, product, isDelisting } = sight;
  const seenAt = product.observedAt;
  const after = isDelisting
    ? { ...watcher, seenAt: Math.max(seenAt, watcher.seenAt ?? 0) }
    : afterServing(watcher, { at, seenAt });
  if (after === null || watcher.isSuspended) return null;
  const { events, state } = detectFor(watcher, look, usual);
  const day = dayOf(at);
  const mustPay = !isDelisting && after.chargedOn !== day;
  const { code, accountId, trackedId, tier } = watcher;
  const outgoing: Outgoing | null =
    mustPay || events.length > 0
      ? {
          ...{
            kind: isDelisting ? 'delisted' : 'served',
            code,
            accountId,
            trackedId,
            tier,
            day,
            at,
          },
          body: events.length === 0 ? null : toldChanges(events, product, totalUnits(look)),
          before: isDelisting ? null : servedState(watcher),
        }
      : null;
  return {
    watcher: { ...after, state, chargedOn: mustPay ? day : after.chargedOn },
    outgoing,
  };
}

async function moveSlots(
  tx: Transaction,
  sights: readonly Sight[],
  places: ReadonlyMap<string, Place>,
): Promise<void> {
  await moveOn(
    tx,
    sights.map(({ at, product: { code } }) => {
      const { intervalSeconds } = places.get(code) as Place;
      return { code, at, nextDueAt: nextSlot(at, phaseMs(code), intervalSeconds * 1000) };
    }),
  );
}
