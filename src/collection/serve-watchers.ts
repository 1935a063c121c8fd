// Serving those who watch a product with a look at it: what each sees, what changed for it, the day that must be
// paid, the next slot. In the transaction that records the look, after the products' rows are locked.
import type { Product } from '../catalog/product.ts';
import type { Transaction } from '../database/database.ts';
import { type ObservedLook, type Parts, totalUnits } from '../events/observed-look.ts';
import { toldChanges } from '../events/told-changes.ts';
import { readUnitsPerDay } from '../history/daily-sales.ts';
import { insertOutgoing, type Outgoing } from '../oversight/outgoing.ts';
import { moveOn, type Place, type Served } from '../oversight/schedule.ts';
import { afterServing } from '../oversight/serving.ts';
import { dayOf, nextSlot, phaseMs } from '../oversight/slot.ts';
import { lockWatchers, servedState, type Watcher, writeServed } from '../oversight/watchers.ts';
import { detectFor, lookOfProduct } from './detect-for-watchers.ts';

/** When it was looked, the product as it is known since, and what of it was seen this time. */
export type Sight = { at: number; product: Product; observed: Parts; isDelisting: boolean };

/**
 * Serves watchers with looks, those at one product in the order of time, each as if it had come alone. What has no
 * place on the schedule is watched by nobody. Answers how much was left to be carried over to accounts.
 */
export async function serveWatchers(
  tx: Transaction,
  all: readonly Sight[],
  places: ReadonlyMap<string, Place>,
): Promise<number> {
  const sights = all.filter(({ product }) => places.has(product.code));
  if (sights.length === 0) return 0;
  const codes = [...new Set(sights.map(({ product }) => product.code))];
  const watching = await lockWatchers(tx, codes);
  const watched = codes.filter((code) => watching.has(code));
  const unitsPerDay = watched.length === 0 ? new Map() : await readUnitsPerDay(tx, watched);
  const { served, outgoing } = serveAll(sights, watching, unitsPerDay);
  await writeServed(tx, served);
  await insertOutgoing(tx, outgoing);
  await moveSlots(
    tx,
    sights.filter(({ isDelisting }) => !isDelisting),
    places,
  );
  return outgoing.length;
}

/** Each watcher after all of the looks, once; its state only where that is another now. */
function serveAll(
  sights: readonly Sight[],
  watching: ReadonlyMap<string, readonly Watcher[]>,
  unitsPerDay: ReadonlyMap<string, number>,
): { served: Watcher[]; outgoing: Outgoing[] } {
  const outgoing: Outgoing[] = [];
  const latest = new Map<Watcher, Watcher>();
  for (const sight of sights) {
    const { code } = sight.product;
    const usual = unitsPerDay.get(code) ?? null;
    let seen: ObservedLook | undefined;
    const look = () => {
      seen ??= lookOfProduct(sight.product, sight.observed);
      return seen;
    };
    for (const locked of watching.get(code) ?? []) {
      const after = serve(latest.get(locked) ?? locked, sight, { look, usual });
      if (after === null) continue;
      latest.set(locked, after.watcher);
      if (after.outgoing !== null) outgoing.push(after.outgoing);
    }
  }
  const served = [...latest].map(([before, after]) =>
    after.state === before.state ? { ...after, state: null } : after,
  );
  return { served, outgoing };
}

/** A delisting is nobody's slot and costs nothing, but those who watch are told. */
function serve(
  watcher: Watcher,
  sight: Sight,
  { look, usual }: { look: () => ObservedLook; usual: number | null },
): { watcher: Watcher; outgoing: Outgoing | null } | null {
  const { at, product, isDelisting } = sight;
  const seenAt = product.observedAt;
  const after = isDelisting
    ? { ...watcher, seenAt: Math.max(seenAt, watcher.seenAt ?? 0) }
    : afterServing(watcher, { at, seenAt });
  if (after === null || watcher.isSuspended) return null;
  const { events, state } = detectFor(watcher, look(), usual);
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
          body: events.length === 0 ? null : toldChanges(events, product, totalUnits(look())),
          before: isDelisting ? null : servedState(watcher),
        }
      : null;
  return {
    watcher: {
      ...after,
      state: state ?? watcher.state,
      chargedOn: mustPay ? day : after.chargedOn,
    },
    outgoing,
  };
}

async function moveSlots(
  tx: Transaction,
  sights: readonly Sight[],
  places: ReadonlyMap<string, Place>,
): Promise<void> {
  // Of several looks at a product only the first of the last slot: one by one, the others would leave no trace.
  const moves = new Map<string, Served>();
  for (const { at, product } of sights) {
    const { code } = product;
    const { intervalSeconds } = places.get(code) as Place;
    const nextDueAt = nextSlot(at, phaseMs(code), intervalSeconds * 1000);
    if (moves.get(code)?.nextDueAt !== nextDueAt) moves.set(code, { code, at, nextDueAt });
  }
  await moveOn(tx, [...moves.values()]);
}
