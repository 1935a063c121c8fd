// A product as last observed, and how a snapshot changes it.

import { DAY_MS } from '../foundation/time.ts';
import {
  type Buybox,
  isStatedSoldOut,
  type Offer,
  type Rank,
  type SellerType,
  type Snapshot,
} from './snapshot.ts';

export type Product = {
  code: string;
  /** The GTIN-14 shown to customers. */
  gtin: string | null;
  brand: string | null;
  name: string | null;
  categories: readonly string[];
  buybox: Buybox | null;
  offers: readonly Offer[];
  /** Whether the last observed list of offers was complete. */
  offersComplete: boolean;
  rank: Rank | null;
  customerRating: number | null;
  reviewCount: number | null;
  shippingWeightLb: number | null;
  sellerType: SellerType | null;
  observedAtMs: number;
  /** Later observations that lost the product and are not confirmed yet; absent: none. */
  loss?: Loss | undefined;
  /** Since when the marketplace no longer lists it; absent: it is listed. */
  delistedAtMs?: number | undefined;
};

/** Whether the marketplace lists the product, by the last observations. */
export type ProductState = Pick<Product, 'code' | 'observedAtMs' | 'loss' | 'delistedAtMs'>;

export type Loss = { sinceMs: number; count: number };

/** A product is no longer served from one day after its delisting. */
export const isWithdrawn = (
  { delistedAtMs }: Pick<Product, 'delistedAtMs'>,
  nowMs: number,
): boolean => delistedAtMs !== undefined && nowMs - delistedAtMs >= DAY_MS;

/**
 * Applies a snapshot to a product. Members that were not observed stay as they were; only a
 * complete list removes offers. An older snapshot belongs to history: here it only fills in members
 * that are still unknown. Of two snapshots of the same second the greater one wins, in either order
 * (docs/decisions/0006).
 */
export function productAfter(current: Product | undefined, snapshot: Snapshot): Product {
  if (current === undefined) return overlaid(undefined, snapshot);
  if (snapshot.observedAtMs < current.observedAtMs) return filledIn(current, snapshot);
  const after = overlaid(current, snapshot);
  if (snapshot.observedAtMs > current.observedAtMs) return after;
  // The one that loses may still have members that the other did not observe.
  return canonicalJson(after) > canonicalJson(current) ? after : filledIn(current, snapshot);
}

const NO_OFFERS = { offers: [], offersComplete: false };

function overlaid(current: Product | undefined, snapshot: Snapshot): Product {
  return {
    code: snapshot.code,
    gtin: snapshot.gtins[0] ?? current?.gtin ?? null,
    brand: snapshot.brand ?? current?.brand ?? null,
    name: snapshot.name ?? current?.name ?? null,
    categories: snapshot.categories ?? current?.categories ?? [],
    buybox: snapshot.buybox === undefined ? (current?.buybox ?? null) : snapshot.buybox,
    ...offersAfter(current ?? NO_OFFERS, snapshot),
    rank: snapshot.rank ?? current?.rank ?? null,
    customerRating: snapshot.customerRating ?? current?.customerRating ?? null,
    reviewCount: snapshot.reviewCount ?? current?.reviewCount ?? null,
    shippingWeightLb: snapshot.shippingWeightLb ?? current?.shippingWeightLb ?? null,
    sellerType: snapshot.sellerType ?? current?.sellerType ?? null,
    observedAtMs: snapshot.observedAtMs,
  };
}

/** Fills in members that describe the product rather than the moment, where they are unknown. */
function filledIn(current: Product, older: Snapshot): Product {
  const addsMembers =
    (current.gtin === null && older.gtins.length > 0) ||
    (current.brand === null && older.brand !== undefined) ||
    (current.name === null && older.name !== undefined) ||
    (current.categories.length === 0 && (older.categories?.length ?? 0) > 0) ||
    (current.shippingWeightLb === null && older.shippingWeightLb !== undefined) ||
    (current.sellerType === null && older.sellerType !== undefined);
  if (!addsMembers) return current;
  // The spread turns the lazy `offers` getter into a value; late snapshots are rare enough for
  // that.
  return {
    ...current,
    gtin: current.gtin ?? older.gtins[0] ?? null,
    brand: current.brand ?? older.brand ?? null,
    name: current.name ?? older.name ?? null,
    categories: current.categories.length > 0 ? current.categories : (older.categories ?? []),
    shippingWeightLb: current.shippingWeightLb ?? older.shippingWeightLb ?? null,
    sellerType: current.sellerType ?? older.sellerType ?? null,
  };
}

/**
 * For choosing between two snapshots of one second: first the members that history stores, written
 * as history writes them, so that both make the same choice; then the members that describe the
 * product.
 */
function canonicalJson(product: Product): string {
  const { buybox, rank } = product;
  const observation = JSON.stringify({
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
  const description = JSON.stringify([
    [product.brand, product.categories, product.customerRating, product.gtin],
    [product.reviewCount, product.name, product.sellerType, product.shippingWeightLb],
  ]);
  return observation + description;
}

/**
 * The offers after a snapshot. Only a complete list removes offers; a product that is said to be
 * sold out has no units at anybody.
 */
export function offersAfter<T extends { sellerName: string; unitsInStock: number | null }>(
  before: { offers: readonly T[]; offersComplete: boolean },
  snapshot: Pick<Snapshot, 'buybox' | 'offersComplete'> & { offers?: readonly T[] | undefined },
): { offers: readonly T[]; offersComplete: boolean } {
  if (snapshot.offers === undefined) {
    return { offers: before.offers, offersComplete: before.offersComplete };
  }
  if (snapshot.offersComplete) return { offers: snapshot.offers, offersComplete: true };
  const seen = new Set(snapshot.offers.map((offer) => offer.sellerName));
  const others = before.offers.filter((offer) => !seen.has(offer.sellerName));
  const unlisted = isStatedSoldOut(snapshot) ? others.map(withoutUnits) : others;
  return { offers: [...snapshot.offers, ...unlisted], offersComplete: false };
}

const withoutUnits = <T extends { unitsInStock: number | null }>(offer: T): T => ({
  ...offer,
  unitsInStock: 0,
});

/** Chooses among listings with the same GTIN: one with a buybox first, then the best rank. */
export function bestListing(listings: readonly Product[]): Product | undefined {
  const boxless = (product: Product) => (product.buybox === null ? 1 : 0);
  const position = (product: Product) => product.rank?.position ?? Number.MAX_SAFE_INTEGER;
  return [...listings].sort(
    (a, b) => boxless(a) - boxless(b) || position(a) - position(b) || (a.code < b.code ? -1 : 1),
  )[0];
}
