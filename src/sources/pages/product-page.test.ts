// Reading whole product pages: the snapshots they give, and the faults that refuse them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { RequestedPage } from './main-product.ts';
import { readProductPage, snapshotOf } from './product-page.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const CODE = '123456789';
const REQUESTED = { code: CODE, pattern: 'https://shop.test/ip/{code}' };

const ld = (...blocks: readonly unknown[]) =>
  blocks
    .map((block) => `<script type="application/ld+json">${JSON.stringify(block)}</script>`)
    .join('');
const meta = (properties: Record<string, string>) =>
  Object.entries(properties)
    .map(([name, content]) => `<meta property="${name}" content="${content}">`)
    .join('');
const offer = (members: object = {}) => ({
  '@type': 'Offer',
  price: '19.99',
  priceCurrency: 'USD',
  availability: 'https://schema.org/InStock',
  ...members,
});
const product = (members: object = {}) => ({
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Tern Kettle 1.7 l',
  sku: CODE,
  offers: offer(),
  ...members,
});
const seller = (name: string) => ({ '@type': 'Organization', name });

function snapshot(html: string, requested: RequestedPage = REQUESTED): Snapshot {
  const facts = readProductPage(html, requested);
  if ('fault' in facts) throw new Error(`${facts.fault}: ${facts.reason}`);
  const read = snapshotOf(facts, NOW);
  if ('refused' in read) throw new Error(read.refused);
  return read.snapshot;
}

function fault(html: string, requested: RequestedPage = REQUESTED): string {
  const facts = readProductPage(html, requested);
  if ('fault' in facts) return `${facts.fault}: ${facts.reason}`;
  const read = snapshotOf(facts, NOW);
  return 'refused' in read ? `unsound: ${read.refused}` : `none, ${JSON.stringify(read.snapshot)}`;
}

