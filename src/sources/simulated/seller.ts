// The sellers of a product: quality, price policy, shelf size, deliveries and absences.
import { soldBy } from './demand.ts';
import type { Listing } from './listing.ts';
import { between, mix, pick, share } from './mix.ts';
import { unitsAtIndex } from './popularity.ts';
import type { Pricing } from './shelf.ts';
import { FIRST_PARTY_NAME, SELLER_COUNT, sellerName } from './wording.ts';

export const SELLERS_MAX = 30;

/** Seconds: from inclusive, to exclusive. */
export type Span = { from: number; to: number };

const NEVER: Span = { from: 0, to: 0 };
const ABSENCE_BLOCK_DAYS = 96;

export type Policy = 'stable' | 'seasonal' | 'undercutter' | 'promoted' | 'fixed';

/**
 * What the marketplace displays of a seller's stock: every unit, no more than `cap`, or nothing,
 * always or at times.
 */
export type Display =
  | { kind: 'exact' }
  | { kind: 'capped'; cap: number }
  | { kind: 'hidden' | 'flaky' };

export type Seller = {
  key: number;
  name: string;
  policy: Policy;
  display: Display;
  /** 0 to 1: the marketplace's rating of the seller. */
  quality: number;
  /** The long-term price, and the price below which an undercutter never goes. */
  baseCents: number;
  floorCents: number;
  shippingCents: number;
  /** The most units the seller stocks. */
  shelfUnits: number;
  /** Days between two checks of the stock, and the second of the day when deliveries arrive. */
  reviewDays: number;
  deliverySecond: number;
  /** The share of a day's shoppers who come before the delivery. */
  deliveryPart: number;
  /** Prices change at this second of the day. */
  repriceSecond: number;
  /** Cache of the last computed absence, which every simulated day needs. */
  absence: Span & { block: number };
};

/** Sellers differ by product, but one name has one quality everywhere. */
export function sellersOf(productKey: number, listing: Listing): Seller[] {
  const count = sellerCount(productKey, listing);
  const first = mix(productKey, 101) % SELLER_COUNT;
  const stride = 1 + (mix(productKey, 102) % (SELLER_COUNT - 1));
  const sellers: Seller[] = [];
  for (let position = 0; position < count; position++) {
    const sellerId = (first + position * stride) % SELLER_COUNT;
    const key = mix(mix(productKey, 103), position);
    const isFirstParty = position === 0 && listing.sellerType === 'first_party';
    sellers.push(sellerOf(key, listing, { position, count, sellerId, isFirstParty }));
  }
  return sellers;
}

/**
 * Most products have one or two sellers, few have thirty; best sellers and repriced goods have
 * more.
 */
function sellerCount(productKey: number, { baseRank, leaf }: Listing): number {
  let drawn = share(productKey, 100) ** -0.7;
  if (baseRank < 20) drawn = drawn * 2 + 2;
  else if (baseRank < 200) drawn *= 1.5;
  if (leaf.pricing.kind !== 'repriced') drawn = Math.max(1, drawn * 0.6);
  return Math.min(SELLERS_MAX, Math.floor(drawn));
}

/** Where prices are not repriced, one shop sells the product and others charge more. */
const LEAST_SPREAD: Readonly<Record<Pricing['kind'], number>> = {
  repriced: -0.03,
  promoted: 0.12,
  steady: 0.12,
};

type Position = { position: number; count: number; sellerId: number; isFirstParty: boolean };

