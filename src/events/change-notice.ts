// The events of one observation with the product data that their payloads need. Stored as JSON in
// the outbox with the observation, read by the fan-out.
import type { Product } from '../catalog/product.ts';
import type { DetectedEvent } from './detected-event.ts';
import type { Explanation } from './explanation.ts';
import { type ListedOffer, landedCents } from './observed-state.ts';

export type ChangeNotice = {
  events: readonly DetectedEvent[];
  productName: string | null;
  buybox: Product['buybox'];
  unitsInStock: number | null;
  rank: Product['rank'];
  /** The cheapest offers, as many as a payload holds. */
  offers: ListedOffer[];
  /** Absent in notices of earlier versions. */
  explanation?: Explanation;
};

const OFFERS_IN_PAYLOAD_MAX = 5;

export function changeNotice(
  events: readonly DetectedEvent[],
  product: Product,
  { unitsInStock, explanation }: { unitsInStock: number | null; explanation: Explanation },
): ChangeNotice {
  const { name, buybox, rank } = product;
  const offers = product.offers
    .toSorted((a, b) => landedCents(a) - landedCents(b))
    .slice(0, OFFERS_IN_PAYLOAD_MAX)
    .map((offer) => ({
      sellerName: offer.sellerName,
      priceCents: offer.priceCents,
      shippingCents: offer.shippingCents,
      unitsInStock: offer.unitsInStock,
    }));
  return { events, productName: name, buybox, unitsInStock, rank, offers, explanation };
}
