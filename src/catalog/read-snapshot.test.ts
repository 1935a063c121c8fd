// Reading snapshots: what is accepted, and what is refused with which reason.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_BYTES_MAX, readSnapshot, readSnapshotLine } from './read-snapshot.ts';

const NOW = Date.parse('2026-11-14T12:03:00Z');

const kettle = {
  retailer_product_code: '795033156',
  observed_at: '2026-11-14T12:00:00Z',
  upc: '044579413717',
  ean: null,
  brand: 'Acme',
  product_name: 'Acme Kettle 1.7 l',
  categories: ['Home', 'Kitchen', 'Kettles'],
  buybox: { price: 19.99, seller_name: 'Acme Store' },
  offers: [
    {
      seller_name: 'Acme Store',
      price: 19.99,
      shipping: 0,
      units_in_stock: 42,
      last_updated: '2026-11-14T11:52:00Z',
    },
  ],
  offers_complete: true,
  rank: { position: 120, category: 'Kitchen' },
  customer_rating: 4.4,
  number_of_reviews: 1234,
  shipping_weight_lb: 2.1,
  seller_type: 'marketplace',
};

const withChange = (change: object) => readSnapshot({ ...kettle, ...change }, NOW);
const readWith = (change: object) => {
  const outcome = withChange(change);
  if ('refused' in outcome) throw new Error(outcome.refused);
  return outcome.snapshot;
};
const offer = (change: object) => ({ offers: [{ ...kettle.offers[0], ...change }] });

describe('a valid snapshot', () => {
  test('is read with all members', () => {
    expect(readWith({})).toEqual({
      code: '795033156',
      observedAtMs: Date.parse('2026-11-14T12:00:00Z'),
      gtins: ['00044579413717'],
      brand: 'Acme',
      name: 'Acme Kettle 1.7 l',
      categories: ['Home', 'Kitchen', 'Kettles'],
      buybox: { priceCents: 1999, sellerName: 'Acme Store' },
      offers: [
        {
          sellerName: 'Acme Store',
          priceCents: 1999,
          shippingCents: 0,
          unitsInStock: 42,
          lastUpdatedAtMs: Date.parse('2026-11-14T11:52:00Z'),
        },
      ],
      offersComplete: true,
      rank: { position: 120, category: 'Kitchen' },
      customerRating: 4.4,
      reviewCount: 1234,
      shippingWeightLb: 2.1,
      sellerType: 'marketplace',
    });
  });

  test('needs only a code and a time; absent members were not observed', () => {
    const { retailer_product_code, observed_at } = kettle;
    const outcome = readSnapshot({ retailer_product_code, observed_at }, NOW);
    expect(outcome).toMatchObject({ snapshot: { gtins: [], offersComplete: false } });
    const { snapshot } = outcome as { snapshot: object };
    for (const member of ['brand', 'buybox', 'offers', 'rank', 'customerRating']) {
      expect(snapshot).toHaveProperty(member, undefined);
    }
  });

  test('distinguishes a suppressed buybox from one not observed', () => {
    expect(readWith({ buybox: null }).buybox).toBeNull();
    expect(readWith({ buybox: undefined }).buybox).toBeUndefined();
  });

  test.each([0.01, 0.1, 1.1, 19.99, 35.41, 999_999.99, 1_000_000])(
    'a price of %d is exact to the cent',
    (dollars) => {
      const { buybox } = readWith({ buybox: { price: dollars } });
      expect(buybox).toEqual({
        priceCents: Number(dollars.toFixed(2).replace('.', '')),
        sellerName: null,
      });
    },
  );

  test('every price of whole cents is read back exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000 }), (priceCents) => {
        const line = JSON.stringify({ ...kettle, buybox: { price: priceCents / 100 } });
        expect(readSnapshotLine(Buffer.from(line), NOW)).toMatchObject({
          snapshot: { buybox: { priceCents } },
        });
      }),
    );
  });

  test('a time is kept to the second, whatever its offset', () => {
    expect(readWith({ observed_at: '2026-11-14T13:00:00.987+01:00' }).observedAtMs).toBe(
      Date.parse('2026-11-14T12:00:00Z'),
    );
  });

  test.each([2147483439, 2147470639, 2151465168, 1_000_001])(
    'a stock of %d is unknown',
    (units) => {
      expect(readWith(offer({ units_in_stock: units })).offers?.[0]?.unitsInStock).toBeNull();
    },
  );

  test('two offers of one seller become the cheaper one with the units of both', () => {
    const twice = [
      { seller_name: 'A', price: 10, shipping: 5, units_in_stock: 3 },
      { seller_name: 'B', price: 9, units_in_stock: 1 },
      { seller_name: 'A', price: 12, units_in_stock: 4 },
    ];
    expect(readWith({ offers: twice }).offers).toMatchObject([
      { sellerName: 'A', priceCents: 1200, shippingCents: 0, unitsInStock: 7 },
      { sellerName: 'B', unitsInStock: 1 },
    ]);
    const unknown = [{ seller_name: 'A', price: 1 }, ...twice];
    expect(readWith({ offers: unknown }).offers?.[0]).toMatchObject({ unitsInStock: null });
  });

  test('sold out needs neither a buybox nor a seller; listed sellers have no units left', () => {
    const soldOut = { sold_out: true, buybox: undefined, offers_complete: false };
    expect(readWith({ ...soldOut, offers: undefined })).toMatchObject({ buybox: null, offers: [] });
    expect(readWith({ ...soldOut, offers: [{ seller_name: 'A', price: 9 }] })).toMatchObject({
      buybox: null,
      offers: [{ sellerName: 'A', unitsInStock: 0 }],
    });
  });

  test('an empty list that is not complete was not observed, with a suppressed buybox too', () => {
    const empty = { buybox: null, offers: [], offers_complete: false };
    expect(readWith(empty)).toMatchObject({ buybox: null, offers: undefined });
  });

  test('UPC and EAN of one number are one GTIN; a wrong check digit is accepted', () => {
    expect(readWith({ ean: '0044579413717' }).gtins).toEqual(['00044579413717']);
    expect(readWith({ upc: '044579413710' }).gtins).toEqual(['00044579413710']);
  });

  test('a character outside the basic plane counts as one', () => {
    const name = '🫖'.repeat(500);
    expect(readWith({ product_name: name }).name).toBe(name);
  });

  test('unknown members are ignored', () => {
    expect(readWith({ colour: 'red', __proto__: { x: 1 } }).brand).toBe('Acme');
  });
});

