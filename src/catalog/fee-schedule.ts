// What selling a product costs: the figures of a fee schedule applied to one sale, exact to the cent.
// Pure; how a schedule is written, and what is refused, is read-fee-schedule's. The choices are
// explained in docs/decisions/0005-fees.md.
import { assert } from '../foundation/problem.ts';
import type { SellerType } from './snapshot.ts';

/** The category of whatever has none of its own; every edition has it. */
export const EVERYTHING_ELSE = 'Everything Else';

/** Who pays fees. The marketplace's own offers pay none: they are read as `marketplace`. */
export type PayingSeller = Exclude<SellerType, 'first_party'>;

export type FeeName = 'referral' | 'closing' | 'shipping';

/** Holds the prices above the band before it, up to and with its own end (the last: Infinity). */
export type Band = { upToCents: number; rateBp: number };

export type FeeCategory = {
  name: string;
  /** whole: the band's rate for all of the price; marginal: each part of it at its band's rate. */
  kind: 'whole' | 'marginal';
  bands: readonly Band[];
  closingCents: number;
  /** The sources leave something open; the fees then say so. */
  isUnsettled: boolean;
};

/** Holds the whole pounds above the step before it, up to and with its own end. */
export type WeightStep = { upToLb: number; firstLbCents: number; furtherLbCents: number };

/** In force from its day until the next edition begins; the first since ever. */
export type Edition = {
  fromOn: string | null;
  /** By `categoryKey`. */
  categories: ReadonlyMap<string, FeeCategory>;
  everythingElse: FeeCategory;
  shippingSteps: readonly WeightStep[];
};

/** A share of a fee, or an amount, that need not be paid; never more than the fee. */
export type Cut = { fee: FeeName; offBp: number; offCents: number };

export type Promotion = {
  name: string;
  /** The first day. */
  fromOn: string;
  /** The first day on which it no longer holds; null: no end is known. */
  toOn: string | null;
  /** By `categoryKey`; null: all. */
  categories: ReadonlySet<string> | null;
  sellerTypes: ReadonlySet<PayingSeller> | null;
  cuts: readonly Cut[];
};

/** Editions in the order of their days, at least one. */
export type FeeSchedule = { editions: readonly Edition[]; promotions: readonly Promotion[] };

export type Sale = {
  priceCents: number;
  /** The product's path, the widest first. */
  categories: readonly string[];
  /** null: unknown, read as `marketplace`. */
  sellerType: SellerType | null;
  /** As shipped, packaging included; null: unknown, read as 1 lb. */
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
  /** The name under which the schedule has the category that was used. */
  category: string;
  unsettled: boolean;
  /** The name of the promotion that lowered the fees. */
  promotion: string | null;
};

/** Fees before rounding, in hundred-millionths of a cent: a share (bp) of a rate (bp) stays whole. */
type ExactFees = Readonly<Record<FeeName, bigint>>;

const BP = 10_000n;
const CENT = BP * BP;

/** More is not a weight but a mistake, as are 0 and less. */
const WEIGHT_MAX_LB = 100_000;

export function feesFor(schedule: FeeSchedule, sale: Sale): Fees {
  const { priceCents, onDay } = sale;
  assert(Number.isSafeInteger(priceCents) && priceCents >= 0, 'a price is whole cents');
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
  const offers = schedule.promotions.filter((promotion) =>
    appliesTo(promotion, { category, seller, onDay }),
  );
  return {
    ...cheapest(listed, offers),
    category: category.name,
    unsettled: category.isUnsettled || shipping.isUnsettled,
  };
}

/** The edition in force on a day. */
export function editionOn(schedule: FeeSchedule, onDay: string): Edition {
  const edition = schedule.editions.findLast(({ fromOn }) => fromOn === null || fromOn <= onDay);
  assert(edition !== undefined, 'the first edition holds since ever');
  return edition;
}

/** Two spellings of one name have one key: case, spaces, punctuation, `&` or `and` do not matter. */
export function categoryKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** The deepest name of the path that the edition knows. */
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
    const isHere = priceCents <= upToCents;
    if (kind === 'whole') {
      if (isHere) return BigInt(priceCents) * BigInt(rateBp) * BP;
    } else {
      const endCents = isHere ? priceCents : upToCents;
      sum += BigInt(endCents - belowCents) * BigInt(rateBp) * BP;
      if (isHere) return sum;
      belowCents = endCents;
    }
  }
  assert(false, 'the last band has no end');
}

/** By whole pounds, rounded up. Heavier than the last step: by its rule, which no source confirms. */
function shippingFee(steps: readonly WeightStep[], weightLb: number | null) {
  const isKnown = weightLb !== null && weightLb > 0 && weightLb <= WEIGHT_MAX_LB;
  const pounds = isKnown ? Math.ceil(weightLb) : 1;
  const holds = steps.findIndex(({ upToLb }) => pounds <= upToLb);
  const at = holds === -1 ? steps.length - 1 : holds;
  const step = steps[at];
  assert(step !== undefined, 'there is a step');
  const firstLb = (steps[at - 1]?.upToLb ?? 0) + 1;
  return {
    cents: step.firstLbCents + (pounds - firstLb) * step.furtherLbCents,
    isUnsettled: holds === -1,
  };
}

function appliesTo(
  { fromOn, toOn, categories, sellerTypes }: Promotion,
  sale: { category: FeeCategory; seller: PayingSeller; onDay: string },
): boolean {
  const isOn = fromOn <= sale.onDay && (toOn === null || sale.onDay < toOn);
  if (!isOn || sellerTypes?.has(sale.seller) === false) return false;
  return categories === null || categories.has(categoryKey(sale.category.name));
}

/** One promotion counts: the one that leaves the least to pay, of several such the first. */
function cheapest(listed: ExactFees, offers: readonly Promotion[]) {
  let best = { ...inCents(listed), promotion: null as string | null };
  for (const { name, cuts } of offers) {
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
