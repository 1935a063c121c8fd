// The text of each kind of event.
import { describe, expect, test } from 'vitest';
import { eventProduct, eventTone, eventWords } from './event-words.ts';

type Values = { before?: unknown; after?: unknown; [member: string]: unknown };

const textOf = (type: string, { before = null, after = null, ...rest }: Values = {}) =>
  eventWords({ type, data: { before: { value: before }, after: { value: after }, ...rest } });

const OFFERS = [
  { seller_name: 'Copperleaf Goods', price: 17.69, shipping: 3.99, units_in_stock: 18 },
  { seller_name: 'Valleyview Bazaar', price: 21.99, shipping: 0, units_in_stock: 51 },
];

describe('the fifteen kinds', () => {
  test.each([
    ['buybox.won', { before: 'Acme', after: 'Mine' }, 'Mine won the buybox from Acme'],
    ['buybox.won', { after: 'Acme' }, 'Acme took the empty buybox'],
    [
      'buybox.lost',
      { before: 'Mine', after: 'Acme', reason: 'outbid' },
      'Mine lost the buybox to Acme (outbid)',
    ],
    ['buybox.lost', { before: 'Mine', reason: 'delisted' }, 'Mine lost the buybox (delisted)'],
    ['buybox.lost', { reason: 'suppressed' }, 'Buybox lost (suppressed)'],
    ['buybox.rotation', { before: 'A', after: 'B' }, 'Buybox went from A to B'],
    [
      'buybox.rotation',
      { before: 'A', after: 'B', reason: '5 changes of holder in 24 h: A 60 %, B 40 %' },
      'Buybox rotates: 5 changes of holder in 24 h: A 60 %, B 40 %',
    ],
    ['price.drop', { before: 33.75, after: 31.2 }, 'Price dropped $33.75 → $31.20 (−7.6%)'],
    ['price.increase', { before: 1000, after: 1250 }, 'Price rose $1,000.00 → $1,250.00 (+25%)'],
    ['price.suppressed', { before: 24.49 }, 'Buybox suppressed, last price $24.49'],
    ['price.suppressed', {}, 'Buybox suppressed'],
    ['price.restored', { after: 24.49 }, 'Buybox is back at $24.49'],
    [
      'seller.new',
      { after: 'Copperleaf Goods', offers: OFFERS },
      'Copperleaf Goods started selling at $21.68',
    ],
    ['seller.new', { after: 'Acme', offers: OFFERS }, 'Acme started selling'],
    ['seller.removed', { before: 'Acme' }, 'Acme stopped selling'],
    [
      'seller.price_change',
      { before: 20, after: 21.68, seller_name: 'Copperleaf Goods' },
      'Copperleaf Goods changed price $20.00 → $21.68 (+8.4%, incl. shipping)',
    ],
    [
      'seller.price_change',
      { before: 20, after: 18 },
      'A seller changed price $20.00 → $18.00 (−10%, incl. shipping)',
    ],
    ['stock.low', { before: 14, after: 1 }, 'Stock is low, 1 unit left (14 before)'],
    [
      'stock.low',
      { before: 90, after: 40, reason: 'under 7 days of estimated sales' },
      'Stock is low, 40 units left (90 before), under 7 days of estimated sales',
    ],
    ['stock.out', { before: 3, after: 0 }, 'Out of stock, 3 units before'],
    ['stock.restored', { before: 0, after: 1200 }, 'Back in stock with 1,200 units'],
    [
      'rank.gained',
      { before: 1500, after: 9, reason: 'entered the top 10', rank: { category: 'Shampoo' } },
      'Rank rose 1,500 → 9 in Shampoo, entered the top 10',
    ],
    ['rank.lost', { before: 9, after: 17, rank: null }, 'Rank fell 9 → 17'],
  ])('%s %j', (type, values, words) => {
    expect(textOf(type, values)).toBe(words);
  });
});

test('an unknown kind shows its name', () => {
  expect(textOf('listing.renamed')).toBe('listing.renamed');
});

test('data without members still gives a sentence', () => {
  expect(eventWords({ type: 'price.drop', data: {} })).toBe('Price dropped to an unknown price');
  expect(eventWords({ type: 'rank.lost', data: {} })).toBe('Rank fell unknown');
  expect(eventWords({ type: 'stock.low', data: { before: null, after: null } })).toBe(
    'Stock is low',
  );
});

test('the product is called by its name, else by its code', () => {
  const data = { retailer_product_code: '509340795', product_name: null };
  expect(eventProduct({ type: 'price.drop', data })).toEqual({
    code: '509340795',
    name: '509340795',
  });
  expect(eventProduct({ type: 'price.drop', data: { ...data, product_name: 'Pad' } }).name).toBe(
    'Pad',
  );
});

test('news is good, bad or neither', () => {
  expect(eventTone('stock.out')).toBe('critical');
  expect(eventTone('price.drop')).toBe('neutral');
  expect(eventTone('unheard.of')).toBe('neutral');
});
