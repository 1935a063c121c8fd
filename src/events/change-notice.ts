// What changed, with what a message about it needs to know besides: left with the observation, read by the fan-out.
import type { Product } from '../catalog/product.ts';
import type { DetectedEvent } from './detected-event.ts';
import { type ListedOffer, landedCents } from './observed-state.ts';

export type ChangeNotice = {
  events: readonly DetectedEvent[];
  productName: string | null;
  buybox: Product['buybox'];
  unitsInStock: number | null;
  rank: Product['rank'];
  /** The cheapest, as many as a message may tell. */
  offers: ListedOffer[];
};

const OFFERS_IN_PAYLOAD_MAX = 5;

export function changeNotice(
  events: readonly DetectedEvent[],
  product: Product,
  unitsInStock: number | null,
): ChangeNotice {
  const { name, buybox, rank } = product;
  const offers = product.offers
    .toSorted((a, b) => landedCents(a) - landedCents(b))
    .slice(0, OFFERS_IN_PAYLOAD_MAX)
    .map(({ sellerName, priceCents, shippingCents, unitsInStock: units }) => ({
      ...{ sellerName, priceCents, shippingCents, unitsInStock: units },
    }));
  return { events, productName: name, buybox, unitsInStock, rank, offers };
}
