// Records snapshots: the only writer of catalogue and history. A snapshot newer than the product's
// last observation is live and updates the catalogue; any other is late and updates history alone.
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
import { isStatedSoldOut, type Snapshot } from '../catalog/snapshot.ts';
import { blameFor } from '../database/blame.ts';
import type { Database, Transaction } from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import { hasHistoryData, observationOf, sortObservations } from '../history/observation.ts';
import { EMPTY_TAIL, type StoredTail, storeObservations } from '../history/store-observations.ts';
import type { StaleProducts } from '../search/stale-products.ts';
import { lockScheduleEntries } from '../tracking/schedule.ts';
import { type Serving, serveWatchers } from '../tracking/serve-watchers.ts';
import type { ObservedParts } from '../tracking/watcher-change.ts';

export type Recorded = {
  product: Product;
  /** Snapshots with new data. */
  accepted: number;
  /** Snapshots without new data, or superseded by another of the same second. */
  unchanged: number;
};

export type RecordDeps = {
  db: Database;
  log: Log;
  /** Raised when outbox rows were written. */
  outboxSignal?: Signal;
  /** Products whose facts must be computed again. */
  staleProducts?: StaleProducts;
};

/** Where the snapshots come from. Ingested snapshots have none of these. */
export type RecordContext = {
  /**
   * The service collected them at this time: watchers are served, whatever the snapshots' times.
   */
  collectedAtMs?: number;
  /** Record only products still leased under this token; others were claimed by another worker. */
  leaseToken?: string;
  /** The marketplace no longer lists the products: recorded, but no slot is served. */
  isDelisting?: boolean;
};

/**
 * Records snapshots in any order; returns each product once, in order of its first snapshot. One
 * transaction for each lane group: products of several groups may be recorded in part.
 */
export async function recordSnapshots(
  deps: RecordDeps,
  snapshots: readonly Snapshot[],
  context: RecordContext = {},
): Promise<Recorded[]> {
  if (snapshots.length === 0) return [];
  // GTINs first, in their own lanes. After a crash in between, a GTIN points to a product that does
  // not exist yet; the product is then looked up and recorded again.
  await insertGtins(
    deps.db,
    snapshots.flatMap(({ gtins, code }) => gtins.map((gtin) => ({ gtin, code }))),
  );
  const products = [...Map.groupBy(snapshots, (snapshot) => snapshot.code)].map(inOrder);
  const parts = await inGroups(deps.db, products, {
    keyOf: ({ code }) => code,
    work: (part) => recordGroup(deps, part, context),
  });
  if (parts.length === 1) return parts[0] as Recorded[];
  const position = new Map(products.map(({ code }, index) => [code, index]));
  const positionOf = ({ product }: Recorded) => position.get(product.code) as number;
  return parts.flat().sort((a, b) => positionOf(a) - positionOf(b));
}

async function recordGroup(
  deps: RecordDeps,
  products: readonly ProductSnapshots[],
  context: RecordContext,
): Promise<Recorded[]> {
  try {
    return await recordAll(deps, products, context);
  } catch (error) {
    // With a single product, one of its watchers may be to blame: the product and its other
    // watchers must not suffer from it.
    if (products.length > 1 || blameFor(error) !== 'item') throw error;
    return recordAll(deps, products, { ...context, isolatesWatchers: true });
  }
}

async function recordAll(
  deps: RecordDeps,
  groups: readonly ProductSnapshots[],
  context: RecordOptions,
): Promise<Recorded[]> {
  for (;;) {
    const recorded = await tryRecord(deps, groups, context);
    if (recorded !== null) return recorded;
  }
}

/** `isolatesWatchers`: serve each watcher in a savepoint and quarantine those that fail. */
type RecordOptions = RecordContext & { isolatesWatchers?: boolean };

/** The snapshots of one product, oldest first. */
type ProductSnapshots = { code: string; snapshots: readonly Snapshot[] };

const inOrder = ([code, snapshots]: [string, Snapshot[]]): ProductSnapshots => ({
  code,
  snapshots:
    snapshots.length === 1
      ? snapshots
      : snapshots.toSorted((a, b) => a.observedAtMs - b.observedAtMs),
});

class LostRace extends Error {}

/**
 * Returns null when another process inserted one of the products meanwhile: it can be locked now.
 */