describe('a whole page', () => {
  test('in JSON-LD', () => {
    const trail = {
      '@type': 'BreadcrumbList',
      itemListElement: [
        { '@type': 'ListItem', position: 3, name: 'Kettles', item: 'https://shop.test/c/3' },
        { '@type': 'ListItem', position: 1, item: { '@id': 'https://shop.test/', name: 'Home' } },
        { '@type': 'ListItem', position: 2, item: { '@id': '/c/2', name: 'Kitchen &amp; Bath' } },
        { '@type': 'ListItem', position: 4, name: 'Tern Kettle 1.7 l' },
      ],
    };
    const page = ld(
      product({
        brand: { '@type': 'Brand', name: 'Tern' },
        gtin13: '036000291452',
        aggregateRating: { ratingValue: '4.4', reviewCount: '1,234' },
        offers: offer({ seller: seller('Harbour Goods'), inventoryLevel: { value: 42 } }),
      }),
      trail,
    );
    expect(snapshot(page)).toEqual({
      code: CODE,
      observedAtMs: NOW,
      gtins: ['00036000291452'],
      brand: 'Tern',
      name: 'Tern Kettle 1.7 l',
      categories: ['Kitchen & Bath', 'Kettles'],
      buybox: { priceCents: 1999, sellerName: 'Harbour Goods' },
      offers: [
        {
          sellerName: 'Harbour Goods',
          priceCents: 1999,
          shippingCents: 0,
          unitsInStock: 42,
          lastUpdatedAtMs: null,
        },
      ],
      offersComplete: false,
      customerRating: 4.4,
      reviewCount: 1234,
    });
  });

  test('in microdata', () => {
    const page = `
      <ol itemscope itemtype="http://schema.org/BreadcrumbList" itemprop="breadcrumb">
        <li itemprop="itemListElement" itemscope itemtype="http://schema.org/ListItem">
          <a itemprop="item" href="/c/1"><span itemprop="name">Kitchen</span></a><meta itemprop="position" content="1">
      </ol>
      <div itemscope itemtype="http://schema.org/Product" itemref="more">
        <p itemprop="manufacturer" itemscope><i itemprop="name">Tern Works</i></p>
        <h1 itemprop="name">Tern <script>let x</script><b>Kettle</b></h1><a itemprop="brand" href="/b">Tern</a>
        <meta itemprop="productID" content="upc:036000291452">
        <div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
          <span itemprop="price" content="1299.00">$1,299</span><meta itemprop="priceCurrency" content="USD">
          <link itemprop="availability" href=" http://schema.org/InStock ">
          <span itemprop="seller" itemscope><span itemprop="name">Harbour Goods</span></span>
        </div>
      </div>
      <div id="more"><span itemprop="aggregateRating" itemscope>
        <i itemprop="ratingValue">8.8</i><i itemprop="bestRating">10</i><i itemprop="ratingCount">12</i></span></div>`;
    const read = snapshot(page);
    expect(read).toMatchObject({
      name: 'Tern Kettle',
      brand: 'Tern',
      gtins: ['00036000291452'],
      categories: ['Kitchen'],
      buybox: { priceCents: 129_900, sellerName: 'Harbour Goods' },
      customerRating: 4.4,
      reviewCount: 12,
    });
    expect(read.offers?.[0]?.unitsInStock).toBeNull();
  });

  test('in OpenGraph alone', () => {
    const page = meta({
      'og:type': 'product',
      'og:title': 'Tern Kettle',
      'product:price:amount': '19.99',
      'product:price:currency': 'USD',
      'product:brand': 'Tern',
      'product:upc': '036000291452',
    });
    expect(snapshot(page)).toMatchObject({
      name: 'Tern Kettle',
      brand: 'Tern',
      gtins: ['00036000291452'],
      buybox: { priceCents: 1999, sellerName: null },
    });
  });

  test('with OpenGraph for what is missing', () => {
    const page =
      meta({
        'product:price:amount': '19.99',
        'product:price:currency': 'USD',
        'og:brand': 'Tern',
      }) + ld(product({ offers: undefined }));
    expect(snapshot(page)).toMatchObject({ brand: 'Tern', buybox: { priceCents: 1999 } });
  });

  test('in a graph with references', () => {
    const page = ld({
      '@graph': [
        { '@type': 'WebPage', mainEntity: { '@id': '#p' } },
        {
          '@type': ['schema:Product'],
          '@id': '#p',
          'schema:name': 'Kettle',
          offers: [{ '@id': '#o' }],
        },
        { ...offer(), '@type': 'http://schema.org/Offer', '@id': '#o', seller: { '@id': '#s' } },
        { '@type': 'Organization', '@id': '#s', name: { '@value': 'Harbour Goods' } },
        { '@type': 'Review', itemReviewed: { '@id': '#p' } },
      ],
    });
    expect(snapshot(page)).toMatchObject({
      name: 'Kettle',
      buybox: { priceCents: 1999, sellerName: 'Harbour Goods' },
    });
  });

  test('with a broken block beside a valid one', () => {
    const page = `<script type="application/ld+json">{"@type": "Product", </script>
      <script type="application/ld+json"><!-- ${JSON.stringify(product()).replace(/}$/, ',}')} --></script>`;
    expect(snapshot(page).name).toBe('Tern Kettle 1.7 l');
  });

  test('with a variant of a group that has the code', () => {
    const group = {
      '@type': 'ProductGroup',
      name: 'Tern Kettle',
      brand: 'Tern',
      hasVariant: [
        {
          '@type': 'Product',
          sku: '111111111',
          name: 'Red',
          gtin12: '036000291452',
          offers: offer({ price: 9 }),
        },
        {
          '@type': 'Product',
          sku: CODE,
          name: 'Blue',
          gtin12: '042100005264',
          offers: offer({ price: 21.5 }),
        },
      ],
    };
    expect(snapshot(ld(group))).toMatchObject({
      name: 'Blue',
      brand: 'Tern',
      gtins: ['00042100005264'],
      buybox: { priceCents: 2150 },
    });
  });
});

