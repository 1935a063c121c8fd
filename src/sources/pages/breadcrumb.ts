// The categories of a product from the page's trail of breadcrumbs, else from its own category text.
import { type Item, isOf, itemsOf, plainOf, textOfFirst, tidyText } from './item.ts';
import type { StructuredData } from './structured-data.ts';

const TRAILS: ReadonlySet<string> = new Set(['breadcrumblist']);
const CATEGORIES_MAX = 20;
const TEXT_CHARS_MAX = 500;

/** From the widest to the narrowest; undefined when the page has none. */
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
  return ownCategories(product);
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
  const own = textOfFirst(crumb, 'name');
  if (own !== undefined) return own;
  const [target] = itemsOf(crumb, 'item');
  return target === undefined ? undefined : textOfFirst(target, 'name');
}

function addressOf(crumb: Item): string | undefined {
  const [target] = itemsOf(crumb, 'item');
  const address = plainOf(crumb, 'item')[0] ?? target?.id ?? (target && plainOf(target, 'url')[0]);
  return address === undefined ? undefined : String(address);
}

/** The way to the shop's front page is no category; a department called "Home" is. */
function isFrontPage(address: string | undefined): boolean {
  const url = address === undefined ? null : URL.parse(address, 'https://shop.invalid/');
  return url !== null && url.pathname === '/' && url.search === '';
}

function ownCategories(product: readonly Item[]): string[] | undefined {
  const [given] = product.flatMap((item) => plainOf(item, 'category'));
  // Numbers are places in somebody's taxonomy, addresses are pages.
  if (typeof given !== 'string' || /^\d*$|^https?:/i.test(given.trim())) return undefined;
  const names = given.split(/\s*(?:>|›|»|&gt;)\s*/).flatMap((name) => tidyText(name) ?? []);
  const isIntact =
    names.length <= CATEGORIES_MAX && names.every(({ length }) => length <= TEXT_CHARS_MAX);
  return isIntact && names.length > 0 ? names : undefined;
}
