// An item of structured data, the same for JSON-LD and microdata.

export type Value = string | number | Item;

export type Item = {
  /** Local names in lower case: "http://schema.org/Product" is "product". */
  types: readonly string[];
  id: string | undefined;
  properties: ReadonlyMap<string, readonly Value[]>;
};

/** The last part of a schema.org URL or prefixed name. */
export function localName(name: string): string {
  return name.trim().replace(/^.*[/#:]/s, '');
}

export function isOf(item: Item, types: ReadonlySet<string>): boolean {
  return item.types.some((type) => types.has(type));
}

export function valuesOf(item: Item, name: string): readonly Value[] {
  return item.properties.get(name) ?? [];
}

export function itemsOf(item: Item, name: string): Item[] {
  return valuesOf(item, name).filter((value): value is Item => typeof value === 'object');
}

/** The values that are texts or numbers. */
export function plainOf(item: Item, name: string): (string | number)[] {
  return valuesOf(item, name).filter((value) => typeof value !== 'object');
}

/** The first value as clean text; for an item (a brand, a seller) its name. */
export function textOfFirst(item: Item, name: string): string | undefined {
  for (const value of valuesOf(item, name)) {
    const text = typeof value === 'object' ? textOfPlain(value, 'name') : tidyText(String(value));
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOfPlain(item: Item, name: string): string | undefined {
  for (const value of plainOf(item, name)) {
    const text = tidyText(String(value));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Collapses white space and control characters; undefined for empty text and words like "null". */
export function tidyText(input: string): string | undefined {
  const text = withoutEntities(input)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return text === '' || /^(?:null|undefined|n\/a|none)$/i.test(text) ? undefined : text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  nbsp: ' ',
};

/** JSON-LD is not HTML, but many pages escape its texts as if it were. */
function withoutEntities(text: string): string {
  return text.replace(
    /&(?:(amp|quot|apos|lt|gt|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (...match) => {
      const [whole, name, digits, hex] = match as [string, string?, string?, string?];
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = digits === undefined ? Number.parseInt(hex ?? '', 16) : Number(digits);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
