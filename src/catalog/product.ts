// A product as the catalogue knows it, and how a look at the marketplace changes that.

import { DAY_MS } from '../foundation/time.ts';
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
  observedAtMs: number;
  /** The observations since the last one that lost it and wait to be confirmed; absent: none. */
  loss?: Loss | undefined;
  /** Since when the marketplace no longer lists it; absent: it does. */
  delistedAtMs?: number | undefined;
};

/** What the last observations say of whether the marketplace lists it. */
export type ProductState = Pick<Product, 'code' | 'observedAtMs' | 'loss' | 'delistedAtMs'>;

export type Loss = { sinceMs: number; count: number };

/** From a day after its delisting on a product is no longer served. */
export const isWithdrawn = ({ delistedAtMs }: Product, now: number): boolean =>
  delistedAtMs !== undefined && now - delistedAtMs >= DAY_MS;

/**
 * The product after a look. What was not observed stays as it was; only a complete list takes offers
 * away. An older look belongs to history: here it only fills in what nothing newer has told. Of two looks
 * of the same second the greater is kept, whichever came first (docs/decisions/0006).
 */
export function productAfter(known: Product | undefined, snapshot: Snapshot): Product {
  if (known === undefined) return overlaid(undefined, snapshot);
  if (snapshot.observedAtMs < known.observedAtMs) return filledIn(known, snapshot);
  const after = overlaid(known, snapshot);
  if (snapshot.observedAtMs > known.observedAtMs) return after;
  // The one that is not kept may still have told what the other did not look at.
  return canonicalJson(after) > canonicalJson(known) ? after : filledIn(known, snapshot);
}

const NO_OFFERS = { offers: [], offersComplete: false };

function overlaid(known: Product | undefined, snapshot: Snapshot): Product {
  return {
    code: snapshot.code,
    gtin: snapshot.gtins[0] ?? known?.gtin ?? null,
    brand: snapshot.brand ?? known?.brand ?? null,
    name: snapshot.name ?? known?.name ?? null,
    categories: snapshot.categories ?? known?.categories ?? [],
    buybox: snapshot.buybox === undefined ? (known?.buybox ?? null) : snapshot.buybox,
    ...offersAfter(known ?? NO_OFFERS, snapshot),
    rank: snapshot.rank ?? known?.rank ?? null,
    customerRating: snapshot.customerRating ?? known?.customerRating ?? null,
    reviewCount: snapshot.reviewCount ?? known?.reviewCount ?? null,
    shippingWeightLb: snapshot.shippingWeightLb ?? known?.shippingWeightLb ?? null,
    sellerType: snapshot.sellerType ?? known?.sellerType ?? null,
    observedAtMs: snapshot.observedAtMs,
  };
}

/** What describes the product rather than the moment, where it is not known yet. */
function filledIn(known: Product, older: Snapshot): Product {
  const tells =
    (known.gtin === null && older.gtins.length > 0) ||
    (known.brand === null && older.brand !== undefined) ||
    (known.name === null && older.name !== undefined) ||
    (known.categories.length === 0 && (older.categories?.length ?? 0) > 0) ||
    (known.shippingWeightLb === null && older.shippingWeightLb !== undefined) ||
    (known.sellerType === null && older.sellerType !== undefined);
  if (!tells) return known;
  // Getters (offers are unpacked only when asked for) become values here; late looks can afford it.
  return {
    ...known,
    gtin: known.gtin ?? older.gtins[0] ?? null,
    brand: known.brand ?? older.brand ?? null,
    name: known.name ?? older.name ?? null,
    categories: known.categories.length > 0 ? known.categories : (older.categories ?? []),
    shippingWeightLb: known.shippingWeightLb ?? older.shippingWeightLb ?? null,
    sellerType: known.sellerType ?? older.sellerType ?? null,
  };
}

/**
 * For choosing between two: first what history keeps of a look, written as history writes it, so that both
 * choose alike; then what describes the product.
 */
function canonicalJson(product: Product): string {
  const { buybox, rank } = product;
  const kept = JSON.stringify({
    buybox: buybox && { price: buybox.priceCents / 100, seller_name: buybox.sellerName },
    offers: [...product.offers]
      .sort((a, b) => (a.sellerName < b.sellerName ? -1 : 1))
      .map((offer) => ({
        price: offer.priceCents / 100,
        seller_name: offer.sellerName,
        shipping: offer.shippingCents / 100,
        units_in_stock: offer.unitsInStock,
      })),
    offers_complete: product.offersComplete,
    rank: rank ? { category: rank.category, position: rank.position } : undefined,
  });
  const described = JSON.stringify([
    [product.brand, product.categories, product.customerRating, product.gtin],
    [product.reviewCount, product.name, product.sellerType, product.shippingWeightLb],
  ]);
  return kept + described;
}

/** The offers after a look: only a complete list takes any away. */
export function offersAfter<T extends { sellerName: string }>(
  before: { offers: readonly T[]; offersComplete: boolean },
  snapshot: { offers?: readonly T[] | undefined; offersComplete: boolean },
): { offers: readonly T[]; offersComplete: boolean } {
  if (snapshot.offers === undefined) {
    return { offers: before.offers, offersComplete: before.offersComplete };
  }
  if (snapshot.offersComplete) return { offers: snapshot.offers, offersComplete: true };
  const seen = new Set(snapshot.offers.map((offer) => offer.sellerName));
  const others = before.offers.filter((offer) => !seen.has(offer.sellerName));
  return { offers: [...snapshot.offers, ...others], offersComplete: false };
}

/** Of several listings with one GTIN: the one with a buybox and the best rank. */
export function bestListing(listings: readonly Product[]): Product | undefined {
  const boxless = (product: Product) => (product.buybox === null ? 1 : 0);
  const position = (product: Product) => product.rank?.position ?? Number.MAX_SAFE_INTEGER;
  return [...listings].sort(
    (a, b) => boxless(a) - boxless(b) || position(a) - position(b) || (a.code < b.code ? -1 : 1),
  )[0];
}
