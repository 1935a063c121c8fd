// What detection needs of one look at a product, and the sums it draws from it. History's looks have this shape.
import type { Buybox, Rank } from '../catalog/snapshot.ts';

export type ListedOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
};

export type ObservedLook = {
  atSeconds: number;
  /** undefined: not looked at; null: nobody has it. */
  buybox: Buybox | null | undefined;
  rank: Rank | undefined;
  /** Ascending by seller name, one each; undefined: not looked at. */
  offers: readonly ListedOffer[] | undefined;
  /** Only then may anything be concluded from absence, or summed up. */
  offersComplete: boolean;
};

/** What a buyer pays. */
export const landedCents = (offer: ListedOffer): number => offer.priceCents + offer.shippingCents;

/** All offers, if they are known to be all. */
export const wholeList = (look: ObservedLook): readonly ListedOffer[] | undefined =>
  look.offersComplete ? look.offers : undefined;

/** An offer of which there is nothing left is listed, but not live; an unknown stock may be anything. */
export const isLive = (offer: ListedOffer): boolean => offer.unitsInStock !== 0;

/** null when it is not known: not all offers seen, or the stock of one of them unknown. */
export function totalUnits(look: ObservedLook): number | null {
  const offers = wholeList(look);
  if (offers === undefined) return null;
  let total = 0;
  for (const offer of offers) {
    if (offer.unitsInStock === null) return null;
    total += offer.unitsInStock;
  }
  return total;
}
