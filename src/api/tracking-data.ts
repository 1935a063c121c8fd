// The data of a tracked product that a customer sees: the values as of the last slot of its tier on
// its last paid day, and for days paid at tier 0 every seller with its prices.
import { Type } from 'typebox';
import type { BookingDeps } from '../credits/book-entries.ts';
import { creditCount } from '../credits/credit-count.ts';
import { dollars } from '../foundation/money.ts';
import { Problem } from '../foundation/problem.ts';
import { DAY_MS } from '../foundation/time.ts';
import { readAsOf } from '../history/as-of.ts';
import { walkObservations } from '../history/walk-observations.ts';
import { chargeDays, type DayOutcome, refuseClosed } from '../tracking/charge-tracking.ts';
import type { PaidSpan } from '../tracking/paid-day.ts';
import { readPaidDays } from '../tracking/read-paid-days.ts';
import { readCollectionStatus } from '../tracking/schedule.ts';
import type { CollectionStatus } from '../tracking/schedule-row.ts';
import { DAYS_SHOWN } from '../tracking/settle-days.ts';
import { dayOf } from '../tracking/slot.ts';
import { syncAfterChange } from '../tracking/sync-watchers.ts';
import type { Tier } from '../tracking/tier.ts';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import { setSuspended } from '../tracking/tracked-products.ts';
import { findWatcher } from '../tracking/watchers.ts';
import type { Parts, TakeTurn } from './heavy-requests.ts';
import { paidObservations, paidView } from './paid-view.ts';
import { sellerParts } from './seller-prices.ts';
import { DateTime, isoTime, nullable, PricePoint } from './wire.ts';

const Usd = Type.Number({ description: 'USD' });
const Units = nullable(Type.Integer({ minimum: 0, description: 'null when unknown' }));

const SellerRecord = Type.Object(
  {
    seller_name: Type.String(),
    price: Usd,
    units_in_stock: Units,
    last_updated: DateTime('When the offer was observed'),
    price_history: Type.Array(PricePoint),
  },
  { title: 'TrackedSeller' },
);

export const TrackingData = Type.Object({
  tracking_data: nullable(
    Type.Object(
      {
        current_price: nullable(Type.Number({ description: 'USD; null if there is no buybox.' })),
        units_in_stock: Units,
        last_updated: DateTime('When the data was observed'),
        sellers: Type.Optional(
          Type.Array(SellerRecord, {
            description: 'Only for a day paid at tier 0; the prices are those of such days.',
          }),
        ),
      },
      { title: 'TrackingData' },
    ),
  ),
  collection: Type.Object(
    {
      last_collected_at: nullable(DateTime('When the product was last collected')),
      next_due_at: nullable(DateTime('When the next collection is due; null while suspended')),
      consecutive_failures: Type.Integer({ minimum: 0 }),
    },
    { title: 'CollectionStatus' },
  ),
});

export type TrackingDeps = BookingDeps;

export type Tracking = {
  json: { tracking_data: Record<string, unknown> | null; collection: Record<string, unknown> };
  /** For a day paid at tier 0: the sellers' records, written after the rest of `tracking_data`. */
  sellers: Parts | null;
  isSuspended: boolean;
};

/** The charge for the day, or the data shown if the day cannot be paid. */
type BegunDay = { booked: { credits: number; remaining: number } } | { unpaid: Tracking };

/**
 * Reads the data that is shown once the day is paid. `beginDay` makes the charge after the read, so
 * that a failed read costs nothing. A day that cannot be paid suspends the product, which then
 * shows its last paid day.
 */
