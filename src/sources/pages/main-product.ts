// Finding the product a page is about among all the items on it: not the subscription of a news page, not
// a recommendation beside it, not another product's page.
import { type Item, isOf, itemsOf, plainOf, tidyText } from './item.ts';
import { gtinsOf } from './page-gtin.ts';
import type { Fault } from './page-price.ts';
import { addressSays, idSays, type Statement, strongest } from './stated-code.ts';
import type { StructuredData } from './structured-data.ts';

/** A product as one source on the page describes it. */
export type Described = {
  origin: 'JSON-LD' | 'microdata';
  /** What is missing in the first (a variant) is looked for in the next (its group). */
  items: readonly Item[];
  offers: readonly Item[];
};

export type Asked = {
  code: string;
  /** The address under which products are asked for, with {code}. */
  pattern: string;
  /** Where redirects led to; undefined without any. */
  ledTo?: string | undefined;
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
/** With one of these a "product" is what a paywall sells. */
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

/** All descriptions of the page's product, JSON-LD first; none when only OpenGraph may know one. */
export function findProduct(data: StructuredData, asked: Asked): Described[] | Fault {
  const found = [
    ...data.jsonLd.flatMap((item) => describedBy(item, 'JSON-LD', asked)),
    ...data.microdata.flatMap((item) => describedBy(item, 'microdata', asked)),
  ].filter((one) => nameOf(one) !== '' || one.offers.length > 0);
  const says = new Map(found.map((one) => [one, productSays(one, asked)]));
  const page = pageSays(data, asked);
  const main = mainOf(found, says, data);
  if (main === undefined && found.length > 0) {
    const isOther = found.every((one) => says.get(one) === 'other');
    return isOther ? otherProduct(asked) : unclearProduct(found.length);
  }
  const stated = main === undefined ? page : (says.get(main) as Statement);
  if (stated === 'other' && !(page === 'this' && main && isTitle(main, data))) {
    return otherProduct(asked);
  }
  if (stated === 'nothing' && page === 'other') return otherProduct(asked);
  // Shops write articles too, but what a news page sells is itself.
  if (isArticle(data) && stated !== 'this') {
    return { fault: 'no_product', reason: 'the page is an article, not a product’s' };
  }
  if (main === undefined) return [];
  return found.filter((one) => one === main || isSame(one, main, says));
}

function describedBy(item: Item, origin: Described['origin'], asked: Asked): Described[] {
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
    return subjects.flatMap((subject) => describedBy(subject, origin, asked));
  }
  const variants = itemsOf(item, 'hasVariant').filter(isProduct).slice(0, 1_000);
  const asVariant = variants
    .map(
      (variant): Described => ({
        origin,
        items: [variant, item],
        offers: itemsOf(variant, 'offers'),
      }),
    )
    .find((variant) => ownSays(variant, asked) === 'this');
  if (asVariant !== undefined) return [asVariant];
  const own = itemsOf(item, 'offers');
  const offers = own.length > 0 ? own : variants.flatMap((variant) => itemsOf(variant, 'offers'));
  return [{ origin, items: [item], offers }];
}

const isProduct = (item: Item) => isOf(item, PRODUCTS) && !isOf(item, PUBLICATIONS);

/** What a description says of its code, addresses of its offers included. */
function productSays(one: Described, asked: Asked): Statement {
  const offers = one.offers.map((offer) => itemSays(offer, asked, []));
  return strongest([ownSays(one, asked), ...offers]);
}

function ownSays({ items }: Described, asked: Asked): Statement {
  const [own] = items;
  return own === undefined ? 'nothing' : itemSays(own, asked, gtinsOf([own]));
}

function itemSays(item: Item, { code, pattern }: Asked, gtins: readonly string[]): Statement {
  const ids = ['sku', 'productID', 'productGroupID'].flatMap((name) => plainOf(item, name));
  const addresses = [...plainOf(item, 'url'), item.id ?? ''].filter((one) => one !== '');
  return strongest([
    ...ids.map((id) => idSays(String(id), code, gtins)),
    ...addresses.map((address) => addressSays(String(address), code, pattern)),
  ]);
}

function pageSays(data: StructuredData, { code, pattern, ledTo }: Asked): Statement {
  const addresses = [data.canonicalUrl, data.openGraph.get('og:url')?.[0], ledTo];
  return strongest(
    addresses.flatMap((one) => (one === undefined ? [] : addressSays(one, code, pattern))),
  );
}

/** The one that names the code; else the only one that names no other; else the one of the title. */
function mainOf(
  found: readonly Described[],
  says: ReadonlyMap<Described, Statement>,
  data: StructuredData,
): Described | undefined {
  const named = found.find((one) => says.get(one) === 'this');
  if (named !== undefined) return named;
  const possible = found.filter((one) => says.get(one) !== 'other');
  const distinct = possible.length > 0 ? possible : found;
  const [first] = distinct;
  if (first !== undefined && distinct.every((one) => one === first || isNamedAlike(one, first))) {
    return first;
  }
  return distinct.find((one) => isTitle(one, data));
}

function isSame(one: Described, main: Described, says: ReadonlyMap<Described, Statement>): boolean {
  if (says.get(one) === 'this' && says.get(main) === 'this') return true;
  return says.get(one) !== 'other' && isNamedAlike(one, main);
}

function isNamedAlike(one: Described, other: Described): boolean {
  const [a, b] = [nameOf(one), nameOf(other)];
  return a === b || (a !== '' && b !== '' && (a.includes(b) || b.includes(a)));
}

function isTitle(one: Described, data: StructuredData): boolean {
  const title = comparable(data.openGraph.get('og:title')?.[0] ?? '');
  const name = nameOf(one);
  return title !== '' && name !== '' && (title.includes(name) || name.includes(title));
}

function nameOf({ items }: Described): string {
  const [name] = items.flatMap((item) => plainOf(item, 'name'));
  return comparable(String(name ?? ''));
}

const comparable = (text: string) => (tidyText(text) ?? '').normalize('NFKC').toLowerCase();

function isArticle(data: StructuredData): boolean {
  const type = data.openGraph.get('og:type')?.[0] ?? '';
  return /^article\b/i.test(type.trim()) || data.jsonLd.some((item) => isOf(item, ARTICLES));
}

function otherProduct({ code }: Asked): Fault {
  return { fault: 'other_product', reason: `the page is another product’s, not that of ${code}` };
}

function unclearProduct(count: number): Fault {
  const reason = `${count} products on the page, and none says that it is the one asked for`;
  return { fault: 'unclear_product', reason };
}
