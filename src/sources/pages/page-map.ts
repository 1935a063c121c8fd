// A page map: where the pages of a host keep their product data as JSON, and which member is which.
// Maps are data (page-maps/*.json); a file that does not have this shape is refused with one line.
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { isJsonPath } from './json-path.ts';

/** The page map cannot be used. The message is one line. */
export class BadPageMap extends Error {}

const strictObject = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, { additionalProperties: false, minProperties: 1 });

const Text = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' });
const Path = Type.String({ minLength: 1, maxLength: 500 });
/** A path, several of which the first present one counts, or a value that the host implies. */
const Place = Type.Union([Path, Type.Array(Path, { minItems: 1, maxItems: 10 })]);
const PlaceOrValue = Type.Union([Place, strictObject({ is: Text })]);
const Words = Type.Array(Text, { minItems: 1, maxItems: 100 });

const Availability = strictObject({ at: Place, in_stock: Words, sold_out: Words });

const offerMembers = {
  price: Place,
  currency: PlaceOrValue,
  seller_name: Type.Optional(PlaceOrValue),
  shipping: Type.Optional(Place),
  units_in_stock: Type.Optional(Place),
};

const PageMapFile = strictObject({
  about: Type.Optional(Text),
  /** "www.shop.com", or "*.shop.com" for all names below it. */
  hosts: Type.Array(Type.String({ pattern: '^(\\*\\.)?[a-z0-9.-]+$', maxLength: 253 }), {
    minItems: 1,
    maxItems: 100,
  }),
  /** The script that holds the data: its id, or the variable that it assigns. */
  data: Type.Union([
    strictObject({ script_id: Text }),
    strictObject({
      variable: Type.String({ pattern: '^[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)*$' }),
    }),
  ]),
  /** The object that describes the product; the other paths start at it. */
  product: Place,
  members: strictObject({
    retailer_product_code: Place,
    product_name: Type.Optional(Place),
    brand: Type.Optional(Place),
    upc: Type.Optional(Place),
    ean: Type.Optional(Place),
    categories: Type.Optional(Place),
    customer_rating: Type.Optional(Place),
    number_of_reviews: Type.Optional(Place),
    buybox: strictObject(offerMembers),
    availability: Type.Optional(Availability),
    /**
     * The other sellers; paths start at each entry of `list`. `count` starts at the product: if it
     * equals the number of entries, the list is complete.
     */
    offers: Type.Optional(
      strictObject({ list: Place, count: Type.Optional(Place), ...offerMembers }),
    ),
  }),
});

export type PageMap = Static<typeof PageMapFile>;
export type Place = Static<typeof Place>;
export type PlaceOrValue = Static<typeof PlaceOrValue>;
export type OfferPlaces = Pick<
  NonNullable<PageMap['members']['offers']>,
  'price' | 'currency' | 'seller_name' | 'shipping' | 'units_in_stock'
>;

export function parsePageMap(text: string): PageMap {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new BadPageMap(`it is not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`);
  }
  if (!Value.Check(PageMapFile, json)) throw shapeFault(json);
  for (const [member, path] of pathsIn(json)) {
    if (!isJsonPath(path)) {
      throw new BadPageMap(
        `${member} is ${JSON.stringify(path)}, which must be a path such as "a.b[0].c" or "a.list[*].name"`,
      );
    }
  }
  return json;
}

function shapeFault(json: unknown): BadPageMap {
  const [fault] = Value.Errors(PageMapFile, json);
  const member = fault?.instancePath.slice(1).replaceAll('/', '.') || 'the file';
  const { requiredProperties } = (fault?.params ?? {}) as { requiredProperties?: string[] };
  const [missing] = requiredProperties ?? [];
  if (missing !== undefined) return new BadPageMap(`${member} lacks ${missing}`);
  if (fault?.keyword === 'boolean') return new BadPageMap(`${member} is no member of a page map`);
  return new BadPageMap(`${member} ${fault?.message ?? 'does not have the shape of a page map'}`);
}

/** Every path in a map, with the name of its member. */
function* pathsIn(map: PageMap): Generator<[string, string]> {
  yield* pathsAt('product', map.product);
  for (const [name, value] of Object.entries(map.members)) {
    if (typeof value === 'string' || Array.isArray(value)) yield* pathsAt(`members.${name}`, value);
    else if (name === 'availability')
      yield* pathsAt('members.availability.at', (value as { at: Place }).at);
    else
      for (const [part, place] of Object.entries(value))
        yield* pathsAt(`members.${name}.${part}`, place);
  }
}

function* pathsAt(member: string, place: PlaceOrValue): Generator<[string, string]> {
  if (typeof place === 'string') yield [member, place];
  else if (Array.isArray(place)) for (const path of place) yield [member, path];
}

/** The map for a host; the first that names it. */
export function mapFor(maps: readonly PageMap[], host: string): PageMap | undefined {
  return maps.find(({ hosts }) =>
    hosts.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : name === host)),
  );
}
