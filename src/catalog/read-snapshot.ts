// Reads a snapshot from the JSON form of feeds and ingest files. A snapshot is accepted whole, or
// refused with a sentence that names the member, what is allowed and the value.
import { isUtf8 } from 'node:buffer';
import { isInstant, readInstant } from '../foundation/instant.ts';
import { isStorable } from '../foundation/storable-text.ts';
import { MINUTE_MS } from '../foundation/time.ts';
import { gtin14 } from './gtin.ts';
import { CODE_PATTERN, EAN_PATTERN, UPC_PATTERN } from './product-code.ts';
import type { Buybox, Offer, Rank, SellerType, Snapshot } from './snapshot.ts';

export type ReadOutcome = { snapshot: Snapshot } | { refused: string };

export const LINE_BYTES_MAX = 1_000_000;
const TEXT_CHARS_MAX = 500;
const OFFERS_MAX = 500;
const CATEGORIES_MAX = 20;
const PRICE_MAX = 1_000_000;
/** A larger number is a sentinel, not a count: it is read as unknown. */
const UNITS_MAX = 1_000_000;
const WEIGHT_LB_MAX = 10_000;
const REVIEWS_MAX = 1_000_000_000;
const RANK_MAX = 1_000_000_000;
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const AHEAD_MAX_MS = 5 * MINUTE_MS;
const CODE = new RegExp(CODE_PATTERN);
const UPC = new RegExp(UPC_PATTERN);
const EAN = new RegExp(EAN_PATTERN);
const SELLER_TYPES: readonly SellerType[] = ['marketplace', 'fulfilled', 'first_party'];

/** One line of a feed or an ingest file. */
export function readSnapshotLine(line: Buffer, nowMs: number): ReadOutcome {
  if (line.length > LINE_BYTES_MAX) {
    return { refused: `the line is longer than ${LINE_BYTES_MAX} bytes` };
  }
  // Buffer.toString would replace invalid bytes instead of failing.
  if (!isUtf8(line)) return { refused: 'the line is not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch (error) {
    return { refused: `not JSON: ${(error as Error).message}` };
  }
  return readSnapshot(value, nowMs);
}

export function readSnapshot(value: unknown, nowMs: number): ReadOutcome {
  try {
    return { snapshot: read(value, nowMs) };
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message };
    throw error;
  }
}

/** Carries the reason for a refusal; never leaves this file. */
class Unreadable extends Error {}

type Members = Readonly<Record<string, unknown>>;

function read(value: unknown, nowMs: number): Snapshot {
  const members = object(value, 'a snapshot');
  const observedAtMs = time(members, 'observed_at', 'observed_at');
  if (observedAtMs === undefined) throw new Unreadable('observed_at is required');
  if (observedAtMs < EARLIEST_MS) throw new Unreadable('observed_at is before the year 2000');
  if (observedAtMs > nowMs + AHEAD_MAX_MS) {
    throw new Unreadable('observed_at is more than 5 minutes ahead of now');
  }
  const offersComplete = flag(members, 'offers_complete') ?? false;
  const shelf = { buybox: buybox(members), offers: readOffers(members.offers) };
  return {
    code: code(members),
    observedAtMs: Math.floor(observedAtMs / 1000) * 1000,
    gtins: gtins(members),
    brand: text(members, 'brand'),
    name: text(members, 'product_name'),
    categories: categories(members.categories),
    ...(flag(members, 'sold_out') ? soldOut(shelf) : withoutEmptyPart(shelf, offersComplete)),
    offersComplete,
    rank: rank(members),
    customerRating: amount(members, 'customer_rating', { min: 1, max: 5 }),
    reviewCount: wholeNumber(members, 'number_of_reviews', { min: 0, max: REVIEWS_MAX }),
    shippingWeightLb: amount(members, 'shipping_weight_lb', { above: 0, max: WEIGHT_LB_MAX }),
    sellerType: sellerType(members),
  };
}

function code(members: Members): string {
  const value = members.retailer_product_code;
  if (typeof value === 'string' && CODE.test(value)) return value;
  throw wrong('retailer_product_code', 'a text of 1 to 20 digits', value);
}