function sellerOf(
  key: number,
  listing: Listing,
  { position, count, sellerId, isFirstParty }: Position,
): Seller {
  const { kind } = listing.leaf.pricing;
  const quality = isFirstParty ? 1 : 0.7 + 0.3 * share(0x5e11e4, sellerId);
  // The first seller is the product's usual one; most others charge a little more.
  const spread = position === 0 ? 0 : LEAST_SPREAD[kind] + 0.16 * share(key, 1) ** 1.5;
  const ships = !isFirstParty && listing.sellerType !== 'fulfilled' && share(key, 2) < 0.25;
  const shippingCents = ships ? between(key, 3, [2, 7]) * 100 - 1 : 0;
  const baseCents = Math.max(99, Math.round(listing.usualCents * (1 + spread)) - shippingCents);
  const dailyUnits = unitsAtIndex(listing.leaf.topUnits, listing.baseRank);
  const expectedPart = Math.exp(-12 * Math.max(0, spread)) / (1 + 0.55 * (count - 1));
  const coverDays = 5 + 22 * share(key, 4);
  const deliverySecond = between(key, 9, [6 * 3_600, 20 * 3_600]);
  return {
    key,
    name: isFirstParty ? FIRST_PARTY_NAME : sellerName(sellerId),
    policy: policyOf(listing.leaf.pricing, position, share(key, 5)),
    display: displayOf(key),
    quality,
    baseCents,
    floorCents: Math.max(99, Math.round(baseCents * (0.84 + 0.06 * share(key, 6)))),
    shippingCents,
    shelfUnits: between(key, 7, [2, 9]) + Math.round(dailyUnits * expectedPart * coverDays),
    reviewDays: between(key, 8, [3, 12]),
    deliverySecond,
    deliveryPart: soldBy(deliverySecond),
    repriceSecond: between(key, 10, [0, 86_399]),
    absence: { block: -1, ...NEVER },
  };
}

/** The first seller sets a price that others can undercut. */
function policyOf({ kind }: Pricing, position: number, draw: number): Policy {
  if (kind !== 'repriced') {
    const fixed = kind === 'promoted' ? 0.6 : 0.75;
    if (draw < fixed) return 'fixed';
    return draw < 0.97 ? 'promoted' : 'stable';
  }
  if (position === 0) return draw < 0.6 ? 'stable' : 'seasonal';
  if (draw < 0.45) return 'undercutter';
  return draw < 0.75 ? 'stable' : 'seasonal';
}

const CAPS = [10, 50, 99, 999];

/** One seller in seven does not display every unit. */
function displayOf(key: number): Display {
  const draw = share(key, 11);
  if (draw < 0.07) return { kind: 'capped', cap: pick(key, 12, CAPS) };
  if (draw < 0.1) return { kind: 'hidden' };
  return { kind: draw < 0.13 ? 'flaky' : 'exact' };
}

/** The displayed stock; null: unknown. That nothing is left is always displayed. */
export function displayedUnits({ display, key }: Seller, units: number, second: number) {
  if (units === 0 || display.kind === 'exact') return units;
  if (display.kind === 'capped') return Math.min(units, display.cap);
  if (display.kind === 'hidden') return null;
  // Hours in which the count is missing, about one in six.
  return mix(key, 210_000 + Math.floor(second / 3_600)) % 6 === 0 ? null : units;
}

/** The one absence of a seller in the block of days that contains a day; none crosses blocks. */
export function absenceNear(seller: Seller, day: number): Span {
  const shift = seller.key & 63;
  const block = Math.floor((day + shift) / ABSENCE_BLOCK_DAYS);
  if (seller.absence.block !== block) seller.absence = { block, ...absenceIn(seller, block) };
  return seller.absence;
}

function absenceIn(seller: Seller, block: number): Span {
  const draw = mix(seller.key, 20_000 + block);
  if ((draw & 7) > 2) return NEVER;
  const long = (draw & 0x38) === 0;
  const hours = long ? between(draw, 1, [360, 1_400]) : between(draw, 1, [10, 130]);
  const blockStart = (block * ABSENCE_BLOCK_DAYS - (seller.key & 63)) * 86_400;
  const latest = ABSENCE_BLOCK_DAYS * 86_400 - hours * 3_600 - 1;
  const from = blockStart + Math.floor(share(draw, 2) * latest);
  return { from, to: from + hours * 3_600 };
}

const SUPPRESSION_BLOCK_DAYS = 30;

/** When a product has no buybox, within the block of days that contains a day. */
export function suppressionNear(productKey: number, day: number): Span {
  if (share(productKey, 110) > 0.25) return NEVER;
  const shift = productKey & 31;
  const block = Math.floor((day + shift) / SUPPRESSION_BLOCK_DAYS);
  const draw = mix(productKey, 30_000 + block);
  if ((draw & 1) !== 0) return NEVER;
  const hours = between(draw, 1, [8, 100]);
  const from =
    (block * SUPPRESSION_BLOCK_DAYS - shift) * 86_400 + between(draw, 2, [0, 25 * 86_400]);
  return { from, to: from + hours * 3_600 };
}
