// Who sells a product and for how much: sellers that come and go, and their landed prices.
import { type Comparison, emit } from './comparison.ts';
import { observed } from './detected-event.ts';
import { type ListedOffer, landedCents, seenList, wholeList } from './observed-state.ts';
import { isPriceMove } from './rule.ts';
import type { KnownSeller } from './watch-state.ts';

/** Prices of so many cheapest offers are worth telling. */
export const OFFERS_IN_NOTICE_MAX = 20;

type Sellers = readonly KnownSeller[];

export function afterSellers(known: Sellers | null, comparison: Comparison): Sellers | null {
  const { observation } = comparison;
  const offers = wholeList(observation);
  if (offers === undefined)
    return known === null ? null : seenAgain(known, observation.offers ?? []);
  if (known === null) return offers.map((offer) => newSeller(offer, observation.atSeconds));
  return merged(known, offers, comparison);
}

const newSeller = (offer: ListedOffer, atSeconds: number): KnownSeller => ({
  name: offer.sellerName,
  cents: landedCents(offer),
  atSeconds,
  lastSeenAtSeconds: null,
});

/** A list in part cannot show that somebody is absent, but that somebody is there. */
function seenAgain(known: Sellers, offers: readonly ListedOffer[]): Sellers {
  const isBack = (seller: KnownSeller) =>
    seller.lastSeenAtSeconds !== null &&
    offers.some(({ sellerName }) => sellerName === seller.name);
  if (!known.some(isBack)) return known;
  return known.map((seller) => (isBack(seller) ? { ...seller, lastSeenAtSeconds: null } : seller));
}

/** Both ascend by name: one walk over both, which copies only from the first difference on. */
function merged(known: Sellers, offers: readonly ListedOffer[], comparison: Comparison): Sellers {
  const cheap: Cheap = { offers, limitCents: undefined };
  let after: KnownSeller[] | null = null;
  let next = 0;
  for (const [index, seller] of known.entries()) {
    while (next < offers.length && (offers[next] as ListedOffer).sellerName < seller.name) {
      after ??= known.slice(0, index);
      after.push(entered(offers[next++] as ListedOffer, comparison));
    }
    const offer = offers[next];
    const isThere = offer?.sellerName === seller.name;
    if (isThere) next++;
    const kept = isThere
      ? afterOffer(seller, offer, { cheap, comparison })
      : afterAbsence(seller, comparison);
    if (kept === seller && after === null) continue;
    after ??= known.slice(0, index);
    if (kept !== null) after.push(kept);
  }
  if (next < offers.length) after ??= known.slice();
  while (next < offers.length) after?.push(entered(offers[next++] as ListedOffer, comparison));
  return after ?? known;
}

function entered(offer: ListedOffer, comparison: Comparison): KnownSeller {
  emit(comparison, {
    kind: 'seller.new',
    before: observed(null, listedBeforeAt(comparison)),
    value: offer.sellerName,
    sellerName: offer.sellerName,
  });
  return newSeller(offer, comparison.observation.atSeconds);
}

/** When the last whole list was seen, as far as it is known. */
const listedBeforeAt = ({ before, stateAtSeconds }: Comparison): number =>
  before !== null && seenList(before) !== undefined ? before.atSeconds : stateAtSeconds;

/** null: removed. One list without a seller may be a slip, however many looks carry it over. */
function afterAbsence(seller: KnownSeller, comparison: Comparison): KnownSeller | null {
  if (seenList(comparison.observation) === undefined) return seller;
  if (seller.lastSeenAtSeconds === null) {
    return { ...seller, lastSeenAtSeconds: listedBeforeAt(comparison) };
  }
  emit(comparison, {
    kind: 'seller.removed',
    before: observed(seller.name, seller.lastSeenAtSeconds),
    value: null,
    sellerName: seller.name,
  });
  return null;
}

type Cheap = { offers: readonly ListedOffer[]; limitCents: number | undefined };
type Priced = { cheap: Cheap; comparison: Comparison };

function afterOffer(
  seller: KnownSeller,
  offer: ListedOffer,
  { cheap, comparison }: Priced,
): KnownSeller {
  const cents = landedCents(offer);
  const rule = comparison.rules.sellerPrice;
  const isNotified =
    isPriceMove(rule, seller.cents, cents) &&
    // Among the cheapest with the old price or the new one: falling into them counts as well as rising out.
    Math.min(cents, seller.cents) <= limitCents(cheap);
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

/** The landed price of the dearest of the cheapest, worked out once and only when it is asked for. */
function limitCents(cheap: Cheap): number {
  if (cheap.offers.length <= OFFERS_IN_NOTICE_MAX) return Number.POSITIVE_INFINITY;
  cheap.limitCents ??= cheap.offers.map(landedCents).sort((a, b) => a - b)[
    OFFERS_IN_NOTICE_MAX - 1
  ];
  return cheap.limitCents as number;
}
