// Reads a product's categories from the page's breadcrumbs, else from the product's category text.
import { type Item, isOf, itemsOf, plainOf, textOfFirst, tidyText } from './item.ts';
import type { StructuredData } from './structured-data.ts';

const TRAILS: ReadonlySet<string> = new Set(['breadcrumblist']);
const CATEGORIES_MAX = 20;
const TEXT_CHARS_MAX = 500;

/** Broadest first; undefined if the page has none. */
export function categoriesOf(
  data: StructuredData,
  product: readonly Item[],
  productName: string,
): string[] | undefined {
  for (const item of [...data.jsonLd, ...data.microdata]) {
    for (const trail of trailsOf(item)) {
      const names = namesOf(trail, productName);
      if (names.length > 0 && names.length <= CATEGORIES_MAX) return names;
    }
  }
  return categoriesInText(product);
}

function trailsOf(item: Item): Item[] {
  const inside = [...itemsOf(item, 'breadcrumb'), ...itemsOf(item, 'breadcrumbs')];
  return [item, ...inside].filter((one) => isOf(one, TRAILS));
}

function namesOf(trail: Item, productName: string): string[] {
  const crumbs = itemsOf(trail, 'itemListElement')
    .map((crumb, index) => {
      const position = Number(plainOf(crumb, 'position')[0] ?? index);
      return { crumb, position: Number.isFinite(position) ? position : index };
    })
    .sort((a, b) => a.position - b.position)
    .map(({ crumb }) => ({ name: nameOf(crumb), address: addressOf(crumb) }));
  return crumbs
    .filter(({ address }, index) => !(index === 0 && isFrontPage(address)))
    .filter(({ name }, index, all) => !(index === all.length - 1 && name === productName))
    .flatMap(({ name }) => (name === undefined || name.length > TEXT_CHARS_MAX ? [] : name));
}

function nameOf(crumb: Item): string | undefined {
  const name = textOfFirst(crumb, 'name');
  if (name !== undefined) return name;
  const [target] = itemsOf(crumb, 'item');
  return target === undefined ? undefined : textOfFirst(target, 'name');
}

function addressOf(crumb: Item): string | undefined {
  const [target] = itemsOf(crumb, 'item');
  const address = plainOf(crumb, 'item')[0] ?? target?.id ?? (target && plainOf(target, 'url')[0]);
  return address === undefined ? undefined : String(address);
}

/** A link to the shop's front page is not a category; a department named "Home" is. */
function isFrontPage(address: string | undefined): boolean {
  const url = address === undefined ? null : URL.parse(address, 'https://shop.invalid/');
  return url !== null && url.pathname === '/' && url.search === '';
}

function categoriesInText(product: readonly Item[]): string[] | undefined {
  const [value] = product.flatMap((item) => plainOf(item, 'category'));
  // A number is an id in some taxonomy, a URL is a page.
  if (typeof value !== 'string' || /^\d*$|^https?:/i.test(value.trim())) return undefined;
  const names = value.split(/\s*(?:>|›|»|&gt;)\s*/).flatMap((name) => tidyText(name) ?? []);
  const isIntact =
    names.length <= CATEGORIES_MAX && names.every(({ length }) => length <= TEXT_CHARS_MAX);
  return isIntact && names.length > 0 ? names : undefined;
}
