// Prices: how often each policy changes them, and the limits of undercutters.
import { describe, expect, test } from 'vitest';
import { marketOn, priceAt } from './price.ts';
import { productOf } from './product.ts';
import type { Policy } from './seller.ts';

const FIRST_DAY = 20_400;
const DAYS = 120;

/** For sellers with this policy: how often the hourly price changed in 120 days. */
function changesOf(policy: Policy): number[] {
  const changes: number[] = [];
  for (let index = 0; index < 60; index++) {
    const product = productOf(1, index);
    for (const seller of product.sellers.filter((each) => each.policy === policy)) {
      const prices = Array.from({ length: DAYS * 24 }, (_, hour) => {
        const market = marketOn(product, FIRST_DAY + Math.floor(hour / 24));
        return priceAt(seller, FIRST_DAY * 86_400 + hour * 3_600, market);
      });
      changes.push(prices.filter((price, hour) => hour > 0 && price !== prices[hour - 1]).length);
    }
    if (changes.length > 15) break;
  }
  return changes;
}

describe('in 120 days', () => {
  test.each([
    { policy: 'stable', least: 1, most: 7 },
    { policy: 'seasonal', least: 5, most: 18 },
    { policy: 'undercutter', least: 100, most: 1_100 },
  ] as const)('a $policy seller changes the price $least to $most times', (row) => {
    const changes = changesOf(row.policy);
    expect(changes.length).toBeGreaterThan(10);
    const usual = changes.toSorted((a, b) => a - b)[Math.floor(changes.length / 2)];
    expect(usual).toBeGreaterThanOrEqual(row.least);
    expect(Math.max(...changes)).toBeLessThanOrEqual(row.most);
  });
});

test('an undercutter stays below its best rival, but not below its floor', () => {
  for (let index = 0; index < 300; index++) {
    const product = productOf(1, index);
    for (let day = FIRST_DAY; day < FIRST_DAY + 5; day++) {
      const market = marketOn(product, day);
      for (const seller of product.sellers) {
        if (seller.policy !== 'undercutter') continue;
        const price = priceAt(seller, day * 86_400 + 50_000, market);
        expect(price).toBeGreaterThanOrEqual(seller.floorCents);
        if (price > seller.floorCents && market.rival > 0)
          expect(price + seller.shippingCents).toBeLessThan(market.rival);
      }
    }
  }
});
