// A look: what history keeps of one snapshot, and which of two looks of the same second is kept.
import type { Buybox, Rank, Snapshot } from '../catalog/snapshot.ts';

export type SeenOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
};

export type Look = {
  atSeconds: number;
  /** undefined: not looked at; null: nobody has it. */
  buybox: Buybox | null | undefined;
  rank: Rank | undefined;
  /** Ascending by seller name, one each; undefined: not looked at. */
  offers: readonly SeenOffer[] | undefined;
  /** Only then may anything be concluded from a seller's absence. */
  offersComplete: boolean;
};

export function lookOf(snapshot: Snapshot): Look {
  return {
    atSeconds: Math.floor(snapshot.observedAt / 1000),
    buybox: snapshot.buybox,
    rank: snapshot.rank,
    offers: snapshot.offers?.map(seenOffer).sort(bySellerName),
    offersComplete: snapshot.offers !== undefined && snapshot.offersComplete,
  };
}

const seenOffer = (offer: SeenOffer): SeenOffer => ({
  sellerName: offer.sellerName,
  priceCents: offer.priceCents,
  shippingCents: offer.shippingCents,
  unitsInStock: offer.unitsInStock,
});

const bySellerName = (a: SeenOffer, b: SeenOffer) => (a.sellerName < b.sellerName ? -1 : 1);

/** Whether there is anything in it that a series could keep. */
export function isWorthKeeping(look: Look): boolean {
  return look.buybox !== undefined || look.rank !== undefined || look.offers !== undefined;
}

/**
 * The looks of both, ascending, one for each second. Of two different ones of the same second the greater
 * canonical JSON is kept, whatever the order in which they came.
 */
export function mergeLooks(
  kept: readonly Look[],
  coming: readonly Look[],
): { looks: Look[]; changed: number } {
  const looks: Look[] = [];
  let changed = 0;
  let next = 0;
  for (const look of coming) {
    while (next < kept.length && (kept[next] as Look).atSeconds < look.atSeconds) {
      looks.push(kept[next++] as Look);
    }
    const rival = kept[next];
    if (rival === undefined || rival.atSeconds > look.atSeconds) {
      looks.push(look);
      changed++;
    } else {
      next++;
      const winner = greater(rival, look);
      looks.push(winner);
      if (winner !== rival) changed++;
    }
  }
  while (next < kept.length) looks.push(kept[next++] as Look);
  return { looks, changed };
}

/** Looks in any order, as many as came, put into the order that mergeLooks takes. */
export function sortLooks(looks: readonly Look[]): { looks: Look[]; repeated: number } {
  const sorted = [...looks].sort((a, b) => a.atSeconds - b.atSeconds);
  const distinct: Look[] = [];
  for (const look of sorted) {
    const last = distinct.at(-1);
    if (last?.atSeconds === look.atSeconds) distinct[distinct.length - 1] = greater(last, look);
    else distinct.push(look);
  }
  return { looks: distinct, repeated: looks.length - distinct.length };
}

/** The one to keep of two looks of one second; the first when they are the same. */
export function greater(a: Look, b: Look): Look {
  return canonicalJson(b) > canonicalJson(a) ? b : a;
}

/** What history keeps of a snapshot as JSON with sorted members, as it stood in the snapshot. */
export function canonicalJson(look: Look): string {
  const { buybox, rank } = look;
  return JSON.stringify({
    buybox: buybox && { price: buybox.priceCents / 100, seller_name: buybox.sellerName },
    offers: look.offers?.map((offer) => ({
      price: offer.priceCents / 100,
      seller_name: offer.sellerName,
      shipping: offer.shippingCents / 100,
      units_in_stock: offer.unitsInStock,
    })),
    offers_complete: look.offersComplete,
    rank: rank && { category: rank.category, position: rank.position },
  });
}
