// Turns a product's page into what a snapshot says, or into the reason why it cannot be used.
import { type ReadOutcome, readSnapshot } from '../../catalog/read-snapshot.ts';
import { isoTime } from '../../foundation/clock.ts';
import { dollars } from '../../foundation/money.ts';
import { categoriesOf } from './breadcrumb.ts';
import { type Item, itemsOf, plainOf, textOfFirst, tidyText } from './item.ts';
import { type Asked, type Described, findProduct } from './main-product.ts';
import { gtinMembers, gtinsOf, readGtin } from './page-gtin.ts';
import { offersIn, type PageOffer, readPrice, saysSoldOut } from './page-offer.ts';
import { type Fault, type OfferSource, pagePrice, preferred } from './page-price.ts';
import { readCurrency } from './price-text.ts';
import { readStructuredData, type StructuredData } from './structured-data.ts';

/** A snapshot in wire form but for the time: kept, and given again while the page stays the same. */
export type PageFacts = { wire: Readonly<Record<string, unknown>> };

const TEXT_CHARS_MAX = 500;
const REVIEWS_MAX = 1_000_000_000;

export function readProductPage(html: string, asked: Asked): PageFacts | Fault {
  const data = readStructuredData(html);
  if (data === null)
    return { fault: 'unsound', reason: 'the page is nested too deeply to be read' };
  const described = findProduct(data, asked);
  if ('fault' in described) return described;
  const sources = offerSources(described, data);
  if (described.length === 0 && !isOpenGraphProduct(data)) return noProduct(data);
  const price = pagePrice(sources, data.locale);
  if ('fault' in price) return price;
  const items = described.flatMap((one) => one.items);
  const name = firstText(items, 'name') ?? openGraphText(data, 'og:title');
  if (name === undefined) return { fault: 'no_product', reason: 'the page’s product has no name' };
  const { box } = price;
  return {
    wire: {
      retailer_product_code: asked.code,
      product_name: name,
      brand: short(firstText(items, 'brand') ?? openGraphText(data, 'product:brand', 'og:brand')),
      categories: categoriesOf(data, items, name),
      buybox: box && { price: dollars(box.cents), seller_name: box.sellerName },
      offers: offersOf(sources, box === null),
      // A page shows the offer in the box and perhaps some others, never surely all.
      offers_complete: false,
      ...ratingOf(items),
      ...gtinMembers(gtinsOfPage(described, data)),
    },
  };
}

/** The one reader of snapshots decides whether the facts are sound. */
export function snapshotOf(facts: PageFacts, observedAtMs: number): ReadOutcome {
  return readSnapshot({ ...facts.wire, observed_at: isoTime(observedAtMs) }, observedAtMs);
}

function offerSources(described: readonly Described[], data: StructuredData): OfferSource[] {
  const structured = described.map((one) => ({ name: one.origin, offers: offersIn(one.offers) }));
  const openGraph = openGraphOffer(data);
  return openGraph === null
    ? structured
    : [...structured, { name: 'OpenGraph', offers: [openGraph] }];
}

function openGraphOffer(data: StructuredData): PageOffer | null {
  const values = (...names: string[]) => {
    for (const name of names) {
      const given = data.openGraph.get(name)?.filter((value) => value.trim() !== '') ?? [];
      if (given.length > 0) return given;
    }
    return [];
  };
  const amounts = values('product:sale_price:amount', 'product:price:amount', 'og:price:amount');
  const currencies = values(
    'product:sale_price:currency',
    'product:price:currency',
    'og:price:currency',
  );
  const [availability] = values('product:availability', 'og:availability');
  if (amounts.length + currencies.length === 0 && availability === undefined) return null;
  const price = readPrice(amounts);
  const named = currencies.flatMap((currency) => readCurrency(currency) ?? []);
  const isSoldOut = saysSoldOut(availability);
  return {
    ...price,
    highCents: null,
    currencies: [...new Set([...named, ...price.currencies])],
    sellerName: null,
    isSoldOut,
    units: isSoldOut ? 0 : null,
    shippingCents: 0,
    isUsed: false,
  };
}

