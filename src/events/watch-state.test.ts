// The packed watch state is small and unpacks to the same state.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_RULES } from './rule.ts';
import { type PackedState, packState, unpackState, type WatchState } from './watch-state.ts';

const NOW = 1_700_000_000;
const at = fc.integer({ min: NOW - 40_000_000, max: NOW });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const name = fc.oneof(fc.constantFrom('Acme', 'Bolt', ''), fc.string({ unit: 'binary' }));

const anyState: fc.Arbitrary<WatchState> = fc.record({
  atSeconds: fc.constant(NOW),
  price: maybe(fc.record({ cents: fc.integer({ min: 1, max: 1e8 }), atSeconds: at })),
  box: maybe(
    fc.record({
      holders: fc.array(fc.record({ name: maybe(name), atSeconds: at }), { maxLength: 5 }),
      lost: fc.boolean(),
      suppressedAtSeconds: maybe(at),
      summaryAtSeconds: maybe(at),
    }),
  ),
  sellers: maybe(
    fc.uniqueArray(
      fc.record({ name, cents: fc.nat(1e9), atSeconds: at, lastSeenAtSeconds: maybe(at) }),
      { selector: (seller) => seller.name },
    ),
  ),
  stock: maybe(
    fc.record({
      out: fc.boolean(),
      lowArmed: fc.boolean(),
      units: fc.nat(1e9),
      atSeconds: at,
      lowBy: fc.oneof(
        fc.constant(DEFAULT_RULES.stockLow),
        fc.record({ units: fc.nat(1e6), days: fc.nat(365) }),
      ),
    }),
  ),
  rank: maybe(
    fc.record({
      position: fc.integer({ min: 1, max: 1e9 }),
      category: fc.string(),
      atSeconds: at,
      lossPending: fc.boolean(),
      armedLines: fc.integer({ min: 0, max: 7 }),
    }),
  ),
});

test('a state unpacks to the same state', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const stored: PackedState = JSON.parse(JSON.stringify(packState(state)));
      expect(unpackState(stored)).toEqual(state);
    }),
  );
});

test('an unknown format unpacks to null', () => {
  const stored = packState(fc.sample(anyState, { numRuns: 1, seed: 1 })[0] as WatchState);
  expect(unpackState([2, ...stored.slice(1)] as unknown as PackedState)).toBeNull();
});

test('three sellers take less than 200 bytes', () => {
  const seller = (sellerName: string) => ({
    name: sellerName,
    cents: 1_999,
    atSeconds: NOW - 86_400 * 9,
    lastSeenAtSeconds: null,
  });
  const state: WatchState = {
    atSeconds: NOW,
    price: { cents: 1_999, atSeconds: NOW - 86_400 },
    box: {
      holders: [{ name: 'Bolt & Sons', atSeconds: NOW - 3_600 }],
      lost: false,
      suppressedAtSeconds: null,
      summaryAtSeconds: null,
    },
    sellers: [seller('Acme Store'), seller('Bolt & Sons'), seller('Crane Supply')],
    stock: {
      out: false,
      lowArmed: true,
      units: 120,
      atSeconds: NOW - 86_400 * 30,
      lowBy: DEFAULT_RULES.stockLow,
    },
    rank: {
      position: 120,
      category: 'Kettles',
      atSeconds: NOW - 7_200,
      lossPending: false,
      armedLines: 7,
    },
  };
  expect(JSON.stringify(packState(state)).length).toBeLessThan(200);
});
