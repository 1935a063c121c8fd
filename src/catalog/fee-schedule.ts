// Calculates what selling a product costs: a fee schedule applied to one sale, exact to the cent.
// Pure. read-fee-schedule.ts reads and checks a schedule; docs/decisions/0005-fees.md explains the
// choices.
import { assert } from '../foundation/problem.ts';
import type { SellerType } from './snapshot.ts';

/** The category of products that match no other; every edition has it. */
export const EVERYTHING_ELSE = 'Everything Else';

/**
 * Sellers that pay fees. The marketplace itself pays none: `first_party` is read as `marketplace`.
 */
export type PayingSeller = Exclude<SellerType, 'first_party'>;

export type FeeName = 'referral' | 'closing' | 'shipping';

/** Prices above the previous band's end, up to and including this one's (the last: Infinity). */
export type Band = { upToCents: number; rateBp: number };

export type FeeCategory = {
  name: string;
  /** whole: one band's rate for the whole price; marginal: each part of it at its band's rate. */
  kind: 'whole' | 'marginal';
  bands: readonly Band[];
  closingCents: number;
  /** The sources leave something open; the calculated fees are marked `unsettled`. */
  isUnsettled: boolean;
};

/** Whole pounds above the previous step's end, up to and including this one's. */
export type WeightStep = { upToLb: number; firstLbCents: number; furtherLbCents: number };

/** In force from `fromDay` until the next edition starts; the first one (null) has no start. */
export type Edition = {
  fromDay: string | null;
  /** By `categoryKey`. */
  categories: ReadonlyMap<string, FeeCategory>;
  everythingElse: FeeCategory;
  shippingSteps: readonly WeightStep[];
};

/** A share of a fee, or an amount, taken off the fee; the fee never falls below 0. */
export type Cut = { fee: FeeName; offBp: number; offCents: number };

export type Promotion = {
  name: string;
  /** Inclusive. */
  fromDay: string;
  /** Exclusive end; null: no end is known. */
  toDay: string | null;
  /** By `categoryKey`; null: all. */
  categories: ReadonlySet<string> | null;
  sellerTypes: ReadonlySet<PayingSeller> | null;
  cuts: readonly Cut[];
};

/** At least one edition, in ascending order of `fromDay`. */
export type FeeSchedule = { editions: readonly Edition[]; promotions: readonly Promotion[] };

export type Sale = {
  priceCents: number;
  /** The product's category path, broadest first. */
  categories: readonly string[];
  /** null: unknown, read as `marketplace`. */
  sellerType: SellerType | null;
  /** Shipping weight including packaging; null: unknown, read as 1 lb. */
  weightLb: number | null;
  /** `YYYY-MM-DD`, UTC. */
  onDay: string;
};

export type Fees = {
  referralCents: number;
  closingCents: number;
  shippingCents: number;
  /** The exact sum of the three. */
  totalCents: number;
  /** The schedule's name of the category that was used. */
  category: string;
  unsettled: boolean;
  /** The promotion that lowered the fees; null: none did. */
  promotion: string | null;
};

/** Fees before rounding, in 1e-8 cents, so that basis points of basis points stay integers. */
type ExactFees = Readonly<Record<FeeName, bigint>>;

const BP = 10_000n;
const CENT = BP * BP;

/** A weight above this, or not above 0, is a data error and read as unknown. */
const WEIGHT_MAX_LB = 100_000;

export function feesFor(schedule: FeeSchedule, sale: Sale): Fees {
  const { priceCents, onDay } = sale;
  assert(
    Number.isSafeInteger(priceCents) && priceCents >= 0,
    'a price is a non-negative whole number of cents',
  );
  assert(/^\d{4}-\d\d-\d\d$/.test(onDay), 'a day is YYYY-MM-DD');
  const edition = editionOn(schedule, onDay);
  const category = categoryOf(edition, sale.categories);
  const seller = sale.sellerType === 'fulfilled' ? 'fulfilled' : 'marketplace';
  const shipping =
    seller === 'fulfilled'
      ? shippingFee(edition.shippingSteps, sale.weightLb)
      : { cents: 0, isUnsettled: false };
  const listed: ExactFees = {
    referral: referralFee(category, priceCents),
    closing: BigInt(category.closingCents) * CENT,
    shipping: BigInt(shipping.cents) * CENT,
  };
  const promotions = schedule.promotions.filter((promotion) =>
    appliesTo(promotion, { category, seller, onDay }),
  );
  return {
    ...cheapest(listed, promotions),
    category: category.name,
    unsettled: category.isUnsettled || shipping.isUnsettled,
  };
}

