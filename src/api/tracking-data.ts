// What a customer sees of a tracked product: the values as of the last slot of its own tier, and for tier 0 every
// seller with its prices.
import { Type } from 'typebox';
import type { BookingDeps } from '../credits/book-entries.ts';
import { dollars } from '../foundation/money.ts';
import { readAsOf } from '../history/as-of.ts';
import { walkLooks } from '../history/walk-looks.ts';
import { chargeDays, refuseClosed } from '../oversight/charge-tracking.ts';
import { readStanding, type Standing } from '../oversight/schedule.ts';
import { DAY_MS, dayOf } from '../oversight/slot.ts';
import { syncAfterChange } from '../oversight/sync-watchers.ts';
import { setSuspended, type TrackedProduct } from '../oversight/tracked-products.ts';
import { findWatcher } from '../oversight/watchers.ts';
import type { InTurn, Parts } from './heavy-requests.ts';
import { sellerParts } from './seller-prices.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

const Usd = Type.Number({ description: 'USD' });
const Units = nullable(Type.Integer({ minimum: 0, description: 'null when unknown' }));

const SellerRecord = Type.Object({
  seller_name: Type.String(),
  price: Usd,
  units_in_stock: Units,
  last_updated: DateTime('When the offer was seen'),
  price_history: Type.Array(Type.Object({ date: DateTime('When it was seen'), price: Usd })),
});

export const TrackingData = Type.Object({
  tracking_data: nullable(
    Type.Object({
      current_price: nullable(Type.Number({ description: 'USD; null while there is no buybox.' })),
      units_in_stock: Units,
      last_updated: DateTime('Time of the observation this was read from'),
      sellers: Type.Optional(Type.Array(SellerRecord, { description: 'Tier 0 only.' })),
    }),
  ),
  collection: Type.Object({
    last_collected_at: nullable(DateTime('When it was collected last')),
    next_due_at: nullable(DateTime('When it is due next; null while suspended')),
    consecutive_failures: Type.Integer({ minimum: 0 }),
  }),
});

export type TrackingDeps = BookingDeps;

type Tracking = {
  json: { tracking_data: Record<string, unknown> | null; collection: Record<string, unknown> };
  /** Of tier 0: the records of all sellers, to be written behind the other members of tracking_data. */
  sellers: Parts | null;
  isSuspended: boolean;
};

/** Begins the day, unless it is paid or cannot be: then the product is suspended and shows what it showed last. */
export async function readTracking(
  deps: TrackingDeps & { inTurn: InTurn },
  tracked: TrackedProduct,
  { historyDays }: { historyDays: number },
): Promise<Tracking> {
  const { code, accountId, tier } = tracked;
  const [watcher, standing] = await Promise.all([
    findWatcher(deps.db, { code, accountId }),
    readStanding(deps.db, code),
  ]);
  const seenAt = watcher?.seenAt ?? null;
  const collection = collectionRecord(standing);
  if (seenAt === null) {
    const json = { tracking_data: null, collection };
    return { json, sellers: null, isSuspended: tracked.isSuspended };
  }
  const isSuspended = tracked.isSuspended || !(await beginDay(deps, tracked));
  const shelf = await readAsOf(deps, { code, at: seenAt });
  const data = {
    current_price: shelf.buybox == null ? null : dollars(shelf.buybox.priceCents),
    units_in_stock: shelf.unitsInStock,
    last_updated: isoTime(seenAt),
  };
  const toAt = Math.floor(seenAt / 1000) + 1;
  const fromAt = Math.floor((seenAt - historyDays * DAY_MS) / 1000);
  const walk = () => walkLooks(deps, code, { fromAt, toAt });
  const sellers = tier === 0 ? sellerParts(shelf.offers, walk) : null;
  return { json: { tracking_data: data, collection }, sellers, isSuspended };
}

/** A record with its tracking data, whose sellers are written while they are sent. */
export async function* recordParts(
  { tracking_data, collection, ...record }: Record<string, unknown>,
  sellers: Parts,
): Parts {
  const start = JSON.stringify({ ...record, tracking_data }).slice(0, -2);
  yield `${start},"sellers":[`;
  yield* sellers;
  yield `]},"collection":${JSON.stringify(collection)}}`;
}

async function beginDay(deps: TrackingDeps, tracked: TrackedProduct): Promise<boolean> {
  const { accountId, code, tier, trackedId } = tracked;
  const day = dayOf(deps.clock.nowMs());
  let suspended: TrackedProduct[] = [];
  const [outcome] = await chargeDays(deps, [{ accountId, code, day, tier }], async (tx, [own]) => {
    refuseClosed(own);
    if (!own?.paid) suspended = await setSuspended(tx, [{ accountId, trackedId }], true);
  });
  for (const one of suspended) await syncAfterChange(deps, one);
  return outcome?.paid === true;
}

const collectionRecord = (standing: Standing | undefined) => ({
  last_collected_at: timeOrNull(standing?.lastCollectedAt),
  next_due_at: timeOrNull(standing?.nextDueAt),
  consecutive_failures: standing?.consecutiveFailures ?? 0,
});

const timeOrNull = (at: number | null | undefined) =>
  at === null || at === undefined ? null : isoTime(at);
