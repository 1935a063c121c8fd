// Recording looks at the marketplace: the only writer of what the catalogue and history know. A snapshot
// newer than the product's last observation is live and moves the catalogue; any other is late and moves
// history alone.

import type { Signal } from '../background/signal.ts';
import { type Product, productAfter } from '../catalog/product.ts';
import type { ProductChange } from '../catalog/product-row.ts';
import {
  insertGtins,
  insertProducts,
  type LockedProduct,
  lockProducts,
  noteDelisted,
  updateProducts,
} from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { blameFor } from '../database/blame.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Parts } from '../events/observed-state.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import { hasHistoryData, observationOf, sortObservations } from '../history/observation.ts';
import { EMPTY_TAIL, type StoredTail, storeObservations } from '../history/store-observations.ts';
import { lockScheduleEntries } from '../tracking/schedule.ts';
import { type Serving, serveWatchers } from '../tracking/serve-watchers.ts';

export type Recorded = {
  product: Product;
  /** Snapshots that told something new; the others were known, or lost to one of the same second. */
  accepted: number;
  unchanged: number;
};

export type RecordDeps = {
  db: Database;
  log: Log;
  /** Raised when something was left for accounts. */
  outboxSignal?: Signal;
};

/** How the snapshots came about. Taken in from a file or a crawler, nothing of this is known. */
export type RecordContext = {
  /** We looked at this time, and whoever watches the products is served, whatever their snapshots' own times. */
  collectedAtMs?: number;
  /** Only products that are still leased under this token are recorded: others were taken over. */
  leaseToken?: string;
  /** What the marketplace no longer lists: recorded, but no slot of anybody's. */
  isDelisting?: boolean;
};

/** Records any snapshots, in any order; answers each product once, in the order of their first mention. */
export async function recordSnapshots(
  deps: RecordDeps,
  snapshots: readonly Snapshot[],
  context: RecordContext = {},
): Promise<Recorded[]> {
  if (snapshots.length === 0) return [];
  // First what leads to the products, in the GTINs' own lanes: killed in between, a GTIN leads to
  // nothing, the product is looked up and recorded again.
  await insertGtins(
    deps.db,
    snapshots.flatMap(({ gtins, code }) => gtins.map((gtin) => ({ gtin, code }))),
  );
  const products = [...Map.groupBy(snapshots, (snapshot) => snapshot.code)].map(productSnapshots);
  try {
    return await recordAll(deps, products, context);
  } catch (error) {
    // Of a product that stands alone it may be one of its watchers: the product and the others must not suffer from it.
    if (products.length > 1 || blameFor(error) !== 'item') throw error;
    return recordAll(deps, products, { ...context, isolatesWatchers: true });
  }
}

async function recordAll(
  deps: RecordDeps,
  products: readonly ProductSnapshots[],
  context: RecordOptions,
): Promise<Recorded[]> {
  for (;;) {
    const recorded = await tryRecord(deps, products, context);
    if (recorded !== null) return recorded;
  }
}

/** With `isolatesWatchers` those who cannot be served are set aside one by one, in savepoints. */
type RecordOptions = RecordContext & { isolatesWatchers?: boolean };

/** All that came of one product, oldest first. */
type ProductSnapshots = { code: string; snapshots: readonly Snapshot[] };

const productSnapshots = ([code, snapshots]: [string, Snapshot[]]): ProductSnapshots => ({
  code,
  snapshots:
    snapshots.length === 1
      ? snapshots
      : snapshots.toSorted((a, b) => a.observedAtMs - b.observedAtMs),
});

class LostRace extends Error {}

/** null when another process inserted one of the products at the same time: then it is there to be locked. */
async function tryRecord(
  deps: RecordDeps,
  products: readonly ProductSnapshots[],
  context: RecordOptions,
): Promise<Recorded[] | null> {
  try {
    const { recorded, left } = await deps.db.transaction((tx) =>
      record(tx, { ...deps, context }, products),
    );
    if (left > 0) deps.outboxSignal?.raise();
    return recorded;
  } catch (error) {
    if (error instanceof LostRace) return null;
    throw error;
  }
}

