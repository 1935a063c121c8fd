// A snapshot: what a source delivers about one product at one moment. This is the internal form;
// read-snapshot.ts and write-snapshot.ts convert it from and to JSON.

export type SellerType = 'marketplace' | 'fulfilled' | 'first_party';

export type Offer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  /** null: unknown, never 0. */
  unitsInStock: number | null;
  lastUpdatedAtMs: number | null;
};

export type Buybox = { priceCents: number; sellerName: string | null };

export type Rank = { position: number; category: string };

type StatedShelf = {
  buybox?: Buybox | null | undefined;
  offers?: readonly { unitsInStock: number | null }[] | undefined;
  offersComplete: boolean;
};

/**
 * Whether the source says that the product is sold out without listing every offer, as pages do:
 * nobody holds the buybox, and no listed offer has units. An empty list that is not complete is
 * this statement without a seller (`sold_out`).
 */
export function isStatedSoldOut({ buybox, offers, offersComplete }: StatedShelf): boolean {
  if (buybox !== null || offers === undefined || offersComplete) return false;
  return offers.every(({ unitsInStock }) => unitsInStock === 0);
}

/** An undefined member was not observed and changes nothing. */
export type Snapshot = {
  code: string;
  /** Rounded down to the second. */
  observedAtMs: number;
  /** As GTIN-14: the UPC and the EAN, where present. */
  gtins: readonly string[];
  brand?: string | undefined;
  name?: string | undefined;
  categories?: readonly string[] | undefined;
  /** null: suppressed, no offer holds the buybox. */
  buybox?: Buybox | null | undefined;
  offers?: readonly Offer[] | undefined;
  /** Only if true may anything be concluded from a seller's absence. */
  offersComplete: boolean;
  rank?: Rank | undefined;
  customerRating?: number | undefined;
  reviewCount?: number | undefined;
  shippingWeightLb?: number | undefined;
  sellerType?: SellerType | undefined;
};
