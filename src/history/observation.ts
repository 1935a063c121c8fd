// An observation: the part of a snapshot that history stores. Also decides which of two different
// observations of the same second is stored.
import type { Buybox, Rank, Snapshot } from '../catalog/snapshot.ts';
import { SECOND_MS } from '../foundation/time.ts';

export type SeenOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
};

export type Observation = {
  atSeconds: number;
  /** undefined: not observed. null: nobody holds it. */
  buybox: Buybox | null | undefined;
  rank: Rank | undefined;
  /** Ascending by seller name, one offer per seller. undefined: not observed. */
  offers: readonly SeenOffer[] | undefined;
  /** Whether the list holds every offer: only then is a missing seller really absent. */
  offersComplete: boolean;
};

export function observationOf(snapshot: Snapshot): Observation {
  return {
    atSeconds: Math.floor(snapshot.observedAtMs / SECOND_MS),
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

/** Whether history has anything to store of it. */
export function hasHistoryData(observation: Observation): boolean {
  return (
    observation.buybox !== undefined ||
    observation.rank !== undefined ||
    observation.offers !== undefined
  );
}

/**
 * Merges two ascending lists, one observation per second. Of two different observations of one
 * second, the one with the greater canonical JSON wins, whichever arrived first. `changed` counts
 * the observations that were added or replaced.
 */
export function mergeObservations(
  stored: readonly Observation[],
  incoming: readonly Observation[],
): { observations: Observation[]; changed: number } {
  const observations: Observation[] = [];
  let changed = 0;
  let next = 0;
  for (const observation of incoming) {
    while (
      next < stored.length &&
      (stored[next] as Observation).atSeconds < observation.atSeconds
    ) {
      observations.push(stored[next++] as Observation);
    }
    const rival = stored[next];
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
  while (next < stored.length) observations.push(stored[next++] as Observation);
  return { observations, changed };
}

/** Sorts observations and removes repetitions, as mergeObservations needs them. */
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

/** The observation to store of two of one second; the first if they are equal. */
export function greater(a: Observation, b: Observation): Observation {
  return canonicalJson(b) > canonicalJson(a) ? b : a;
}

/** The observation as JSON in the snapshot format, with sorted members. */
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
