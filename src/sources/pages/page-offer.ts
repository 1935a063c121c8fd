// Reads the offers of a page: price, currency, seller and availability.
import { type Item, isOf, itemsOf, localName, plainOf, textOfFirst } from './item.ts';
import { centsOf, readCurrency, readPriceText } from './price-text.ts';

export type PageOffer = {
  cents: number | null;
  /** The highest price of a range, whose lowest is `cents`. */
  highCents: number | null;
  /** Why a stated price could not be read. */
  fault: string | null;
  /** All currencies that the offer names; usually one. */
  currencies: readonly string[];
  sellerName: string | null;
  /** null: the page does not say. */
  isSoldOut: boolean | null;
  units: number | null;
  shippingCents: number;
  isUsed: boolean;
};

const AGGREGATE: ReadonlySet<string> = new Set(['aggregateoffer']);
const OFFERS_MAX = 500;
/** Types of prices other than what the shopper pays now. */
const OTHER_PRICES = /listprice|strikethrough|msrp|srp|invoice|advertised/i;
const OTHER_CHARGES: ReadonlySet<string> = new Set([
  'deliverychargespecification',
  'paymentchargespecification',
]);
const BILLING = ['billingDuration', 'billingIncrement', 'billingStart', 'referenceQuantity'];

/**
 * The offers of a product, including those in an AggregateOffer, without subscriptions and leases.
 */
export function offersIn(offers: readonly Item[]): PageOffer[] {
  return offers
    .slice(0, OFFERS_MAX)
    .filter((offer) => !isSubscription(offer))
    .flatMap((offer) => {
      if (!isOf(offer, AGGREGATE)) return [readOffer(offer, [])];
      const whole = readAggregate(offer);
      const parts = itemsOf(offer, 'offers')
        .slice(0, OFFERS_MAX)
        .filter((part) => !isSubscription(part))
        .map((part) => readOffer(part, whole.currencies));
      return parts.some((part) => part.cents !== null || part.isSoldOut) ? parts : [whole];
    })
    .slice(0, OFFERS_MAX);
}

function readOffer(offer: Item, inherited: readonly string[]): PageOffer {
  const specifications = itemsOf(offer, 'priceSpecification').filter(isPayable);
  const direct = plainOf(offer, 'price').filter((value) => String(value).trim() !== '');
  const price = readPrice(
    direct.length > 0 ? direct : specifications.flatMap((one) => plainOf(one, 'price')),
  );
  const named = [offer, ...specifications]
    .flatMap((one) => plainOf(one, 'priceCurrency'))
    .flatMap((currency) => readCurrency(String(currency)) ?? []);
  const stated = [...new Set([...named, ...price.currencies])];
  return {
    ...price,
    highCents: null,
    currencies: stated.length > 0 ? stated : inherited,
    sellerName: textOfFirst(offer, 'seller') ?? textOfFirst(offer, 'offeredBy') ?? null,
    ...stockOf(offer),
    shippingCents: shippingOf(offer),
    isUsed: /used|refurbished|damaged/i.test(textOfFirst(offer, 'itemCondition') ?? ''),
  };
}

/** An AggregateOffer without offers inside: its own price, else the lowest of its range. */
function readAggregate(offer: Item): PageOffer {
  const plain = readOffer(offer, []);
  if (plain.cents !== null) return plain;
  const low = readPrice(plainOf(offer, 'lowPrice'));
  const high = readPrice(plainOf(offer, 'highPrice'));
  const currencies = [...new Set([...plain.currencies, ...low.currencies, ...high.currencies])];
  const isRange = low.cents !== null && high.cents !== null && high.cents > low.cents;
  const highCents = isRange ? high.cents : null;
  return { ...plain, cents: low.cents, fault: low.fault ?? plain.fault, highCents, currencies };
}

type Price = { cents: number | null; currencies: string[]; fault: string | null };

/** Reads one price from the values of a property; different values are a fault. */
export function readPrice(values: readonly (string | number)[]): Price {
  const currencies = new Set<string>();
  const cents = new Set<number>();
  for (const value of values.slice(0, 20)) {
    // A JSON number is unambiguous; only texts need interpretation.
    const text = typeof value === 'number' ? null : readPriceText(value);
    if (text?.currency != null) currencies.add(text.currency);
    if (text !== null && text.amounts.length === 0) continue;
    const isOne = text === null || (text.amounts.length === 1 && text.isPlain && !text.isAmbiguous);
    const read = isOne ? centsOf(text?.amounts[0] ?? String(value)) : null;
    if (read === null) {
      const shown = JSON.stringify(value).slice(0, 60);
      return { cents: null, currencies: [...currencies], fault: `${shown} is not one price` };
    }
    cents.add(read);
  }
  const [first = null] = cents;
  const fault = cents.size > 1 ? 'one offer states several prices' : null;
  return { cents: fault === null ? first : null, currencies: [...currencies], fault };
}

function isPayable(specification: Item): boolean {
  return (
    !isOf(specification, OTHER_CHARGES) &&
    !OTHER_PRICES.test(textOfFirst(specification, 'priceType') ?? '') &&
    !specification.properties.has('validForMemberTier') &&
    !BILLING.some((name) => specification.properties.has(name))
  );
}

function isSubscription(offer: Item): boolean {
  const purpose = textOfFirst(offer, 'businessFunction') ?? '';
  return (
    /lease|rent/i.test(purpose) ||
    /subscription/i.test(textOfFirst(offer, 'category') ?? '') ||
    itemsOf(offer, 'priceSpecification').some((one) =>
      ['billingDuration', 'billingIncrement'].some((name) => one.properties.has(name)),
    )
  );
}

function stockOf(offer: Item): { isSoldOut: boolean | null; units: number | null } {
  const isSoldOut = saysSoldOut(textOfFirst(offer, 'availability'));
  if (isSoldOut) return { isSoldOut, units: 0 };
  const level = itemsOf(offer, 'inventoryLevel')[0];
  const [count] = level === undefined ? plainOf(offer, 'inventoryLevel') : plainOf(level, 'value');
  const text = String(count ?? '').trim();
  if (!/^\d{1,15}$/.test(text)) return { isSoldOut, units: null };
  if (Number(text) > 0) return { isSoldOut, units: Number(text) };
  // A level of 0 together with "in stock" is a contradiction, not a count.
  return isSoldOut === null ? { isSoldOut: true, units: 0 } : { isSoldOut, units: null };
}

/** null: the text says nothing about availability. */
export function saysSoldOut(availability: string | undefined): boolean | null {
  if (availability === undefined) return null;
  const word = localName(availability.replace(/\/+$/, ''))
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  if (/^(?:outofstock|oos|soldout|discontinued|unavailable|notavailable)$/.test(word)) return true;
  return word === '' ? null : false;
}

/** The shipping price, if the page states exactly one in USD; else 0. */
function shippingOf(offer: Item): number {
  const rates = itemsOf(offer, 'shippingDetails').flatMap((one) => itemsOf(one, 'shippingRate'));
  if (rates.some((rate) => !plainOf(rate, 'currency').includes('USD'))) return 0;
  return readPrice(rates.flatMap((rate) => plainOf(rate, 'value'))).cents ?? 0;
}
