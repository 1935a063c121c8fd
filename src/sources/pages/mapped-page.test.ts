// Pages read by a map: product data in scripts, checked against the rest of the page.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openPageMaps } from './open-page-maps.ts';
import { BadPageMap, mapFor, type PageMap, parsePageMap } from './page-map.ts';
import { readProductPage, snapshotOf } from './product-page.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const REQUESTED = { code: '123456789', pattern: 'https://www.walmart.com/ip/{code}' };
const [OURS] = openPageMaps({ MARKETPLACE: 'pages', PAGE_MAPS: null }) as [PageMap];

const priced = (price: number | string, members: object = {}) => ({
  priceInfo: { currentPrice: { price, currencyUnit: 'USD' } },
  ...members,
});
const kettle = {
  usItemId: '123456789',
  name: 'Tern Kettle 1.7 l',
  brand: 'Tern',
  upc: '036000291452',
  averageRating: 4.4,
  numberOfReviews: 1_234,
  category: { path: [{ name: 'Home' }, { name: 'Kitchen' }] },
  availabilityStatus: 'IN_STOCK',
  sellerDisplayName: 'Harbour Goods',
  availableQuantity: 42,
  additionalOfferCount: 2,
  allOffers: [
    priced(20.49, { sellerName: 'Quay Supplies', availableQuantity: 7 }),
    priced('21.00', {
      sellerName: 'Pier Trade',
      shippingOption: { shipPrice: { price: 3.5 } },
    }),
  ],
  ...priced(19.99),
};

const nextData = (product: object) => ({
  props: { pageProps: { initialData: { data: { product } } } },
});
const page = (product: object, more = '') =>
  `<html lang="en-US">${more}<script id="__NEXT_DATA__" type="application/json">${JSON.stringify(nextData(product))}</script>`;

function read(html: string, map: PageMap = OURS) {
  const facts = readProductPage(html, REQUESTED, map);
  if ('fault' in facts) return `${facts.fault}: ${facts.reason}`;
  const outcome = snapshotOf(facts, NOW);
  return 'refused' in outcome ? `unsound: ${outcome.refused}` : outcome.snapshot;
}

describe('a page of a host with a map', () => {
  test('has the sellers, their prices and their stock', () => {
    expect(read(page(kettle))).toMatchObject({
      code: '123456789',
      name: 'Tern Kettle 1.7 l',
      brand: 'Tern',
      gtins: ['00036000291452'],
      categories: ['Home', 'Kitchen'],
      customerRating: 4.4,
      reviewCount: 1_234,
      buybox: { priceCents: 1_999, sellerName: 'Harbour Goods' },
      offers: [
        { sellerName: 'Harbour Goods', priceCents: 1_999, unitsInStock: 42 },
        { sellerName: 'Quay Supplies', priceCents: 2_049, unitsInStock: 7 },
        { sellerName: 'Pier Trade', priceCents: 2_100, shippingCents: 350, unitsInStock: null },
      ],
      offersComplete: true,
    });
  });

  test.each<[string, object]>([
    ['the page counts more sellers than it lists', { additionalOfferCount: 3 }],
    ['the page does not count them', { additionalOfferCount: null }],
    ['one of them cannot be read', { allOffers: [priced(20.49), priced(21)] }],
  ])('claims no complete list where %s', (_, change) => {
    expect(read(page({ ...kettle, ...change }))).toMatchObject({ offersComplete: false });
  });

  test('that is sold out has no buybox and no units', () => {
    const soldOut = { ...kettle, availabilityStatus: 'OUT_OF_STOCK', allOffers: undefined };
    expect(read(page(soldOut))).toMatchObject({
      buybox: null,
      offers: [{ sellerName: 'Harbour Goods', unitsInStock: 0 }],
      offersComplete: false,
    });
  });

  test.each<[string, object, RegExp]>([
    ['another product', { usItemId: '999999999' }, /^other_product: .*999999999, not 123456789/],
    ['a price that is none', priced('from 19'), /^unclear_price: .*"from 19" is not one price/],
    ['no price', { priceInfo: null, allOffers: undefined }, /^no_price/],
    ['another currency', { priceInfo: { currentPrice: { price: 9, currencyUnit: 'CAD' } } }, /CAD/],
    ['sold out, but with units', { availabilityStatus: 'OUT_OF_STOCK' }, /^unsound: sold_out/],
  ])('is refused with %s', (_, change, reason) => {
    expect(read(page({ ...kettle, ...change }))).toMatch(reason);
  });

  test('is refused if its structured data states another price', () => {
    const other = {
      '@type': 'Product',
      name: 'Tern Kettle 1.7 l',
      sku: '123456789',
      offers: { '@type': 'Offer', price: 24.99, priceCurrency: 'USD' },
    };
    const block = `<script type="application/ld+json">${JSON.stringify(other)}</script>`;
    expect(read(page(kettle, block))).toMatch(/^disagreement: .*\$19.99.*\$24.99/);
  });

  test('is read by its structured data alone if it lacks the data of the map', () => {
    const block = `<script type="application/ld+json">${JSON.stringify({
      '@type': 'Product',
      name: 'Tern Kettle 1.7 l',
      offers: { '@type': 'Offer', price: 24.99, priceCurrency: 'USD' },
    })}</script>`;
    expect(read(`<html>${block}`)).toMatchObject({ buybox: { priceCents: 2_499 } });
  });

  test('never makes the reader throw, whatever the data is', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 4 }),
        fc.constantFrom(...Object.keys(kettle)),
        (value, key) => {
          read(page({ ...kettle, [key]: value }));
          read(page(value as object));
        },
      ),
    );
  });
});

