// A snapshot: what one look at the marketplace saw of one product. Inside the house; how it is written
// as JSON, and what is refused, is read-snapshot's.

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

/** Members that are undefined were not observed, and change nothing. */
export type Snapshot = {
  code: string;
  /** To the second. */
  observedAtMs: number;
  /** GTIN-14, as many as were given. */
  gtins: readonly string[];
  brand?: string | undefined;
  name?: string | undefined;
  categories?: readonly string[] | undefined;
  /** null: there are live offers, but none has the box. */
  buybox?: Buybox | null | undefined;
  offers?: readonly Offer[] | undefined;
  /** Only then may anything be concluded from a seller's absence. */
  offersComplete: boolean;
  rank?: Rank | undefined;
  customerRating?: number | undefined;
  reviewCount?: number | undefined;
  shippingWeightLb?: number | undefined;
  sellerType?: SellerType | undefined;
};
