// What was known of a product as of an instant: the values of the looks up to it, each kept until another was seen.
import { readTails } from '../catalog/products.ts';
import type { Buybox } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Look, SeenOffer } from './look.ts';
import { openBlock, readLooks } from './read-looks.ts';
import { checksumOf } from './runs.ts';

/** An offer, and when it was seen last. */
export type OfferAsOf = SeenOffer & { seenAt: number };

export type ShelfAsOf = {
  /** null while there is no box. */
  buybox: Buybox | null;
  offers: readonly OfferAsOf[];
  /** All units, null as soon as one offer's stock is unknown. */
  unitsInStock: number | null;
};

/** A look that saw box and all offers is enough; else what came before is taken along. */
const BACK_SECONDS = 40 * 86_400;

export async function readAsOf(
  deps: { db: Database; log: Log },
  { code, at }: { code: string; at: number },
): Promise<ShelfAsOf> {
  const toAt = Math.floor(at / 1000) + 1;
  const looks = await readLooks(deps, code, { fromAt: toAt - 1, toAt });
  if (looks.some((look) => look.buybox !== undefined && look.offersComplete)) return asOf(looks);
  return asOf(await readLooks(deps, code, { fromAt: toAt - BACK_SECONDS, toAt }));
}

/**
 * Many products at once. What was seen last lies mostly in their tails, which one statement reads; only where a tail
 * does not reach is a product read by itself.
 */
export async function readManyAsOf(
  deps: { db: Database; log: Log },
  asked: readonly { code: string; at: number }[],
): Promise<Map<string, ShelfAsOf>> {
  const tails = await readTails(
    deps.db,
    asked.map(({ code }) => code),
  );
  const shelves = new Map<string, ShelfAsOf>();
  for (const { code, at } of asked) {
    const tail = tails.get(code);
    if (tail === undefined) continue;
    const isIntact = checksumOf(tail.bytes) === tail.checksum;
    const looks = openBlock(deps.log, { code, where: 'tail' }, isIntact ? tail.bytes : null).filter(
      ({ atSeconds }) => atSeconds * 1000 <= at,
    );
    // From the last look that saw all on, nothing before it matters.
    const whole = looks.findLastIndex((look) => look.buybox !== undefined && look.offersComplete);
    shelves.set(code, whole >= 0 ? asOf(looks.slice(whole)) : await readAsOf(deps, { code, at }));
  }
  return shelves;
}

export function asOf(looks: readonly Look[]): ShelfAsOf {
  let buybox: Buybox | null = null;
  let offers = new Map<string, OfferAsOf>();
  for (const look of looks) {
    if (look.buybox !== undefined) buybox = look.buybox;
    if (look.offers === undefined) continue;
    if (look.offersComplete) offers = new Map();
    for (const offer of look.offers) {
      offers.set(offer.sellerName, { ...offer, seenAt: look.atSeconds * 1000 });
    }
  }
  const all = [...offers.values()];
  return { buybox, offers: all, unitsInStock: totalUnits(all) };
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
