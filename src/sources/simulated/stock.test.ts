// Stock and sales agree at every moment.
import { expect, test } from 'vitest';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { manualClock } from '../../foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../foundation/time.ts';
import { createSimulatedSource } from './simulated-source.ts';

const START_MS = Date.UTC(2026, 9, 12);
const source = createSimulatedSource({ clock: manualClock(START_MS) });

/** Best sellers with many sellers, and products from the whole list with few. */
const SAMPLE = [...Array(12).keys()]
  .map((n) => n * 7)
  .concat([...Array(28).keys()].map((n) => n * n * 150));
const codes = SAMPLE.map((index) => source.productAt(index).code);

type Stocks = ReadonlyMap<string, number>;
const stocksAt = (code: string, atMs: number): Stocks => {
  const { offers = [] } = source.snapshotAt(code, atMs) as Snapshot;
  return new Map(offers.map((offer) => [offer.sellerName, offer.unitsInStock as number]));
};

/** Units by which a seller's stock fell between two times; where it rose, halves the interval. */
function fallen(code: string, seller: string, [fromMs, toMs]: readonly [number, number]): number {
  const before = stocksAt(code, fromMs).get(seller);
  const after = stocksAt(code, toMs).get(seller);
  if (before === undefined || after === undefined) return 0;
  if (after <= before) return before - after;
  if (toMs - fromMs <= 1_000) return 0;
  const middleMs = fromMs + Math.floor((toMs - fromMs) / 2_000) * 1_000;
  return fallen(code, seller, [fromMs, middleMs]) + fallen(code, seller, [middleMs, toMs]);
}

function fallenOnDay(code: string, dayMs: number, stepMs: number): number {
  let units = 0;
  let before = stocksAt(code, dayMs);
  for (let atMs = dayMs + stepMs; atMs <= dayMs + DAY_MS; atMs += stepMs) {
    const after = stocksAt(code, atMs);
    for (const [seller, stock] of before) {
      const left = after.get(seller) ?? stock;
      units += left <= stock ? stock - left : fallen(code, seller, [atMs - stepMs, atMs]);
    }
    before = after;
  }
  return units;
}

test('the units that leave the shelves in a day are those sold that day', () => {
  let [exact, days] = [0, 0];
  for (const code of codes) {
    const truth = source.trueDailySales(code, START_MS, START_MS + 30 * DAY_MS);
    for (const [day, sold] of truth.entries()) {
      const dayMs = START_MS + day * DAY_MS;
      days++;
      if (fallenOnDay(code, dayMs, HOUR_MS) === sold) exact++;
      // A restock smaller than the sales of its hour does not show as a rise.
      else expect(fallenOnDay(code, dayMs, HOUR_MS / 60), `${code}, day ${day}`).toBe(sold);
    }
  }
  expect(exact).toBeGreaterThan(days * 0.99);
});

test('daily sales do not depend on the range or the order of calls', () => {
  for (const code of codes.slice(0, 10)) {
    const whole = source.trueDailySales(code, START_MS, START_MS + 70 * DAY_MS);
    const single = whole.map((_, day) => {
      const dayMs = START_MS + (69 - day) * DAY_MS;
      return source.trueDailySales(code, dayMs, dayMs + DAY_MS)[0];
    });
    expect(single.toReversed()).toEqual(whole);
  }
});

test('stock rises only by deliveries, seldom more often than every third day', () => {
  let rises = 0;
  let sellerDays = 0;
  for (const code of codes) {
    let before = stocksAt(code, START_MS);
    for (let hour = 1; hour <= 20 * 24; hour++) {
      const after = stocksAt(code, START_MS + hour * HOUR_MS);
      for (const [seller, stock] of after) if (stock > (before.get(seller) ?? stock)) rises++;
      sellerDays += after.size / 24;
      before = after;
    }
  }
  expect(rises).toBeGreaterThan(sellerDays / 60);
  expect(rises).toBeLessThan(sellerDays / 3);
});
