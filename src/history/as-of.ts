// The buybox and offers of a product as of an instant: each value is the newest one observed up to
// then.
import { createGate, createPause } from '../background/slices.ts';
import { readTails } from '../catalog/products.ts';
import { type Buybox, isStatedSoldOut } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_SECONDS, SECOND_MS } from '../foundation/time.ts';
import type { Observation, SeenOffer } from './observation.ts';
import { readObservations } from './read-observations.ts';
import { unpackTail, walkObservations } from './walk-observations.ts';

/** An offer, and when it was last observed. */
export type OfferAsOf = SeenOffer & { seenAtMs: number };

export type ShelfAsOf = {
  /** null: nobody holds the buybox. undefined: it was never observed. */
  buybox: Buybox | null | undefined;
  /** The observed offers. An empty list may also mean that offers were never observed. */
  offers: readonly OfferAsOf[];
  /** Whether a complete list was observed: only then does a missing seller mean anything. */
  isComplete: boolean;
  /** Null if any offer's stock is unknown, or if offers were never observed. */
  unitsInStock: number | null;
};

/** How far back values are taken from when the newest observation does not contain all of them. */
const LOOKBACK_SECONDS = 40 * DAY_SECONDS;

/** Earlier observations cannot change the shelf once one contains the buybox and all offers. */
const isFull = (observation: Observation) =>
  observation.buybox !== undefined && observation.offersComplete;

export async function readAsOf(
  deps: { db: Database; log: Log },
  { code, atMs }: { code: string; atMs: number },
): Promise<ShelfAsOf> {
  const toAtSeconds = Math.floor(atMs / SECOND_MS) + 1;
  const newest = { fromAtSeconds: toAtSeconds - 1, toAtSeconds };
  const observations = await readObservations(deps, code, newest);
  if (observations.some(isFull)) return asOf(observations);
  const shelf = createShelf();
  const lookback = { fromAtSeconds: toAtSeconds - LOOKBACK_SECONDS, toAtSeconds };
  for await (const observation of walkObservations(deps, code, lookback)) shelf.add(observation);
  return shelf.current();
}

/**
 * The same for many products. One statement reads all tails, which usually contain the newest full
 * observation; products whose tail does not are read one by one.
 */
export async function readManyAsOf(
  deps: { db: Database; log: Log },
  requests: readonly { code: string; atMs: number }[],
): Promise<Map<string, ShelfAsOf>> {
  const tails = await readTails(
    deps.db,
    requests.map(({ code }) => code),
  );
  const shelves = new Map<string, ShelfAsOf>();
  const notInTail: { code: string; atMs: number }[] = [];
  const pause = createPause();
  for (const { code, atMs } of requests) {
    const tail = tails.get(code);
    if (tail === undefined) continue;
    const observations = unpackTail(deps.log, code, tail).filter(
      ({ atSeconds }) => atSeconds * SECOND_MS <= atMs,
    );
    const lastFull = observations.findLastIndex(isFull);
    if (lastFull >= 0) shelves.set(code, asOf(observations.slice(lastFull)));
    else notInTail.push({ code, atMs });
    await pause();
  }
  const gate = createGate(bounds.asOfReadsAtOnceMax, Number.POSITIVE_INFINITY);
  await Promise.all(
    notInTail.map((request) =>
      gate(async () => shelves.set(request.code, await readAsOf(deps, request))),
    ),
  );
  return shelves;
}

export function asOf(observations: readonly Observation[]): ShelfAsOf {
  const shelf = createShelf();
  for (const observation of observations) shelf.add(observation);
  return shelf.current();
}

/** A shelf that is updated by one observation after the other and can be read in between. */
export function createShelf() {
  let buybox: Buybox | null | undefined;
  let offers: Map<string, OfferAsOf> | undefined;
  let isComplete = false;
  return {
    add(observation: Observation): void {
      if (observation.buybox !== undefined) buybox = observation.buybox;
      if (observation.offers === undefined) return;
      if (observation.offersComplete || offers === undefined) offers = new Map();
      isComplete ||= observation.offersComplete;
      if (isStatedSoldOut(observation)) {
        for (const [name, offer] of offers) offers.set(name, { ...offer, unitsInStock: 0 });
      }
      for (const offer of observation.offers) {
        offers.set(offer.sellerName, { ...offer, seenAtMs: observation.atSeconds * SECOND_MS });
      }
    },
    current(): ShelfAsOf {
      const all = [...(offers?.values() ?? [])];
      const unitsInStock = offers === undefined ? null : totalUnits(all);
      return { buybox, offers: all, isComplete, unitsInStock };
    },
  };
}

/** Null if any offer's stock is unknown. */
export function totalUnits(offers: readonly Pick<SeenOffer, 'unitsInStock'>[]): number | null {
  let total = 0;
  for (const { unitsInStock } of offers) {
    if (unitsInStock === null) return null;
    total += unitsInStock;
  }
  return total;
}