export async function readTracking(
  deps: TrackingDeps & { takeTurn: TakeTurn },
  tracked: TrackedProduct & { delistedAtMs?: number | undefined },
  { historyDays, creditsMax }: { historyDays: number; creditsMax: number | undefined },
): Promise<Tracking & { beginDay: (() => Promise<BegunDay>) | null }> {
  const { code, accountId, tier } = tracked;
  const today = dayOf(deps.clock.nowMs());
  const [watcher, health, paidDays] = await Promise.all([
    findWatcher(deps.db, { code, accountId }),
    readCollectionStatus(deps.db, code),
    readPaidDays(deps.db, { accountId, codes: [code], fromDay: today - DAYS_SHOWN }),
  ]);
  const paid = paidDays.get(code) ?? [];
  const seenAtMs = watcher?.seenAtMs ?? null;
  const collection = collectionRecord(health);
  const shown = async (spans: readonly PaidSpan[], isSuspended: boolean): Promise<Tracking> => {
    const data = await readShown(deps, { code, seenAtMs, paid: spans, today, historyDays });
    const json = { tracking_data: data?.values ?? null, collection };
    return { json, sellers: data?.sellers ?? null, isSuspended };
  };
  // A delisted product has nothing new to show: its days are not charged.
  if (seenAtMs === null || tracked.isSuspended || tracked.delistedAtMs !== undefined) {
    return { ...(await shown(paid, tracked.isSuspended)), beginDay: null };
  }
  const withToday = [...paid, { fromDay: today, toDay: today, tier }];
  return {
    ...(await shown(withToday, false)),
    async beginDay() {
      const outcome = await chargeToday(deps, { tracked, day: today, creditsMax });
      if (!outcome.paid) return { unpaid: await shown(paid, true) };
      return { booked: { credits: outcome.charged, remaining: outcome.remaining } };
    },
  };
}

/** The values of the last paid day, and its sellers at the finest tier; null if no day was paid. */
async function readShown(
  deps: TrackingDeps,
  input: {
    code: string;
    seenAtMs: number | null;
    paid: readonly PaidSpan[];
    today: number;
    historyDays: number;
  },
): Promise<{ values: Record<string, unknown>; sellers: Parts | null } | null> {
  const { code, paid } = input;
  const view = await paidView(deps, input);
  if (view === null) return null;
  const { seenAtMs } = view;
  const shelf = await readAsOf(deps, { code, atMs: seenAtMs });
  const values = {
    current_price: shelf.buybox == null ? null : dollars(shelf.buybox.priceCents),
    units_in_stock: shelf.unitsInStock,
    last_updated: isoTime(seenAtMs),
  };
  const toAtSeconds = Math.floor(seenAtMs / 1000) + 1;
  const fromAtSeconds = Math.floor((seenAtMs - input.historyDays * DAY_MS) / 1000);
  const walk = () =>
    paidObservations(walkObservations(deps, code, { fromAtSeconds, toAtSeconds }), {
      paid,
      tier: FINEST,
      view,
    });
  return { values, sellers: view.tier === FINEST ? sellerParts(shelf.offers, walk) : null };
}

const FINEST: Tier = 0;

/** Streams a record with its tracking data and sellers. */
export async function* recordParts(
  { tracking_data, collection, ...record }: Record<string, unknown>,
  sellers: Parts,
): Parts {
  const start = JSON.stringify({ ...record, tracking_data }).slice(0, -2);
  yield `${start},"sellers":[`;
  yield* sellers;
  yield `]},"collection":${JSON.stringify(collection)}}`;
}

async function chargeToday(
  deps: TrackingDeps,
  input: { tracked: TrackedProduct; day: number; creditsMax: number | undefined },
): Promise<DayOutcome> {
  const { day, creditsMax = Number.POSITIVE_INFINITY } = input;
  const { accountId, code, tier, trackedId } = input.tracked;
  let suspended: TrackedProduct[] = [];
  const [outcome] = await chargeDays(
    deps,
    [{ accountId, code, day, tier }],
    async (tx, [charge]) => {
      refuseClosed(charge);
      refuseAbove(charge, creditsMax);
      if (!charge?.paid) suspended = await setSuspended(tx, [{ accountId, trackedId }], true);
    },
  );
  for (const one of suspended) await syncAfterChange(deps, one);
  return outcome as DayOutcome;
}

/**
 * Also checked when the day cannot be paid: a caller who allows less than the day costs does not
 * want the product suspended.
 */
function refuseAbove(outcome: DayOutcome | undefined, creditsMax: number): void {
  if (outcome === undefined) return;
  const cost = outcome.paid ? outcome.charged : outcome.required;
  if (cost <= creditsMax) return;
  throw new Problem(
    'max_credits_exceeded',
    `This day costs ${creditCount(cost)}; \`x-max-credits\` allows ${creditsMax}. Nothing was charged.`,
    { field: 'x-max-credits', details: { credits_required: cost, credits_max: creditsMax } },
  );
}

const collectionRecord = (health: CollectionStatus | undefined) => ({
  last_collected_at: timeOrNull(health?.lastCollectedAtMs),
  next_due_at: timeOrNull(health?.nextDueAtMs),
  consecutive_failures: health?.consecutiveFailures ?? 0,
});

const timeOrNull = (atMs: number | null | undefined) =>
  atMs === null || atMs === undefined ? null : isoTime(atMs);
