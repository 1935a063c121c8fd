// Reads a snapshot from the JSON that feeds and ingest files speak. Nothing is taken in part: either the
// whole snapshot is sound, or a sentence says what is wrong with it, where, and what is allowed.
import { isUtf8 } from 'node:buffer';
import { isInstant, readInstant } from '../foundation/instant.ts';
import { isStorable } from '../foundation/storable-text.ts';
import { gtin14 } from './gtin.ts';
import { CODE_PATTERN, EAN_PATTERN, UPC_PATTERN } from './product-code.ts';
import type { Buybox, Offer, Rank, SellerType, Snapshot } from './snapshot.ts';

export type ReadOutcome = { snapshot: Snapshot } | { refused: string };

export const LINE_BYTES_MAX = 1_000_000;
const TEXT_CHARS_MAX = 500;
const OFFERS_MAX = 500;
const CATEGORIES_MAX = 20;
const PRICE_MAX = 1_000_000;
/** Above this a stock is a sentinel, not a count: unknown. */
const UNITS_MAX = 1_000_000;
const WEIGHT_LB_MAX = 10_000;
const REVIEWS_MAX = 1_000_000_000;
const RANK_MAX = 1_000_000_000;
const EARLIEST = Date.UTC(2000, 0, 1);
const AHEAD_MAX_MS = 5 * 60_000;
const CODE = new RegExp(CODE_PATTERN);
const UPC = new RegExp(UPC_PATTERN);
const EAN = new RegExp(EAN_PATTERN);
const SELLER_TYPES: readonly SellerType[] = ['marketplace', 'fulfilled', 'first_party'];

/** One line of a feed or an ingest file. */
export function readSnapshotLine(line: Buffer, now: number): ReadOutcome {
  if (line.length > LINE_BYTES_MAX) {
    return { refused: `the line is longer than ${LINE_BYTES_MAX} bytes` };
  }
  // It would be read all the same, with other characters in the place of what is not.
  if (!isUtf8(line)) return { refused: 'the line is not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch (error) {
    return { refused: `not JSON: ${(error as Error).message}` };
  }
  return readSnapshot(value, now);
}

export function readSnapshot(value: unknown, now: number): ReadOutcome {
  try {
    return { snapshot: read(value, now) };
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message };
    throw error;
  }
}

/** Carries a reason out of the depth of the reading; never leaves this file. */
class Unreadable extends Error {}

type Members = Readonly<Record<string, unknown>>;

function read(value: unknown, now: number): Snapshot {
  const members = object(value, 'a snapshot');
  const observedAtMs = time(members, 'observed_at', 'observed_at');
  if (observedAtMs === undefined) throw new Unreadable('observed_at is required');
  if (observedAtMs < EARLIEST) throw new Unreadable('observed_at is before the year 2000');
  if (observedAtMs > now + AHEAD_MAX_MS) {
    throw new Unreadable('observed_at is more than 5 minutes ahead of now');
  }
  const offers = readOffers(members.offers);
  return {
    code: code(members),
    observedAtMs: Math.floor(observedAtMs / 1000) * 1000,
    gtins: gtins(members),
    brand: text(members, 'brand'),
    name: text(members, 'product_name'),
    categories: categories(members.categories),
    buybox: buybox(members),
    offers,
    offersComplete: flag(members, 'offers_complete') ?? false,
    rank: rank(members),
    customerRating: amount(members, 'customer_rating', { min: 1, max: 5 }),
    reviewCount: wholeNumber(members, 'number_of_reviews', { min: 0, max: REVIEWS_MAX }),
    shippingWeightLb: amount(members, 'shipping_weight_lb', { above: 0, max: WEIGHT_LB_MAX }),
    sellerType: sellerType(members),
  };
}

function code(members: Members): string {
  const given = members.retailer_product_code;
  if (typeof given === 'string' && CODE.test(given)) return given;
  throw wrong('retailer_product_code', 'a text of 1 to 20 digits', given);
}

/** A wrong check digit is kept as given: retailers list such numbers, and customers look them up. */
function gtins(members: Members): string[] {
  const found = new Set<string>();
  for (const [name, pattern, allowed] of [
    ['upc', UPC, 'a text of 12 digits'],
    ['ean', EAN, 'a text of 13 digits'],
  ] as const) {
    const given = members[name];
    if (given === undefined || given === null) continue;
    if (typeof given !== 'string' || !pattern.test(given)) {
      throw wrong(name, allowed, given);
    }
    found.add(gtin14(given));
  }
  return [...found];
}

function categories(given: unknown): string[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > CATEGORIES_MAX) {
    throw wrong('categories', `a list of at most ${CATEGORIES_MAX} texts`, given);
  }
  return given.map((name, index) => requiredText(name, `categories[${index}]`));
}

function buybox(members: Members): Buybox | null | undefined {
  const given = members.buybox;
  if (given === undefined || given === null) return given;
  const box = object(given, 'buybox');
  return {
    priceCents: price(box, 'price', 'buybox.price'),
    sellerName: text(box, 'seller_name', 'buybox.seller_name') ?? null,
  };
}

function readOffers(given: unknown): Offer[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > OFFERS_MAX) {
    throw wrong('offers', `a list of at most ${OFFERS_MAX} offers`, given);
  }
  const bySeller = new Map<string, Offer>();
  given.forEach((one, index) => {
    const offer = readOffer(one, `offers[${index}]`);
    const other = bySeller.get(offer.sellerName);
    bySeller.set(offer.sellerName, other === undefined ? offer : merged(other, offer));
  });
  return [...bySeller.values()];
}

