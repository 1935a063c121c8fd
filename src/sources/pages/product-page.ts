// Reads a product page: the facts for a snapshot, or the reason why the page cannot be used.
import { type ReadOutcome, readSnapshot } from '../../catalog/read-snapshot.ts';
import { isoTime } from '../../foundation/clock.ts';
import { dollars } from '../../foundation/money.ts';
import { categoriesOf } from './breadcrumb.ts';
import { type Item, itemsOf, plainOf, textOfFirst, tidyText } from './item.ts';
import { findProduct, type ProductDescription, type RequestedPage } from './main-product.ts';
import { type MappedReading, readMappedPage } from './mapped-page.ts';
import { gtinMembers, gtinsOf, readGtin } from './page-gtin.ts';
import type { PageMap } from './page-map.ts';
import { offersIn, type PageOffer, readPrice, saysSoldOut } from './page-offer.ts';
import { type Fault, type OfferSource, pagePrice, preferred } from './page-price.ts';
import { readCurrency } from './price-text.ts';
import { readStructuredData, type StructuredData } from './structured-data.ts';

/** A snapshot in wire form without its time; cached and reused while the page does not change. */
export type PageFacts = { wire: Readonly<Record<string, unknown>> };

const TEXT_CHARS_MAX = 500;
const REVIEWS_MAX = 1_000_000_000;

/** `map` says where the page's host keeps its product data beside the structured data. */
export function readProductPage(
  html: string,
  requested: RequestedPage,
  map?: PageMap,
): PageFacts | Fault {
  const data = readStructuredData(html);
  if (data === null)
    return { fault: 'unsound', reason: 'the page is too large or nested too deeply' };
  return readPageData(data, requested, map && readMappedPage(map, data.scripts, requested.code));
}

/** Reads a parsed page; `reading` is what its map found, if it has one. */
export function readPageData(
  data: StructuredData,
  requested: RequestedPage,
  reading: MappedReading | undefined,
): PageFacts | Fault {
  if (reading !== undefined && 'fault' in reading) return reading.fault;
  const mapped = reading !== undefined && 'page' in reading ? reading.page : null;
  const described = findProduct(data, requested);
  // The map found the requested code: items about other products are recommendations.
  const descriptions = 'fault' in described && mapped !== null ? [] : described;
  if ('fault' in descriptions) return descriptions;
  const sources = [...(mapped?.sources ?? []), ...offerSources(descriptions, data)];
  if (mapped === null && descriptions.length === 0 && !isOpenGraphProduct(data)) {
    return noProduct(data);
  }
  const price = pagePrice(sources, data.locale);
  if ('fault' in price) return price;
  const items = descriptions.flatMap((one) => one.items);
  const name = mapped?.name ?? firstText(items, 'name') ?? openGraphText(data, 'og:title');
  if (name === undefined)
    return { fault: 'no_product', reason: 'the product on the page has no name' };
  const { box } = price;
  return {
    wire: {
      retailer_product_code: requested.code,
      product_name: name,
      brand: short(firstText(items, 'brand') ?? openGraphText(data, 'product:brand', 'og:brand')),
      categories: categoriesOf(data, items, name),
      buybox: box && { price: dollars(box.cents), seller_name: box.sellerName },
      offers: offersOf([...(mapped?.sources.slice(1) ?? []), ...sources], box === null),
      // A page shows the buybox offer and perhaps some others, but may omit some.
      offers_complete: mapped?.isComplete ?? false,
      ...(box === null ? { sold_out: true } : {}),
      ...ratingOf(items),
      ...mapped?.wire,
      ...gtinMembers([...(mapped?.gtins ?? []), ...gtinsOfPage(descriptions, data)]),
    },
  };
}

/** The catalogue's reader decides whether the facts are valid. */
export function snapshotOf(facts: PageFacts, observedAtMs: number): ReadOutcome {
  return readSnapshot({ ...facts.wire, observed_at: isoTime(observedAtMs) }, observedAtMs);
}

