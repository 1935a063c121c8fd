// Backfill: a product's past, asked of the marketplace once, when somebody first wants its history.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { noteBackfilled, type Products } from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { type Clock, isoTime, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { Source } from '../sources/source.ts';
import { heldOfIngested } from './judge-ingest.ts';
import type { LookUp } from './look-up.ts';
import { fromPayload, toPayload } from './quarantined-snapshot.ts';
import { recordIsolated } from './record-isolated.ts';
import { recordSnapshots } from './record-snapshot.ts';

/** A paid request waits this long at most; the rest comes in behind it. */
const WAIT_MAX_MS = 10_000;
/** Ten years, and never more than this many looks. */
const BACK_MS = 10 * 366 * 86_400_000;
const SNAPSHOTS_MAX = 200_000;
const SNAPSHOTS_PER_TRANSACTION = 500;

export type Backfill = {
  /** Where a product's history ends, its past fetched first if it never was; undefined: no such product. */
  tailOf(code: string, accountId: string): Promise<ProductTail | undefined>;
};

type Deps = {
  db: Database;
  products: Products;
  source: Source;
  lookUp: LookUp;
  clock: Clock;
  log: Log;
};

export function createBackfill(deps: Deps): Backfill {
  const underWay = new Map<string, Promise<void>>();

  const fetchOnce = (code: string): Promise<void> => {
    const begun = underWay.get(code);
    if (begun !== undefined) return begun;
    const started = fetchPast(deps, code)
      // What is stored answers meanwhile; the next request tries again.
      .catch((error) => deps.log.warn({ code, reason: String(error) }, 'backfill broke off'))
      .finally(() => underWay.delete(code));
    underWay.set(code, started);
    return started;
  };

  return {
    async tailOf(code, accountId) {
      const known = await deps.products.tailOf(code);
      if (known !== undefined && known.backfilledAtMs !== null) return known;
      if (known === undefined && (await deps.lookUp.byCode(code, accountId)) === undefined) {
        return undefined;
      }
      await Promise.race([fetchOnce(code), sleepMs(WAIT_MAX_MS)]);
      return deps.products.tailOf(code);
    },
  };
}

async function fetchPast(deps: Deps, code: string): Promise<void> {
  const now = deps.clock.nowMs();
  const past = deps.source.history(code, { fromMs: now - BACK_MS, toMs: now });
  let part: Snapshot[] = [];
  let count = 0;
  for await (const snapshot of past ?? []) {
    part.push(snapshot);
    count++;
    if (part.length >= SNAPSHOTS_PER_TRANSACTION) {
      await recordPast(deps, part);
      part = [];
    }
    if (count >= SNAPSHOTS_MAX) break;
  }
  await recordPast(deps, part);
  await noteBackfilled(deps.db, { code, nowMs: now });
}

/** A snapshot that cannot be stored is left out: it must not keep the rest of the past away for ever. */
async function recordPast(deps: Deps, part: readonly Snapshot[]): Promise<void> {
  // The end of the past may be newer than what is known, and is judged like any other observation.
  const held = await heldOfIngested(deps, part);
  const believed = part.filter((snapshot) => !held.has(snapshot));
  const { left } = await recordIsolated(deps, believed, {
    loop: BACKFILL,
    setAside: (snapshot, reason) =>
      putInQuarantine(deps.db, {
        ...{ owner: snapshot.code, loop: BACKFILL, reason, atMs: deps.clock.nowMs() },
        item: `${snapshot.code}/${isoTime(snapshot.observedAtMs)}`,
        payload: toPayload(snapshot),
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
