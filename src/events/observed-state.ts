// What detection needs of one look at a product, and the sums it draws from it. History's looks have this shape.
import { offersAfter } from '../catalog/product.ts';
import type { Buybox, Rank } from '../catalog/snapshot.ts';

export type ListedOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
};

export type ObservedState = {
  atSeconds: number;
  /** undefined: not looked at; null: nobody has it. */
  buybox: Buybox | null | undefined;
  rank: Rank | undefined;
  /** Ascending by seller name, one each; undefined: not looked at. */
  offers: readonly ListedOffer[] | undefined;
  /** Only then may anything be concluded from absence, or summed up. */
  offersComplete: boolean;
  /**
   * What was not looked at this time, but stands here as it was last seen; absent: nothing. It is compared, since it may
   * be new to one who looks less often, but it is no second sight of anything.
   */
  carried?: Parts;
};

/** Of each part that a look may leave out, whether this holds for it. */
export type Parts = { buybox: boolean; offers: boolean; rank: boolean };

/**
 * What is known after one more look, as the catalogue knows it (`afterLook`): what was not looked at stays as it was.
 * Only a box of which nothing was seen yet is unknown here, where it is none there: a range of looks may begin anywhere.
 */
export function afterObserving(
  known: ObservedState | null,
  observation: ObservedState,
): ObservedState {
  if (known === null) return observation;
  const { offers = [], offersComplete } = known;
  const after = offersAfter({ offers, offersComplete }, observation);
  const isMixed =
    observation.offers !== undefined && after.offers.length > observation.offers.length;
  return {
    atSeconds: observation.atSeconds,
    buybox: observation.buybox === undefined ? carriedBox(known.buybox, after) : observation.buybox,
    rank: observation.rank ?? known.rank,
    offers: isMixed ? after.offers.toSorted(bySellerName) : after.offers,
    offersComplete: after.offersComplete,
    carried: {
      buybox: observation.buybox === undefined,
      offers: observation.offers === undefined,
      rank: observation.rank === undefined,
    },
  };
}

/**
 * The box where it was not looked at. One that was missing before may be there by now, and where nobody sells any more
 * nobody holds the last one: whether there is one takes a look.
 */
export function carriedBox(
  box: Buybox | null | undefined,
  list: { offers: readonly unknown[]; offersComplete: boolean },
): Buybox | undefined {
  const isEmptied = list.offersComplete && list.offers.length === 0;
  return isEmptied ? undefined : (box ?? undefined);
}

const bySellerName = (a: ListedOffer, b: ListedOffer) => (a.sellerName < b.sellerName ? -1 : 1);

/** What a buyer pays. */
export const landedCents = (offer: ListedOffer): number => offer.priceCents + offer.shippingCents;

/** All offers, if they are known to be all. */
export const wholeList = (observation: ObservedState): readonly ListedOffer[] | undefined =>
  observation.offersComplete ? observation.offers : undefined;

/** All offers, if all were seen in this very look: only that shows who is absent now. */
export const seenList = (observation: ObservedState): readonly ListedOffer[] | undefined =>
  observation.carried?.offers ? undefined : wholeList(observation);

/** An offer of which there is nothing left is listed, but not live; an unknown stock may be anything. */
export const isLive = (offer: ListedOffer): boolean => offer.unitsInStock !== 0;

/** null when it is not known: not all offers seen, or the stock of one of them unknown. */
export function totalUnits(observation: ObservedState): number | null {
  const offers = wholeList(observation);
  if (offers === undefined) return null;
  let total = 0;
  for (const offer of offers) {
    if (offer.unitsInStock === null) return null;
    total += offer.unitsInStock;
  }
  return total;
}
