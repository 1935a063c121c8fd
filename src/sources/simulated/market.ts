// The snapshot of a product at a second: offers, buybox and rank.
import type { Buybox, Offer, Snapshot } from '../../catalog/snapshot.ts';
import { DAY_SECONDS } from '../../foundation/time.ts';
import { mix } from './mix.ts';
import { marketOn, priceAt } from './price.ts';
import { type Product, ratingAt, reviewsAt } from './product.ts';
import { absenceNear, displayedUnits, type Seller, suppressionNear } from './seller.ts';
import { positionOfProduct, scoreOf, stockAt } from './stock.ts';

type Bid = { seller: Seller; priceCents: number; units: number };

export function snapshotAt(product: Product, second: number): Snapshot {
  const { listing } = product;
  const day = Math.floor(second / DAY_SECONDS);
  const bids = bidsAt(product, second);
  const reviewCount = reviewsAt(product, second);
  return {
    code: listing.code,
    observedAtMs: second * 1_000,
    gtins: [listing.gtin],
    brand: listing.brand,
    name: listing.name,
    categories: listing.leaf.path,
    buybox: buyboxAt(product, bids, second),
    offers: bids.map((bid) => offerOf(bid, second)),
    offersComplete: true,
    rank: { position: positionOfProduct(product, day) + 1, category: listing.leaf.path[2] },
    customerRating: reviewCount === 0 ? undefined : ratingAt(product, second),
    reviewCount,
    shippingWeightLb: listing.weightLb,
    sellerType: listing.sellerType,
  };
}

/** The offers of present sellers, lowest landed price first. */
function bidsAt(product: Product, second: number): Bid[] {
  const { sellers } = product;
  const day = Math.floor(second / DAY_SECONDS);
  const market = marketOn(product, day);
  const units = stockAt(product, second);
  const bids: Bid[] = [];
  for (const [position, seller] of sellers.entries()) {
    const absence = absenceNear(seller, day);
    if (second >= absence.from && second < absence.to) continue;
    const priceCents = priceAt(seller, second, market);
    bids.push({ seller, priceCents, units: units[position] as number });
  }
  return bids.sort((a, b) => landedCents(a) - landedCents(b));
}

const landedCents = (bid: Bid) => bid.priceCents + bid.seller.shippingCents;

/** Offers are refreshed every 15 minutes, each at its own offset. */
function offerOf({ seller, priceCents, units }: Bid, second: number): Offer {
  return {
    sellerName: seller.name,
    priceCents,
    shippingCents: seller.shippingCents,
    unitsInStock: displayedUnits(seller, units, second),
    lastUpdatedAtMs: (second - ((second + seller.repriceSecond) % 900)) * 1_000,
  };
}

/** Sellers within this factor of the best score rotate in the buybox. */
const EQUAL_WITHIN = 1.01;

/** null while suppressed, and when no seller has stock. */
function buyboxAt(product: Product, bids: readonly Bid[], second: number): Buybox | null {
  const suppression = suppressionNear(product.key, Math.floor(second / DAY_SECONDS));
  if (second >= suppression.from && second < suppression.to) return null;
  const holder = holderAt(product, bids, second);
  return holder && { priceCents: holder.priceCents, sellerName: holder.seller.name };
}

function holderAt(product: Product, bids: readonly Bid[], second: number): Bid | null {
  let best = Number.POSITIVE_INFINITY;
  for (const bid of bids)
    if (bid.units > 0) best = Math.min(best, scoreOf(bid.seller, bid.priceCents));
  // Rotation periods last 2 to 9 hours. The highest draw of the period wins, so that a seller who
  // enters or leaves moves the buybox only to or from itself.
  const periodSeconds = (2 + (product.key & 7)) * 3_600;
  const periodKey = mix(product.key, Math.floor((second + (product.key >>> 8)) / periodSeconds));
  let holder: Bid | null = null;
  let highest = -1;
  for (const bid of bids) {
    if (bid.units === 0 || scoreOf(bid.seller, bid.priceCents) > best * EQUAL_WITHIN) continue;
    const draw = mix(periodKey, bid.seller.key);
    if (draw <= highest) continue;
    highest = draw;
    holder = bid;
  }
  return holder;
}
