// Recent look-ups: products whose details this browser stores, then those of the ledger.

export type RecentLookUp = {
  code: string;
  name: string | null;
  brand: string | null;
  price: number | null;
  /** Whether the details are stored, so that opening the product is free. */
  isStored: boolean;
  atMs: number;
};

type KeptDetails = {
  atMs: number;
  data: {
    retailer_product_code: string;
    product_name: string | null;
    brand: string | null;
    buybox_price: number | null;
  };
};

type LedgerEntry = { at: string; retailer_product_code: string | null };

export function recentLookUps(
  stored: readonly KeptDetails[],
  ledger: readonly LedgerEntry[],
  countMax: number,
): RecentLookUp[] {
  const byCode = new Map<string, RecentLookUp>();
  for (const { atMs, data } of stored) {
    const code = data.retailer_product_code;
    const current = byCode.get(code);
    if (current !== undefined && current.atMs >= atMs) continue;
    const { product_name: name, brand, buybox_price: price } = data;
    byCode.set(code, { code, name, brand, price, isStored: true, atMs });
  }
  for (const { at, retailer_product_code: code } of ledger) {
    if (code === null) continue;
    const atMs = Date.parse(at);
    const current = byCode.get(code);
    const bare = { code, name: null, brand: null, price: null, isStored: false, atMs };
    if (current === undefined) byCode.set(code, bare);
    // A price is as old as its look-up, so a stored one keeps its time.
    else if (!current.isStored && atMs > current.atMs) byCode.set(code, bare);
  }
  return [...byCode.values()].sort((a, b) => b.atMs - a.atMs).slice(0, countMax);
}
