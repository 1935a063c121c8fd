// What was known of a product as of an instant: the values of the looks up to it, each kept until another was seen.
import { createGate, createPause } from '../background/slices.ts';
import { readTails } from '../catalog/products.ts';
import type { Buybox } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Observation, SeenOffer } from './observation.ts';
import { readObservations } from './read-observations.ts';
import { checksumOf } from './runs.ts';
import { openBlock, walkObservations } from './walk-observations.ts';

/** An offer, and when it was seen last. */
export type OfferAsOf = SeenOffer & { seenAtMs: number };

export type ShelfAsOf = {
  /** null: nobody has it; undefined: it was never looked at. */
  buybox: Buybox | null | undefined;
  /** Those that were seen; none may also mean that nobody looked. */
  offers: readonly OfferAsOf[];
  /** Whether all offers there were have been seen: only then does a missing one mean anything. */
  isComplete: boolean;
  /** All units; null as soon as one offer's stock is unknown, or when no offer was ever looked for. */
  unitsInStock: number | null;
};

/** A look that saw box and all offers is enough; else what came before is taken along. */
const BACK_SECONDS = 40 * 86_400;
/** A list of a thousand products must not take every connection. */
const READS_AT_ONCE = 4;

export async function readAsOf(
  deps: { db: Database; log: Log },
  { code, atMs }: { code: string; atMs: number },
): Promise<ShelfAsOf> {
  const toAtSeconds = Math.floor(atMs / 1000) + 1;
  const observations = await readObservations(deps, code, {
    fromAtSeconds: toAtSeconds - 1,
    toAtSeconds,
  });
  if (
    observations.some(
      (observation) => observation.buybox !== undefined && observation.offersComplete,
    )
  )
    return asOf(observations);
  const shelf = createShelf();
  for await (const observation of walkObservations(deps, code, {
    fromAtSeconds: toAtSeconds - BACK_SECONDS,
    toAtSeconds,
  }))
    shelf.add(observation);
  return shelf.current();
}

/**
 * Many products at once. What was seen last lies mostly in their tails, which one statement reads; only where a tail
 * does not reach is a product read by itself.
 */
export async function readManyAsOf(
  deps: { db: Database; log: Log },
  asked: readonly { code: string; atMs: number }[],
): Promise<Map<string, ShelfAsOf>> {
  const tails = await readTails(
    deps.db,
    asked.map(({ code }) => code),
  );
  const shelves = new Map<string, ShelfAsOf>();
  const beyond: { code: string; atMs: number }[] = [];
  const pause = createPause();
  for (const { code, atMs } of asked) {
    const tail = tails.get(code);
    if (tail === undefined) continue;
    const isIntact = checksumOf(tail.bytes) === tail.checksum;
    const observations = openBlock(
      deps.log,
      { code, where: 'tail' },
      isIntact ? tail.bytes : null,
    ).filter(({ atSeconds }) => atSeconds * 1000 <= atMs);
    // From the last look that saw all on, nothing before it matters.
    const whole = observations.findLastIndex(
      (observation) => observation.buybox !== undefined && observation.offersComplete,
    );
    if (whole >= 0) shelves.set(code, asOf(observations.slice(whole)));
    else beyond.push({ code, atMs });
    await pause();
  }
  const gate = createGate(READS_AT_ONCE, Number.POSITIVE_INFINITY);
  await Promise.all(
    beyond.map((one) => gate(async () => shelves.set(one.code, await readAsOf(deps, one)))),
  );
  return shelves;
}

export function asOf(observations: readonly Observation[]): ShelfAsOf {
  const shelf = createShelf();
  for (const observation of observations) shelf.add(observation);
  return shelf.current();
}

/** The shelf as look after look changes it, for who wants to know it at many times. */
export function createShelf(): { add(observation: Observation): void; current(): ShelfAsOf } {
  let buybox: Buybox | null | undefined;
  let offers: Map<string, OfferAsOf> | undefined;
  let isComplete = false;
  return {
    add(observation) {
      if (observation.buybox !== undefined) buybox = observation.buybox;
      if (observation.offers === undefined) return;
      if (observation.offersComplete || offers === undefined) offers = new Map();
      isComplete ||= observation.offersComplete;
      for (const offer of observation.offers) {
        offers.set(offer.sellerName, { ...offer, seenAtMs: observation.atSeconds * 1000 });
      }
    },
    current() {
      const all = [...(offers?.values() ?? [])];
      const unitsInStock = offers === undefined ? null : totalUnits(all);
      return { buybox, offers: all, isComplete, unitsInStock };
    },
  };
}

/** null as soon as one offer's stock is unknown. */
export function totalUnits(offers: readonly Pick<SeenOffer, 'unitsInStock'>[]): number | null {
  let total = 0;
  for (const { unitsInStock } of offers) {
    if (unitsInStock === null) return null;
    total += unitsInStock;
  }
  return total;
}
