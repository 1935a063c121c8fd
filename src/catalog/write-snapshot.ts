// Writes a snapshot as the JSON that feeds and ingest files speak: what read-snapshot reads back as the same.
import { isoTime } from '../foundation/clock.ts';
import { dollars } from '../foundation/money.ts';
import { assert } from '../foundation/problem.ts';
import { eanOf, upcOf } from './gtin.ts';
import type { Offer, Snapshot } from './snapshot.ts';

/** Members that were not observed are left out; a buybox of null is not the same and stays. */
export type SnapshotJson = Readonly<Record<string, unknown>> & {
  retailer_product_code: string;
  observed_at: string;
};

/** One line of a feed's history or of an ingest file, without its line break. */
export function snapshotLine(snapshot: Snapshot): string {
  return JSON.stringify(writeSnapshot(snapshot));
}

export function writeSnapshot(snapshot: Snapshot): SnapshotJson {
  const { buybox, rank } = snapshot;
  // JSON leaves out what is undefined.
  return {
    retailer_product_code: snapshot.code,
    observed_at: isoTime(snapshot.observedAtMs),
    ...gtinMembers(snapshot.gtins),
    brand: snapshot.brand,
    product_name: snapshot.name,
    categories: snapshot.categories,
    buybox: buybox && { price: dollars(buybox.priceCents), seller_name: buybox.sellerName },
    offers: snapshot.offers?.map(writeOffer),
    offers_complete: snapshot.offersComplete,
    rank: rank && { position: rank.position, category: rank.category },
    customer_rating: snapshot.customerRating,
    number_of_reviews: snapshot.reviewCount,
    shipping_weight_lb: snapshot.shippingWeightLb,
    seller_type: snapshot.sellerType,
  };
}

function writeOffer(offer: Offer) {
  return {
    seller_name: offer.sellerName,
    price: dollars(offer.priceCents),
    shipping: dollars(offer.shippingCents),
    units_in_stock: offer.unitsInStock,
    last_updated: offer.lastUpdatedAtMs === null ? null : isoTime(offer.lastUpdatedAtMs),
  };
}

/** There is room for two: a UPC, and another number as an EAN, which every UPC is as well. */
function gtinMembers(gtins: readonly string[]): { upc: string | null; ean: string | null } {
  const upcAt = gtins.findIndex((gtin) => upcOf(gtin) !== null);
  const others = gtins.filter((_, index) => index !== upcAt);
  assert(others.length <= 1, 'a snapshot has at most a UPC and an EAN');
  const [upc = null, ean = null] = [gtins[upcAt], others[0]];
  assert(ean === null || eanOf(ean) !== null, 'a GTIN of a snapshot is a UPC or an EAN');
  return { upc: upc && upcOf(upc), ean: ean && eanOf(ean) };
}
