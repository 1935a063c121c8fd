// GET /session/tracked/{id}/history: price and stock of a tracked product since it was added, at the cadence of its tier.
// Free: its days have paid for it.
import { Type } from 'typebox';
import { createPause } from '../../background/slices.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../foundation/log.ts';
import { dollars } from '../../foundation/money.ts';
import { startShelf } from '../../history/as-of.ts';
import type { Look } from '../../history/look.ts';
import { walkLooks } from '../../history/walk-looks.ts';
import { phaseMs, slotStart } from '../../oversight/slot.ts';
import { intervalSeconds } from '../../oversight/tier.ts';
import type { TrackedProduct } from '../../oversight/tracked-products.ts';
import { readSeen } from '../../oversight/watchers.ts';
import { type Door, door } from '../metered.ts';
import { ById, ownProduct } from '../oversight-products.ts';
import { DateTime, isoTime, nullable } from '../wire.ts';
import { SESSION_PATH } from './session-door.ts';

export const TRACKED_SESSION_PATH = `${SESSION_PATH}/tracked`;
export const Usd = Type.Number({ description: 'USD' });
export const Units = nullable(Type.Integer({ minimum: 0, description: 'null when unknown' }));

/** The look-up that adds a product may use an observation that is this much older. */
const FIRST_LOOK_BACK_MS = 15 * 60_000;

export function trackedHistoryDoor(deps: { db: Database; log: Log }): Door {
  return door({
    tag: 'Session',
    bucket: 'account',
    method: 'GET',
    path: `${TRACKED_SESSION_PATH}/:id/history`,
    operation: 'session-tracked-history',
    summary: 'Price and stock of a tracked product since it was added, at the cadence of its tier',
    params: ById,
    answers: {
      200: Type.Object({
        from: DateTime('When it was added'),
        points: Type.Array(
          Type.Object({
            date: DateTime('When it was seen'),
            price: nullable(Usd),
            units_in_stock: Units,
          }),
        ),
      }),
    },
    errors: [404],
    heavy: () => true,
    async respond({ params, caller, inTurn }) {
      const tracked = await ownProduct(deps, params.id, caller);
      const { code, accountId, createdAt } = tracked;
      const seenAt = (await readSeen(deps.db, { accountId, codes: [code] })).get(code) ?? null;
      const from = isoTime(createdAt);
      if (seenAt === null) return { json: { from, points: [] } };
      const looks = walkLooks({ ...deps, inTurn }, code, {
        fromAt: Math.floor((createdAt - FIRST_LOOK_BACK_MS) / 1000),
        toAt: Math.floor(seenAt / 1000) + 1,
      });
      return { json: { from, points: await pointsOf(tracked, looks) } };
    },
  });
}

type Point = { date: string; price: number | null; units_in_stock: number | null };

/** One point for each slot: the first look in it, as its own tier would have seen it. */
async function pointsOf(tracked: TrackedProduct, looks: AsyncIterable<Look>): Promise<Point[]> {
  const phase = phaseMs(tracked.code);
  const intervalMs = intervalSeconds(tracked.tier) * 1000;
  const points: Point[] = [];
  const shelf = startShelf();
  const pause = createPause();
  let slot: number | null = null;
  for await (const look of looks) {
    shelf.see(look);
    await pause();
    const at = look.atSeconds * 1000;
    const own = slotStart(at, phase, intervalMs);
    if (own === slot) continue;
    slot = own;
    const { buybox, unitsInStock } = shelf.now();
    points.push({
      date: isoTime(at),
      price: buybox == null ? null : dollars(buybox.priceCents),
      units_in_stock: unitsInStock,
    });
  }
  return points;
}
