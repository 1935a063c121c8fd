// GET /session/tracked/{id}/sellers: price and stock of every seller on the days of a tracked
// product that were paid at tier 0. Free, because the days are paid.
import { Type } from 'typebox';
import { createPause } from '../../background/slices.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { dollars } from '../../foundation/money.ts';
import { DAY_MS, SECOND_MS } from '../../foundation/time.ts';
import { createOfferTimeline, type OfferPoint } from '../../history/offer-timeline.ts';
import { walkObservations } from '../../history/walk-observations.ts';
import { readPaidDays } from '../../tracking/read-paid-days.ts';
import { DAYS_SHOWN } from '../../tracking/settle-days.ts';
import { dayOf } from '../../tracking/slot.ts';
import { readSeen } from '../../tracking/watchers.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { paidObservations, paidView } from '../paid-view.ts';
import { ById, ownProduct } from '../tracked-products.ts';
import { DateTime, isoSeconds, nullable } from '../wire.ts';
import { FIRST_OBSERVATION_AGE_MAX_MS, TRACKED_SESSION_PATH } from './tracked-history.ts';

const FINEST = 0;

const SellerColumns = Type.Object(
  {
    seller_name: Type.String(),
    at_seconds: Type.Array(Type.Integer(), { description: 'When each change was observed' }),
    prices: Type.Array(nullable(Type.Number()), {
      description: 'USD with shipping; null while the seller has no offer or is not observed',
    }),
    units_in_stock: Type.Array(nullable(Type.Integer()), {
      description: 'null when unknown or without an offer',
    }),
  },
  { title: 'TrackedSellerColumns' },
);

/** In columns: a year of twenty sellers has hundreds of thousands of changes. */
type SellerColumnsRecord = {
  seller_name: string;
  at_seconds: number[];
  prices: (number | null)[];
  units_in_stock: (number | null)[];
};

export function trackedSellersEndpoint(deps: { db: Database; log: Log; clock: Clock }): Endpoint {
  return endpoint({
    tag: 'Session',
    bucket: 'account',
    method: 'GET',
    path: `${TRACKED_SESSION_PATH}/:id/sellers`,
    operation: 'session-tracked-sellers',
    operationId: 'session.getTrackedSellers',
    summary: 'Changes of price and stock of every seller on the days paid at tier 0',
    params: ById,
    responses: {
      200: Type.Object(
        {
          to: nullable(DateTime('Until when the last values hold; null if no such day was paid')),
          sellers: Type.Array(SellerColumns),
        },
        { title: 'TrackedSellers' },
      ),
    },
    errors: [404],
    heavy: () => true,
    async respond({ params, caller, takeTurn }) {
      const { code, accountId, createdAtMs } = await ownProduct(deps, params.id, caller);
      const today = dayOf(deps.clock.nowMs());
      const spans = { accountId, codes: [code], fromDay: today - DAYS_SHOWN };
      const [seen, paidDays] = await Promise.all([
        readSeen(deps.db, { accountId, codes: [code] }),
        readPaidDays(deps.db, spans),
      ]);
      const seenAtMs = seen.get(code)?.seenAtMs ?? null;
      const paid = (paidDays.get(code) ?? []).filter(({ tier }) => tier === FINEST);
      const view = await paidView(deps, { code, seenAtMs, paid, today });
      if (view === null) return { json: { to: null, sellers: [] } };
      const addedAtMs = createdAtMs - FIRST_OBSERVATION_AGE_MAX_MS;
      const fromAtMs = Math.max(addedAtMs, (today - DAYS_SHOWN) * DAY_MS);
      const range = {
        fromAtSeconds: Math.floor(fromAtMs / SECOND_MS),
        toAtSeconds: Math.floor(view.seenAtMs / SECOND_MS) + 1,
      };
      const timeline = createOfferTimeline(range, { changesOnly: true });
      const columns = createColumns();
      const pause = createPause();
      const walked = walkObservations({ ...deps, takeTurn }, code, range);
      for await (const observation of paidObservations(walked, { paid, tier: FINEST, view })) {
        columns.add(timeline.add(observation));
        await pause();
      }
      columns.add(timeline.finish());
      return { json: { to: isoSeconds(range.toAtSeconds), sellers: columns.sellers() } };
    },
  });
}

function createColumns() {
  const bySeller = new Map<string, SellerColumnsRecord>();
  return {
    add(points: readonly OfferPoint[]): void {
      for (const { sellerName, atSeconds, priceCents, shippingCents, unitsInStock } of points) {
        let seller = bySeller.get(sellerName);
        if (seller === undefined) {
          seller = { seller_name: sellerName, at_seconds: [], prices: [], units_in_stock: [] };
          bySeller.set(sellerName, seller);
        }
        const price = priceCents === null ? null : dollars(priceCents + (shippingCents ?? 0));
        seller.at_seconds.push(atSeconds);
        seller.prices.push(price);
        seller.units_in_stock.push(unitsInStock);
      }
    },
    sellers: () => [...bySeller.values()],
  };
}