function offerSources(
  descriptions: readonly ProductDescription[],
  data: StructuredData,
): OfferSource[] {
  const structured = descriptions.map((one) => ({
    name: one.origin,
    offers: offersIn(one.offers),
  }));
  const openGraph = openGraphOffer(data);
  const sources =
    openGraph === null ? structured : [...structured, { name: 'OpenGraph', offers: [openGraph] }];
  const hasPrice = sources.some(({ offers }) => offers.some(({ cents }) => cents !== null));
  // Only where nothing else states a price: it may belong to another product of the page.
  return hasPrice || data.looseOffer === null
    ? sources
    : [...sources, { name: 'itemprop outside of an item', offers: offersIn([data.looseOffer]) }];
}

function openGraphOffer(data: StructuredData): PageOffer | null {
  const values = (...names: string[]) => {
    for (const name of names) {
      const contents = data.openGraph.get(name)?.filter((value) => value.trim() !== '') ?? [];
      if (contents.length > 0) return contents;
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

/** The offers with a named seller; undefined (not observed) if there are none. */
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
      // A seller with units on a sold-out page is a contradiction, which the reader refuses.
      units_in_stock: isSoldOut ? (offer.units ?? 0) : offer.units,
    }));
  }
  return undefined;
}

function gtinsOfPage(descriptions: readonly ProductDescription[], data: StructuredData): string[] {
  const products = descriptions.map((one) => one.items.slice(0, 1));
  // Several offers may be several sizes, each with its own GTIN.
  const offers = descriptions.map((one) => (one.offers.length === 1 ? one.offers : []));
  const meta = ['product:upc', 'product:ean', 'product:isbn', 'og:upc', 'og:ean', 'og:isbn'];
  const openGraph = meta.flatMap((name) => data.openGraph.get(name) ?? []);
  const openGraphGtins = openGraph.flatMap((content) => readGtin(content) ?? []);
  return [...new Set([...gtinsOf([...products, ...offers].flat()), ...openGraphGtins])];
}

function ratingOf(items: readonly Item[]): {
  customer_rating?: number;
  number_of_reviews?: number;
} {
  const [rating] = items.flatMap((item) => itemsOf(item, 'aggregateRating'));
  if (rating === undefined) return {};
  const value = numberOf(plainOf(rating, 'ratingValue')[0]);
  const best = numberOf(plainOf(rating, 'bestRating')[0]) ?? 5;
  // Ratings out of 10 or 100 are converted to out of 5; 0 means not rated yet.
  const stars = value === null || best <= 0 ? null : Math.round((value / best) * 500) / 100;
  const counts = [...plainOf(rating, 'reviewCount'), ...plainOf(rating, 'ratingCount')];
  const [reviews] = counts.flatMap((count) => wholeOf(count) ?? []);
  return {
    ...(stars !== null && stars >= 1 && stars <= 5 ? { customer_rating: stars } : {}),
    ...(reviews === undefined ? {} : { number_of_reviews: reviews }),
  };
}

function numberOf(value: string | number | undefined): number | null {
  const match = /^\s*(\d{1,4}(?:[.,]\d{1,10})?)(?![\d.,])/.exec(String(value ?? ''));
  return match === null ? null : Number((match[1] as string).replace(',', '.'));
}

/** "1,234 reviews" is 1234; "1.2k" is not precise enough. */
function wholeOf(value: string | number): number | null {
  const match = /^\D{0,20}(\d{1,3}(?:[,. ]\d{3})+|\d+)(?![\d.,]\d|\d|\s*k\b)/i.exec(String(value));
  const count = match === null ? null : Number((match[1] as string).replace(/\D/g, ''));
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

/** Drops an optional text that is too long, instead of refusing the page. */
function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= TEXT_CHARS_MAX ? text : undefined;
}