/** The ends of the bands of prices, inclusive and ascending; the last one is Infinity. */
export function priceBandsCents(
  schedule: FeeSchedule,
  { categories, onDay }: Pick<Sale, 'categories' | 'onDay'>,
): number[] {
  return categoryOf(editionOn(schedule, onDay), categories).bands.map((band) => band.upToCents);
}

/** The edition in force on a day. */
export function editionOn(schedule: FeeSchedule, onDay: string): Edition {
  const edition = schedule.editions.findLast(({ fromDay }) => fromDay === null || fromDay <= onDay);
  assert(edition !== undefined, 'the first edition has no start');
  return edition;
}

/** Spellings that differ in case, spaces, punctuation, or `&` for `and` have the same key. */
export function categoryKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** The category of the deepest name in the path that the edition has. */
function categoryOf(edition: Edition, path: readonly string[]): FeeCategory {
  for (const name of path.toReversed()) {
    const category = edition.categories.get(categoryKey(name));
    if (category !== undefined) return category;
  }
  return edition.everythingElse;
}

function referralFee({ kind, bands }: FeeCategory, priceCents: number): bigint {
  let sum = 0n;
  let belowCents = 0;
  for (const { upToCents, rateBp } of bands) {
    const isInBand = priceCents <= upToCents;
    if (kind === 'whole') {
      if (isInBand) return BigInt(priceCents) * BigInt(rateBp) * BP;
    } else {
      const endCents = isInBand ? priceCents : upToCents;
      sum += BigInt(endCents - belowCents) * BigInt(rateBp) * BP;
      if (isInBand) return sum;
      belowCents = endCents;
    }
  }
  assert(false, 'the last band has no end');
}

/**
 * Counts whole pounds, rounded up. Above the last step its rule goes on, which no source confirms.
 */
function shippingFee(steps: readonly WeightStep[], weightLb: number | null) {
  const isKnown = weightLb !== null && weightLb > 0 && weightLb <= WEIGHT_MAX_LB;
  const pounds = isKnown ? Math.ceil(weightLb) : 1;
  const matching = steps.findIndex(({ upToLb }) => pounds <= upToLb);
  const index = matching === -1 ? steps.length - 1 : matching;
  const step = steps[index];
  assert(step !== undefined, 'a schedule has at least one step');
  const firstLb = (steps[index - 1]?.upToLb ?? 0) + 1;
  return {
    cents: step.firstLbCents + (pounds - firstLb) * step.furtherLbCents,
    isUnsettled: matching === -1,
  };
}

function appliesTo(
  { fromDay, toDay, categories, sellerTypes }: Promotion,
  sale: { category: FeeCategory; seller: PayingSeller; onDay: string },
): boolean {
  const isRunning = fromDay <= sale.onDay && (toDay === null || sale.onDay < toDay);
  if (!isRunning || sellerTypes?.has(sale.seller) === false) return false;
  return categories === null || categories.has(categoryKey(sale.category.name));
}

/** Applies the one promotion that leaves the lowest total; among equals, the first. */
function cheapest(listed: ExactFees, promotions: readonly Promotion[]) {
  let best = { ...inCents(listed), promotion: null as string | null };
  for (const { name, cuts } of promotions) {
    const fees = inCents(cuts.reduce(afterCut, listed));
    if (fees.totalCents < best.totalCents) best = { ...fees, promotion: name };
  }
  return best;
}

function afterCut(fees: ExactFees, { fee, offBp, offCents }: Cut): ExactFees {
  const left = (fees[fee] * (BP - BigInt(offBp))) / BP - BigInt(offCents) * CENT;
  return { ...fees, [fee]: left > 0n ? left : 0n };
}

function inCents({ referral, closing, shipping }: ExactFees) {
  const referralCents = roundHalfUp(referral);
  const closingCents = roundHalfUp(closing);
  const shippingCents = roundHalfUp(shipping);
  const totalCents = referralCents + closingCents + shippingCents;
  return { referralCents, closingCents, shippingCents, totalCents };
}

function roundHalfUp(exact: bigint): number {
  return Number((exact + CENT / 2n) / CENT);
}
