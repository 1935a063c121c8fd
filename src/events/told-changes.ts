// What changed, with what a message about it needs to know besides: left with the observation, read by the fan-out.
import type { Product } from '../catalog/product.ts';
import type { DetectedEvent } from './detected-event.ts';
import { type ListedOffer, landedCents } from './observed-look.ts';

export type ToldChanges = {
  events: readonly DetectedEvent[];
  productName: string | null;
  buybox: Product['buybox'];
  unitsInStock: number | null;
  rank: Product['rank'];
  /** The cheapest, as many as a message may tell. */
  offers: ListedOffer[];
};

const OFFERS_TOLD = 5;

export function toldChanges(
  events: readonly DetectedEvent[],
  product: Product,
  unitsInStock: number | null,
): ToldChanges {
  const { name, buybox, rank } = product;
  const offers = product.offers
    .toSorted((a, b) => landedCents(a) - landedCents(b))
    .slice(0, OFFERS_TOLD)
    .map(({ sellerName, priceCents, shippingCents, unitsInStock: units }) => ({
      ...{ sellerName, priceCents, shippingCents, unitsInStock: units },
    }));
  return { events, productName: name, buybox, unitsInStock, rank, offers };
}
