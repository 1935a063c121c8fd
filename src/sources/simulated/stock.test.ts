// Stock and sales agree at every moment, whatever part of the stock is displayed.
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../foundation/time.ts';
import { type Product, productOf } from './product.ts';
import { absenceNear } from './seller.ts';
import { soldOn, stockAt } from './stock.ts';

const START_MS = Date.UTC(2026, 9, 12);
const SEED = 20_200_101;

/** Best sellers with many sellers, and products from the whole list with few. */
const SAMPLE = [...Array(12).keys()]
  .map((n) => n * 7)
  .concat([...Array(28).keys()].map((n) => n * n * 150));
const products = SAMPLE.map((index) => productOf(SEED, index));

type Stocks = ReadonlyMap<string, number>;
function stocksAt(product: Product, atMs: number): Stocks {
  const second = Math.floor(atMs / 1_000);
  const units = stockAt(product, second);
  const present = product.sellers.flatMap((seller, index) => {
    const absence = absenceNear(seller, Math.floor(atMs / DAY_MS));
    const isAbsent = second >= absence.from && second < absence.to;
    return isAbsent ? [] : [[seller.name, units[index] as number] as const];
  });
  return new Map(present);
}

const trueSales = (product: Product, days: number) =>
  Array.from({ length: days }, (_, day) => soldOn(product, START_MS / DAY_MS + day));

/** Units by which a seller's stock fell between two times; where it rose, halves the interval. */
function fallen(
  product: Product,
  seller: string,
  [fromMs, toMs]: readonly [number, number],
): number {
  const before = stocksAt(product, fromMs).get(seller);
  const after = stocksAt(product, toMs).get(seller);
  if (before === undefined || after === undefined) return 0;
  if (after <= before) return before - after;
  if (toMs - fromMs <= 1_000) return 0;
  const middleMs = fromMs + Math.floor((toMs - fromMs) / 2_000) * 1_000;
  return fallen(product, seller, [fromMs, middleMs]) + fallen(product, seller, [middleMs, toMs]);
}

function fallenOnDay(product: Product, dayMs: number, stepMs: number): number {
  let units = 0;
  let before = stocksAt(product, dayMs);
  for (let atMs = dayMs + stepMs; atMs <= dayMs + DAY_MS; atMs += stepMs) {
    const after = stocksAt(product, atMs);
    for (const [seller, stock] of before) {
      const left = after.get(seller) ?? stock;
      units += left <= stock ? stock - left : fallen(product, seller, [atMs - stepMs, atMs]);
    }
    before = after;
  }
  return units;
}

test('the units that leave the shelves in a day are those sold that day', () => {
  let [exact, days] = [0, 0];
  for (const product of products) {
    for (const [day, sold] of trueSales(product, 30).entries()) {
      const dayMs = START_MS + day * DAY_MS;
      days++;
      if (fallenOnDay(product, dayMs, HOUR_MS) === sold) exact++;
      // A restock or return smaller than the sales of its hour or minute does not show as a rise.
      else if (fallenOnDay(product, dayMs, HOUR_MS / 60) !== sold) {
        const where = `${product.listing.code}, day ${day}`;
        expect(fallenOnDay(product, dayMs, 1_000), where).toBe(sold);
      }
    }
  }
  expect(exact).toBeGreaterThan(days * 0.9);
});

test('daily sales do not depend on the range or the order of calls', () => {
  for (const product of products.slice(0, 10)) {
    const whole = trueSales(product, 70);
    const again = productOf(SEED, product.listing.index);
    const single = whole.map((_, day) => soldOn(again, START_MS / DAY_MS + 69 - day));
    expect(single.toReversed()).toEqual(whole);
  }
});

test('stock rises by deliveries, seldom more often than every third day, and by single returns', () => {
  let [rises, returns, sellerDays] = [0, 0, 0];
  for (const product of products) {
    let before = stocksAt(product, START_MS);
    for (let hour = 1; hour <= 20 * 24; hour++) {
      const after = stocksAt(product, START_MS + hour * HOUR_MS);
      for (const [seller, stock] of after) {
        const more = stock - (before.get(seller) ?? stock);
        if (more > 2) rises++;
        else if (more > 0) returns++;
      }
      sellerDays += after.size / 24;
      before = after;
    }
  }
  expect(rises).toBeGreaterThan(sellerDays / 60);
  expect(rises).toBeLessThan(sellerDays / 3);
  expect(returns).toBeGreaterThan(sellerDays / 100);
});
