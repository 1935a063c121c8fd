// An item of structured data, the same whether it was written as JSON-LD or as microdata.

export type Value = string | number | Item;

export type Item = {
  /** Local names in lower case: "http://schema.org/Product" is "product". */
  types: readonly string[];
  id: string | undefined;
  properties: ReadonlyMap<string, readonly Value[]>;
};

/** The last part of a schema.org address or prefixed name. */
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

/** The first value as tidy text; of an item (a brand, a seller) its name. */
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

/** White space and control characters run together; nothing and the words for nothing are undefined. */
export function tidyText(given: string): string | undefined {
  const text = withoutEntities(given)
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

/** JSON-LD is no HTML, yet many pages escape its texts as if it were. */
function withoutEntities(text: string): string {
  return text.replace(
    /&(?:(amp|quot|apos|lt|gt|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (...found) => {
      const [whole, name, digits, hex] = found as [string, string?, string?, string?];
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = digits === undefined ? Number.parseInt(hex ?? '', 16) : Number(digits);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
