// The stock of each seller at any second, and the units sold on a day, simulated day by day from a
// short time before.
//
// A product's time is divided into stretches of four weeks. In the first week of each, every seller
// has one day on which the shelf is filled whatever was left, so that later stock does not depend
// on earlier stock. For the same reason, shoppers act as if the seller had stock until that day. A
// snapshot therefore simulates at most its own stretch and the one before: about 20 days of a few
// sellers.
//
// Measured over 40,000 different products at one time, on 2 busy cores: median 30 µs a snapshot,
// p90 under 60 µs, p99 under 200 µs (30 sellers); 9 µs a snapshot in a daily history of one
// product.

import { DAY_SECONDS } from '../../foundation/time.ts';
import { demandedBy, seasonFactor, soldBy, weekdayFactor } from './demand.ts';
import { between, mix, share } from './mix.ts';
import { positionOn, unitsAtIndex } from './popularity.ts';
import { marketOn, priceAt } from './price.ts';
import type { Product, Stretch } from './product.ts';
import { absenceNear, SELLERS_MAX, type Seller, suppressionNear } from './seller.ts';

const STRETCH_DAYS = 28;
const FILLING_DAYS = 7;
const STRETCHES_MAX = 2;

// Scores, then weights, of the sellers on the day being simulated.
const scores = new Float64Array(SELLERS_MAX);

/** The stock of each seller, in their order. */
export function stockAt(product: Product, second: number): number[] {
  const day = Math.floor(second / DAY_SECONDS);
  const secondOfDay = second - day * DAY_SECONDS;
  const stretch = stretchWith(product, day);
  return product.sellers.map((seller, index) => {
    const shelf = shelfOn(product, stretch, { index, day });
    if (secondOfDay >= seller.deliverySecond) return afterDelivery(shelf, secondOfDay);
    return shelf.opening - Math.min(shelf.opening, wantedBy(shelf, secondOfDay));
  });
}

/** Units sold by all sellers on a day: exactly those that left their shelves. */
export function soldOn(product: Product, day: number): number {
  const stretch = stretchWith(product, day);
  let sold = 0;
  for (let index = 0; index < product.sellers.length; index++) {
    const shelf = shelfOn(product, stretch, { index, day });
    sold +=
      Math.min(shelf.opening, shelf.early) + shelf.restocked - afterDelivery(shelf, DAY_SECONDS);
  }
  return sold;
}

/** One seller's day: the stock at midnight, the demand, and the stock after the delivery. */
type Shelf = {
  opening: number;
  demand: number;
  /** Units that somebody wants at once, and when. */
  bulk: number;
  bulkSecond: number;
  /** What is wanted before the delivery. */
  early: number;
  restocked: number;
  /** 0 to 1: when, within its even share of the day, each unit is wanted. */
  spread: number;
};

type Cell = { index: number; day: number };

function shelfOn(product: Product, stretch: Stretch, cell: Cell): Shelf {
  const dayIndex = cell.day - stretch.firstDay;
  if (dayIndex > (stretch.fillingDay[cell.index] as number))
    return shelfFrom(product, stretch, cell);
  return shelfFrom(product, stretch, { ...cell, opening: leftOver(product, stretch, cell) });
}

function shelfFrom(
  product: Product,
  stretch: Stretch,
  { index, day, opening: leftOverUnits }: Cell & { opening?: number },
): Shelf {
  const seller = product.sellers[index] as Seller;
  const dayIndex = day - stretch.firstDay;
  const cell = dayIndex * product.sellers.length + index;
  const opening = leftOverUnits ?? (stretch.opening[cell] as number);
  const bulk = stretch.bulk[cell] as number;
  const orders = {
    demand: stretch.demand[cell] as number,
    bulk,
    bulkSecond: bulk === 0 ? 0 : between(seller.key, 180_000 + day, [8 * 3_600, 23 * 3_600]),
    spread: share(mix(seller.key, 70_000), day),
  };
  const early = wantedIn(orders, seller.deliveryPart, seller.deliverySecond);
  const restocked =
    dayIndex === stretch.fillingDay[index]
      ? seller.shelfUnits
      : opening - Math.min(opening, early) + (stretch.delivered[cell] as number);
  return { ...orders, opening, early, restocked };
}

type Orders = Pick<Shelf, 'demand' | 'bulk' | 'bulkSecond' | 'spread'>;

/** Units wanted from midnight to this second of the day. */
const wantedBy = (orders: Orders, secondOfDay: number): number =>
  wantedIn(orders, soldBy(secondOfDay), secondOfDay);

