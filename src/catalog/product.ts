// A product as the catalogue knows it, and how a look at the marketplace changes that.
import type { Buybox, Offer, Rank, SellerType, Snapshot } from './snapshot.ts';

export type Product = {
  code: string;
  /** The GTIN-14 that is shown. */
  gtin: string | null;
  brand: string | null;
  name: string | null;
  categories: readonly string[];
  buybox: Buybox | null;
  offers: readonly Offer[];
  /** Whether the offers are all there were when last seen. */
  offersComplete: boolean;
  rank: Rank | null;
  customerRating: number | null;
  reviewCount: number | null;
  shippingWeightLb: number | null;
  sellerType: SellerType | null;
  observedAt: number;
};

/**
 * The product after a look. What was not observed stays as it was; only a complete list takes offers
 * away. A look older than what is known changes nothing here: it belongs to history.
 */
export function afterLook(known: Product | undefined, look: Snapshot): Product {
  if (known !== undefined && look.observedAt < known.observedAt) return known;
  return {
    code: look.code,
    gtin: look.gtins[0] ?? known?.gtin ?? null,
    brand: look.brand ?? known?.brand ?? null,
    name: look.name ?? known?.name ?? null,
    categories: look.categories ?? known?.categories ?? [],
    buybox: look.buybox === undefined ? (known?.buybox ?? null) : look.buybox,
    ...offersAfter(known, look),
    rank: look.rank ?? known?.rank ?? null,
    customerRating: look.customerRating ?? known?.customerRating ?? null,
    reviewCount: look.reviewCount ?? known?.reviewCount ?? null,
    shippingWeightLb: look.shippingWeightLb ?? known?.shippingWeightLb ?? null,
    sellerType: look.sellerType ?? known?.sellerType ?? null,
    observedAt: look.observedAt,
  };
}

function offersAfter(
  known: Product | undefined,
  look: Snapshot,
): Pick<Product, 'offers' | 'offersComplete'> {
  const before = { offers: known?.offers ?? [], offersComplete: known?.offersComplete ?? false };
  if (look.offers === undefined) return before;
  if (look.offersComplete) return { offers: look.offers, offersComplete: true };
  const seen = new Set(look.offers.map((offer) => offer.sellerName));
  const others = before.offers.filter((offer) => !seen.has(offer.sellerName));
  return { offers: [...look.offers, ...others], offersComplete: false };
}

/** Of several listings with one GTIN: the one with a buybox and the best rank. */
export function bestListing(listings: readonly Product[]): Product | undefined {
  const boxless = (product: Product) => (product.buybox === null ? 1 : 0);
  const position = (product: Product) => product.rank?.position ?? Number.MAX_SAFE_INTEGER;
  return [...listings].sort(
    (a, b) => boxless(a) - boxless(b) || position(a) - position(b) || (a.code < b.code ? -1 : 1),
  )[0];
}