async function tryRecord(
  deps: RecordDeps,
  groups: readonly ProductSnapshots[],
  context: RecordOptions,
): Promise<Recorded[] | null> {
  try {
    const { recorded, outboxRows } = await deps.db.transaction((tx) =>
      record(tx, { ...deps, context }, groups),
    );
    if (outboxRows > 0) deps.outboxSignal?.raise();
    for (const { product, accepted } of recorded) {
      if (accepted > 0) deps.staleProducts?.add(product.code);
    }
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
): Promise<{ recorded: Recorded[]; outboxRows: number }> {
  const locked = await lockProducts(tx, codesOf(all));
  const scheduleEntries = await lockScheduleEntries(tx, codesOf(all));
  const { leaseToken } = context;
  const groups =
    leaseToken === undefined
      ? all
      : all.filter(({ code }) => scheduleEntries.get(code)?.leaseToken === leaseToken);
  const storedTails = await storeObservations(
    tx,
    log,
    groups.map(({ code, snapshots }) => ({
      code,
      tail: locked.get(code)?.tail ?? EMPTY_TAIL,
      observations: sortObservations(snapshots.map(observationOf).filter(hasHistoryData))
        .observations,
    })),
  );
  const changes = groups.map((group, index) =>
    changeOf(locked.get(group.code), group, {
      storedTail: storedTails[index] as StoredTail,
      collectsLive: context.collectedAtMs === undefined && scheduleEntries.has(group.code),
    }),
  );
  await updateProducts(
    tx,
    changes.filter((change) => !isNew(change) && change.recorded.accepted > 0),
  );
  if (!(await insertProducts(tx, changes.filter(isNew)))) throw new LostRace();
  if (context.isDelisting) {
    const atMs = Math.max(0, ...groups.map(({ snapshots }) => lastOf(snapshots).observedAtMs));
    await noteDelisted(tx, { codes: codesOf(groups), atMs });
  }
  const outboxRows = await serveWatchers(tx, {
    servings: servingsOf(changes, context),
    scheduleEntries,
    log,
    isolates: context.isolatesWatchers ?? false,
  });
  return { recorded: changes.map((change) => change.recorded), outboxRows };
}

const lastOf = (snapshots: readonly Snapshot[]) => snapshots.at(-1) as Snapshot;

const codesOf = (groups: readonly ProductSnapshots[]) => groups.map(({ code }) => code);

/**
 * The observations that watchers are served with: a collection by the service once per product, and
 * each live ingested snapshot as if it had come alone.
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

type LiveState = Pick<Serving, 'product' | 'observed'>;

type Change = ProductChange & {
  isNew: boolean;
  recorded: Recorded;
  snapshots: readonly Snapshot[];
  /** The product after each live snapshot, for products that may have watchers. */
  live: readonly LiveState[];
};

const isNew = (change: Change) => change.isNew;

function changeOf(
  locked: LockedProduct | undefined,
  { snapshots }: ProductSnapshots,
  { storedTail, collectsLive }: { storedTail: StoredTail; collectsLive: boolean },
): Change {
  let product = locked?.product;
  let productChanges = 0;
  const live: LiveState[] = [];
  for (const snapshot of snapshots) {
    const after = productAfter(product, snapshot);
    // A loss that a later snapshot contradicts was a failed crawl or has ended: it is history, but
    // no event.
    const isTransient = snapshot !== lastOf(snapshots) && isEmptied(product, snapshot);
    const isLive = product === undefined || after.observedAtMs > product.observedAtMs;
    if (collectsLive && isLive && !isTransient) {
      live.push({ product: after, observed: observedIn([snapshot]) });
    }
    if (after !== product) productChanges++;
    product = after;
  }
  // A snapshot that changed neither history nor the product is unchanged.
  const accepted = Math.min(snapshots.length, Math.max(storedTail.changed, productChanges));
  return {
    product: product as Product,
    tail: {
      ...storedTail.tail,
      salesStaleFromDay: staleFromDay(locked?.tail.salesStaleFromDay ?? null, snapshots),
    },
    appended: storedTail.appended,
    isNew: locked === undefined,
    snapshots,
    live,
    recorded: {
      product: product as Product,
      accepted,
      unchanged: snapshots.length - accepted,
    },
  };
}

function isEmptied(product: Product | undefined, snapshot: Snapshot): boolean {
  if (product === undefined) return false;
  if (isStatedSoldOut(snapshot)) return product.buybox !== null;
  return snapshot.offersComplete && snapshot.offers?.length === 0 && product.offers.length > 0;
}

const observedIn = (snapshots: readonly Snapshot[]): ObservedParts => ({
  buybox: snapshots.some(({ buybox }) => buybox !== undefined),
  offers: snapshots.some(({ offers }) => offers !== undefined),
  rank: snapshots.some(({ rank }) => rank !== undefined),
  soldOut: isStatedSoldOut(lastOf(snapshots)),
});

/** Sales estimates must be computed again from the day of the oldest new snapshot. */
function staleFromDay(before: number | null, snapshots: readonly Snapshot[]): number {
  const oldestDay = Math.floor((snapshots[0] as Snapshot).observedAtMs / DAY_MS);
  return before === null ? oldestDay : Math.min(before, oldestDay);
}
