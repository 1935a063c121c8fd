// Backfill: fetches a product's past from the marketplace once, when its history is first
// requested.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { noteBackfilled } from '../catalog/products.ts';
import type { Products } from '../catalog/read-batched.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, isoTime, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { createSingleFlight } from '../foundation/single-flight.ts';
import { DAY_MS, SECOND_MS } from '../foundation/time.ts';
import type { Source } from '../sources/source.ts';
import { heldOfIngested } from './judge-ingest.ts';
import type { LookUp } from './look-up.ts';
import { fromPayload, toPayload } from './quarantined-snapshot.ts';
import { recordIsolated } from './record-isolated.ts';
import { recordSnapshots } from './record-snapshot.ts';

/** The longest that a paid request waits; the backfill then continues in the background. */
const WAIT_MAX_MS = 10 * SECOND_MS;
/** Ten years. */
const REACH_MS = 10 * 366 * DAY_MS;
const SNAPSHOTS_PER_TRANSACTION = 500;

type Deps = {
  db: Database;
  products: Products;
  source: Source;
  lookUp: LookUp;
  clock: Clock;
  log: Log;
};

export type Backfill = ReturnType<typeof createBackfill>;

export function createBackfill(deps: Deps) {
  const backfills = createSingleFlight<void>();

  const fetchOnce = (code: string): Promise<void> =>
    backfills.run(code, () =>
      // The stored history is served; the next request tries again.
      fetchPast(deps, code).catch((error) =>
        deps.log.warn({ code, reason: String(error) }, 'backfill failed'),
      ),
    );

  return {
    /**
     * Returns where a product's history ends, after fetching its past if that never happened;
     * undefined when there is no such product.
     */
    async tailOf(code: string, accountId: string): Promise<ProductTail | undefined> {
      const tail = await deps.products.tailOf(code);
      if (tail !== undefined && tail.backfilledAtMs !== null) return tail;
      if (tail === undefined && (await deps.lookUp.byCode(code, accountId)) === undefined) {
        return undefined;
      }
      await Promise.race([fetchOnce(code), sleepMs(WAIT_MAX_MS)]);
      return deps.products.tailOf(code);
    },
  };
}

async function fetchPast(deps: Deps, code: string): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const past = deps.source.history(code, { fromMs: nowMs - REACH_MS, toMs: nowMs });
  let batch: Snapshot[] = [];
  let count = 0;
  for await (const snapshot of past ?? []) {
    batch.push(snapshot);
    count++;
    if (batch.length >= SNAPSHOTS_PER_TRANSACTION) {
      await recordPast(deps, batch);
      batch = [];
    }
    if (count >= bounds.backfillSnapshotsMax) break;
  }
  await recordPast(deps, batch);
  await noteBackfilled(deps.db, { code, nowMs });
}

/**
 * Quarantines a snapshot that cannot be stored: it must not block the rest of the past for ever.
 */
async function recordPast(deps: Deps, batch: readonly Snapshot[]): Promise<void> {
  // The end of the past may be newer than the catalogue, and is judged like any other snapshot.
  const held = await heldOfIngested(deps, batch);
  const believed = batch.filter((snapshot) => !held.has(snapshot));
  const { left } = await recordIsolated(deps, believed, {
    loop: BACKFILL,
    setAside: (snapshot, reason) =>
      putInQuarantine(deps.db, {
        owner: snapshot.code,
        loop: BACKFILL,
        item: `${snapshot.code}/${isoTime(snapshot.observedAtMs)}`,
        reason,
        payload: toPayload(snapshot),
        atMs: deps.clock.nowMs(),
      }),
  });
  if (left.length > 0) throw new Error('the product is locked by another session');
}

const BACKFILL = 'backfill';

export const backfillHandler: QuarantineHandler = {
  loop: BACKFILL,
  async retry(deps, item) {
    await recordSnapshots(deps, [fromPayload(item.payload)]);
    await release(deps, item);
  },
  drop: { means: 'This one observation of the past is lost.' },
};
