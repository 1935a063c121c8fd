// What holds for any looks and any rules.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { known } from '../../test/support/told-looks.ts';
import type { Look } from '../history/look.ts';
import { type DetectionInput, detectChanges } from './change-detection.ts';
import type { DetectedEvent } from './detected-event.ts';
import { byKind } from './kind.ts';
import { afterObserving, type ObservedLook } from './observed-look.ts';
import { DEFAULT_RULES, type Rules } from './rule.ts';
import { packState, unpackState, type WatchState } from './watch-state.ts';

const HOUR = 3_600;
const NAMES = ['A', 'B', 'C', 'D', 'W'];

const cents = fc.oneof(fc.integer({ min: 1_950, max: 2_050 }), fc.integer({ min: 1, max: 1e8 }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyOffer = fc.record({
  sellerName: fc.constantFrom(...NAMES),
  priceCents: cents,
  shippingCents: fc.constantFrom(0, 0, 499),
  unitsInStock: fc.option(fc.oneof(fc.nat(30), fc.constant(0), fc.nat(1e6)), { nil: null }),
});
const anyOffers = fc
  .uniqueArray(anyOffer, { selector: ({ sellerName }) => sellerName, maxLength: 5 })
  .map((offers) => offers.sort((a, b) => (a.sellerName < b.sellerName ? -1 : 1)));
const anyHolder = fc.option(fc.constantFrom(...NAMES), { nil: null, freq: 9 });
const anySight = fc.record({
  gapHours: fc.constantFrom(1, 1, 1, 2, 6, 24, 50),
  buybox: maybe(
    fc.option(fc.record({ priceCents: cents, sellerName: anyHolder }), { nil: null, freq: 4 }),
  ),
  rank: maybe(
    fc.record({
      position: fc.oneof(fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: 1e9 })),
      category: fc.constantFrom('Kettles', 'Kettles', 'Kettles', 'Pots'),
    }),
  ),
  offers: maybe(anyOffers),
  isWhole: fc.boolean(),
});

const anyLooks: fc.Arbitrary<Look[]> = fc
  .array(anySight, { maxLength: 40, size: 'max' })
  .map((sights) => {
    let hour = 0;
    return sights.map(({ gapHours, isWhole, ...seen }) => {
      hour += gapHours;
      const offersComplete = isWhole && seen.offers !== undefined;
      return { ...seen, atSeconds: hour * HOUR, offersComplete };
    });
  });

const priceRule = fc.record({ basisPoints: fc.nat(2_000), cents: fc.nat(500) });
const anyRules: fc.Arbitrary<Rules> = fc.record({
  price: priceRule,
  sellerPrice: priceRule,
  stockLow: fc.record({ units: fc.nat(40), days: fc.nat(30) }),
  rank: fc.record({ basisPoints: fc.nat(5_000), places: fc.nat(20) }),
  rotation: fc.record({ count: fc.nat(24) }),
});
type Watching = Pick<DetectionInput, 'rules' | 'watchedSeller' | 'estimatedUnitsPerDay'>;
const anyWatching: fc.Arbitrary<Watching> = fc.record({
  rules: fc.oneof(fc.constant(DEFAULT_RULES), anyRules),
  watchedSeller: fc.constantFrom(null, 'W'),
  estimatedUnitsPerDay: fc.constantFrom(null, 0, 0.4, 12),
});
type How = { stored?: boolean; withoutBefore?: boolean };

function detectAll(
  looks: readonly ObservedLook[],
  watching: Watching,
  how: How = {},
): DetectedEvent[] {
  let state: WatchState | null = null;
  let before: ObservedLook | null = null;
  const events: DetectedEvent[] = [];
  for (const look of looks) {
    const detection = detectChanges({ ...watching, state, before, look });
    events.push(...detection.events);
    expect(detection.events.toSorted(byKind)).toEqual(detection.events);
    state = detection.state;
    if (how.stored) state = unpackState(JSON.parse(JSON.stringify(packState(state))));
    if (!how.withoutBefore) before = look;
  }
  return events;
}

const valuesOf = (events: readonly DetectedEvent[]) =>
  events.map(({ kind, rule, reason, before, after }) => [
    ...[kind, rule, reason],
    ...[before.value, after.value],
  ]);

const times = (count: number, looks: readonly Look[]) =>
  looks.flatMap((look) =>
    Array.from({ length: count }, (_, copy) => ({ ...look, atSeconds: look.atSeconds + copy })),
  );

const holdsForAll = (holds: (looks: Look[], watching: Watching) => void) =>
  fc.assert(fc.property(anyLooks, anyWatching, holds), { numRuns: 300 });

