// Finds the product that a page is about among all its items: not a news page's subscription, not a
// recommendation, not another product.
import { type Item, isOf, itemsOf, plainOf, tidyText } from './item.ts';
import { gtinsOf } from './page-gtin.ts';
import type { Fault } from './page-price.ts';
import { addressSays, idSays, type Statement, strongest } from './stated-code.ts';
import type { StructuredData } from './structured-data.ts';

/** A product as one part of the page (JSON-LD or microdata) describes it. */
export type ProductDescription = {
  origin: 'JSON-LD' | 'microdata';
  /** Members missing in the first item (a variant) come from the next (its group). */
  items: readonly Item[];
  offers: readonly Item[];
};

export type RequestedPage = {
  code: string;
  /** The URL of product pages, with {code}. */
  pattern: string;
  /** The URL after redirects; undefined without any. */
  redirectedTo?: string | undefined;
};

const PRODUCTS: ReadonlySet<string> = new Set([
  'product',
  'individualproduct',
  'productmodel',
  'productgroup',
  'someproducts',
]);
const OFFERS: ReadonlySet<string> = new Set(['offer', 'aggregateoffer']);
const PAGES: ReadonlySet<string> = new Set(['webpage', 'itempage', 'productpage']);
const ARTICLES: ReadonlySet<string> = new Set([
  'article',
  'newsarticle',
  'analysisnewsarticle',
  'opinionnewsarticle',
  'reportagenewsarticle',
  'blogposting',
  'liveblogposting',
]);
/** A "product" that also has one of these types is what a paywall sells. */
const PUBLICATIONS: ReadonlySet<string> = new Set([
  ...ARTICLES,
  'creativework',
  'website',
  'webpage',
  'periodical',
  'newspaper',
  'newsmediaorganization',
  'organization',
  'subscription',
]);

/** All descriptions of the page's product, JSON-LD first; empty if only OpenGraph may have one. */
export function findProduct(
  data: StructuredData,
  requested: RequestedPage,
): ProductDescription[] | Fault {
  const descriptions = [
    ...data.jsonLd.flatMap((item) => descriptionsIn(item, 'JSON-LD', requested)),
    ...data.microdata.flatMap((item) => descriptionsIn(item, 'microdata', requested)),
  ].filter((one) => nameOf(one) !== '' || one.offers.length > 0);
  const statements = new Map(descriptions.map((one) => [one, productSays(one, requested)]));
  const page = pageSays(data, requested);
  const main = mainOf(descriptions, statements, data);
  if (main === undefined && descriptions.length > 0) {
    const isOther = descriptions.every((one) => statements.get(one) === 'other');
    return isOther ? otherProduct(requested) : unclearProduct(descriptions.length);
  }
  const stated = main === undefined ? page : (statements.get(main) as Statement);
  if (stated === 'other' && !(page === 'this' && main && isTitle(main, data))) {
    return otherProduct(requested);
  }
  if (stated === 'nothing' && page === 'other') return otherProduct(requested);
  // Shops publish articles too, but the "product" of a news page is its subscription.
  if (isArticle(data) && stated !== 'this') {
    return { fault: 'no_product', reason: 'the page is an article, not a product page' };
  }
  if (main === undefined) return [];
  return descriptions.filter((one) => one === main || isSame(one, main, statements));
}

function descriptionsIn(
  item: Item,
  origin: ProductDescription['origin'],
  requested: RequestedPage,
): ProductDescription[] {
  if (isOf(item, OFFERS)) {
    return itemsOf(item, 'itemOffered')
      .filter(isProduct)
      .map((product) => ({
        origin,
        items: [product],
        offers: [item, ...itemsOf(product, 'offers')],
      }));
  }
  if (!isProduct(item)) {
    const subjects = isOf(item, PAGES) ? itemsOf(item, 'mainEntity').filter(isProduct) : [];
    return subjects.flatMap((subject) => descriptionsIn(subject, origin, requested));
  }
  const variants = itemsOf(item, 'hasVariant').filter(isProduct).slice(0, 1_000);
  const asVariant = variants
    .map(
      (variant): ProductDescription => ({
        origin,
        items: [variant, item],
        offers: itemsOf(variant, 'offers'),
      }),
    )
    .find((variant) => itemSaysOf(variant, requested) === 'this');
  if (asVariant !== undefined) return [asVariant];
  const itemOffers = itemsOf(item, 'offers');
  const offers =
    itemOffers.length > 0 ? itemOffers : variants.flatMap((variant) => itemsOf(variant, 'offers'));
  return [{ origin, items: [item], offers }];
}