describe('a refusal names the member and what is allowed', () => {
  test.each<[string, object]>([
    ['retailer_product_code must be', { retailer_product_code: 795033156 }],
    ['retailer_product_code must be', { retailer_product_code: '79503A' }],
    ['observed_at is required', { observed_at: undefined }],
    ['observed_at must be', { observed_at: '2026-11-14 12:00:00' }],
    ['observed_at must be', { observed_at: '2026-11-14T12:00:00' }],
    ['observed_at must be', { observed_at: '2026-04-31T12:00:00Z' }],
    ['observed_at must be', { observed_at: 1_763_121_600 }],
    ['ahead of now', { observed_at: '2026-11-14T12:08:01Z' }],
    ['before the year 2000', { observed_at: '1999-12-31T23:59:59Z' }],
    ['upc must be a text of 12 digits; got 44579413717', { upc: 44579413717 }],
    ['upc must be', { upc: '4.4579E+10' }],
    ['upc must be', { upc: '44579413717' }],
    ['ean must be a text of 13 digits', { ean: '044579413717' }],
    ['buybox.price must be', { buybox: { price: 0 } }],
    ['buybox.price must be', { buybox: { price: '19.99' } }],
    ['buybox.price must be', { buybox: { price: 19.999 } }],
    ['buybox.price must be', { buybox: { price: 1_000_000.01 } }],
    ['buybox.price must be', { buybox: { price: 1e-7 } }],
    ['offers[0].price must be', offer({ price: -1 })],
    ['offers[0].shipping must be', offer({ shipping: -0.01 })],
    ['offers[0].units_in_stock must be', offer({ units_in_stock: -1 })],
    ['offers[0].units_in_stock must be', offer({ units_in_stock: 1.5 })],
    ['offers[0].seller_name must be', offer({ seller_name: '  ' })],
    ['offers[0].last_updated must be', offer({ last_updated: 'yesterday' })],
    ['offers[0].last_updated must be', offer({ last_updated: '0000-01-01T00:00:00Z' })],
    ['offers[0].last_updated must be', offer({ last_updated: '9999-12-31T23:59:59-23:59' })],
    ['offers must be', { offers: Array.from({ length: 501 }, () => kettle.offers[0]) }],
    ['rank.position must be', { rank: { position: 0, category: 'x' } }],
    ['rank.position is required', { rank: { category: 'x' } }],
    ['customer_rating must be', { customer_rating: 5.1 }],
    ['number_of_reviews must be', { number_of_reviews: -1 }],
    ['product_name must be', { product_name: 'x'.repeat(501) }],
    ['product_name must be', { product_name: '🫖'.repeat(501) }],
    ['product_name must be a text without NUL', { product_name: 'a\0b' }],
    ['brand must be a text without NUL and without halves of', { brand: 'kettle \ud83e' }],
    ['categories[1] must be', { categories: ['Home', 7] }],
    ['seller_type must be', { seller_type: 'wholesale' }],
    ['shipping_weight_lb must be', { shipping_weight_lb: 0 }],
    ['offers_complete must be', { offers_complete: 'yes' }],
    ['sold_out must be', { sold_out: 'OutOfStock' }],
    ['sold_out must be false or absent where there is a buybox', { sold_out: true }],
    ['sold_out must be false or absent: offers[0] has units', { sold_out: true, buybox: null }],
  ])('%s', (reason, change) => {
    const outcome = withChange(change);
    expect('refused' in outcome && outcome.refused).toContain(reason);
  });

  test.each(['', '[]', 'null', '7', '"x"', '{', 'nul'])('%j is not a snapshot', (line) => {
    expect(readSnapshotLine(Buffer.from(line), NOW)).toHaveProperty('refused');
  });

  test('a line over a megabyte is refused without being parsed', () => {
    const line = JSON.stringify({ ...kettle, more: 'é'.repeat(LINE_BYTES_MAX / 2) });
    expect(readSnapshotLine(Buffer.from(line), NOW)).toEqual({
      refused: 'the line is longer than 1000000 bytes',
    });
  });

  test('bytes that are not UTF-8 are refused, not replaced', () => {
    const line = Buffer.from(JSON.stringify({ ...kettle, brand: 'Caf\xe9' }), 'latin1');
    expect(readSnapshotLine(line, NOW)).toEqual({ refused: 'the line is not UTF-8' });
  });

  test('very deep nesting is refused, not thrown', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const line = `{"observed_at":"2026-11-14T12:00:00Z","retailer_product_code":${deep}}`;
    expect(readSnapshotLine(Buffer.from(line), NOW)).toEqual({
      refused: expect.stringContaining('got a value nested too deeply'),
    });
  });

  test('any JSON is read or refused with a sentence, never thrown', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(kettle)), fc.jsonValue()),
        (change) => {
          const outcome = readSnapshot({ ...kettle, ...change }, NOW);
          expect('snapshot' in outcome || outcome.refused.length > 10).toBe(true);
        },
      ),
    );
  });
});