/** The same where the part of the day's shoppers up to this second is known. */
function wantedIn(
  { demand, bulk, bulkSecond, spread }: Orders,
  part: number,
  secondOfDay: number,
): number {
  return demandedBy(demand, part, spread) + (secondOfDay >= bulkSecond ? bulk : 0);
}

function afterDelivery(shelf: Shelf, secondOfDay: number): number {
  const late = wantedBy(shelf, secondOfDay) - shelf.early;
  return shelf.restocked - Math.min(shelf.restocked, late);
}

/** A seller's stock from the previous stretch, on a day up to the filling day. */
function leftOver(product: Product, stretch: Stretch, { index, day }: Cell): number {
  const count = product.sellers.length;
  const before = stretchWith(product, stretch.firstDay - 1);
  let left = before.opening[STRETCH_DAYS * count + index] as number;
  for (let dayIndex = 0; dayIndex < day - stretch.firstDay; dayIndex++) {
    const cell = dayIndex * count + index;
    left -= Math.min(left, (stretch.demand[cell] as number) + (stretch.bulk[cell] as number));
  }
  return left;
}

/** The stretch that contains a day, simulated up to that day. */
function stretchWith(product: Product, day: number): Stretch {
  // Stretches of different products start on different days.
  const shift = product.key % STRETCH_DAYS;
  const number = Math.floor((day + shift) / STRETCH_DAYS);
  let stretch = product.stretches.get(number);
  if (stretch === undefined) {
    stretch = emptyStretch(product, number, number * STRETCH_DAYS - shift);
    product.stretches.set(number, stretch);
    for (const old of product.stretches.keys())
      if (product.stretches.size > STRETCHES_MAX) product.stretches.delete(old);
  }
  while (stretch.firstDay + stretch.daysSimulated <= day) addDay(product, stretch);
  return stretch;
}

function emptyStretch(product: Product, number: number, firstDay: number): Stretch {
  const count = product.sellers.length;
  const cells = STRETCH_DAYS * count;
  return {
    firstDay,
    daysSimulated: 0,
    fillingDay: product.sellers.map(({ key }) => mix(key, 80_000 + number) % FILLING_DAYS),
    demand: new Array<number>(cells).fill(0),
    bulk: new Array<number>(cells).fill(0),
    delivered: new Array<number>(cells).fill(0),
    opening: new Array<number>(cells + count).fill(0),
  };
}

/** Simulates one more day: deliveries, demand per seller, and the stock at midnight. */
function addDay(product: Product, stretch: Stretch): void {
  const { sellers } = product;
  const dayIndex = stretch.daysSimulated;
  const day = stretch.firstDay + dayIndex;
  const first = dayIndex * sellers.length;
  for (let index = 0; index < sellers.length; index++) {
    if (dayIndex <= (stretch.fillingDay[index] as number)) continue;
    const seller = sellers[index] as Seller;
    const delivered = deliveryOn(seller, {
      day,
      sinceFilling: dayIndex - (stretch.fillingDay[index] as number),
      opening: stretch.opening[first + index] as number,
    });
    const wantedBefore = stretch.demand[first - sellers.length + index] as number;
    stretch.delivered[first + index] = delivered + returnedOn(seller, day, wantedBefore);
  }
  distributeDemand(product, stretch, day);
  stretch.daysSimulated++;
  for (let index = 0; index < sellers.length; index++) {
    if (dayIndex < (stretch.fillingDay[index] as number)) continue;
    const shelf = shelfFrom(product, stretch, { index, day });
    stretch.opening[first + sellers.length + index] = afterDelivery(shelf, DAY_SECONDS);
  }
}

/** Sellers order when the shelf is less than half full; one order in six does not arrive. */
function deliveryOn(
  seller: Seller,
  at: { day: number; sinceFilling: number; opening: number },
): number {
  if (at.sinceFilling % seller.reviewDays !== 0) return 0;
  if (at.opening * 2 >= seller.shelfUnits) return 0;
  const draw = mix(seller.key, 90_000 + at.day);
  if (draw % 6 === 0) return 0;
  return Math.ceil((seller.shelfUnits - at.opening) * (0.5 + 0.5 * share(draw, 1)));
}

const RETURNED_PART = 0.03;

/** Units that shoppers send back; they arrive with the day's delivery, if there is one. */
function returnedOn(seller: Seller, day: number, wantedBefore: number): number {
  const mean = wantedBefore * RETURNED_PART;
  return mean === 0 ? 0 : drawCount(mean, mix(seller.key, 240_000 + day));
}

