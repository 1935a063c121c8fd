// Sellers of a product: who is new, who is removed, and their landed prices.
import { type Comparison, emit } from './comparison.ts';
import { observed } from './detected-event.ts';
import {
  completeOffers,
  freshCompleteOffers,
  type ListedOffer,
  landedCents,
} from './observed-state.ts';
import { isPriceMove } from './rule.ts';
import type { SellerState } from './watch-state.ts';

/** Price changes are notified only for this many cheapest offers. */
export const OFFERS_IN_NOTICE_MAX = 20;

type Sellers = readonly SellerState[];

export function afterSellers(before: Sellers | null, comparison: Comparison): Sellers | null {
  const { observation } = comparison;
  const offers = completeOffers(observation);
  if (offers === undefined)
    return before === null ? null : markReturned(before, observation.offers ?? []);
  if (before === null) return offers.map((offer) => newSeller(offer, observation.atSeconds));
  return mergeSellers(before, offers, comparison);
}

const newSeller = (offer: ListedOffer, atSeconds: number): SellerState => ({
  name: offer.sellerName,
  cents: landedCents(offer),
  atSeconds,
  lastSeenAtSeconds: null,
});

/** A partial list cannot show that a seller is absent, but it shows that one is present. */
function markReturned(before: Sellers, offers: readonly ListedOffer[]): Sellers {
  const isBack = (seller: SellerState) =>
    seller.lastSeenAtSeconds !== null &&
    offers.some(({ sellerName }) => sellerName === seller.name);
  if (!before.some(isBack)) return before;
  return before.map((seller) => (isBack(seller) ? { ...seller, lastSeenAtSeconds: null } : seller));
}

/** Merges two lists that ascend by name in one pass; copies only from the first difference on. */
function mergeSellers(
  before: Sellers,
  offers: readonly ListedOffer[],
  comparison: Comparison,
): Sellers {
  const cheapest: CheapestOffers = { offers, limitCents: undefined };
  let after: SellerState[] | null = null;
  let next = 0;
  for (const [index, seller] of before.entries()) {
    while (next < offers.length && (offers[next] as ListedOffer).sellerName < seller.name) {
      after ??= before.slice(0, index);
      after.push(addSeller(offers[next++] as ListedOffer, comparison));
    }
    const offer = offers[next];
    const isThere = offer?.sellerName === seller.name;
    if (isThere) next++;
    const updated = isThere
      ? afterOffer(seller, offer, { cheapest, comparison })
      : afterAbsence(seller, comparison);
    if (updated === seller && after === null) continue;
    after ??= before.slice(0, index);
    if (updated !== null) after.push(updated);
  }
  if (next < offers.length) after ??= before.slice();
  while (next < offers.length) after?.push(addSeller(offers[next++] as ListedOffer, comparison));
  return after ?? before;
}

function addSeller(offer: ListedOffer, comparison: Comparison): SellerState {
  emit(comparison, {
    kind: 'seller.new',
    before: observed(null, listedBeforeAtSeconds(comparison)),
    value: offer.sellerName,
    sellerName: offer.sellerName,
  });
  return newSeller(offer, comparison.observation.atSeconds);
}

/** Time of the previous complete list, or of the last state change if that is unavailable. */
const listedBeforeAtSeconds = ({ before, stateAtSeconds }: Comparison): number =>
  before !== null && freshCompleteOffers(before) !== undefined ? before.atSeconds : stateAtSeconds;

/**
 * Returns null when the seller is removed. One list without a seller may be an error, so a second
 * complete list has to confirm it; observations that only carry the list do not.
 */
function afterAbsence(seller: SellerState, comparison: Comparison): SellerState | null {
  if (freshCompleteOffers(comparison.observation) === undefined) return seller;
  if (seller.lastSeenAtSeconds === null) {
    return { ...seller, lastSeenAtSeconds: listedBeforeAtSeconds(comparison) };
  }
  emit(comparison, {
    kind: 'seller.removed',
    before: observed(seller.name, seller.lastSeenAtSeconds),
    value: null,
    sellerName: seller.name,
  });
  return null;
}

type CheapestOffers = { offers: readonly ListedOffer[]; limitCents: number | undefined };
type PriceCheck = { cheapest: CheapestOffers; comparison: Comparison };

function afterOffer(
  seller: SellerState,
  offer: ListedOffer,
  { cheapest, comparison }: PriceCheck,
): SellerState {
  const cents = landedCents(offer);
  const rule = comparison.rules.sellerPrice;
  const isNotified =
    isPriceMove(rule, seller.cents, cents) &&
    // Among the cheapest with the old or the new price, so that both entering and leaving them
    // count.
    Math.min(cents, seller.cents) <= limitCents(cheapest);
  if (!isNotified)
    return seller.lastSeenAtSeconds === null ? seller : { ...seller, lastSeenAtSeconds: null };
  emit(comparison, {
    kind: 'seller.price_change',
    before: observed(seller.cents, seller.atSeconds),
    value: cents,
    rule: {
      name: 'seller_price',
      threshold: { percent: rule.basisPoints / 100, usd: rule.cents / 100 },
    },
    sellerName: seller.name,
  });
  return newSeller(offer, comparison.observation.atSeconds);
}

/** The highest landed price among the cheapest offers, computed once and only when needed. */
function limitCents(cheapest: CheapestOffers): number {
  if (cheapest.offers.length <= OFFERS_IN_NOTICE_MAX) return Number.POSITIVE_INFINITY;
  cheapest.limitCents ??= cheapest.offers.map(landedCents).sort((a, b) => a - b)[
    OFFERS_IN_NOTICE_MAX - 1
  ];
  return cheapest.limitCents as number;
}
