// The size, order and texts of a delivery body.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PayloadInput, payloadBody, testPayloadBody } from './payload.ts';

const atMs = Date.UTC(2026, 10, 14, 12, 0, 0);
const event: PayloadInput = {
  type: 'price.drop',
  atMs,
  eventId: '019a8000-0000-7000-8000-000000000001',
  oversightProductId: '019a8000-0000-7000-8000-000000000002',
  code: '795033156',
  productName: 'Acme Kettle 1.7 l',
  tier: 0,
  before: { value: { cents: 2_199 }, observedAtMs: atMs - 3_600_000 },
  after: { value: { cents: 1_999 }, observedAtMs: atMs },
  rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
  reason: null,
  buybox: { priceCents: 1_999, sellerName: 'Acme Store' },
  unitsInStock: 42,
  rank: { position: 120, category: 'Kitchen' },
  offers: [
    { sellerName: 'Acme Store', priceCents: 1_999, shippingCents: 0, unitsInStock: 42 },
    { sellerName: 'Best', priceCents: 1_950, shippingCents: 499, unitsInStock: null },
  ],
};
const sizeOf = (body: string) => Buffer.byteLength(body);
const offer = (priceCents: number, sellerName = `Seller ${priceCents}`) => ({
  sellerName,
  priceCents,
  shippingCents: 0,
  unitsInStock: 1,
});

describe('the body of a delivery', () => {
  test('has the members of the specification', () => {
    expect(JSON.parse(payloadBody(event))).toEqual({
      type: 'price.drop',
      timestamp: '2026-11-14T12:00:00.000Z',
      data: {
        event_id: '019a8000-0000-7000-8000-000000000001',
        oversight_product_id: '019a8000-0000-7000-8000-000000000002',
        retailer_product_code: '795033156',
        product_name: 'Acme Kettle 1.7 l',
        tier: 0,
        tags: [],
        metadata: null,
        before: { value: 21.99, observed_at: '2026-11-14T11:00:00.000Z' },
        after: { value: 19.99, observed_at: '2026-11-14T12:00:00.000Z' },
        rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
        reason: null,
        buybox: { price: 19.99, seller_name: 'Acme Store' },
        units_in_stock: 42,
        rank: { position: 120, category: 'Kitchen' },
        offers: [
          { seller_name: 'Acme Store', price: 19.99, shipping: 0, units_in_stock: 42 },
          { seller_name: 'Best', price: 19.5, shipping: 4.99, units_in_stock: null },
        ],
      },
    });
  });

  test('names the seller of a seller event', () => {
    const { data } = JSON.parse(payloadBody({ ...event, sellerName: 'Best' }));
    expect(data.seller_name).toBe('Best');
  });

  test('has the five cheapest offers, by price plus shipping', () => {
    const dear = { ...offer(1), shippingCents: 100_000 };
    const offers = [dear, ...[900, 300, 500, 100, 700, 200].map((cents) => offer(cents))];
    const { data } = JSON.parse(payloadBody({ ...event, offers }));
    expect(data.offers.map(({ price }: { price: number }) => price)).toEqual([1, 2, 3, 5, 7]);
  });

  test('drops the most expensive offers before it shortens texts', () => {
    const long = 'n'.repeat(400);
    const offers = [1, 2, 3, 4, 5].map((cents) => offer(cents, long));
    const body = payloadBody({ ...event, offers });
    const { data } = JSON.parse(body);
    expect(data.offers.map(({ price }: { price: number }) => price)).toEqual([0.01, 0.02, 0.03]);
    expect(data.offers[1].seller_name).toBe(long);
    expect(data.product_name).toBe(event.productName);
  });

  test('then shortens its longest texts, only as far as needed', () => {
    const productName = '☕'.repeat(500);
    const reason = 'r'.repeat(200);
    const body = payloadBody({ ...event, productName, reason });
    const { data } = JSON.parse(body);
    expect(data.offers).toEqual([]);
    expect(data.reason).toBe(reason);
    expect(data.product_name).toMatch(/^☕+…$/);
    expect(sizeOf(body)).toBeGreaterThan(2_100 - 2 * '☕'.length * 3);
    expect(sizeOf(body)).toBeLessThanOrEqual(2_100);
  });

  test('never splits a character, and replaces lone surrogates', () => {
    const { data } = JSON.parse(
      payloadBody({ ...event, productName: '😀'.repeat(500), reason: 'a\ud83d' }),
    );
    expect(data.product_name).toMatch(/^(?:😀)+…$/u);
    expect(data.reason).toBe('a\ufffd');
  });

  test('is padded with spaces before its last brace when small', () => {
    const small = { type: 't', eventId: '', oversightProductId: '', code: '' };
    const nothing = { before: null, after: null, buybox: null, rank: null, offers: [] };
    const body = payloadBody({ ...event, ...small, ...nothing, productName: null });
    expect(sizeOf(body)).toBe(400);
    expect(body).toMatch(/\} +\}$/);
    expect(JSON.parse(body).data.product_name).toBeNull();
  });

  test('rejects an id that would have to be shortened', () => {
    expect(() => payloadBody({ ...event, eventId: 'x'.repeat(65) })).toThrow();
    expect(() => payloadBody({ ...event, code: '\u0000' })).toThrow();
  });
});

