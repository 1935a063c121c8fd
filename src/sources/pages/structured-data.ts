// Reads a page's machine-readable data: JSON-LD, microdata, OpenGraph, its scripts and the
// canonical URL.
import { type Element, elementsUnder, parseHtml, textOf } from './html-tree.ts';
import type { Item } from './item.ts';
import { itemsOfJsonLd } from './json-ld.ts';
import { parseLooseJson } from './loose-json.ts';
import { readMicrodata } from './microdata.ts';

export type StructuredData = {
  jsonLd: readonly Item[];
  microdata: readonly Item[];
  /** The offer of microdata that belongs to no item; null if there is none. */
  looseOffer: Item | null;
  /** By property, such as "og:title"; a property may have several values. */
  openGraph: ReadonlyMap<string, readonly string[]>;
  canonicalUrl: string | undefined;
  /** Such as "en-US", from the OpenGraph locale or the page's language. */
  locale: string | undefined;
  /** Scripts other than JSON-LD: a page map says which of them has the product. */
  scripts: readonly Element[];
  /** JSON-LD blocks that could not be parsed. */
  brokenBlocks: number;
};

const BLOCKS_MAX = 200;
const PROPERTIES_MAX = 1_000;

/** null: the page is larger or nested deeper than any real one. */
export function readStructuredData(html: string): StructuredData | null {
  const root = parseHtml(html);
  if (root === null) return null;
  const openGraph = new Map<string, string[]>();
  const blocks: string[] = [];
  const scripts: Element[] = [];
  let canonicalUrl: string | undefined;
  let language: string | undefined;
  for (const element of elementsUnder(root)) {
    const { attributes } = element;
    if (element.name === 'meta') addProperty(openGraph, element);
    else if (element.name === 'html') language ??= attributes.lang;
    else if (element.name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attributes.rel ?? '')) {
      canonicalUrl ??= attributes.href;
    } else if (isJsonLd(element)) {
      if (blocks.length < BLOCKS_MAX) blocks.push(textOf(element));
    } else if (element.name === 'script' && scripts.length < PROPERTIES_MAX) scripts.push(element);
  }
  const values = blocks.filter((block) => block.trim() !== '').map(parseLooseJson);
  const microdata = readMicrodata(root);
  const readable = values.filter((value) => value !== undefined);
  return {
    jsonLd: itemsOfJsonLd(readable),
    microdata: microdata.items,
    looseOffer: microdata.looseOffer,
    openGraph,
    scripts,
    canonicalUrl,
    locale: openGraph.get('og:locale')?.[0]?.replace('_', '-') ?? language,
    brokenBlocks: values.length - readable.length,
  };
}

function isJsonLd(element: Element): boolean {
  return (
    element.name === 'script' &&
    /^\s*application\/(?:ld\+json|json\+ld)\s*(?:;|$)/i.test(element.attributes.type ?? '')
  );
}

function addProperty(openGraph: Map<string, string[]>, { attributes }: Element): void {
  const { content } = attributes;
  const name = (attributes.property ?? attributes.name)?.trim().toLowerCase();
  if (content === undefined || name === undefined || openGraph.size >= PROPERTIES_MAX) return;
  if (!/^(?:og|product):/.test(name)) return;
  const values = openGraph.get(name);
  if (values === undefined) openGraph.set(name, [content]);
  else if (values.length < PROPERTIES_MAX) values.push(content);
}