/** A wrong check digit is accepted: retailers list and customers use such numbers. */
function gtins(members: Members): string[] {
  const keys = new Set<string>();
  for (const [name, pattern, allowed] of [
    ['upc', UPC, 'a text of 12 digits'],
    ['ean', EAN, 'a text of 13 digits'],
  ] as const) {
    const value = members[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' || !pattern.test(value)) {
      throw wrong(name, allowed, value);
    }
    keys.add(gtin14(value));
  }
  return [...keys];
}

function categories(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > CATEGORIES_MAX) {
    throw wrong('categories', `a list of at most ${CATEGORIES_MAX} texts`, value);
  }
  return value.map((name, index) => requiredText(name, `categories[${index}]`));
}

function buybox(members: Members): Buybox | null | undefined {
  const value = members.buybox;
  if (value === undefined || value === null) return value;
  const box = object(value, 'buybox');
  return {
    priceCents: price(box, 'price', 'buybox.price'),
    sellerName: text(box, 'seller_name', 'buybox.seller_name') ?? null,
  };
}

type Shelf = { buybox: Buybox | null | undefined; offers: Offer[] | undefined };

/** A product that is sold out has no buybox, and no units at any seller. */
function soldOut({ buybox, offers = [] }: Shelf): Shelf {
  if (buybox) throw new Unreadable('sold_out must be false or absent where there is a buybox');
  const stocked = offers.findIndex(({ unitsInStock }) => (unitsInStock ?? 0) > 0);
  if (stocked >= 0) {
    throw new Unreadable(`sold_out must be false or absent: offers[${stocked}] has units in stock`);
  }
  return { buybox: null, offers: offers.map((offer) => ({ ...offer, unitsInStock: 0 })) };
}

/** An empty list that is not complete says nothing; inside, it would mean sold out. */
function withoutEmptyPart({ buybox, offers }: Shelf, offersComplete: boolean): Shelf {
  return { buybox, offers: offers?.length === 0 && !offersComplete ? undefined : offers };
}

function readOffers(value: unknown): Offer[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > OFFERS_MAX) {
    throw wrong('offers', `a list of at most ${OFFERS_MAX} offers`, value);
  }
  const bySeller = new Map<string, Offer>();
  value.forEach((one, index) => {
    const offer = readOffer(one, `offers[${index}]`);
    const other = bySeller.get(offer.sellerName);
    bySeller.set(offer.sellerName, other === undefined ? offer : merged(other, offer));
  });
  return [...bySeller.values()];
}

function readOffer(value: unknown, where: string): Offer {
  const offer = object(value, where);
  return {
    sellerName: requiredText(offer.seller_name, `${where}.seller_name`),
    priceCents: price(offer, 'price', `${where}.price`),
    shippingCents: shipping(offer, `${where}.shipping`),
    unitsInStock: units(offer, `${where}.units_in_stock`),
    lastUpdatedAtMs: time(offer, 'last_updated', `${where}.last_updated`) ?? null,
  };
}

/** Merges two offers of one seller: the cheaper one, with the units of both, or unknown. */
function merged(a: Offer, b: Offer): Offer {
  const landed = (offer: Offer) => offer.priceCents + offer.shippingCents;
  const cheapest = landed(b) < landed(a) ? b : a;
  const isKnown = a.unitsInStock !== null && b.unitsInStock !== null;
  const sum = isKnown ? (a.unitsInStock ?? 0) + (b.unitsInStock ?? 0) : null;
  return { ...cheapest, unitsInStock: sum !== null && sum > UNITS_MAX ? null : sum };
}

function units(offer: Members, where: string): number | null {
  const value = offer.units_in_stock;
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw wrong(where, 'a whole number from 0 on, or null for unknown', value);
  }
  return value > UNITS_MAX ? null : value;
}

function shipping(offer: Members, where: string): number {
  const value = offer.shipping;
  if (value === undefined || value === null) return 0;
  const read = cents(value);
  if (read === null) throw wrong(where, moneyAllowed('0'), value);
  return read;
}

