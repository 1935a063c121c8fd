// Maps a product to its row in `products`: packs the offers and the tail of its history.
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Product, ProductState } from './product.ts';
import type { Offer, SellerType } from './snapshot.ts';

/** An offer in the row: seller name, price, shipping, units, last update in seconds. */
type PackedOffer = [string, number, number, number | null, number | null];

export type ProductRow = {
  retailer_product_code: string;
  gtin: string | null;
  brand: string | null;
  product_name: string | null;
  categories: string[];
  buybox_price_cents: number | null;
  buybox_seller_name: string | null;
  /** As text: most endpoints never read it. */
  packed_offers: string;
  offers_complete: boolean;
  rank_position: number | null;
  rank_category: string | null;
  customer_rating: number | null;
  number_of_reviews: number | null;
  shipping_weight_lb: number | null;
  seller_type: SellerType | null;
  observed_at: number;
  lost_since: number | null;
  lost_count: number | null;
  delisted_at: number | null;
};

export const fromRow = (row: ProductRow): Product => ({
  code: row.retailer_product_code,
  gtin: row.gtin,
  brand: row.brand,
  name: row.product_name,
  categories: row.categories,
  buybox:
    row.buybox_price_cents === null
      ? null
      : { priceCents: row.buybox_price_cents, sellerName: row.buybox_seller_name },
  get offers() {
    return (JSON.parse(row.packed_offers) as PackedOffer[]).map(unpackOffer);
  },
  offersComplete: row.offers_complete,
  rank:
    row.rank_position === null
      ? null
      : { position: row.rank_position, category: row.rank_category ?? '' },
  customerRating: row.customer_rating,
  reviewCount: row.number_of_reviews,
  shippingWeightLb: row.shipping_weight_lb,
  sellerType: row.seller_type,
  observedAtMs: row.observed_at,
  ...lossOf(row),
});

export type StateRow = Pick<
  ProductRow,
  'retailer_product_code' | 'observed_at' | 'lost_since' | 'lost_count' | 'delisted_at'
>;

export const stateFromRow = (row: StateRow): ProductState => ({
  code: row.retailer_product_code,
  observedAtMs: row.observed_at,
  ...lossOf(row),
});

/**
 * A loss or delisting from before the last observation no longer counts: the product was seen
 * again.
 */
function lossOf(row: StateRow): Pick<Product, 'loss' | 'delistedAtMs'> {
  const { observed_at: observedAtMs, lost_since: sinceMs, lost_count, delisted_at } = row;
  const isLost = sinceMs !== null && sinceMs > observedAtMs;
  const isDelisted = delisted_at !== null && delisted_at >= observedAtMs;
  return {
    ...(isLost && { loss: { sinceMs, count: lost_count ?? 1 } }),
    ...(isDelisted && { delistedAtMs: delisted_at }),
  };
}

const unpackOffer = ([name, price, shipping, units, seconds]: PackedOffer): Offer => ({
  sellerName: name,
  priceCents: price,
  shippingCents: shipping,
  unitsInStock: units,
  lastUpdatedAtMs: seconds === null ? null : seconds * 1000,
});

const packOffer = (offer: Offer): PackedOffer => [
  offer.sellerName,
  offer.priceCents,
  offer.shippingCents,
  offer.unitsInStock,
  offer.lastUpdatedAtMs === null ? null : Math.floor(offer.lastUpdatedAtMs / 1000),
];

const toRow = (product: Product) => ({
  lane: lane(product.code),
  retailer_product_code: product.code,
  gtin: product.gtin,
  brand: product.brand,
  product_name: product.name,
  categories: product.categories,
  buybox_price_cents: product.buybox?.priceCents ?? null,
  buybox_seller_name: product.buybox?.sellerName ?? null,
  offers: product.offers.map(packOffer),
  offers_complete: product.offersComplete,
  rank_position: product.rank?.position ?? null,
  rank_category: product.rank?.category ?? null,
  rank_band: product.rank === null ? null : 31 - Math.clz32(product.rank.position),
  customer_rating: product.customerRating,
  number_of_reviews: product.reviewCount,
  shipping_weight_lb: product.shippingWeightLb,
  seller_type: product.sellerType,
  observed_at: isoTime(product.observedAtMs),
});

/** The newest part of a product's history, packed. `history/` defines the format of the bytes. */
export type ProductTail = {
  bytes: Buffer;
  checksum: number;
  /** The runs hold all observations up to this instant, the tail those after it. */
  runsUntilSeconds: number | null;
  /** When the product's history was requested from the marketplace. */
  backfilledAtMs: number | null;
  /**
   * First day (since 1970) from which the estimates of units sold miss observations; null: they
   * include all.
   */
  salesStaleFromDay: number | null;
};

export type TailRow = {
  retailer_product_code: string;
  tail: Buffer;
  tail_checksum: number;
  runs_until: number | null;
  backfilled_at: number | null;
  sales_stale_from: number | null;
};

export const tailFromRow = (row: TailRow): ProductTail => ({
  bytes: row.tail,
  checksum: row.tail_checksum,
  runsUntilSeconds: row.runs_until === null ? null : row.runs_until / 1000,
  backfilledAtMs: row.backfilled_at,
  salesStaleFromDay: row.sales_stale_from,
});

export type ProductChange = {
  product: Product;
  tail: ProductTail;
  /** Bytes to append to the stored tail; null: the whole tail is written. */
  appended: Buffer | null;
};

const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

export const toChangeRow = ({ product, tail, appended }: ProductChange) => ({
  ...toRow(product),
  tail: hex(appended ?? tail.bytes),
  tail_checksum: tail.checksum,
  runs_until: tail.runsUntilSeconds === null ? null : isoTime(tail.runsUntilSeconds * 1000),
  sales_stale_from: tail.salesStaleFromDay,
  tail_appended: appended !== null,
});