describe('the price', () => {
  test.each<[string, object | object[], number, string | null]>([
    ['as a text', offer({ price: '$1,299.00' }), 129_900, null],
    ['as a number', offer({ price: 3.48 }), 348, null],
    ['as a text with a decimal comma', offer({ price: '1.299,00' }), 129_900, null],
    [
      'in a specification, without the list price',
      offer({
        price: undefined,
        priceSpecification: [
          { price: 30, priceType: 'https://schema.org/ListPrice' },
          { price: 19.99, priceCurrency: 'USD' },
        ],
      }),
      1999,
      null,
    ],
    [
      'of a range of one',
      { '@type': 'AggregateOffer', lowPrice: 5, highPrice: 5, priceCurrency: 'USD' },
      500,
      null,
    ],
    [
      'of a range: the lowest',
      { '@type': 'AggregateOffer', lowPrice: '5', highPrice: 9, priceCurrency: 'USD' },
      500,
      null,
    ],
    [
      'of sellers in a range: the cheapest',
      {
        '@type': 'AggregateOffer',
        priceCurrency: 'USD',
        lowPrice: 1,
        offers: [
          { '@type': 'Offer', price: 21, seller: seller('A') },
          { '@type': 'Offer', price: 20, seller: seller('B') },
        ],
      },
      2000,
      'B',
    ],
    [
      'of what is in stock',
      [offer({ price: 5, availability: 'SoldOut', seller: 'A' }), offer({ price: 9, seller: 'B' })],
      900,
      'B',
    ],
    [
      'of new goods if there are any',
      [
        offer({ price: 5, itemCondition: 'https://schema.org/UsedCondition', seller: 'A' }),
        offer({ seller: 'B' }),
      ],
      1999,
      'B',
    ],
    [
      'not of a subscription to it',
      [offer({ price: 15, priceSpecification: { billingDuration: 1, price: 15 } }), offer()],
      1999,
      null,
    ],
    [
      'with delivery counted',
      [
        offer({
          price: 9,
          seller: 'A',
          shippingDetails: { shippingRate: { value: 5, currency: 'USD' } },
        }),
        offer({ price: 10, seller: 'B' }),
      ],
      1000,
      'B',
    ],
  ])('%s', (_, offers, priceCents, sellerName) => {
    expect(snapshot(ld(product({ offers }))).buybox).toEqual({ priceCents, sellerName });
  });

  test('of several sellers is the one in the page’s headline', () => {
    const offers = [offer({ price: 20, seller: 'A' }), offer({ price: 21, seller: 'B' })];
    const headline = meta({ 'product:price:amount': '21.00' });
    const read = snapshot(headline + ld(product({ offers })));
    expect(read.buybox).toEqual({ priceCents: 2100, sellerName: 'B' });
    expect(read.offers).toHaveLength(2);
  });

  test('in OpenGraph is the sale price', () => {
    const page = meta({ 'product:price:amount': '24.99', 'product:sale_price:amount': '19.99' });
    expect(snapshot(page + ld(product())).buybox?.priceCents).toBe(1999);
  });

  test('may have its currency elsewhere on the page', () => {
    const page =
      meta({ 'product:price:currency': 'USD' }) +
      ld(product({ offers: { '@type': 'Offer', price: 5 } }));
    expect(snapshot(page).buybox?.priceCents).toBe(500);
  });

  test('with a dollar sign is in USD on a page with a US locale', () => {
    const page = ld(product({ offers: { '@type': 'Offer', price: '$5' } }));
    expect(snapshot(`<html lang="en-US">${page}`).buybox?.priceCents).toBe(500);
    expect(fault(`<html lang="en-CA">${page}`)).toMatch(/^currency: .*names no country/);
  });
});

describe('GTINs', () => {
  test('of a single offer belong to the product; those of several may belong to sizes', () => {
    const numbered = (gtin12: string) => offer({ gtin12 });
    const one = ld(product({ offers: numbered('036000291452') }));
    expect(snapshot(one).gtins).toEqual(['00036000291452']);
    const two = ld(product({ offers: [numbered('036000291452'), numbered('042100005264')] }));
    expect(snapshot(two).gtins).toEqual([]);
  });
});