describe('for any looks and rules', () => {
  test('every event is told after what it compares with', () => {
    holdsForAll((looks, watching) => {
      for (const { before, after } of detectAll(looks, watching)) {
        expect(before.observedAt).toBeLessThan(after.observedAt);
        expect(before.observedAt).toBeGreaterThanOrEqual(0);
      }
    });
  });

  test('what is stored between looks is all that is needed', () => {
    holdsForAll((looks, watching) => {
      expect(detectAll(looks, watching, { stored: true })).toEqual(detectAll(looks, watching));
    });
  });

  test('the look before decides nothing', () => {
    holdsForAll((looks, watching) => {
      const kinds = (how: How) => detectAll(looks, watching, how).map(({ kind }) => kind);
      expect(kinds({ withoutBefore: true })).toEqual(kinds({}));
    });
  });

  test('the same look twice is one look', () => {
    holdsForAll((looks, watching) => {
      const twice = looks.flatMap((look) => [look, look]);
      expect(detectAll(twice, watching)).toEqual(detectAll(looks, watching));
    });
  });

  test('what was seen twice says nothing new the third time', () => {
    holdsForAll((looks, watching) => {
      const [two, three] = [
        detectAll(times(2, looks), watching),
        detectAll(times(3, looks), watching),
      ];
      expect(valuesOf(three)).toEqual(valuesOf(two));
    });
  });

  test('a look that saw nothing changes nothing', () => {
    const nothing = {
      buybox: undefined,
      rank: undefined,
      offers: undefined,
      offersComplete: false,
    };
    holdsForAll((looks, watching) => {
      const between = looks.flatMap((look) => [
        look,
        { ...nothing, atSeconds: look.atSeconds + 60 },
      ]);
      const told = (all: readonly Look[]) =>
        detectAll(all, watching, { withoutBefore: true }).map(({ kind, after }) => [kind, after]);
      expect(told(between)).toEqual(told(looks));
    });
  });

  const SAW_NOTHING = {
    ...{ buybox: undefined, rank: undefined, offers: undefined, offersComplete: false },
  };

  test('a look that carries everything over tells nothing', () => {
    holdsForAll((looks, watching) => {
      const alone = known(looks);
      const between = alone.flatMap((look) => [
        look,
        afterObserving(look, { ...SAW_NOTHING, atSeconds: look.atSeconds + 60 }),
      ]);
      // A day of summed-up rotations is over by the clock, at whatever look comes next.
      const told = (all: readonly ObservedLook[]) =>
        detectAll(all, watching, { withoutBefore: true })
          .filter(({ kind }) => kind !== 'buybox.rotation')
          .map(({ kind, before, after, sellerName }) => [kind, before.value, after, sellerName]);
      expect(told(between)).toEqual(told(alone));
    });
  });

  test('of sellers, stock and rank looks tell the same, whatever is carried over beside them', () => {
    holdsForAll((looks, watching) => {
      const told = (all: readonly ObservedLook[]) =>
        detectAll(all, watching, { withoutBefore: true })
          .filter(({ kind }) => /^(seller|stock|rank)/.test(kind))
          .map(({ kind, after, sellerName }) => [kind, after, sellerName]);
      expect(told(known(looks))).toEqual(told(looks));
    });
  });

  test('each price that is told starts from the one told before', () => {
    holdsForAll((looks, watching) => {
      const told = detectAll(looks, watching).filter(
        ({ kind }) => kind === 'price.drop' || kind === 'price.increase',
      );
      for (const [index, { before }] of told.slice(1).entries()) {
        expect(before).toEqual(told[index]?.after);
      }
    });
  });
});

test('a wobble inside the thresholds never fires', () => {
  const wobbling = fc.tuple(
    fc.integer({ min: 500, max: 100_000 }),
    fc.integer({ min: 120, max: 100_000 }),
    fc.array(fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.nat(40)), { maxLength: 40 }),
  );
  fc.assert(
    fc.property(wobbling, ([base, rank, wobbles]) => {
      const looks = [[0, 0] as const, ...wobbles].map(([part, units], hour): Look => {
        const priceCents = base + Math.trunc((part * (base - 1)) / 100);
        const position = rank + Math.trunc((part * (rank - 1)) / 10);
        return {
          atSeconds: hour * HOUR,
          buybox: { priceCents, sellerName: 'A' },
          rank: { position, category: 'Kettles' },
          offers: [{ sellerName: 'A', priceCents, shippingCents: 0, unitsInStock: 11 + units }],
          offersComplete: true,
        };
      });
      const watching = { rules: DEFAULT_RULES, watchedSeller: 'W', estimatedUnitsPerDay: null };
      expect(detectAll(looks, watching)).toEqual([]);
    }),
  );
});