const BULK_CHANCE = 0.012;

/** An order of a shop or an office: five to twenty-five days' worth of units. */
function bulkOn(seller: Seller, day: number, mean: number): number {
  if (mean < 0.2) return 0;
  const draw = mix(seller.key, 250_000 + day);
  if (share(draw, 1) > BULK_CHANCE) return 0;
  return 3 + Math.ceil(mean * (5 + 20 * share(draw, 2) ** 2));
}

/** Distributes the demand by score: near-equal sellers share it, more expensive ones get little. */
function distributeDemand(product: Product, stretch: Stretch, day: number): void {
  const { sellers } = product;
  const dayIndex = day - stretch.firstDay;
  const first = dayIndex * sellers.length;
  const market = marketOn(product, day);
  const noon = day * DAY_SECONDS + DAY_SECONDS / 2;
  let best = Number.POSITIVE_INFINITY;
  for (let index = 0; index < sellers.length; index++) {
    const seller = sellers[index] as Seller;
    const absence = absenceNear(seller, day);
    const isPresent = absence.to <= day * DAY_SECONDS || absence.from >= (day + 1) * DAY_SECONDS;
    const stocked =
      dayIndex <= (stretch.fillingDay[index] as number) ||
      (stretch.opening[first + index] as number) + (stretch.delivered[first + index] as number) > 0;
    const score = isPresent && stocked ? scoreOf(seller, priceAt(seller, noon, market)) : 0;
    scores[index] = score;
    if (score > 0 && score < best) best = score;
  }
  if (best === Number.POSITIVE_INFINITY) return;
  const suppression = suppressionNear(product.key, day);
  const suppressed = suppression.from <= noon && noon < suppression.to;
  let total = 0;
  for (let index = 0; index < sellers.length; index++) {
    const score = scores[index] as number;
    let weight = score === 0 ? 0 : 1;
    if (score > best) weight = Math.exp((suppressed ? -8 : -40) * (score / best - 1));
    scores[index] = weight;
    total += weight;
  }
  // Without a buybox most shoppers leave.
  const units = (expectedUnits(product, day, best) * (suppressed ? 0.4 : 1)) / total;
  for (let index = 0; index < sellers.length; index++) {
    const mean = units * (scores[index] as number);
    const seller = sellers[index] as Seller;
    stretch.demand[first + index] =
      mean < 1e-4 ? 0 : drawCount(mean, mix(seller.key, 100_000 + day));
    if (product.hasBulkOrders) stretch.bulk[first + index] = bulkOn(seller, day, mean);
  }
}

/**
 * What the marketplace compares: the landed price, raised by up to 3 % for sellers of low quality.
 */
export function scoreOf(seller: Seller, priceCents: number): number {
  return (priceCents + seller.shippingCents) * (1 + 0.1 * (1 - seller.quality));
}

/** The position on a day in the order of expected sales; 0 is the best. */
export function positionOfProduct({ leafKey, listing }: Product, day: number): number {
  return positionOn(leafKey, listing.baseRank, day);
}

function expectedUnits(product: Product, day: number, bestCents: number): number {
  const { leaf, usualCents } = product.listing;
  const usual = unitsAtIndex(leaf.topUnits, positionOfProduct(product, day));
  const mood = 0.7 + 0.3 * (share(product.key, 130_000 + day) + share(product.key, 160_000 + day));
  const priceRatio = Math.min(2, Math.max(0.5, bestCents / usualCents));
  const response = priceRatio ** -product.elasticity;
  // What a rank means for sales differs from month to month.
  const drift = 0.75 + 0.5 * share(product.key, 260_000 + Math.floor(day / 30));
  const shoppers = seasonFactor(leaf.season, day) * weekdayFactor(leaf, day) * mood;
  return usual * product.appeal * drift * shoppers * response;
}

/** A Poisson draw: an integer that varies around its mean as independent purchases do. */
function drawCount(mean: number, key: number): number {
  if (mean > 15) {
    const normal = share(key, 1) + share(key, 2) + share(key, 3) + share(key, 4) - 2;
    return Math.max(0, Math.round(mean + Math.sqrt(3 * mean) * normal));
  }
  const draw = share(key, 1);
  let chance = Math.exp(-mean);
  let reached = chance;
  let count = 0;
  while (draw > reached && count < 100) {
    count++;
    chance *= mean / count;
    reached += chance;
  }
  return count;
}
