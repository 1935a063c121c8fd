// Creates a product with many sellers and a long history in seconds, by inserting its runs
// directly.
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import type { Database } from '../../src/database/database.ts';
import { HOUR_SECONDS, SECOND_MS } from '../../src/foundation/time.ts';
import type { Observation } from '../../src/history/observation.ts';
import { packRuns } from '../../src/history/packed-observations.ts';
import { insertRuns, RUN_BYTES_MAX, type Stream } from '../../src/history/runs.ts';
import type { Service } from './service.ts';

const OBSERVATIONS_PER_INSERT = 250;

export const sellerAt = (index: number) => `Seller ${String(index).padStart(4, '0')}`;
const centsAt = (seller: number, hour: number) =>
  1_000 + seller + ((Math.floor(hour / 24) * 7 + seller) % 90);

function observationAt(atSeconds: number, sellers: number): Observation {
  const hour = Math.floor(atSeconds / HOUR_SECONDS);
  return {
    atSeconds,
    buybox: { priceCents: centsAt(0, hour), sellerName: sellerAt(0) },
    rank: undefined,
    offers: Array.from({ length: sellers }, (_, seller) => ({
      sellerName: sellerAt(seller),
      priceCents: centsAt(seller, hour),
      shippingCents: 0,
      unitsInStock: (hour + seller) % 40,
    })),
    offersComplete: true,
  };
}

/** Adds hourly observations until `nowMs`. The last one is recorded through recordSnapshots. */
export async function addLongHistory(
  service: Service,
  input: { code: string; sellers: number; days: number; nowMs: number },
): Promise<void> {
  const { code, sellers, days, nowMs } = input;
  const lastAtSeconds = Math.floor(nowMs / SECOND_MS);
  const hours = days * 24;
  for (let from = hours; from > 0; from -= OBSERVATIONS_PER_INSERT) {
    const observations: Observation[] = [];
    for (let back = from; back > Math.max(0, from - OBSERVATIONS_PER_INSERT); back--)
      observations.push(observationAt(lastAtSeconds - back * HOUR_SECONDS, sellers));
    await insertObservations(service.app.db, code, observations);
  }
  const last = observationAt(lastAtSeconds, sellers);
  await recordSnapshots(service.app, [
    {
      code,
      gtins: [],
      observedAtMs: lastAtSeconds * SECOND_MS,
      rank: undefined,
      offersComplete: true,
      buybox: last.buybox,
      offers: last.offers?.map((offer) => ({ ...offer, lastUpdatedAtMs: null })),
    },
  ]);
}

async function insertObservations(
  db: Database,
  code: string,
  observations: readonly Observation[],
): Promise<void> {
  const parts: Record<Stream, Observation[]> = {
    box: observations.map((observation) => ({
      ...observation,
      offers: undefined,
      offersComplete: false,
    })),
    shelf: observations.map((observation) => ({ ...observation, buybox: undefined })),
  };
  await db.transaction(async (tx) => {
    for (const stream of ['box', 'shelf'] as const) {
      const runs = packRuns(parts[stream], RUN_BYTES_MAX);
      await insertRuns(
        tx,
        runs.map((run) => ({ code, stream, run })),
      );
    }
  });
}