function price(members: Members, name: string, where: string): number {
  const value = members[name];
  const read = cents(value);
  if (read === null || read === 0) throw wrong(where, moneyAllowed('above 0'), value);
  return read;
}

const moneyAllowed = (from: string) =>
  `a number of dollars, ${from} to ${PRICE_MAX}, with at most two decimals`;

/**
 * Dollars to cents; null unless the number has at most two decimals: only then does dividing the
 * rounded cents by 100 give the same number. (Parsing the decimal text took three times as long.)
 */
function cents(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= 0 && value <= PRICE_MAX)) return null;
  const whole = Math.round(value * 100);
  return whole / 100 === value ? whole : null;
}

function rank(members: Members): Rank | undefined {
  const value = members.rank;
  if (value === undefined || value === null) return undefined;
  const read = object(value, 'rank');
  const position = wholeNumber(read, 'position', { min: 1, max: RANK_MAX }, 'rank.position');
  if (position === undefined) throw new Unreadable('rank.position is required');
  return { position, category: requiredText(read.category, 'rank.category') };
}

function sellerType(members: Members): SellerType | undefined {
  const value = members.seller_type;
  if (value === undefined || value === null) return undefined;
  const type = SELLER_TYPES.find((allowed) => allowed === value);
  if (type === undefined) throw wrong('seller_type', SELLER_TYPES.join(', '), value);
  return type;
}

function time(members: Members, name: string, where: string): number | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === 'string' ? readInstant(value) : null;
  if (!isInstant(ms)) throw wrong(where, 'a time such as 2026-11-14T12:00:00Z', value);
  return ms;
}

function text(members: Members, name: string, where = name): string | undefined {
  const value = members[name];
  return value === undefined || value === null ? undefined : requiredText(value, where);
}

function requiredText(value: unknown, where: string): string {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  if (trimmed === '' || isTooLong(trimmed)) {
    throw wrong(where, `a text of 1 to ${TEXT_CHARS_MAX} characters`, value);
  }
  // The database would store a different text.
  if (!isStorable(trimmed)) {
    throw wrong(where, 'a text without NUL and without halves of surrogate pairs', value);
  }
  return trimmed;
}

/** Counts code points, as PostgreSQL does, not UTF-16 units. */
function isTooLong(text: string): boolean {
  if (text.length <= TEXT_CHARS_MAX) return false;
  return text.length > 2 * TEXT_CHARS_MAX || [...text].length > TEXT_CHARS_MAX;
}

function wholeNumber(
  members: Members,
  name: string,
  range: { min: number; max: number },
  where = name,
): number | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && (value as number) >= range.min && (value as number) <= range.max) {
    return value as number;
  }
  throw wrong(where, `a whole number from ${range.min} to ${range.max}`, value);
}

function amount(
  members: Members,
  name: string,
  range: { min?: number; above?: number; max: number },
): number | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  const { min = Number.NEGATIVE_INFINITY, above = Number.NEGATIVE_INFINITY, max } = range;
  // Checks the value as stored: one that a `real` rounds to 0 is refused here, not by the database.
  const stored = typeof value === 'number' ? Math.fround(value) : Number.NaN;
  if (stored >= min && stored > above && stored <= max) return value as number;
  const from = range.min ?? `above ${range.above}`;
  throw wrong(name, `a number from ${from} to ${max}`, value);
}

function flag(members: Members, name: string): boolean | undefined {
  const value = members[name];
  if (value === undefined || value === null || typeof value === 'boolean')
    return value ?? undefined;
  throw wrong(name, 'true or false', value);
}

function object(value: unknown, where: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw wrong(where, 'a JSON object', value);
}

function wrong(where: string, allowed: string, value: unknown): Unreadable {
  return new Unreadable(`${where} must be ${allowed}; got ${shown(value)}`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    return JSON.stringify(value).slice(0, 80);
  } catch {
    // JSON.parse accepts deeper nesting than JSON.stringify does.
    return 'a value nested too deeply';
  }
}
