// GET /session/tracked/{id}/history: price and stock of a tracked product on its paid days, at the
// interval of each day's tier. Free, because the days are paid.
import { Type } from 'typebox';
import { createPause } from '../../background/slices.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { dollars } from '../../foundation/money.ts';
import { createShelf } from '../../history/as-of.ts';
import type { Observation } from '../../history/observation.ts';
import { walkObservations } from '../../history/walk-observations.ts';
import { type PaidSpan, tierOn } from '../../tracking/paid-day.ts';
import { readPaidDays } from '../../tracking/read-paid-days.ts';
import { DAYS_SHOWN } from '../../tracking/settle-days.ts';
import { dayOf, phaseMs, slotStart } from '../../tracking/slot.ts';
import { intervalSeconds, type Tier } from '../../tracking/tier.ts';
import { readSeen } from '../../tracking/watchers.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { type PaidView, paidView } from '../paid-view.ts';
import { ById, ownProduct } from '../tracked-products.ts';
import { DateTime, isoTime, nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

export const TRACKED_SESSION_PATH = `${SESSION_PATH}/tracked`;
export const Usd = Type.Number({ description: 'USD' });
export const Units = nullable(Type.Integer({ minimum: 0, description: 'null when unknown' }));

/** Adding a product may use an observation that is up to this much older. */
export const FIRST_OBSERVATION_AGE_MAX_MS = 15 * 60_000;

export function trackedHistoryEndpoint(deps: { db: Database; log: Log; clock: Clock }): Endpoint {
  return endpoint({
    tag: 'Session',
    bucket: 'account',
    method: 'GET',
    path: `${TRACKED_SESSION_PATH}/:id/history`,
    operation: 'session-tracked-history',
    operationId: 'session.getTrackedHistory',
    summary:
      'Price and stock of a tracked product on its paid days, at the interval of each day’s tier',
    params: ById,
    responses: {
      200: Type.Object(
        {
          from: DateTime('When the product was added'),
          points: Type.Array(
            Type.Object(
              {
                date: DateTime('When the values were observed'),
                price: nullable(Usd),
                units_in_stock: Units,
                buybox_seller: nullable(
                  Type.String({ description: 'null when nobody, or nobody named, held it' }),
                ),
                suppressed: Type.Boolean({ description: 'Nobody held the buybox.' }),
                rank: nullable(Type.Integer({ minimum: 0, description: 'null when not observed' })),
              },
              { title: 'TrackedPoint' },
            ),
          ),
          rank_category: nullable(
            Type.String({ description: 'The category of the ranks: that of the newest one.' }),
          ),
        },
        { title: 'TrackedHistory' },
      ),
    },
    errors: [404],
    heavy: () => true,
    async respond({ params, caller, takeTurn }) {
      const tracked = await ownProduct(deps, params.id, caller);
      const { code, accountId, createdAtMs } = tracked;
      const today = dayOf(deps.clock.nowMs());
      const seenAtMs =
        (await readSeen(deps.db, { accountId, codes: [code] })).get(code)?.seenAtMs ?? null;
      const spans = { accountId, codes: [code], fromDay: today - DAYS_SHOWN };
      const paid = (await readPaidDays(deps.db, spans)).get(code) ?? [];
      const view = await paidView(deps, { code, seenAtMs, paid, today });
      const from = isoTime(createdAtMs);
      if (view === null) return { json: { from, points: [], rank_category: null } };
      const observations = walkObservations({ ...deps, takeTurn }, code, {
        fromAtSeconds: Math.floor((createdAtMs - FIRST_OBSERVATION_AGE_MAX_MS) / 1000),
        toAtSeconds: Math.floor(view.seenAtMs / 1000) + 1,
      });
      return { json: { from, ...(await pointsOf(code, observations, { paid, view })) } };
    },
  });
}

type Point = {
  date: string;
  price: number | null;
  units_in_stock: number | null;
  buybox_seller: string | null;
  suppressed: boolean;
  rank: number | null;
};

/**
 * One point per slot of the day's paid tier: the slot's first observation, as that tier saw it. The
 * visible observation is included even if it is older than the paid day that shows it.
 */
export async function pointsOf(
  code: string,
  observations: AsyncIterable<Observation>,
  { paid, view }: { paid: readonly PaidSpan[]; view: PaidView },
): Promise<{ points: Point[]; rank_category: string | null }> {
  const phase = phaseMs(code);
  const points: Point[] = [];
  const ranks: Observation['rank'][] = [];
  const shelf = createShelf();
  const pause = createPause();
  let lastSlotAtMs: number | null = null;
  let day: number | null = null;
  let tier: Tier | null = null;
  for await (const observation of observations) {
    shelf.add(observation);
    await pause();
    const observedAtMs = observation.atSeconds * 1000;
    if (dayOf(observedAtMs) !== day) {
      day = dayOf(observedAtMs);
      tier = tierOn(paid, day);
    }
    const isVisible = observation.atSeconds === Math.floor(view.seenAtMs / 1000);
    if (tier === null && !isVisible) continue;
    const slotAtMs = slotStart(observedAtMs, phase, intervalSeconds(tier ?? view.tier) * 1000);
    if (slotAtMs === lastSlotAtMs) continue;
    lastSlotAtMs = slotAtMs;
    const { buybox, unitsInStock } = shelf.current();
    points.push({
      date: isoTime(observedAtMs),
      price: buybox == null ? null : dollars(buybox.priceCents),
      units_in_stock: unitsInStock,
      buybox_seller: buybox?.sellerName ?? null,
      suppressed: buybox === null,
      rank: null,
    });
    ranks.push(observation.rank);
  }
  return { points, rank_category: addRanks(points, ranks) };
}

/** Ranks of different categories cannot be compared: only those of the newest one are added. */
function addRanks(points: readonly Point[], ranks: readonly Observation['rank'][]): string | null {
  const newest = ranks.findLast((rank) => rank !== undefined);
  points.forEach((point, index) => {
    const rank = ranks[index];
    if (rank !== undefined && rank.category === newest?.category) point.rank = rank.position;
  });
  return newest?.category ?? null;
}
