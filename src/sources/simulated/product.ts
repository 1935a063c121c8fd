// The parts of a product that never change, from which every moment is computed.

import { DAY_SECONDS } from '../../foundation/time.ts';
import { type Listing, listingOf } from './listing.ts';
import { bell, mix, share } from './mix.ts';
import { unitsAtIndex } from './popularity.ts';
import { type Seller, sellersOf } from './seller.ts';

export type Product = {
  listing: Listing;
  key: number;
  /** Shared by the products of a leaf, whose positions are one permutation. */
  leafKey: number;
  sellers: readonly Seller[];
  /** How strongly demand reacts to the price. */
  elasticity: number;
  /** How much more or less is sold than the rank suggests. */
  appeal: number;
  /** Whether shops and offices order many units at once. */
  hasBulkOrders: boolean;
  /** The two most recently added stretches of stock. */
  stretches: Map<number, Stretch>;
};

/** Four weeks of the sellers' stock, as far as stock.ts has simulated it. */
export type Stretch = {
  firstDay: number;
  /** The number of days simulated so far. */
  daysSimulated: number;
  /** Per seller: the day of the stretch on which the shelf is filled. */
  fillingDay: number[];
  /**
   * By day, then seller: stock at midnight (only after the filling day), demand, units that a shop
   * or an office wants at once, units delivered or returned.
   */
  opening: number[];
  demand: number[];
  bulk: number[];
  delivered: number[];
};

export function productOf(seed: number, index: number): Product {
  const listing = listingOf(index);
  const key = mix(mix(seed, 1), index);
  return {
    listing,
    key,
    leafKey: mix(mix(seed, 2), listing.leafIndex),
    sellers: sellersOf(key, listing),
    elasticity: 0.8 + 1.6 * share(key, 120),
    appeal: bell(key, 125, 0.35),
    hasBulkOrders: share(key, 129) < 0.5,
    stretches: new Map(),
  };
}

/** 2012-01-01: no product is older. */
const FIRST_LAUNCH_DAY = 15_340;
const LAUNCH_DAYS = 2_500;

/** Reviews grow with sales and never decrease. */
export function reviewsAt({ key, listing }: Product, second: number): number {
  const launchDay = FIRST_LAUNCH_DAY + LAUNCH_DAYS * share(key, 121);
  const age = Math.max(0, second / DAY_SECONDS - launchDay);
  const dailyUnits = unitsAtIndex(listing.leaf.topUnits, listing.baseRank);
  // Between two and fifty reviews for a thousand units.
  return Math.floor(age * dailyUnits * 0.002 * 25 ** share(key, 122));
}

/** One decimal; a slow wave of a fifth of a star around the product's level. */
export function ratingAt({ key }: Product, second: number): number {
  const level = 4.9 - 2 * share(key, 123) ** 2.5;
  const wave = 0.1 * Math.sin(second / (DAY_SECONDS * 60) + 6.28 * share(key, 124));
  return Math.round(Math.min(5, level + wave) * 10) / 10;
}
