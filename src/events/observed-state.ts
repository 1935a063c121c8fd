// The state of a product as change detection sees it, and sums over its offers. History's
// observations have this shape too.
import { offersAfter } from '../catalog/product.ts';
import { type Buybox, isStatedSoldOut, type Rank } from '../catalog/snapshot.ts';

export type ListedOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
};

export type ObservedState = {
  atSeconds: number;
  /** undefined: not observed; null: nobody holds it. */
  buybox: Buybox | null | undefined;
  rank: Rank | undefined;
  /** Ascending by seller name, one offer each; undefined: not observed. */
  offers: readonly ListedOffer[] | undefined;
  /** Only a complete list shows who is absent, and can be summed. */
  offersComplete: boolean;
  /**
   * Whether the observation said that the product is sold out, though its list is not complete: the
   * offers that it did not list may hold older values. Absent where nothing was merged.
   */
  soldOut?: boolean;
  /**
   * Parts that this observation did not cover and that hold the last observed value; absent: none.
   * They are compared, since they may be new to a watcher with a coarser tier, but they confirm
   * nothing.
   */
  carried?: Parts;
};

/** One flag for each part that an observation may lack. */
export type Parts = { buybox: boolean; offers: boolean; rank: boolean };

/**
 * Merges an observation into the state before it: parts that were not observed keep their last
 * value. Unlike in the catalogue, a box that was never observed is unknown here, not absent: a
 * range of observations may begin anywhere.
 */
export function afterObserving(
  before: ObservedState | null,
  observation: ObservedState,
): ObservedState {
  if (before === null) return observation;
  const { offers = [], offersComplete } = before;
  const after = offersAfter({ offers, offersComplete }, observation);
  const isMixed =
    observation.offers !== undefined && after.offers.length > observation.offers.length;
  return {
    atSeconds: observation.atSeconds,
    buybox:
      observation.buybox === undefined ? carriedBox(before.buybox, after) : observation.buybox,
    rank: observation.rank ?? before.rank,
    offers: isMixed ? after.offers.toSorted(bySellerName) : after.offers,
    offersComplete: after.offersComplete,
    soldOut: isStatedSoldOut(observation),
    carried: {
      buybox: observation.buybox === undefined,
      offers: observation.offers === undefined,
      rank: observation.rank === undefined,
    },
  };
}

/**
 * The box to keep when it was not observed. A missing box may have returned since, and after the
 * last offer nobody holds the old one: in both cases the box is unknown until it is observed.
 */
export function carriedBox(
  box: Buybox | null | undefined,
  list: { offers: readonly unknown[]; offersComplete: boolean },
): Buybox | undefined {
  const isEmptied = list.offersComplete && list.offers.length === 0;
  return isEmptied ? undefined : (box ?? undefined);
}

const bySellerName = (a: ListedOffer, b: ListedOffer) => (a.sellerName < b.sellerName ? -1 : 1);

/** What a buyer pays: price and shipping. */
export const landedCents = (offer: ListedOffer): number => offer.priceCents + offer.shippingCents;

/** The offers, if the list is complete. */
export const completeOffers = (observation: ObservedState): readonly ListedOffer[] | undefined =>
  observation.offersComplete ? observation.offers : undefined;

/**
 * The offers, if this observation itself saw the complete list: only that shows who is absent now.
 */
export const freshCompleteOffers = (
  observation: ObservedState,
): readonly ListedOffer[] | undefined =>
  observation.carried?.offers ? undefined : completeOffers(observation);

/** Whether this observation itself says that the product is sold out. */
export const isSoldOut = (observation: ObservedState): boolean =>
  observation.soldOut ?? isStatedSoldOut(observation);

/** An offer with no units left is listed but not live; unknown stock counts as live. */
export const isLive = (offer: ListedOffer): boolean => offer.unitsInStock !== 0;

/** null when unknown: the list is incomplete, or the stock of an offer is unknown. */
export function totalUnits(observation: ObservedState): number | null {
  if (isSoldOut(observation)) return 0;
  const offers = completeOffers(observation);
  if (offers === undefined) return null;
  let total = 0;
  for (const offer of offers) {
    if (offer.unitsInStock === null) return null;
    total += offer.unitsInStock;
  }
  return total;
}