describe('stock', () => {
  test.each<[string, object, number | null]>([
    ['in stock is no count', { availability: 'InStock' }, null],
    ['nothing said is no count', { availability: undefined }, null],
    ['a level is a count', { inventoryLevel: 7 }, 7],
    ['a level that is a sentinel is unknown', { inventoryLevel: 2_147_483_647 }, null],
    ['none left beside in stock is unknown', { inventoryLevel: 0 }, null],
    ['a broken level is unknown', { inventoryLevel: 'many' }, null],
  ])('%s', (_, members, units) => {
    const read = snapshot(ld(product({ offers: offer({ seller: 'A', ...members }) })));
    expect(read.offers?.[0]?.unitsInStock).toBe(units);
    expect(read.buybox).not.toBeNull();
  });

  test.each([
    'https://schema.org/OutOfStock',
    'SoldOut',
    'http://schema.org/Discontinued/',
    'out of stock',
  ])('%s means no buybox and no stock', (availability) => {
    const read = snapshot(ld(product({ offers: offer({ availability, seller: 'A' }) })));
    expect(read.buybox).toBeNull();
    expect(read.offers?.[0]).toMatchObject({ sellerName: 'A', unitsInStock: 0 });
  });

  test('OpenGraph may state sold out if the offer does not state availability', () => {
    const silent = ld(product({ offers: offer({ availability: undefined }) }));
    expect(snapshot(meta({ 'og:availability': 'oos' }) + silent).buybox).toBeNull();
    expect(snapshot(meta({ 'og:availability': 'oos' }) + ld(product())).buybox).not.toBeNull();
  });

  test('one of several may be sold out', () => {
    const offers = [offer({ seller: 'A', availability: 'SoldOut' }), offer({ seller: 'B' })];
    const read = snapshot(ld(product({ offers })));
    expect(read.offers?.map(({ unitsInStock }) => unitsInStock)).toEqual([0, null]);
    expect(read.buybox?.sellerName).toBe('B');
  });

  test('sold out needs no price', () => {
    const offers = { '@type': 'Offer', availability: 'OutOfStock' };
    expect(snapshot(ld(product({ offers })))).toMatchObject({
      buybox: null,
      offers: [],
      offersComplete: false,
      name: 'Tern Kettle 1.7 l',
    });
  });
});

describe('a price that is marked outside of an item', () => {
  const named = ld(product({ offers: undefined }));
  const loose = (price: string) =>
    `<span itemprop="price">$${price}</span><meta itemprop="priceCurrency" content="USD">`;

  test('counts where nothing else states one, also if it is repeated', () => {
    expect(snapshot(named + loose('19.99') + loose('19.99')).buybox?.priceCents).toBe(1_999);
  });

  test('does not count beside another price, or if there are several', () => {
    expect(snapshot(ld(product()) + loose('24.99')).buybox?.priceCents).toBe(1_999);
    expect(fault(named + loose('19.99') + loose('24.99'))).toMatch(/^no_price/);
  });
});