const isProduct = (item: Item) => isOf(item, PRODUCTS) && !isOf(item, PUBLICATIONS);

/** What a description says about its code, including the URLs of its offers. */
function productSays(one: ProductDescription, requested: RequestedPage): Statement {
  const offers = one.offers.map((offer) => itemSays(offer, requested, []));
  return strongest([itemSaysOf(one, requested), ...offers]);
}

function itemSaysOf({ items }: ProductDescription, requested: RequestedPage): Statement {
  const [item] = items;
  return item === undefined ? 'nothing' : itemSays(item, requested, gtinsOf([item]));
}

function itemSays(
  item: Item,
  { code, pattern }: RequestedPage,
  gtins: readonly string[],
): Statement {
  const ids = ['sku', 'productID', 'productGroupID'].flatMap((name) => plainOf(item, name));
  const addresses = [...plainOf(item, 'url'), item.id ?? ''].filter((one) => one !== '');
  return strongest([
    ...ids.map((id) => idSays(String(id), code, gtins)),
    ...addresses.map((address) => addressSays(String(address), code, pattern)),
  ]);
}

function pageSays(data: StructuredData, { code, pattern, redirectedTo }: RequestedPage): Statement {
  const addresses = [data.canonicalUrl, data.openGraph.get('og:url')?.[0], redirectedTo];
  return strongest(
    addresses.flatMap((one) => (one === undefined ? [] : addressSays(one, code, pattern))),
  );
}

/** The one that names the code; else the only one that names no other; else the page title's. */
function mainOf(
  descriptions: readonly ProductDescription[],
  statements: ReadonlyMap<ProductDescription, Statement>,
  data: StructuredData,
): ProductDescription | undefined {
  const named = descriptions.find((one) => statements.get(one) === 'this');
  if (named !== undefined) return named;
  const possible = descriptions.filter((one) => statements.get(one) !== 'other');
  const distinct = possible.length > 0 ? possible : descriptions;
  const [first] = distinct;
  if (first !== undefined && distinct.every((one) => one === first || hasSimilarName(one, first))) {
    return first;
  }
  return distinct.find((one) => isTitle(one, data));
}

function isSame(
  one: ProductDescription,
  main: ProductDescription,
  statements: ReadonlyMap<ProductDescription, Statement>,
): boolean {
  if (statements.get(one) === 'this' && statements.get(main) === 'this') return true;
  return statements.get(one) !== 'other' && hasSimilarName(one, main);
}

function hasSimilarName(one: ProductDescription, other: ProductDescription): boolean {
  const [a, b] = [nameOf(one), nameOf(other)];
  return a === b || (a !== '' && b !== '' && (a.includes(b) || b.includes(a)));
}

function isTitle(one: ProductDescription, data: StructuredData): boolean {
  const title = comparable(data.openGraph.get('og:title')?.[0] ?? '');
  const name = nameOf(one);
  return title !== '' && name !== '' && (title.includes(name) || name.includes(title));
}

function nameOf({ items }: ProductDescription): string {
  const [name] = items.flatMap((item) => plainOf(item, 'name'));
  return comparable(String(name ?? ''));
}

const comparable = (text: string) => (tidyText(text) ?? '').normalize('NFKC').toLowerCase();

function isArticle(data: StructuredData): boolean {
  const type = data.openGraph.get('og:type')?.[0] ?? '';
  return /^article\b/i.test(type.trim()) || data.jsonLd.some((item) => isOf(item, ARTICLES));
}

function otherProduct({ code }: RequestedPage): Fault {
  return { fault: 'other_product', reason: `the page is about another product, not ${code}` };
}

function unclearProduct(count: number): Fault {
  const reason = `the page has ${count} products, and none names the requested code`;
  return { fault: 'unclear_product', reason };
}
