// GET /retailer/products/search: by words, code, UPC and EAN, tolerant of typing errors; 1 credit a
// page.
import { describe, expect, test } from 'vitest';
import type { Product } from '../../src/catalog/product.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { refreshFacts } from '../../src/search/refresh-facts.ts';
import { createProductSearch } from '../../src/search/search-products.ts';
import { startService } from '../support/service.ts';

const service = await startService({ isDurable: false });
const { app } = service;
const codes = service.products.map(({ code }) => code);
await refreshFacts(app, codes);
const customer = await service.newCustomer({ plan: 'Scale', perSecond: 1000 });
const [kettle, grinder] = service.products as [Product, Product];

const search = (q: string, more = '') =>
  service.get(customer, `/retailer/products/search?q=${encodeURIComponent(q)}${more}`);
const namesFor = async (q: string) =>
  (await search(q)).body.map((one: Record<string, string>) => one.product_name);

describe('200', () => {
  test('products that have all words, for 1 credit', async () => {
    const before = await service.used(customer);
    const reply = await search('marlowe kettle');
    expect(reply.status).toBe(200);
    expect(reply.headers['x-credits-charged']).toBe('1');
    expect(reply.body).toEqual([
      {
        retailer_product_code: kettle.code,
        product_name: kettle.name,
        brand: 'Marlowe',
        categories: ['Home', 'Kitchen', 'Kettles'],
        upc: kettle.gtin?.slice(2),
        ean: kettle.gtin?.slice(1),
        buybox_price: 42.99,
        rank: 12,
        rank_category: 'Kettles',
        customer_rating: 4.6,
        number_of_reviews: 2140,
        last_updated: new Date(kettle.observedAtMs).toISOString(),
        matched_by: 'words',
      },
    ]);
    expect(await service.used(customer)).toBe(before + 1);
  });

  test.each([
    ['a brand', 'KESTREL audio', 2],
    ['a category', 'camping', 2],
    ['the start of the last word', 'marlowe cof', 1],
    ['accents', 'kéttle', 1],
    ['words in any order', 'black, matte kettle!', 1],
  ])('%s finds products', async (_, q, count) => {
    expect(await namesFor(q)).toHaveLength(count);
  });

  test.each([
    ['ketle', 'Kettle'],
    ['grnider', 'Grinder'],
    ['headpones kestrel', 'Headphones'],
    ['watercolour pennyroyl', 'Watercolor'],
  ])('%s finds %s in spite of typing errors', async (q, word) => {
    const { body } = await search(q);
    expect(body[0]).toMatchObject({ matched_by: 'similar' });
    expect(body[0].product_name).toContain(word);
  });

  test.each([
    ['code', kettle.code],
    ['UPC', (kettle.gtin as string).slice(2)],
    ['EAN', (kettle.gtin as string).slice(1)],
    ['UPC with dashes', (kettle.gtin as string).slice(2).replace(/(.{4})/g, '$1-')],
  ])('a %s finds its product first', async (_, q) => {
    expect((await search(q)).body[0]).toMatchObject({
      retailer_product_code: kettle.code,
      matched_by: 'exact',
    });
  });

  test('best sellers come first among equals, and pages continue by the Link header', async () => {
    const many = Array.from({ length: 45 }, (_, index): Snapshot => {
      const position = 1 + ((index * 17) % 45) * 100;
      return {
        code: `${620_000_000 + index}`,
        observedAtMs: kettle.observedAtMs,
        gtins: [],
        name: `Zephyr lantern ${index}`,
        offersComplete: false,
        ...(index < 40 ? { rank: { position, category: 'Lighting' } } : {}),
      };
    });
    await recordSnapshots(app, many);
    await refreshFacts(
      app,
      many.map(({ code }) => code),
      () => false,
    );
    const seen: { retailer_product_code: string; rank: number | null }[] = [];
    let path: string | undefined = '/retailer/products/search?q=zephyr+lantern';
    const charged: unknown[] = [];
    while (path !== undefined) {
      const reply = await service.get(customer, path);
      charged.push([reply.body.length, reply.headers['x-credits-charged']]);
      seen.push(...reply.body);
      path = /<(.+)>; rel="next"/.exec(String(reply.headers.link ?? ''))?.[1];
    }
    expect(charged).toEqual([
      [20, '1'],
      [20, '1'],
      [5, '1'],
    ]);
    expect(new Set(seen.map((one) => one.retailer_product_code)).size).toBe(45);
    // Ranks are compared by their power of two.
    const bands = seen.map(({ rank }) => (rank === null ? 32 : Math.floor(Math.log2(rank))));
    expect(bands).toEqual([...bands].sort((a, b) => a - b));
  });

  test.each([
    ['nothing matches', 'qqqqzzzz'],
    ['operators', `' | ! & :* <->`],
    ['no letter or digit', '*()?'],
  ])('%s: an empty list, free', async (_, q) => {
    const reply = await search(q);
    expect([reply.status, reply.body, reply.headers['x-credits-charged']]).toEqual([200, [], '0']);
  });

  test.each([`kettle' or '1'='1`, 'kettle & !marlowe', '.*kettle.*', 'kettle:*', 'kettle\\'])(
    '%s is plain text',
    async (q) => {
      expect((await search(q)).status).toBe(200);
    },
  );

  test('all formats of lists', async () => {
    const reply = await service.server.inject({
      url: '/retailer/products/search?q=marlowe&format=csv',
      headers: { 'x-api-key': customer.apiKey },
    });
    expect(reply.headers['content-type']).toContain('text/csv');
    expect(reply.body.trim().split('\r\n')).toHaveLength(3);
  });

  test('a dry run names the price', async () => {
    const reply = await search('marlowe', '&dry_run=true');
    expect([reply.body, reply.headers['x-credits-charged']]).toEqual([{ credit_cost: 1 }, '0']);
  });

  test('without trigrams, words are found but not corrected', async () => {
    const { db } = app;
    const query: typeof db.query = (what, values) =>
      String(what).includes('to_regprocedure')
        ? Promise.resolve([{ exists: false }] as never)
        : db.query(what, values);
    const plain = createProductSearch({ db: { ...db, query }, products: app.products });
    const codesOf = async (text: string) =>
      (await plain({ text, after: null, limit: 20 })).map(({ code }) => code);
    expect(await codesOf('coffee grinder')).toEqual([grinder.code]);
    expect(await codesOf('cofee grnider')).toEqual([]);
  });
});

describe('400, free', () => {
  test.each([
    ['without q', '', 'parameter_required', 'q'],
    ['an empty q', '?q=', 'parameter_invalid', 'q'],
    ['a q that is too long', `?q=${'a'.repeat(201)}`, 'parameter_invalid', 'q'],
    ['two q', '?q=a&q=b', 'parameter_invalid', 'q'],
    ['NUL in q', '?q=a%00b', 'text_malformed', 'q'],
    ['a cursor that is none', '?q=a&after=abc', 'cursor_malformed', 'after'],
    ['an unknown format', '?q=a&format=xml', 'parameter_invalid', 'format'],
  ])('%s', async (_, query, code, field) => {
    const before = await service.used(customer);
    const reply = await service.get(customer, `/retailer/products/search${query}`);
    expect([reply.status, reply.body.code, reply.body.field]).toEqual([400, code, field]);
    expect(await service.used(customer)).toBe(before);
  });
});
