// One side of the collect bench, in its own process: collecting due products, hour after hour or
// for some seconds, or a plain upsert of one row per snapshot. Snapshots are created before the
// timing.
import { insertGtins } from '../src/catalog/products.ts';
import { createProducts } from '../src/catalog/read-batched.ts';
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { COLLECT_LIMITS, type CollectLimits, collectDue } from '../src/collection/collect-due.ts';
import { type ConnectionSettings, openDatabase, statement } from '../src/database/database.ts';
import { readLaneGroups } from '../src/database/lane-groups.ts';
import { isoTime, manualClock, monotonicMs, realNowMs, sleepMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { createMetrics } from '../src/foundation/metrics.ts';
import { HOUR_MS } from '../src/foundation/time.ts';
import { readWork } from './child.ts';
import { gtinOf, premadeSource, snapshotOf } from './premade.ts';

export type CollectSide = {
  connection: ConnectionSettings;
  codes: string[];
  /** Business time in ms; with `collect` and `upsert` that of the first hour. */
  at: number;
} & (
  | { way: 'collect' | 'upsert'; hours: number; warmUpHours: number }
  | { way: 'seconds'; responseMs: number; limits: CollectLimits; startAt: number; seconds: number }
);
export type CollectResult = { products: number; seconds: number };

const work = await readWork<CollectSide>();
const log = createLog('warn');
const db = openDatabase(work.connection, log);
db.groups.set(await readLaneGroups(db));
const clock = manualClock(work.at);

const snapshotsAt = (atMs: number) =>
  new Map(work.codes.map((code) => [code, snapshotOf(code, atMs)]));

/** Inserts the GTINs, which a long-running process would have inserted already. */
async function warmUp(): Promise<void> {
  const pairs = work.codes.map((code) => ({ code, gtin: gtinOf(code) }));
  for (let from = 0; from < pairs.length; from += 1_000) {
    await insertGtins(db, pairs.slice(from, from + 1_000));
  }
}

async function perHour(side: CollectSide & { hours: number; warmUpHours: number }) {
  const done: CollectResult = { products: 0, seconds: 0 };
  await warmUp();
  for (let hour = 0; hour < side.warmUpHours + side.hours; hour++) {
    const snapshots = snapshotsAt(clock.nowMs());
    const startedAtMs = monotonicMs();
    const products =
      side.way === 'collect' ? await collectAll(snapshots) : await upsertAll(snapshots);
    if (hour >= side.warmUpHours) {
      done.products += products;
      done.seconds += (monotonicMs() - startedAtMs) / 1_000;
    }
    clock.advanceMs(HOUR_MS);
  }
  return done;
}

async function collectAll(snapshots: Map<string, Snapshot>): Promise<number> {
  const deps = {
    db,
    products: createProducts(db),
    clock,
    log,
    source: premadeSource(snapshots),
    metrics: createMetrics(),
  };
  let products = 0;
  for (;;) {
    const some = await collectDue(deps, { isTracked: true });
    if (some === 0) return products;
    products += some;
  }
}

async function collectForSeconds(
  side: CollectSide & {
    responseMs: number;
    limits: CollectLimits;
    startAt: number;
    seconds: number;
  },
): Promise<CollectResult> {
  const source = premadeSource(snapshotsAt(side.at), side.responseMs);
  const deps = { db, products: createProducts(db), clock, log, source, metrics: createMetrics() };
  await warmUp();
  await sleepMs(Math.max(0, side.startAt - realNowMs()));
  const stopping = AbortSignal.timeout(side.seconds * 1_000);
  let products = 0;
  while (!stopping.aborted) {
    const some = await collectDue(deps, { isTracked: true, limits: side.limits, stopping });
    if (some === 0) throw new Error('nothing is due any more');
    products += some;
  }
  return { products, seconds: (realNowMs() - side.startAt) / 1_000 };
}

const UPSERT = statement(
  'bench-upsert',
  `insert into plain_snapshots (code, observed_at, gtin, brand, name, categories, price_cents,
                            seller_name, offers, rank_position, rank_category, rating, reviews)
   select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[],
                        $6::jsonb[], $7::bigint[], $8::text[], $9::jsonb[], $10::integer[],
                        $11::text[], $12::real[], $13::integer[])
   on conflict (code) do update
      set observed_at = excluded.observed_at, gtin = excluded.gtin, brand = excluded.brand,
          name = excluded.name, categories = excluded.categories,
          price_cents = excluded.price_cents, seller_name = excluded.seller_name,
          offers = excluded.offers, rank_position = excluded.rank_position,
          rank_category = excluded.rank_category, rating = excluded.rating,
          reviews = excluded.reviews`,
);

/** Uses the batch size and concurrency of collecting. */
async function upsertAll(snapshots: Map<string, Snapshot>): Promise<number> {
  const { perCall, callsMax } = COLLECT_LIMITS;
  const all = [...snapshots.values()];
  const batches: Snapshot[][] = [];
  for (let from = 0; from < all.length; from += perCall) {
    batches.push(all.slice(from, from + perCall));
  }
  const writer = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      await upsert(batch);
    }
  };
  await Promise.all(Array.from({ length: callsMax }, writer));
  return all.length;
}

async function upsert(batch: readonly Snapshot[]): Promise<void> {
  await db.query(UPSERT, [
    batch.map((snapshot) => snapshot.code),
    batch.map((snapshot) => isoTime(snapshot.observedAtMs)),
    batch.map((snapshot) => snapshot.gtins[0]),
    batch.map((snapshot) => snapshot.brand),
    batch.map((snapshot) => snapshot.name),
    batch.map((snapshot) => JSON.stringify(snapshot.categories)),
    batch.map((snapshot) => snapshot.buybox?.priceCents),
    batch.map((snapshot) => snapshot.buybox?.sellerName),
    batch.map((snapshot) => JSON.stringify(snapshot.offers)),
    batch.map((snapshot) => snapshot.rank?.position),
    batch.map((snapshot) => snapshot.rank?.category),
    batch.map((snapshot) => snapshot.customerRating),
    batch.map((snapshot) => snapshot.reviewCount),
  ]);
}

const result = await (work.way === 'seconds' ? collectForSeconds(work) : perHour(work));
await db.close();
process.stdout.write(JSON.stringify(result));
