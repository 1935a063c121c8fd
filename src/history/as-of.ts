// What was known of a product as of an instant: the values of the looks up to it, each kept until another was seen.
import type { Buybox } from '../catalog/snapshot.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Look, SeenOffer } from './look.ts';
import { readLooks } from './read-looks.ts';

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
