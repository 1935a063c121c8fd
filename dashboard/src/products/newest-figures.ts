// The figures at the top of a product's page: of everything tracking saw and the account bought,
// the newest. Each says when it was observed, so that it can be compared with the chart.

export type FigureSources = {
  tracked: {
    current_price: number | null;
    buybox_seller: string | null;
    units_in_stock: number | null;
    last_updated: string | null;
    offers: readonly { price: number; shipping: number }[];
    shown_tier: number | null;
  } | null;
  details: { buybox_price: number | null; last_updated: string } | null;
  prices: readonly { date: string; price: number }[] | null;
  offers: {
    atMs: number;
    sellers: readonly { price: number; shipping: number; units_in_stock: number | null }[];
  } | null;
};

export type PriceFigure = { price: number | null; seller: string | null; atMs: number };
export type StockFigure = { units: number | null; atMs: number };
export type SellersFigure = { count: number; lowest: number | null; atMs: number };

type Offer = { price: number; shipping: number; units_in_stock: number | null };

/** Who sold at the end of a bought offer history, which lists changes only. */
export function offersAtEnd({
  to,
  offers,
}: {
  to: string;
  offers: readonly {
    seller_name: string;
    state: string;
    price: number | null;
    shipping: number | null;
    units_in_stock: number | null;
  }[];
}): { atMs: number; sellers: Offer[] } {
  const last = new Map(offers.map((offer) => [offer.seller_name, offer]));
  const sellers = [...last.values()].flatMap(({ state, price, shipping, units_in_stock }) =>
    state === 'listed' && price !== null
      ? [{ price, shipping: shipping ?? 0, units_in_stock }]
      : [],
  );
  return { atMs: Date.parse(to), sellers };
}

/** Null: nothing is known. A price of null: nobody held the buybox. */
export function newestPrice({ tracked, details, prices }: FigureSources): PriceFigure | null {
  const last = prices?.at(-1);
  return newest([
    tracked?.last_updated
      ? {
          price: tracked.current_price,
          seller: tracked.buybox_seller,
          atMs: Date.parse(tracked.last_updated),
        }
      : null,
    details
      ? { price: details.buybox_price, seller: null, atMs: Date.parse(details.last_updated) }
      : null,
    last ? { price: last.price, seller: null, atMs: Date.parse(last.date) } : null,
  ]);
}

export function newestStock({ tracked, offers }: FigureSources): StockFigure | null {
  return newest([
    tracked?.last_updated
      ? { units: tracked.units_in_stock, atMs: Date.parse(tracked.last_updated) }
      : null,
    offers ? { units: totalOf(offers.sellers), atMs: offers.atMs } : null,
  ]);
}

export function newestSellers({ tracked, offers }: FigureSources): SellersFigure | null {
  return newest([
    tracked?.last_updated && tracked.shown_tier === 0
      ? { ...countOf(tracked.offers), atMs: Date.parse(tracked.last_updated) }
      : null,
    offers ? { ...countOf(offers.sellers), atMs: offers.atMs } : null,
  ]);
}

/** The first of two at the same time. */
function newest<T extends { atMs: number }>(figures: readonly (T | null)[]): T | null {
  let result: T | null = null;
  for (const figure of figures)
    if (figure !== null && (result === null || figure.atMs > result.atMs)) result = figure;
  return result;
}

/** Unknown while the stock of one seller is. */
function totalOf(sellers: readonly { units_in_stock: number | null }[]): number | null {
  let total = 0;
  for (const { units_in_stock: units } of sellers) {
    if (units === null) return null;
    total += units;
  }
  return total;
}

const countOf = (sellers: readonly { price: number; shipping: number }[]) => ({
  count: sellers.length,
  lowest: sellers.length
    ? Math.min(...sellers.map(({ price, shipping }) => price + shipping))
    : null,
});

/**
 * The seller to mark as the holder in a bought list of offers: the one who held the buybox at the
 * end of the bought history, or as tracking saw it, whichever is newer. Null: nobody, or unknown.
 */
export function newestHolder(
  tracked: { buybox_seller: string | null; last_updated: string | null } | null,
  buybox: {
    to: string;
    intervals: readonly { state: string; seller_name: string | null }[];
  } | null,
): string | null {
  const last = buybox?.intervals.at(-1);
  const figure = newest([
    tracked?.last_updated
      ? { seller: tracked.buybox_seller, atMs: Date.parse(tracked.last_updated) }
      : null,
    buybox && last?.state === 'held'
      ? { seller: last.seller_name, atMs: Date.parse(buybox.to) }
      : null,
  ]);
  return figure?.seller ?? null;
}
