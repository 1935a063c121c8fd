// Writing snapshots: the reader reads back what was written.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSnapshot, readSnapshotLine } from './read-snapshot.ts';
import type { Offer, Snapshot } from './snapshot.ts';
import { snapshotLine, writeSnapshot } from './write-snapshot.ts';

const NOW = Date.parse('2026-11-14T12:03:00Z');
const EARLIEST_MS = Date.UTC(2000, 0, 1);

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((made) => made.replaceAll('\0', '').trim())
  .filter((made) => made !== '');
const cents = (min: number) => fc.integer({ min, max: 100_000_000 });
const second = fc
  .integer({ min: EARLIEST_MS / 1000, max: NOW / 1000 })
  .map((seconds) => seconds * 1000);
const digits = (count: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${count}}$`)).map((made) => made.padStart(14, '0'));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const offer: fc.Arbitrary<Offer> = fc.record({
  sellerName: text,
  priceCents: cents(1),
  shippingCents: cents(0),
  unitsInStock: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
  lastUpdatedAtMs: fc.option(fc.integer({ min: EARLIEST_MS, max: NOW })),
});

/** Any snapshot that the reader can return. */
const anySnapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    code: fc.stringMatching(/^[0-9]{1,20}$/),
    observedAtMs: second,
    gtins: fc.uniqueArray(fc.oneof(digits(12), digits(13)), { maxLength: 2 }).filter(
      // The reader returns the UPC first; two GTINs of which none is a UPC cannot occur.
      ([first, other]) => other === undefined || first?.startsWith('00') === true,
    ),
    brand: maybe(text),
    name: maybe(text),
    categories: maybe(fc.array(text, { maxLength: 20 })),
    buybox: maybe(
      fc.option(fc.record({ priceCents: cents(1), sellerName: fc.option(text) }), { nil: null }),
    ),
    offers: maybe(
      fc.uniqueArray(offer, { maxLength: 12, selector: ({ sellerName }) => sellerName }),
    ),
    offersComplete: fc.boolean(),
    rank: maybe(fc.record({ position: fc.integer({ min: 1, max: 1e9 }), category: text })),
    customerRating: maybe(fc.double({ min: 1, max: 5, noNaN: true })),
    reviewCount: maybe(fc.integer({ min: 0, max: 1e9 })),
    shippingWeightLb: maybe(fc.double({ min: 0.01, max: 10_000, noNaN: true })),
    sellerType: maybe(fc.constantFrom('marketplace', 'fulfilled', 'first_party')),
  })
  .filter(
    // An empty list that is not complete is only read together with `sold_out`.
    ({ buybox, offers, offersComplete }) =>
      buybox === null || offersComplete || offers?.length !== 0,
  );

describe('a snapshot', () => {
  test('is read back as it was written', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        expect(readSnapshotLine(Buffer.from(snapshotLine(snapshot)), NOW)).toEqual({ snapshot });
      }),
      { numRuns: 500 },
    );
  });

  test('is written without members not observed, and with a suppressed buybox', () => {
    const bare: Snapshot = {
      code: '7',
      observedAtMs: EARLIEST_MS,
      gtins: [],
      offersComplete: false,
    };
    expect(JSON.parse(snapshotLine({ ...bare, buybox: null }))).toEqual({
      retailer_product_code: '7',
      observed_at: '2000-01-01T00:00:00.000Z',
      upc: null,
      ean: null,
      buybox: null,
      offers_complete: false,
    });
    expect(JSON.parse(snapshotLine(bare))).not.toHaveProperty('buybox');
  });

  test.each([
    [['00044579413717'], { upc: '044579413717', ean: null }],
    [['04006381333931'], { upc: null, ean: '4006381333931' }],
    [['00044579413717', '04006381333931'], { upc: '044579413717', ean: '4006381333931' }],
    [['04006381333931', '00044579413717'], { upc: '044579413717', ean: '4006381333931' }],
    [['00044579413717', '00036000291452'], { upc: '044579413717', ean: '0036000291452' }],
  ])('with the GTINs %j has %j', (gtins, members) => {
    const written = writeSnapshot({
      code: '7',
      observedAtMs: EARLIEST_MS,
      gtins,
      offersComplete: true,
    });
    expect(written).toMatchObject(members);
    const read = readSnapshot(JSON.parse(JSON.stringify(written)), NOW);
    expect(new Set((read as { snapshot: Snapshot }).snapshot.gtins)).toEqual(new Set(gtins));
  });

  test('with a GTIN that is neither UPC nor EAN fails an assertion', () => {
    const gtins = ['14006381333938'];
    expect(() =>
      writeSnapshot({ code: '7', observedAtMs: EARLIEST_MS, gtins, offersComplete: true }),
    ).toThrow('impossible state');
  });
});
