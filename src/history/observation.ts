// A look: what history keeps of one snapshot, and which of two looks of the same second is kept.
import type { Buybox, Rank, Snapshot } from '../catalog/snapshot.ts';

export type SeenOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
};

export type Observation = {
  atSeconds: number;
  /** undefined: not looked at; null: nobody has it. */
  buybox: Buybox | null | undefined;
  rank: Rank | undefined;
  /** Ascending by seller name, one each; undefined: not looked at. */
  offers: readonly SeenOffer[] | undefined;
  /** Only then may anything be concluded from a seller's absence. */
  offersComplete: boolean;
};

export function observationOf(snapshot: Snapshot): Observation {
  return {
    atSeconds: Math.floor(snapshot.observedAtMs / 1000),
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
export function hasHistoryData(observation: Observation): boolean {
  return (
    observation.buybox !== undefined ||
    observation.rank !== undefined ||
    observation.offers !== undefined
  );
}

/**
 * The looks of both, ascending, one for each second. Of two different ones of the same second the greater
 * canonical JSON is kept, whatever the order in which they came.
 */
export function mergeObservations(
  kept: readonly Observation[],
  coming: readonly Observation[],
): { observations: Observation[]; changed: number } {
  const observations: Observation[] = [];
  let changed = 0;
  let next = 0;
  for (const observation of coming) {
    while (next < kept.length && (kept[next] as Observation).atSeconds < observation.atSeconds) {
      observations.push(kept[next++] as Observation);
    }
    const rival = kept[next];
    if (rival === undefined || rival.atSeconds > observation.atSeconds) {
      observations.push(observation);
      changed++;
    } else {
      next++;
      const winner = greater(rival, observation);
      observations.push(winner);
      if (winner !== rival) changed++;
    }
  }
  while (next < kept.length) observations.push(kept[next++] as Observation);
  return { observations, changed };
}

/** Looks in any order, as many as came, put into the order that mergeLooks takes. */
export function sortObservations(observations: readonly Observation[]): {
  observations: Observation[];
  repeated: number;
} {
  const sorted = [...observations].sort((a, b) => a.atSeconds - b.atSeconds);
  const distinct: Observation[] = [];
  for (const observation of sorted) {
    const last = distinct.at(-1);
    if (last?.atSeconds === observation.atSeconds)
      distinct[distinct.length - 1] = greater(last, observation);
    else distinct.push(observation);
  }
  return { observations: distinct, repeated: observations.length - distinct.length };
}

/** The one to keep of two looks of one second; the first when they are the same. */
export function greater(a: Observation, b: Observation): Observation {
  return canonicalJson(b) > canonicalJson(a) ? b : a;
}

/** What history keeps of a snapshot as JSON with sorted members, as it stood in the snapshot. */
export function canonicalJson(observation: Observation): string {
  const { buybox, rank } = observation;
  return JSON.stringify({
    buybox: buybox && { price: buybox.priceCents / 100, seller_name: buybox.sellerName },
    offers: observation.offers?.map((offer) => ({
      price: offer.priceCents / 100,
      seller_name: offer.sellerName,
      shipping: offer.shippingCents / 100,
      units_in_stock: offer.unitsInStock,
    })),
    offers_complete: observation.offersComplete,
    rank: rank && { category: rank.category, position: rank.position },
  });
}