async function record(
  tx: Transaction,
  { log, context }: RecordDeps & { context: RecordOptions },
  all: readonly ProductSnapshots[],
): Promise<{ recorded: Recorded[]; left: number }> {
  const known = await lockProducts(tx, codesOf(all));
  const scheduleEntries = await lockScheduleEntries(tx, codesOf(all));
  const { leaseToken } = context;
  const products =
    leaseToken === undefined
      ? all
      : all.filter(({ code }) => scheduleEntries.get(code)?.leaseToken === leaseToken);
  const kept = await storeObservations(
    tx,
    log,
    products.map(({ code, snapshots }) => ({
      code,
      tail: known.get(code)?.tail ?? EMPTY_TAIL,
      observations: sortObservations(snapshots.map(observationOf).filter(hasHistoryData))
        .observations,
    })),
  );
  const changes = products.map((one, index) =>
    changeOf(known.get(one.code), one, {
      kept: kept[index] as StoredTail,
      keepsLive: context.collectedAtMs === undefined && scheduleEntries.has(one.code),
    }),
  );
  const [before, after] = [changes.filter(isKnown), changes.filter((change) => !isKnown(change))];
  await updateProducts(
    tx,
    before.filter((change) => change.recorded.accepted > 0),
  );
  if (!(await insertProducts(tx, after))) throw new LostRace();
  if (context.isDelisting) {
    const at = Math.max(0, ...products.map(({ snapshots }) => lastOf(snapshots).observedAtMs));
    await noteDelisted(tx, { codes: codesOf(products), atMs: at });
  }
  const left = await serveWatchers(tx, {
    ...{ servings: servingsOf(changes, context), scheduleEntries, log },
    isolates: context.isolatesWatchers ?? false,
  });
  return { recorded: changes.map((change) => change.recorded), left };
}

const lastOf = (snapshots: readonly Snapshot[]) => snapshots.at(-1) as Snapshot;

const codesOf = (products: readonly ProductSnapshots[]) => products.map(({ code }) => code);

/**
 * Whom it concerns that watches: a look of ours always, of snapshots that were taken in each that was live, as if it
 * had come alone.
 */
function servingsOf(
  changes: readonly Change[],
  { collectedAtMs, isDelisting = false }: RecordContext,
): Serving[] {
  return changes.flatMap(({ product, snapshots, live }) =>
    collectedAtMs === undefined
      ? live.map((one) => ({ atMs: one.product.observedAtMs, ...one, isDelisting }))
      : [{ atMs: collectedAtMs, product, observed: observedIn(snapshots), isDelisting }],
  );
}

type Change = ProductChange & {
  known: LockedProduct | undefined;
  recorded: Recorded;
  snapshots: readonly Snapshot[];
  /** The product after each live snapshot, where somebody may watch it. */
  live: readonly Pick<Serving, 'product' | 'observed'>[];
};

const isKnown = (change: Change) => change.known !== undefined;

function changeOf(
  known: LockedProduct | undefined,
  { snapshots }: ProductSnapshots,
  { kept, keepsLive }: { kept: StoredTail; keepsLive: boolean },
): Change {
  let product = known?.product;
  let moved = 0;
  const live: Pick<Serving, 'product' | 'observed'>[] = [];
  for (const snapshot of snapshots) {
    const after = productAfter(product, snapshot);
    // An empty list that the next one fills again was a failed crawl, or is over: history, but nobody's event.
    const isPassing = snapshot !== lastOf(snapshots) && isEmptied(product, snapshot);
    if (
      keepsLive &&
      !isPassing &&
      (product === undefined || after.observedAtMs > product.observedAtMs)
    ) {
      live.push({ product: after, observed: observedIn([snapshot]) });
    }
    if (after !== product) moved++;
    product = after;
  }
  // What moved neither history nor the product was known already.
  const accepted = Math.min(snapshots.length, Math.max(kept.changed, moved));
  return {
    product: product as Product,
    tail: {
      ...kept.tail,
      salesStaleFromDay: staleFrom(known?.tail.salesStaleFromDay ?? null, snapshots),
    },
    appended: kept.appended,
    known,
    ...{ snapshots, live },
    recorded: {
      product: product as Product,
      accepted,
      unchanged: snapshots.length - accepted,
    },
  };
}

const isEmptied = (product: Product | undefined, snapshot: Snapshot) =>
  snapshot.offersComplete && snapshot.offers?.length === 0 && (product?.offers.length ?? 0) > 0;

const observedIn = (snapshots: readonly Snapshot[]): Parts => ({
  buybox: snapshots.some(({ buybox }) => buybox !== undefined),
  offers: snapshots.some(({ offers }) => offers !== undefined),
  rank: snapshots.some(({ rank }) => rank !== undefined),
});

/** From the day of the oldest look that came, estimates must be worked out anew. */
function staleFrom(before: number | null, snapshots: readonly Snapshot[]): number {
  const oldest = Math.floor((snapshots[0] as Snapshot).observedAtMs / DAY_MS);
  return before === null ? oldest : Math.min(before, oldest);
}
