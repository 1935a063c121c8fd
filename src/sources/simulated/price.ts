// The price of a seller at a second; constant between the seller's own repricing times.

import { DAY_SECONDS } from '../../foundation/time.ts';
import { seasonFactor } from './demand.ts';
import { between, mix, pick, share } from './mix.ts';
import { absenceNear, type Seller } from './seller.ts';
import type { Pricing, Season } from './shelf.ts';

/** What the sellers of a product base their prices on for a day. */
export type Market = {
  leaf: PricedLeaf;
  /** The lowest landed price of others at midnight, which undercutters use; 0: no rival. */
  rival: number;
};

type PricedLeaf = { season: Season; pricing: Pricing };
type Stall = { sellers: readonly Seller[]; listing: { leaf: PricedLeaf } };

export function marketOn({ sellers, listing }: Stall, day: number): Market {
  const { leaf } = listing;
  // A single seller, as most products have, has no rival; only repriced goods are undercut.
  const hasRivals = sellers.length > 1 && leaf.pricing.kind === 'repriced';
  return { leaf, rival: hasRivals ? rivalCents(sellers, leaf, day) : 0 };
}

function rivalCents(sellers: readonly Seller[], leaf: PricedLeaf, day: number): number {
  const second = day * DAY_SECONDS;
  let best = 0;
  for (const seller of sellers) {
    if (seller.policy === 'undercutter') continue;
    const absence = absenceNear(seller, day);
    if (second >= absence.from && second < absence.to) continue;
    const landed = setCents(seller, leaf, second) + seller.shippingCents;
    if (best === 0 || landed < best) best = landed;
  }
  return best;
}

export function priceAt(seller: Seller, second: number, market: Market): number {
  return seller.policy === 'undercutter'
    ? undercutCents(seller, second, market.rival)
    : setCents(seller, market.leaf, second);
}

function setCents(seller: Seller, { season, pricing }: PricedLeaf, second: number): number {
  if (seller.policy === 'fixed') return inNines(seller.baseCents);
  if (seller.policy === 'promoted') return promotedCents(seller, pricing, second);
  const day = Math.floor((second - seller.repriceSecond) / DAY_SECONDS);
  return seller.policy === 'stable' ? stableCents(seller, day) : seasonalCents(seller, season, day);
}

/** Promotions start at this second of the day, for all sellers of a trade. */
const PROMOTION_SECOND = 5 * 3_600;
const PROMOTION_BLOCK_WEEKS = 13;

/**
 * The base price, and in most quarters an offer of one or two weeks that starts on the trade's
 * weekday. A seller mostly repeats the same offer, so most changes lead back to the price before.
 */
function promotedCents(seller: Seller, pricing: Pricing, second: number): number {
  const weekday = pricing.kind === 'repriced' ? 0 : pricing.weekday;
  // Day 0, 1970-01-01, was a Thursday, 4.
  const day = Math.floor((second - PROMOTION_SECOND) / DAY_SECONDS) + 4 - weekday;
  const week = Math.floor(day / 7) + (seller.key % PROMOTION_BLOCK_WEEKS);
  const block = Math.floor(week / PROMOTION_BLOCK_WEEKS);
  const draw = mix(seller.key, 220_000 + block);
  // A new base price once in a year or two, for good.
  const level = 1 + 0.16 * (share(mix(seller.key, 230_000), Math.floor(block / 6)) - 0.5);
  const base = seller.baseCents * level;
  const startWeek = between(draw, 1, [0, PROMOTION_BLOCK_WEEKS - 3]);
  const weeks = share(draw, 2) < 0.7 ? 1 : 2;
  const weekOfBlock = week - block * PROMOTION_BLOCK_WEEKS;
  const isOn = weekOfBlock >= startWeek && weekOfBlock < startWeek + weeks;
  if (!isOn || share(draw, 3) > 0.75) return inNines(base);
  const percent = pick(share(draw, 4) < 0.6 ? seller.key : draw, 5, OFFERS_PERCENT);
  return inNines((base * (100 - percent)) / 100);
}

const OFFERS_PERCENT = [12, 15, 20, 20, 25, 25, 30, 33, 40];

/** A new price every few weeks, a few percent around the base. */
function stableCents(seller: Seller, day: number): number {
  const days = 18 + (seller.key & 31);
  const draw = mix(seller.key, 40_000 + Math.floor((day + (seller.key >>> 5)) / days));
  return inNines(seller.baseCents * (0.97 + 0.06 * share(draw, 1)));
}

/** A new price every week: higher in season, and one week in eight on sale. */
function seasonalCents(seller: Seller, season: Season, day: number): number {
  const week = Math.floor((day + (seller.key & 7)) / 7);
  const draw = mix(seller.key, 50_000 + week);
  const lift = 0.06 * (seasonFactor(season, week * 7) - 1);
  const sale = (draw & 7) === 0 ? 0.86 + 0.08 * share(draw, 2) : 1;
  return inNines(seller.baseCents * (0.98 + 0.03 * share(draw, 1) + lift) * sale);
}

/**
 * Several times a day a step further below the best rival, until the price returns to the top: the
 * sawtooth of repricing programs.
 */
function undercutCents(seller: Seller, second: number, rival: number): number {
  const slotSeconds = (3 + (seller.key & 7)) * 3_600;
  const slot = Math.floor((second - seller.repriceSecond) / slotSeconds);
  const steps = 5 + ((seller.key >>> 4) & 7);
  const step = 0.001 + 0.007 * share(seller.key, 60);
  const anchor = rival === 0 ? seller.baseCents : rival - seller.shippingCents;
  const price = Math.floor(anchor * (1 - step * (slot % steps))) - 1;
  return Math.max(seller.floorCents, price);
}

/** Prices set by people end in 9; high ones in 99. */
function inNines(cents: number): number {
  const grain = cents < 2_000 ? 10 : cents < 10_000 ? 50 : 100;
  return Math.max(99, Math.round(cents / grain) * grain - 1);
}