function readOffer(given: unknown, where: string): Offer {
  const offer = object(given, where);
  return {
    sellerName: requiredText(offer.seller_name, `${where}.seller_name`),
    priceCents: price(offer, 'price', `${where}.price`),
    shippingCents: shipping(offer, `${where}.shipping`),
    unitsInStock: units(offer, `${where}.units_in_stock`),
    lastUpdatedAtMs: time(offer, 'last_updated', `${where}.last_updated`) ?? null,
  };
}

/** One seller twice is one offer: the cheapest, with the units of both; unknown stays unknown. */
function merged(a: Offer, b: Offer): Offer {
  const landed = (offer: Offer) => offer.priceCents + offer.shippingCents;
  const cheapest = landed(b) < landed(a) ? b : a;
  const known = a.unitsInStock !== null && b.unitsInStock !== null;
  const sum = known ? (a.unitsInStock ?? 0) + (b.unitsInStock ?? 0) : null;
  return { ...cheapest, unitsInStock: sum !== null && sum > UNITS_MAX ? null : sum };
}

function units(offer: Members, where: string): number | null {
  const given = offer.units_in_stock;
  if (given === undefined || given === null) return null;
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0) {
    throw wrong(where, 'a whole number from 0 on, or null for unknown', given);
  }
  return given > UNITS_MAX ? null : given;
}

function shipping(offer: Members, where: string): number {
  const given = offer.shipping;
  if (given === undefined || given === null) return 0;
  const read = cents(given);
  if (read === null) throw wrong(where, moneyAllowed('0'), given);
  return read;
}

function price(members: Members, name: string, where: string): number {
  const given = members[name];
  const read = cents(given);
  if (read === null || read === 0) throw wrong(where, moneyAllowed('above 0'), given);
  return read;
}

const moneyAllowed = (from: string) =>
  `a number of dollars, ${from} to ${PRICE_MAX}, with at most two decimals`;

/**
 * Dollars to cents, null unless their decimal text has at most two decimals: only then does the nearest
 * number of cents lead back to the same number. (Reading the text itself took three times as long.)
 */
function cents(given: unknown): number | null {
  if (typeof given !== 'number' || !(given >= 0 && given <= PRICE_MAX)) return null;
  const whole = Math.round(given * 100);
  return whole / 100 === given ? whole : null;
}

function rank(members: Members): Rank | undefined {
  const given = members.rank;
  if (given === undefined || given === null) return undefined;
  const read = object(given, 'rank');
  const position = wholeNumber(read, 'position', { min: 1, max: RANK_MAX }, 'rank.position');
  if (position === undefined) throw new Unreadable('rank.position is required');
  return { position, category: requiredText(read.category, 'rank.category') };
}

function sellerType(members: Members): SellerType | undefined {
  const given = members.seller_type;
  if (given === undefined || given === null) return undefined;
  const found = SELLER_TYPES.find((type) => type === given);
  if (found === undefined) throw wrong('seller_type', SELLER_TYPES.join(', '), given);
  return found;
}

function time(members: Members, name: string, where: string): number | undefined {
  const given = members[name];
  if (given === undefined || given === null) return undefined;
  const ms = typeof given === 'string' ? readInstant(given) : null;
  if (!isInstant(ms)) throw wrong(where, 'a time such as 2026-11-14T12:00:00Z', given);
  return ms;
}

function text(members: Members, name: string, where = name): string | undefined {
  const given = members[name];
  return given === undefined || given === null ? undefined : requiredText(given, where);
}

function requiredText(given: unknown, where: string): string {
  const trimmed = typeof given === 'string' ? given.trim() : '';
  if (trimmed === '' || isTooLong(trimmed)) {
    throw wrong(where, `a text of 1 to ${TEXT_CHARS_MAX} characters`, given);
  }
  // Stored, it would be another name.
  if (!isStorable(trimmed)) {
    throw wrong(where, 'a text without NUL and without halves of surrogate pairs', given);
  }
  return trimmed;
}

/** Characters are counted as Unicode and PostgreSQL do: one outside the first plane is one, not two. */
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
  const given = members[name];
  if (given === undefined || given === null) return undefined;
  if (Number.isInteger(given) && (given as number) >= range.min && (given as number) <= range.max) {
    return given as number;
  }
  throw wrong(where, `a whole number from ${range.min} to ${range.max}`, given);
}

function amount(
  members: Members,
  name: string,
  range: { min?: number; above?: number; max: number },
): number | undefined {
  const given = members[name];
  if (given === undefined || given === null) return undefined;
  const { min = Number.NEGATIVE_INFINITY, above = Number.NEGATIVE_INFINITY, max } = range;
  // Held against the range as it is stored: what a `real` rounds to 0 is refused here, not by the database.
  const stored = typeof given === 'number' ? Math.fround(given) : Number.NaN;
  if (stored >= min && stored > above && stored <= max) return given as number;
  const from = range.min ?? `above ${range.above}`;
  throw wrong(name, `a number from ${from} to ${max}`, given);
}

function flag(members: Members, name: string): boolean | undefined {
  const given = members[name];
  if (given === undefined || given === null || typeof given === 'boolean')
    return given ?? undefined;
  throw wrong(name, 'true or false', given);
}

function object(given: unknown, where: string): Members {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Members;
  throw wrong(where, 'a JSON object', given);
}

function wrong(where: string, allowed: string, given: unknown): Unreadable {
  return new Unreadable(`${where} must be ${allowed}; got ${shown(given)}`);
}

function shown(given: unknown): string {
  if (given === undefined) return 'nothing';
  try {
    return JSON.stringify(given).slice(0, 80);
  } catch {
    // What is nested some thousand times can be read, but not written.
    return 'something nested too deep';
  }
}
