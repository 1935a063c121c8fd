// The kinds are those of the specification, in its order.
import { expect, test } from 'vitest';
import { byKind, EVENT_GROUPS, EVENT_KINDS, isDetectedKind, valueUnit } from './kind.ts';

test('there are fifteen kinds in five groups', () => {
  expect(EVENT_GROUPS.map(({ name, kinds }) => `${name}: ${kinds.join(', ')}`)).toEqual([
    'Buy box: buybox.won, buybox.lost, buybox.rotation',
    'Pricing: price.drop, price.increase, price.suppressed, price.restored',
    'Sellers: seller.new, seller.removed, seller.price_change',
    'Inventory: stock.low, stock.out, stock.restored',
    'Rankings: rank.gained, rank.lost',
  ]);
  expect(new Set(EVENT_KINDS).size).toBe(15);
});

test('only these are kinds', () => {
  expect(EVENT_KINDS.every(isDetectedKind)).toBe(true);
  expect(['*', 'price', 'toString', 'price.drop '].some(isDetectedKind)).toBe(false);
});

test('events sort by kind, in the order of the groups', () => {
  const shuffled = EVENT_KINDS.map((kind) => ({ kind })).toSorted((a, b) =>
    a.kind.at(-1) === b.kind.at(-1)
      ? 0
      : (a.kind.at(-1) as string) < (b.kind.at(-1) as string)
        ? -1
        : 1,
  );
  expect(shuffled.sort(byKind).map(({ kind }) => kind)).toEqual(EVENT_KINDS);
});

test('every kind has a value unit', () => {
  expect(Object.groupBy(EVENT_KINDS, valueUnit)).toEqual({
    seller: ['buybox.won', 'buybox.lost', 'buybox.rotation', 'seller.new', 'seller.removed'],
    cents: [
      'price.drop',
      'price.increase',
      'price.suppressed',
      'price.restored',
      'seller.price_change',
    ],
    units: ['stock.low', 'stock.out', 'stock.restored'],
    position: ['rank.gained', 'rank.lost'],
  });
});