describe('refused', () => {
  test.each<[string, string, RegExp]>([
    ['a page without product data', '<h1>Tern Kettle</h1>', /^no_product/],
    [
      'a page with only a broken block',
      '<script type="application/ld+json">{</script>',
      /^no_product.*1 blocks/,
    ],
    [
      'an article whose product is its subscription',
      ld({
        '@type': 'NewsArticle',
        isPartOf: { '@type': ['CreativeWork', 'Product'], name: 'The Daily', offers: offer() },
      }),
      /^no_product/,
    ],
    [
      'a publication that calls itself a product',
      ld({
        ...product({ sku: undefined, name: 'The Daily' }),
        '@type': ['CreativeWork', 'Product'],
      }),
      /^no_product/,
    ],
    [
      'an article with a subscription beside it',
      ld({ '@type': 'NewsArticle' }, product({ sku: undefined, name: 'The Daily, all access' })),
      /^no_product.*article/,
    ],
    [
      'a subscription in a graph',
      ld({
        '@graph': [
          { '@type': 'WebPage', isPartOf: { '@id': '#s' } },
          product({ '@id': '#s', sku: 'daily:all', name: 'The Daily' }),
        ],
      }),
      /^no_product/,
    ],
    [
      'a review',
      ld({ '@type': 'Review', itemReviewed: product({ sku: undefined }) }),
      /^no_product/,
    ],
    [
      'a list of products',
      ld({ '@type': 'ItemList', itemListElement: [product(), product()] }),
      /^no_product/,
    ],
    ['a product without a price', ld(product({ offers: undefined })), /^no_price/],
    [
      'another currency',
      ld(product({ offers: offer({ priceCurrency: 'EUR' }) })),
      /^currency.*EUR/,
    ],
    [
      'no currency',
      ld(product({ offers: offer({ priceCurrency: undefined }) })),
      /^currency.*no currency/,
    ],
    [
      'a sign that contradicts the currency',
      ld(product({ offers: offer({ price: '€19.99' }) })),
      /^disagreement.*EUR/,
    ],
    [
      'two currencies',
      ld(product({ offers: [offer(), offer({ priceCurrency: 'CAD' })] })),
      /^disagreement/,
    ],
    [
      'sources with different prices',
      meta({ 'product:price:amount': '24.99', 'product:price:currency': 'USD' }) + ld(product()),
      /^disagreement.*JSON-LD \$19\.99, OpenGraph \$24\.99/,
    ],
    [
      'sources with different currencies',
      meta({ 'product:price:amount': '19.99', 'product:price:currency': 'CAD' }) + ld(product()),
      /^disagreement/,
    ],
    [
      'two blocks with different prices',
      ld(product(), product({ offers: offer({ price: 5 }) })),
      /^disagreement/,
    ],
    [
      'microdata with another price',
      `${ld(product())}<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Tern Kettle</b>
       <p itemprop="offers" itemscope><b itemprop="price">$18</b></p></div>`,
      /^disagreement/,
    ],
    [
      'sold out at different prices',
      meta({ 'product:price:amount': '24.99' }) +
        ld(product({ offers: offer({ availability: 'SoldOut' }) })),
      /^disagreement/,
    ],
    [
      'two lists of sellers without a common price',
      ld(
        product({ offers: [offer({ seller: 'A' }), offer({ seller: 'B', price: 21 })] }),
        product({ offers: [offer({ seller: 'A', price: 23 }), offer({ seller: 'B', price: 24 })] }),
      ),
      /^disagreement/,
    ],
    [
      'a headline outside of the range',
      meta({ 'product:price:amount': '50' }) +
        ld(
          product({
            offers: { '@type': 'AggregateOffer', lowPrice: 5, highPrice: 9, priceCurrency: 'USD' },
          }),
        ),
      /^disagreement/,
    ],
    [
      'prices of sizes',
      ld(product({ offers: [offer({ price: 5 }), offer({ price: 6 })] })),
      /^unclear_price.*several/,
    ],
    [
      'a range as text',
      ld(product({ offers: offer({ price: '$5 - $9' }) })),
      /^unclear_price.*not one price/,
    ],
    [
      'a price that may be a thousand',
      ld(product({ offers: offer({ price: '1.299' }) })),
      /^unclear_price/,
    ],
    [
      'a price in parts of cents',
      ld(product({ offers: offer({ price: 19.995 }) })),
      /^unclear_price/,
    ],
    [
      'a negative price text',
      ld(product({ offers: offer({ price: '-$5.00' }) })),
      /^unclear_price/,
    ],
    ['a negative price', ld(product({ offers: offer({ price: -5 }) })), /^unclear_price/],
    ['a price of zero', ld(product({ offers: offer({ price: 0 }) })), /^no_price/],
    ['another number', ld(product({ sku: '987654321' })), /^other_product/],
    [
      'another number under a local name',
      ld(product({ '@id': '#p', sku: '987654321' })),
      /^other_product/,
    ],
    [
      'another address',
      ld(product({ sku: undefined, url: 'https://shop.test/ip/987654321' })),
      /^other_product/,
    ],
    [
      'a page with another product’s canonical URL',
      `<link rel="canonical" href="/ip/kettle/987654321">${ld(product({ sku: undefined }))}`,
      /^other_product/,
    ],
    [
      'another product shown at the requested URL',
      `<link rel="canonical" href="/ip/123456789">${meta({ 'og:title': 'Tern Kettle' })}${ld(product({ sku: '987654321', name: 'Gull Mug' }))}`,
      /^other_product/,
    ],
    [
      'several products without the requested code',
      ld(product({ sku: undefined }), product({ sku: undefined, name: 'Gull Mug' })),
      /^unclear_product/,
    ],
    ['a name that is too long', ld(product({ name: 'x'.repeat(501) })), /^unsound.*product_name/],
    ['a product without a name', ld(product({ name: ' ' })), /^no_product.*name/],
    ['a page nested too deeply', '<div>'.repeat(5_000), /^unsound.*nested/],
  ])('%s', (_, page, expected) => {
    expect(fault(page)).toMatch(expected);
  });

  test('a redirect to another product’s page', () => {
    const redirectedTo = 'https://shop.test/ip/987654321';
    expect(fault(ld(product({ sku: undefined })), { ...REQUESTED, redirectedTo })).toMatch(
      /^other_product/,
    );
  });
});

