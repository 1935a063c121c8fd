// Reads microdata as items, by the rules of the HTML standard, with two common extensions: a
// content attribute counts on every element, and a link yields its text where a URL would make no
// sense.
import { type Element, elementsUnder, textOf } from './html-tree.ts';
import { type Item, localName, type Value } from './item.ts';

const NESTING_MAX = 24;
const REFERENCES_MAX = 50;
const ITEMS_MAX = 20_000;
/** Total elements visited: with references, every item could cover the whole page. */
const VISITS_MAX = 2_000_000;
/** A longer text property is prose; nested ones must not copy the page many times. */
const TEXT_CHARS_MAX = 5_000;

/** Properties whose value on a link is its URL. */
const URL_PROPERTIES: ReadonlySet<string> = new Set([
  'url',
  'item',
  'image',
  'sameAs',
  'availability',
  'itemCondition',
  'additionalType',
  'mainEntityOfPage',
]);

type Reading = {
  byId: ReadonlyMap<string, Element>;
  /** Elements that are a property of an item. */
  owned: Set<Element>;
  itemsLeft: number;
  visitsLeft: number;
};

export type Microdata = {
  items: Item[];
  /**
   * An offer made of price, currency and availability that are marked as properties although no
   * item encloses them; null if there is none.
   */
  looseOffer: Item | null;
};

const LOOSE_PROPERTIES: ReadonlySet<string> = new Set([
  'price',
  'priceCurrency',
  'availability',
  'inventoryLevel',
]);

/**
 * The top-level items, in the page's order; then breadcrumb lists marked as a property although no
 * item encloses them, as on pages whose body lacks its itemscope.
 */
export function readMicrodata(root: Element): Microdata {
  const tops: Element[] = [];
  const trails: Element[] = [];
  const properties: Element[] = [];
  const byId = new Map<string, Element>();
  for (const element of elementsUnder(root)) {
    const { id, itemscope, itemprop } = element.attributes;
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    if (itemscope !== undefined && itemprop === undefined) tops.push(element);
    else if (/BreadcrumbList/.test(element.attributes.itemtype ?? '')) trails.push(element);
    else if (LOOSE_PROPERTIES.has(itemprop ?? '') && itemscope === undefined) {
      properties.push(element);
    }
  }
  const owned = new Set<Element>();
  const reading: Reading = { byId, owned, itemsLeft: ITEMS_MAX, visitsLeft: VISITS_MAX };
  const items = tops.flatMap((element) => itemOf(element, reading, 0) ?? []);
  const orphans = trails.filter((element) => !owned.has(element));
  return {
    items: [...items, ...orphans.flatMap((element) => itemOf(element, reading, 0) ?? [])],
    looseOffer: offerOf(properties.filter((element) => !owned.has(element))),
  };
}

/** A page with several prices lists other products too: which one counts would be a guess. */
function offerOf(elements: readonly Element[]): Item | null {
  const properties = new Map<string, Value[]>();
  for (const element of elements) {
    const name = element.attributes.itemprop as string;
    const value = plainValue(element, name)?.trim();
    const values = properties.get(name) ?? [];
    if (value === undefined || value === '' || values.includes(value)) continue;
    properties.set(name, [...values, value]);
  }
  const isOne = [...properties.values()].every((values) => values.length === 1);
  return isOne && properties.has('price') ? { types: ['offer'], id: undefined, properties } : null;
}

function itemOf(element: Element, reading: Reading, depth: number): Item | undefined {
  if (depth > NESTING_MAX || reading.itemsLeft-- <= 0) return undefined;
  const properties = new Map<string, Value[]>();
  for (const part of partsOf(element, reading)) {
    const names = (part.attributes.itemprop ?? '').split(/\s+/).filter((name) => name !== '');
    for (const name of names.map(localName)) {
      const value =
        part.attributes.itemscope === undefined
          ? plainValue(part, name)
          : itemOf(part, reading, depth + 1);
      if (value === undefined) continue;
      const values = properties.get(name);
      if (values === undefined) properties.set(name, [value]);
      else values.push(value);
    }
  }
  const types = (element.attributes.itemtype ?? '').split(/\s+/).filter((type) => type !== '');
  return {
    types: types.map((type) => localName(type).toLowerCase()),
    id: element.attributes.itemid,
    properties,
  };
}

/** The elements with an item's properties: below it and below the elements it refers to. */
function* partsOf(item: Element, reading: Reading): Generator<Element> {
  const referred = (item.attributes.itemref ?? '')
    .split(/\s+/)
    .slice(0, REFERENCES_MAX)
    .flatMap((id) => reading.byId.get(id) ?? []);
  const seen = new Set<Element>([item]);
  const stack: (Element | string)[] = [...item.children, ...referred].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === 'string' || seen.has(node)) continue;
    if (reading.visitsLeft-- <= 0) return;
    seen.add(node);
    if (node.attributes.itemprop !== undefined) {
      reading.owned.add(node);
      yield node;
    }
    if (node.attributes.itemscope !== undefined) continue;
    for (let index = node.children.length - 1; index >= 0; index--) {
      stack.push(node.children[index] as Element | string);
    }
  }
}

function plainValue(element: Element, name: string): string | undefined {
  const { content, href, src, datetime, value, data } = element.attributes;
  if (content !== undefined) return content;
  switch (element.name) {
    case 'a':
    case 'area':
      return URL_PROPERTIES.has(name) ? href : textOf(element, TEXT_CHARS_MAX);
    case 'link':
      return href;
    case 'audio':
    case 'embed':
    case 'iframe':
    case 'img':
    case 'source':
    case 'track':
    case 'video':
      return src;
    case 'object':
      return data;
    case 'data':
    case 'meter':
      return value;
    case 'time':
      return datetime ?? textOf(element, TEXT_CHARS_MAX);
    default:
      return textOf(element, TEXT_CHARS_MAX);
  }
}
