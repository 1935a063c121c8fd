// Derives the one price of a page's product from all prices on the page, or the reason why there is
// none. Sources that disagree are refused, never mixed.
import { dollars } from '../../foundation/money.ts';
import type { PageOffer } from './page-offer.ts';

/** The offers of one source on the page (JSON-LD, microdata), or OpenGraph's single one. */
export type OfferSource = { name: string; offers: readonly PageOffer[] };

export type PageFault =
  | 'no_product'
  | 'other_product'
  | 'unclear_product'
  | 'no_price'
  | 'unclear_price'
  | 'currency'
  | 'disagreement'
  | 'unsound';

export type Fault = { fault: PageFault; reason: string };
export type PagePrice = { box: { cents: number; sellerName: string | null } | null };

/** The buybox (null: sold out), or a fault. */
export function pagePrice(
  sources: readonly OfferSource[],
  locale: string | undefined,
): PagePrice | Fault {
  const isSoldOut = saysAllSoldOut(sources);
  const judged = sources.map((source) => judge(source, isSoldOut));
  const stating = judged.filter((one) => one.kind !== 'none');
  if (stating.length > 0) {
    // The currency may be stated apart from the price, as OpenGraph often does.
    const unpriced = sources.flatMap(({ offers }) => offers.filter(({ cents }) => cents === null));
    const priced = stating.flatMap(({ live }) => live);
    const fault = currencyFault([...priced, ...unpriced], locale);
    if (fault !== null) return fault;
  }

  const exact = new Set(stating.flatMap((one) => (one.kind === 'one' ? one.cents : [])));
  if (exact.size > 1) return disagreement(stating);
  if (isSoldOut) return { box: null };
  const [headline] = exact;
  const price =
    headline === undefined
      ? withoutHeadline(judged)
      : { box: { cents: headline, sellerName: sellerAt(stating, headline) } };
  if ('fault' in price || price.box === null) return price;
  const { cents } = price.box;
  return stating.every((one) => allows(one.live, cents)) ? price : disagreement(stating);
}

/** The first source that states an availability decides. */
function saysAllSoldOut(sources: readonly OfferSource[]): boolean {
  const speaking = sources.find(({ offers }) => offers.some(({ isSoldOut }) => isSoldOut !== null));
  return speaking?.offers.every(({ isSoldOut }) => isSoldOut === true) ?? false;
}

type Judged = { name: string; live: readonly PageOffer[] } & (
  | { kind: 'one'; cents: number }
  | { kind: 'several' }
  | { kind: 'none'; fault: string | null }
);

function judge({ name, offers }: OfferSource, isSoldOut: boolean): Judged {
  const forSale = isSoldOut ? offers : offers.filter((offer) => !offer.isSoldOut);
  const live = preferred(forSale);
  if (live.length === 0) {
    const faulty = forSale.find(({ fault }) => fault !== null);
    return { name, kind: 'none', live, fault: faulty?.fault ?? null };
  }
  const isRange = live.some((offer) => offer.highCents !== null);
  const [cents, ...more] = new Set(live.map((offer) => offer.cents));
  if (isRange || more.length > 0 || cents == null) return { name, kind: 'several', live };
  return { name, kind: 'one', cents, live };
}

/** Offers with a price; used goods only where there are no others. */
export function preferred(offers: readonly PageOffer[]): PageOffer[] {
  const priced = offers.filter((offer) => offer.cents !== null && offer.cents > 0);
  const asNew = priced.filter((offer) => !offer.isUsed);
  return asNew.length > 0 ? asNew : priced;
}

/** Chooses a price when the page states several or none as its headline. */
function withoutHeadline(judged: readonly Judged[]): PagePrice | Fault {
  const several = judged.find((one) => one.kind === 'several');
  if (several === undefined) {
    const [fault] = judged.flatMap((one) => (one.kind === 'none' ? (one.fault ?? []) : []));
    if (fault !== undefined) return { fault: 'unclear_price', reason: fault };
    return { fault: 'no_price', reason: 'the page states no price and no availability' };
  }
  const { live } = several;
  // Sellers compete for one product: the shopper is offered the cheapest. Prices without sellers
  // belong to sizes or colours, of which only one is the requested product.
  const isOneRange = live.length === 1;
  if (!isOneRange && live.some((offer) => offer.sellerName === null)) {
    return {
      fault: 'unclear_price',
      reason: 'the page has several prices without sellers',
    };
  }
  const landed = (offer: PageOffer) => (offer.cents ?? 0) + offer.shippingCents;
  const best = live.reduce((a, b) => (landed(b) < landed(a) ? b : a));
  return { box: { cents: best.cents ?? 0, sellerName: best.sellerName } };
}

function allows(live: readonly PageOffer[], cents: number): boolean {
  return live.some(
    (offer) =>
      offer.cents === cents ||
      (offer.highCents !== null &&
        offer.cents !== null &&
        offer.cents <= cents &&
        cents <= offer.highCents),
  );
}

/** The one seller with this price; null if none or several are named. */
function sellerAt(stating: readonly Judged[], cents: number): string | null {
  const sellers = stating
    .flatMap(({ live }) => live)
    .filter((offer) => offer.cents === cents && offer.highCents === null)
    .flatMap((offer) => offer.sellerName ?? []);
  const [only] = new Set(sellers);
  return only !== undefined && new Set(sellers).size === 1 ? only : null;
}

function currencyFault(live: readonly PageOffer[], locale: string | undefined): Fault | null {
  const named = new Set(live.flatMap(({ currencies }) => currencies));
  const foreign = [...named].filter((currency) => currency !== 'USD' && currency !== '$');
  const shown = [...named].map((currency) => (currency === '?' ? 'a foreign currency' : currency));
  if (foreign.length > 0 && named.size > 1) {
    return { fault: 'disagreement', reason: `the page states prices in ${shown.join(' and ')}` };
  }
  if (foreign.length > 0) {
    return { fault: 'currency', reason: `the price is in ${shown[0]}; only USD is accepted` };
  }
  if (named.has('USD')) return null;
  // Many countries have dollars; on a page with a US locale a dollar sign means USD.
  if (named.has('$') && /-US$/i.test(locale ?? '')) return null;
  const reason = named.has('$')
    ? 'the price has a dollar sign, but the page names no country'
    : 'the page states no currency; only USD is accepted';
  return { fault: 'currency', reason };
}

function disagreement(stating: readonly Judged[]): Fault {
  const prices = stating.slice(0, 5).map(({ name, live }) => {
    const amounts = new Set(
      live.slice(0, 5).map(({ cents }) => `$${dollars(cents ?? 0).toFixed(2)}`),
    );
    return `${name} ${[...amounts].join(' or ')}`;
  });
  return {
    fault: 'disagreement',
    reason: `the page states different prices: ${prices.join(', ')}`,
  };
}