describe('the body of a test', () => {
  test('has every member and its own type', () => {
    const body = testPayloadBody({ eventId: event.eventId, atMs });
    const { type, timestamp, data } = JSON.parse(body);
    expect({ type, timestamp }).toEqual({
      type: 'webhook.test',
      timestamp: '2026-11-14T12:00:00.000Z',
    });
    expect(Object.keys(data)).toEqual(Object.keys(JSON.parse(payloadBody(event)).data));
    expect(sizeOf(body)).toBeGreaterThanOrEqual(400);
    expect(sizeOf(body)).toBeLessThanOrEqual(2_100);
  });
});

/** Any UTF-16, including lone surrogates and control characters. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 900 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 600 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .tuple(fc.constantFrom('\0', '"', '\u2028', '😀', '\ud800', 'ß'), fc.nat(2_500))
    .map(([one, times]) => one.repeat(times)),
);
const word = fc.string({ unit: fc.constantFrom(...'abz09.-_'), maxLength: 64 });
const cents = fc.integer({ min: 0, max: 100_000_000 });
const time = fc.integer({ min: 946_684_800_000, max: 4_102_444_800_000 });
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
const value = fc.oneof(anyText, numbers, fc.constant(null), fc.record({ cents }));
const threshold = fc.oneof(
  anyText,
  numbers,
  fc.constant(null),
  fc.record({ percent: numbers, usd: numbers, units: numbers, days: numbers }),
);
const tag = fc.string({ unit: fc.constantFrom(...'aZ0_.:-'), minLength: 1, maxLength: 32 });
/** As large as is allowed, or smaller; escapes and characters of several bytes included. */
const metadata = fc
  .dictionary(anyText, fc.oneof(anyText, numbers, fc.constant([[{}]])), { maxKeys: 4 })
  .map((object) => {
    const entries = Object.entries(object).map(([name, member]) => [
      name.toWellFormed().slice(0, 20),
      typeof member === 'string' ? member.toWellFormed().slice(0, 200) : member,
    ]);
    const sizes = [...entries.keys(), entries.length].map((count) =>
      Object.fromEntries(entries.slice(0, count)),
    );
    return sizes.findLast((some) => sizeOf(JSON.stringify(some)) <= 300) ?? {};
  });
const observation = maybe(fc.record({ value, observedAtMs: time }));
const anyEvent: fc.Arbitrary<PayloadInput> = fc.record({
  type: word,
  atMs: time,
  eventId: word,
  oversightProductId: word,
  code: word,
  productName: maybe(anyText),
  tier: fc.nat(4),
  tags: fc.array(tag, { maxLength: 10 }),
  metadata: maybe(
    fc.oneof(metadata, fc.constantFrom({ a: '☕'.repeat(97) }, { a: '"'.repeat(146) })),
  ),
  before: observation,
  after: observation,
  rule: fc.record({ name: word, threshold }),
  reason: maybe(anyText),
  sellerName: maybe(anyText),
  buybox: maybe(fc.record({ priceCents: cents, sellerName: maybe(anyText) })),
  unitsInStock: maybe(fc.nat()),
  rank: maybe(fc.record({ position: fc.nat(), category: anyText })),
  offers: fc.array(
    fc.record({
      sellerName: anyText,
      priceCents: cents,
      shippingCents: cents,
      unitsInStock: maybe(fc.nat()),
    }),
    { maxLength: 20 },
  ),
});

test('the largest legal event fits', () => {
  const largest = {
    ...event,
    type: 't'.repeat(64),
    eventId: 'e'.repeat(64),
    oversightProductId: 'o'.repeat(64),
    code: 'c'.repeat(64),
    tags: Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(32, 'x')),
    metadata: { a: 'x'.repeat(292) },
    before: { value: -1.2345678901234567e-100, observedAtMs: atMs },
    after: { value: -1.2345678901234567e-100, observedAtMs: atMs },
    rule: {
      name: 'r'.repeat(64),
      threshold: { percent: 1.2345678901234567e-100, usd: 1.2345678901234567e-100 },
    },
    reason: 'r'.repeat(2_000),
    sellerName: 's'.repeat(500),
    buybox: { priceCents: 2 ** 40, sellerName: 's'.repeat(500) },
    unitsInStock: 2 ** 40,
    rank: { position: 2 ** 40, category: 'c'.repeat(500) },
    productName: 'n'.repeat(1_000),
    offers: Array.from({ length: 5 }, () => offer(2 ** 40, 's'.repeat(500))),
  };
  const { data } = JSON.parse(payloadBody(largest));
  expect(sizeOf(JSON.stringify(largest.metadata))).toBe(300);
  expect([data.tags, data.metadata]).toEqual([largest.tags, largest.metadata]);
  expect(sizeOf(payloadBody(largest))).toBeLessThanOrEqual(2_100);
});

test('any body is JSON of 400 to 2,100 bytes with every member and no split character', () => {
  const members = Object.keys(JSON.parse(payloadBody(event)).data);
  fc.assert(
    fc.property(anyEvent, (input) => {
      const body = payloadBody(input);
      expect(sizeOf(body)).toBeGreaterThanOrEqual(400);
      expect(sizeOf(body)).toBeLessThanOrEqual(2_100);
      const { type, data } = JSON.parse(body);
      expect(type).toBe(input.type);
      expect(data.tags).toEqual(input.tags);
      expect(data.metadata).toEqual(JSON.parse(JSON.stringify(input.metadata)));
      expect(Object.keys(data)).toEqual(expect.arrayContaining(members));
      expect(data.offers.length).toBeLessThanOrEqual(5);
      expect(JSON.stringify(data)).not.toMatch(/\\ud[89a-f]/);
      expect(data.buybox?.price).toBe(
        input.buybox === null ? undefined : input.buybox.priceCents / 100,
      );
    }),
    { numRuns: 500 },
  );
});