describe('data that a script assigns', () => {
  const map = (variable: string): PageMap => ({
    hosts: ['shop.test'],
    data: { variable },
    product: 'product',
    members: {
      retailer_product_code: 'id',
      product_name: 'title',
      buybox: { price: 'price', currency: { is: 'USD' }, seller_name: { is: 'The shop' } },
    },
  });
  const data = { product: { id: 123456789, title: 'A "quoted" {kettle}; \\', price: 19.99 } };
  const json = JSON.stringify(data);

  test.each([
    ['an object', `window.__INITIAL_STATE__ = ${json};\nwindow.other = {};`],
    ['without a space', `window.__INITIAL_STATE__=${json}`],
    ['text that is parsed', `window.__INITIAL_STATE__ = JSON.parse(${JSON.stringify(json)});`],
    ['after other variables', `var a = {"b":1}; window.__INITIAL_STATE__ = ${json}; a.c = 2;`],
  ])('is read from %s', (_, script) => {
    expect(read(`<script>${script}</script>`, map('window.__INITIAL_STATE__'))).toMatchObject({
      name: 'A "quoted" {kettle}; \\',
      buybox: { priceCents: 1_999, sellerName: 'The shop' },
    });
  });

  test.each([
    ['is code', 'window.__INITIAL_STATE__ = {id: id()};'],
    ['ends early', 'window.__INITIAL_STATE__ = {"product": {"id": 1'],
    ['belongs to another name', `window.my__INITIAL_STATE__ = ${json}`],
    ['is deeply nested', `window.__INITIAL_STATE__ = ${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ])('is not read where it %s', (_, script) => {
    expect(read(`<script>${script}</script>`, map('window.__INITIAL_STATE__'))).toMatch(
      /^no_product/,
    );
  });
});

describe('a map', () => {
  const file = (change: object) => JSON.stringify({ ...OURS, ...change });

  test.each<[string, string]>([
    ['{', 'it is not JSON'],
    ['[]', 'the file'],
    [file({ hosts: [] }), 'hosts'],
    [file({ data: { css: '.price' } }), 'data'],
    [file({ product: 'a..b' }), 'product is "a..b", which must be a path'],
    [file({ members: { ...OURS.members, colour: 'c' } }), 'members.colour is no member'],
    [file({ members: { buybox: OURS.members.buybox } }), 'members lacks retailer_product_code'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => parsePageMap(text)).toThrow(BadPageMap);
    expect(() => parsePageMap(text)).toThrow(reason);
  });

  test('is chosen by the host of the page', () => {
    const wide = { ...OURS, hosts: ['*.shop.test'] };
    expect(mapFor([OURS, wide], 'www.walmart.com')).toBe(OURS);
    expect(mapFor([OURS, wide], 'us.shop.test')).toBe(wide);
    expect(mapFor([OURS, wide], 'shop.test')).toBeUndefined();
    expect(mapFor([OURS, wide], 'walmart.com.evil.test')).toBeUndefined();
  });

  test('of a folder that cannot be read, or a file that is wrong, is reported in one line', () => {
    expect(() => openPageMaps({ MARKETPLACE: 'pages', PAGE_MAPS: '/no/such/folder' })).toThrow(
      /^PAGE_MAPS is "\/no\/such\/folder", which cannot be read: ENOENT[^\n]*$/,
    );
    expect(openPageMaps({ MARKETPLACE: 'feed', PAGE_MAPS: '/no/such/folder' })).toEqual([]);
  });
});
