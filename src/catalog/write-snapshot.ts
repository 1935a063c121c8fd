// Writes a snapshot in the JSON form of feeds and ingest files. read-snapshot.ts reads it back
// unchanged.
import { isoTime } from '../foundation/clock.ts';
import { dollars } from '../foundation/money.ts';
import { assert } from '../foundation/problem.ts';
import { eanOf, upcOf } from './gtin.ts';
import { isStatedSoldOut, type Offer, type Snapshot } from './snapshot.ts';

/** Members that were not observed are absent. A buybox of null means suppressed and is written. */
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
  // JSON.stringify omits members that are undefined.
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
    sold_out: isStatedSoldOut(snapshot) || undefined,
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

/** The form has room for two GTINs: a UPC, and another one as an EAN (every UPC is also an EAN). */
function gtinMembers(gtins: readonly string[]): { upc: string | null; ean: string | null } {
  const upcIndex = gtins.findIndex((gtin) => upcOf(gtin) !== null);
  const others = gtins.filter((_, index) => index !== upcIndex);
  assert(others.length <= 1, 'a snapshot has at most a UPC and an EAN');
  const [upc = null, ean = null] = [gtins[upcIndex], others[0]];
  assert(ean === null || eanOf(ean) !== null, 'a GTIN of a snapshot is a UPC or an EAN');
  return { upc: upc && upcOf(upc), ean: ean && eanOf(ean) };
}