describe('accepted', () => {
  test.each<[string, string]>([
    [
      'another sku with the requested URL',
      ld(product({ sku: '55667788', url: '/ip/kettle/123456789' })),
    ],
    [
      'another sku with the requested canonical URL and the page title',
      `<link rel="canonical" href="/kettle.product.123456789.html">${meta({ 'og:title': 'Tern Kettle 1.7 l | Shop' })}${ld(product({ sku: '55667788' }))}`,
    ],
    [
      'the requested product among others',
      ld(product({ sku: '987654321', name: 'Gull Mug', offers: offer({ price: 1 }) }), product()),
    ],
    [
      'the requested product beside recommendations in microdata',
      `${ld(product())}<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Gull Mug</b>
       <p itemprop="offers" itemscope><b itemprop="price">$1</b></p></div>`,
    ],
    [
      'an offer with its product inside',
      ld({ ...offer(), itemOffered: product({ offers: undefined }) }),
    ],
    ['a product with a letter code', ld(product({ sku: 'W-77' }))],
    ['a shop’s article about the product', ld({ '@type': 'BlogPosting' }, product())],
  ])('%s', (_, page) => {
    expect(snapshot(page).buybox?.priceCents).toBe(1999);
  });
});

describe('any page', () => {
  test('with an odd name is read or refused with a reason', () => {
    const odd = [
      'Ω≈ç√∫',
      '田中さん',
      '👩‍👩‍👧‍👦 mug',
      'ﷺ',
      'ด้้้้้็็็็็',
      '\u202Etest',
      '１２３',
      'a\u0000b',
      '\uD800x',
      "';drop--",
      '<b>&amp;</b>',
      '\u200B',
    ];
    for (const name of odd) {
      const facts = readProductPage(ld(product({ name })), REQUESTED);
      if ('fault' in facts) expect(facts.reason).not.toBe('');
      else {
        const read = snapshotOf(facts, NOW);
        // Half a surrogate pair is not text.
        if ('refused' in read) expect(read.refused).toContain('product_name must be');
        else expect(read.snapshot.code).toBe(REQUESTED.code);
      }
    }
    expect(snapshot(ld(product({ name: 'Käse &amp; 👩‍👧 ' }))).name).toBe('Käse & 👩‍👧');
  });

  test('of any HTML never makes the reader throw', () => {
    const part = fc.constantFrom(
      '<div itemscope itemtype="http://schema.org/Product"',
      '<span itemprop="name"',
      ' itemref="a b"',
      ' id="a"',
      '>',
      '</div>',
      '<script type="application/ld+json">',
      '{"@type":"Product",',
      '"offers":[',
      '<!--',
      '-->',
      '</script>',
      '<meta property="og:type" content="product">',
      'x',
      '"',
      '&',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 30 }), (parts) => {
        void fault(parts.join(''));
      }),
      { numRuns: 300 },
    );
  });

  test('of any JSON-LD never makes the reader throw', () => {
    const key = fc.constantFrom(
      '@type',
      '@id',
      '@graph',
      'name',
      'offers',
      'price',
      'priceCurrency',
      'sku',
      'hasVariant',
      'mainEntity',
      'itemListElement',
      'position',
      'aggregateRating',
      'ratingValue',
      'gtin',
      '@value',
      '__proto__',
    );
    const leaf = fc.oneof(
      fc.constantFrom('Product', 'Offer', 'AggregateOffer', 'BreadcrumbList', '#a', 'USD', CODE),
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.dictionary(key, value, { maxKeys: 6 }), (block, members) => {
        void fault(ld(block));
        void fault(ld(product(members)));
      }),
      { numRuns: 300 },
    );
  });
});
