// Reads a page by its map: the members of a snapshot, and the offers as a source of prices beside
// the page's structured data. Nothing is guessed: a member that is absent or of another kind is
// reported and not read.
import type { Element } from './html-tree.ts';
import { tidyText } from './item.ts';
import { valuesAt } from './json-path.ts';
import { readGtin } from './page-gtin.ts';
import type { OfferPlaces, PageMap, Place, PlaceOrValue } from './page-map.ts';
import { type PageOffer, readPrice } from './page-offer.ts';
import type { Fault, OfferSource } from './page-price.ts';
import { readCurrency } from './price-text.ts';
import { readScriptData } from './script-data.ts';

/** What was found for one member, for the operator who writes the map. */
export type MappedMember = { member: string; place: string; value: unknown; fault: string | null };

export type MappedPage = {
  name: string | undefined;
  /** The members that were found, in wire form. */
  wire: Readonly<Record<string, unknown>>;
  gtins: readonly string[];
  /** The buybox, and the list of all sellers if the map names one. */
  sources: readonly OfferSource[];
  isComplete: boolean;
};

export type MappedReading = { members: readonly MappedMember[] } & (
  | { page: MappedPage }
  /** The page does not have the data that the map describes. */
  | { missing: string }
  | { fault: Fault }
);

const ENTRIES_MAX = 500;
/** Data has numbers. Words beside them ("from", "each") would make it another price. */
const PRICE_TEXT = /^\s*(?:USD|US\$|\$)?\s*\d[\d,]*(?:\.\d+)?\s*(?:USD)?\s*$/;

export function readMappedPage(
  map: PageMap,
  scripts: readonly Element[],
  code: string | null,
): MappedReading {
  const members: MappedMember[] = [];
  const data = readScriptData(scripts, map.data);
  if ('missing' in data) return { members, missing: data.missing };
  const product = first(data.value, map.product);
  if (typeof product !== 'object' || product === null) {
    return { members, missing: `there is no object at ${shownPlace(map.product)}` };
  }
  const reader = createReader(product, members);
  const stated = reader.text('retailer_product_code', map.members.retailer_product_code);
  if (stated === undefined) return { members, missing: 'the data names no product code' };
  if (code !== null && stated !== code) {
    const reason = `the page is about product ${stated.slice(0, 40)}, not ${code}`;
    return { members, fault: { fault: 'other_product', reason } };
  }
  const page = readMembers(map.members, reader, members);
  const [box] = page.sources[0]?.offers ?? [];
  if (box?.fault) {
    return { members, fault: { fault: 'unclear_price', reason: `buybox.price: ${box.fault}` } };
  }
  // Without the price of the buybox, the offers of others would be taken for it.
  const isUnpriced = box?.cents === null && box.isSoldOut !== true;
  return { members, page: isUnpriced ? { ...page, sources: [], isComplete: false } : page };
}

function readMembers(map: PageMap['members'], reader: Reader, members: MappedMember[]): MappedPage {
  const isSoldOut = reader.availability(map.availability);
  const box = readOffer(reader, 'buybox', map.buybox, isSoldOut);
  const others = readOthers(map, reader, members);
  const sources: OfferSource[] = [{ name: 'the page map', offers: [box] }];
  if (others !== null) {
    sources.push({ name: "the page map's list", offers: [box, ...others.offers] });
  }
  const wire = {
    brand: reader.text('brand', map.brand),
    categories: reader.texts('categories', map.categories),
    customer_rating: reader.number('customer_rating', map.customer_rating, { min: 1, max: 5 }),
    number_of_reviews: reader.count('number_of_reviews', map.number_of_reviews),
  };
  return {
    name: reader.text('product_name', map.product_name),
    wire: Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== undefined)),
    gtins: [reader.gtin('upc', map.upc), reader.gtin('ean', map.ean)].flat(),
    sources,
    isComplete: others?.isComplete ?? false,
  };
}

function readOthers(
  { offers: map }: PageMap['members'],
  reader: Reader,
  members: MappedMember[],
): { offers: PageOffer[]; isComplete: boolean } | null {
  if (map === undefined) return null;
  const entries = reader.list('offers.list', map.list);
  if (entries === undefined) return null;
  const offers = entries.slice(0, ENTRIES_MAX).map((entry, index) => {
    const entryReader = createReader(entry, members);
    return readOffer(entryReader, `offers[${index}]`, map, null);
  });
  const count = reader.count('offers.count', map.count);
  const isReadable = offers.every(({ cents, sellerName }) => cents !== null && sellerName !== null);
  return { offers, isComplete: count === entries.length && isReadable };
}