function isOpenGraphProduct(data: StructuredData): boolean {
  const [type = ''] = data.openGraph.get('og:type') ?? [];
  return /(?:^|:)product(?:$|[.:])/i.test(type.trim());
}

function noProduct({ brokenBlocks }: StructuredData): Fault {
  const broken = brokenBlocks === 0 ? '' : ` (${brokenBlocks} blocks of JSON-LD are broken)`;
  return { fault: 'no_product', reason: `the page describes no product${broken}` };
}

/** The offers whose sellers are named; undefined, not observed, when none are. */
function offersOf(sources: readonly OfferSource[], isSoldOut: boolean): unknown[] | undefined {
  for (const { offers } of sources) {
    const named = preferred(offers).filter(
      (one) => one.sellerName !== null && one.highCents === null,
    );
    if (named.length === 0) continue;
    return named.map((offer) => ({
      seller_name: offer.sellerName,
      price: dollars(offer.cents ?? 0),
      shipping: dollars(offer.shippingCents),
      units_in_stock: isSoldOut ? 0 : offer.units,
    }));
  }
  return undefined;
}

function gtinsOfPage(described: readonly Described[], data: StructuredData): string[] {
  const own = described.map((one) => one.items.slice(0, 1));
  // Several offers may be several sizes, each with a number of its own.
  const offers = described.map((one) => (one.offers.length === 1 ? one.offers : []));
  const meta = ['product:upc', 'product:ean', 'product:isbn', 'og:upc', 'og:ean', 'og:isbn'];
  const openGraph = meta.flatMap((name) => data.openGraph.get(name) ?? []);
  const read = openGraph.flatMap((given) => readGtin(given) ?? []);
  return [...new Set([...gtinsOf([...own, ...offers].flat()), ...read])];
}

function ratingOf(items: readonly Item[]): {
  customer_rating?: number;
  number_of_reviews?: number;
} {
  const [rating] = items.flatMap((item) => itemsOf(item, 'aggregateRating'));
  if (rating === undefined) return {};
  const value = numberOf(plainOf(rating, 'ratingValue')[0]);
  const best = numberOf(plainOf(rating, 'bestRating')[0]) ?? 5;
  // Stars out of ten or a hundred are told out of five; a nought is "not rated yet".
  const stars = value === null || best <= 0 ? null : Math.round((value / best) * 500) / 100;
  const counts = [...plainOf(rating, 'reviewCount'), ...plainOf(rating, 'ratingCount')];
  const [reviews] = counts.flatMap((given) => wholeOf(given) ?? []);
  return {
    ...(stars !== null && stars >= 1 && stars <= 5 ? { customer_rating: stars } : {}),
    ...(reviews === undefined ? {} : { number_of_reviews: reviews }),
  };
}

function numberOf(given: string | number | undefined): number | null {
  const found = /^\s*(\d{1,4}(?:[.,]\d{1,10})?)(?![\d.,])/.exec(String(given ?? ''));
  return found === null ? null : Number((found[1] as string).replace(',', '.'));
}

/** "1,234 reviews" is 1234; "1.2k" says too little. */
function wholeOf(given: string | number): number | null {
  const found = /^\D{0,20}(\d{1,3}(?:[,. ]\d{3})+|\d+)(?![\d.,]\d|\d|\s*k\b)/i.exec(String(given));
  const count = found === null ? null : Number((found[1] as string).replace(/\D/g, ''));
  return count === null || count > REVIEWS_MAX ? null : count;
}

function firstText(items: readonly Item[], name: string): string | undefined {
  for (const item of items) {
    const text = textOfFirst(item, name);
    if (text !== undefined) return text;
  }
  return undefined;
}

function openGraphText(data: StructuredData, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = tidyText(data.openGraph.get(name)?.[0] ?? '');
    if (text !== undefined) return text;
  }
  return undefined;
}

/** What is no more than nice to know is left out when it is too long, not the whole page. */
function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= TEXT_CHARS_MAX ? text : undefined;
}
