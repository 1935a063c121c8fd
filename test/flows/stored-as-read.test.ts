// Whatever the snapshot reader accepts, the database stores and returns.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSnapshotLine } from '../../src/catalog/read-snapshot.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { boundedInTime } from '../support/bounded-properties.ts';
import { startService } from '../support/service.ts';

const { app } = await startService();
const now = Math.floor(app.clock.nowMs() / 1000) * 1000;
let codes = 0;

/** Numbers at every edge: subnormal, huge, beyond 2^31 and 2^53, with many digits. */
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(1e-46, 1e-45, 1.4e-45, 7e-46, 1e-38, 5e-324, 1, 5, 0.1, 1.0000001, 4.99999999),
  fc.constantFrom(
    2 ** 31 - 1,
    2 ** 31,
    2 ** 53,
    1e9,
    1e9 + 1,
    1e6,
    10_000,
    9_999.999999,
    999_999.99,
  ),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.constantFrom('a\0b', '\ud800', '\uffff', '\u202e', 'NULL', '{}', '\\', '"', '😀'.repeat(500)),
);
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999-14:00',
    '1970-01-01T00:00Z',
  ),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const cents = fc.oneof(
  number,
  fc.integer({ min: 1, max: 1e8 }).map((whole) => whole / 100),
);
const offer = fc.record({
  seller_name: text,
  price: cents,
  shipping: maybe(cents),
  units_in_stock: maybe(number),
  last_updated: maybe(time),
});
const members = fc.record({
  brand: maybe(text),
  product_name: maybe(text),
  categories: maybe(fc.array(text, { maxLength: 20 })),
  buybox: maybe(fc.record({ price: cents, seller_name: maybe(text) })),
  offers: maybe(fc.array(offer, { maxLength: 6 })),
  rank: maybe(fc.record({ position: number, category: text })),
  customer_rating: maybe(number),
  number_of_reviews: maybe(number),
  shipping_weight_lb: maybe(number),
});

/** Keeps only the members that are valid alone: a single bad one would spoil the snapshot. */
function sound(candidate: Readonly<Record<string, unknown>>): Snapshot {
  const required = {
    retailer_product_code: String(810_000_000 + codes++),
    observed_at: new Date(now),
  };
  const read = (value: object) => readSnapshotLine(Buffer.from(JSON.stringify(value)), now);
  const accepted = Object.entries(candidate).filter(
    ([name, value]) => 'snapshot' in read({ ...required, [name]: value }),
  );
  const outcome = read({ ...required, ...Object.fromEntries(accepted) });
  if ('refused' in outcome) throw new Error(outcome.refused);
  return outcome.snapshot;
}

const real = (value: number | undefined) => (value === undefined ? null : Math.fround(value));

async function isStored(snapshot: Snapshot): Promise<void> {
  await recordSnapshots(app, [snapshot]);
  const stored = await app.products.byCode(snapshot.code);
  expect(stored).toMatchObject({
    brand: snapshot.brand ?? null,
    name: snapshot.name ?? null,
    categories: snapshot.categories ?? [],
    buybox: snapshot.buybox ?? null,
    rank: snapshot.rank ?? null,
    reviewCount: snapshot.reviewCount ?? null,
    observedAtMs: snapshot.observedAtMs,
  });
  const seconds = (at: number | null) => (at === null ? null : Math.floor(at / 1000) * 1000);
  expect(stored?.offers).toEqual(
    (snapshot.offers ?? []).map((one) => ({
      ...one,
      lastUpdatedAtMs: seconds(one.lastUpdatedAtMs),
    })),
  );
  // A real keeps seven digits: what comes back is the same real.
  expect(real(stored?.customerRating ?? undefined)).toEqual(real(snapshot.customerRating));
  expect(real(stored?.shippingWeightLb ?? undefined)).toEqual(real(snapshot.shippingWeightLb));
}

it('stores whatever the reader accepts, and returns it', async () => {
  await fc.assert(
    fc.asyncProperty(members, (candidate) => isStored(sound(candidate))),
    { numRuns: 300, plugins: [boundedInTime(8_000)] },
  );
}, 30_000);

it.each([1e-45, 1e-38, 0.1, 10_000])('stores a weight of %d', (shipping_weight_lb) =>
  isStored(sound({ shipping_weight_lb })),
);

it('stores five hundred offers with the longest names', () =>
  isStored(
    sound({
      offers: Array.from({ length: 500 }, (_, index) => ({
        seller_name: `${index} ${'😀'.repeat(496)}`.slice(0, 995),
        price: 1_000_000,
        shipping: 1_000_000,
        units_in_stock: 1_000_000,
        last_updated: '9999-12-31T23:59:59Z',
      })),
    }),
  ));