function readOffer(
  reader: Reader,
  name: string,
  map: OfferPlaces,
  isSoldOut: boolean | null,
): PageOffer {
  const price = reader.price(`${name}.price`, map.price);
  const currency = reader.text(`${name}.currency`, map.currency);
  const units = isSoldOut ? 0 : reader.count(`${name}.units_in_stock`, map.units_in_stock);
  return {
    cents: price.cents,
    highCents: null,
    fault: price.fault,
    currencies: [
      currency === undefined ? null : (readCurrency(currency) ?? '?'),
      ...price.currencies,
    ].filter((one) => one !== null),
    sellerName: reader.text(`${name}.seller_name`, map.seller_name) ?? null,
    isSoldOut,
    units: units ?? null,
    shippingCents: reader.price(`${name}.shipping`, map.shipping).cents ?? 0,
    isUsed: false,
  };
}

type Reader = ReturnType<typeof createReader>;

/** Reads values below one object and notes each of them. */
function createReader(root: unknown, members: MappedMember[]) {
  const note = (member: string, place: PlaceOrValue, value: unknown, fault: string | null) => {
    members.push({ member, place: shownPlace(place), value, fault });
  };
  /** Reads the value with `convert`, which returns undefined for one of another kind. */
  const read = <T>(
    member: string,
    place: PlaceOrValue | undefined,
    convert: (value: unknown) => T | undefined,
    kind: string,
  ): T | undefined => {
    if (place === undefined) return undefined;
    const value = first(root, place);
    if (value === undefined) {
      note(member, place, undefined, 'not found');
      return undefined;
    }
    const converted = convert(value);
    note(member, place, value, converted === undefined ? `is not ${kind}` : null);
    return converted;
  };
  const count = (member: string, place: Place | undefined) =>
    read(member, place, wholeOf, 'a whole number');
  return {
    count,
    text: (member: string, place: PlaceOrValue | undefined) =>
      read(member, place, textOfValue, 'a text'),
    texts(member: string, place: Place | undefined): string[] | undefined {
      const values = place === undefined ? [] : all(root, place);
      const texts = values.flatMap((value) => textOfValue(value) ?? []);
      if (place === undefined) return undefined;
      note(
        member,
        place,
        texts.length === 0 ? undefined : texts,
        texts.length === 0 ? 'not found' : null,
      );
      return texts.length === 0 ? undefined : texts;
    },
    number: (
      member: string,
      place: Place | undefined,
      { min, max }: { min: number; max: number },
    ) =>
      read(
        member,
        place,
        (value) => {
          const number = typeof value === 'string' ? Number(value) : value;
          return typeof number === 'number' && number >= min && number <= max ? number : undefined;
        },
        `a number from ${min} to ${max}`,
      ),
    list: (member: string, place: Place) =>
      read(member, place, (value) => (Array.isArray(value) ? value : undefined), 'a list'),
    price(member: string, place: Place | undefined) {
      const none = { cents: null, currencies: [], fault: null };
      const plain = read(member, place, plainOf, 'a number or a text');
      if (plain === undefined) return none;
      const isPlain = typeof plain === 'number' || PRICE_TEXT.test(plain);
      const price = isPlain ? readPrice([plain]) : { ...none, fault: notOnePrice(plain) };
      const last = members.at(-1);
      if (last !== undefined) {
        last.fault = price.fault ?? (price.cents === null ? 'is not a price' : null);
      }
      return price;
    },
    gtin(member: string, place: Place | undefined): string[] {
      const gtin = read(
        member,
        place,
        (value) => readGtin(String(plainOf(value) ?? '')) ?? undefined,
        'a UPC or EAN',
      );
      return gtin === undefined ? [] : [gtin];
    },
    /** null: the page does not say, or says a word that the map does not know. */
    availability(map: PageMap['members']['availability']): boolean | null {
      if (map === undefined) return null;
      const stockWord = (value: unknown) => {
        const word = textOfValue(value) ?? '';
        if (map.sold_out.includes(word)) return { isSoldOut: true };
        return map.in_stock.includes(word) ? { isSoldOut: false } : undefined;
      };
      return read('availability', map.at, stockWord, 'a word of the map')?.isSoldOut ?? null;
    },
  };
}

const notOnePrice = (text: string) => `${JSON.stringify(text.slice(0, 60))} is not one price`;

const plainOf = (value: unknown): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;

const textOfValue = (value: unknown): string | undefined => {
  const plain = plainOf(value);
  return plain === undefined ? undefined : tidyText(String(plain));
};

function wholeOf(value: unknown): number | undefined {
  const text = String(plainOf(value) ?? '').trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function all(root: unknown, place: Place): unknown[] {
  for (const path of [place].flat()) {
    const values = valuesAt(root, path);
    if (values.length > 0) return values;
  }
  return [];
}

/** One value; several different ones are none, since which of them counts would be a guess. */
function first(root: unknown, place: PlaceOrValue): unknown {
  if (typeof place === 'object' && 'is' in place) return place.is;
  const values = all(root, place);
  const isOne = values.every((value) => Object.is(value, values[0]));
  return isOne ? values[0] : undefined;
}

const shownPlace = (place: PlaceOrValue): string =>
  typeof place === 'object' && 'is' in place ? `always "${place.is}"` : [place].flat().join(' or ');
