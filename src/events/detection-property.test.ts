// Properties that hold for any observations and any rules.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergedStates } from '../../test/support/change-notices.ts';
import type { Observation } from '../history/observation.ts';
import { type DetectionInput, detectChanges } from './change-detection.ts';
import type { DetectedEvent } from './detected-event.ts';
import { byKind } from './kind.ts';
import { afterObserving, type ObservedState } from './observed-state.ts';
import { DEFAULT_RULES, type Rules } from './rule.ts';
import { packState, unpackState, type WatchState } from './watch-state.ts';

const HOUR_SECONDS = 3_600;
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
const anyServing = fc.record({
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

const anyObservations: fc.Arbitrary<Observation[]> = fc
  .array(anyServing, { maxLength: 40, size: 'max' })
  .map((servings) => {
    let hour = 0;
    return servings.map(({ gapHours, isWhole, ...seen }) => {
      hour += gapHours;
      const offersComplete = isWhole && seen.offers !== undefined;
      return { ...seen, atSeconds: hour * HOUR_SECONDS, offersComplete };
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
  observations: readonly ObservedState[],
  watching: Watching,
  how: How = {},
): DetectedEvent[] {
  let state: WatchState | null = null;
  let before: ObservedState | null = null;
  const events: DetectedEvent[] = [];
  for (const observation of observations) {
    const detection = detectChanges({ ...watching, state, before, observation });
    events.push(...detection.events);
    expect(detection.events.toSorted(byKind)).toEqual(detection.events);
    state = detection.state;
    if (how.stored) state = unpackState(JSON.parse(JSON.stringify(packState(state))));
    if (!how.withoutBefore) before = observation;
  }
  return events;
}

const valuesOf = (events: readonly DetectedEvent[]) =>
  events.map(({ kind, rule, reason, before, after }) => [
    kind,
    rule,
    reason,
    before.value,
    after.value,
  ]);

const times = (count: number, observations: readonly Observation[]) =>
  observations.flatMap((observation) =>
    Array.from({ length: count }, (_, copy) => ({
      ...observation,
      atSeconds: observation.atSeconds + copy,
    })),
  );

const holdsForAll = (holds: (observations: Observation[], watching: Watching) => void) =>
  fc.assert(fc.property(anyObservations, anyWatching, holds), { numRuns: 300 });

describe('for any observations and rules', () => {
  test('`after` of every event is later than its `before`', () => {
    holdsForAll((observations, watching) => {
      for (const { before, after } of detectAll(observations, watching)) {
        expect(before.observedAt).toBeLessThan(after.observedAt);
        expect(before.observedAt).toBeGreaterThanOrEqual(0);
      }
    });
  });

  test('the packed state is all that is needed between observations', () => {
    holdsForAll((observations, watching) => {
      expect(detectAll(observations, watching, { stored: true })).toEqual(
        detectAll(observations, watching),
      );
    });
  });

  test('the previous observation decides nothing', () => {
    holdsForAll((observations, watching) => {
      const kinds = (how: How) => detectAll(observations, watching, how).map(({ kind }) => kind);
      expect(kinds({ withoutBefore: true })).toEqual(kinds({}));
    });
  });

  test('the same observation twice counts once', () => {
    holdsForAll((observations, watching) => {
      const twice = observations.flatMap((observation) => [observation, observation]);
      expect(detectAll(twice, watching)).toEqual(detectAll(observations, watching));
    });
  });

  test('a third equal observation gives no event', () => {
    holdsForAll((observations, watching) => {
      const [two, three] = [
        detectAll(times(2, observations), watching),
        detectAll(times(3, observations), watching),
      ];
      expect(valuesOf(three)).toEqual(valuesOf(two));
    });
  });

  test('an observation without any part changes nothing', () => {
    const nothing = {
      buybox: undefined,
      rank: undefined,
      offers: undefined,
      offersComplete: false,
    };
    holdsForAll((observations, watching) => {
      const between = observations.flatMap((observation) => [
        observation,
        { ...nothing, atSeconds: observation.atSeconds + 60 },
      ]);
      const emitted = (all: readonly Observation[]) =>
        detectAll(all, watching, { withoutBefore: true }).map(({ kind, after }) => [kind, after]);
      expect(emitted(between)).toEqual(emitted(observations));
    });
  });

  const SAW_NOTHING = {
    buybox: undefined,
    rank: undefined,
    offers: undefined,
    offersComplete: false,
  };

  test('an observation that carries every part gives no event', () => {
    holdsForAll((observations, watching) => {
      const alone = mergedStates(observations);
      const between = alone.flatMap((observation) => [
        observation,
        afterObserving(observation, { ...SAW_NOTHING, atSeconds: observation.atSeconds + 60 }),
      ]);
      // A day of summarized rotations ends by time, at whatever observation comes next.
      const emitted = (all: readonly ObservedState[]) =>
        detectAll(all, watching, { withoutBefore: true })
          .filter(({ kind }) => kind !== 'buybox.rotation')
          .map(({ kind, before, after, sellerName }) => [kind, before.value, after, sellerName]);
      expect(emitted(between)).toEqual(emitted(alone));
    });
  });

  test('seller, stock and rank events are the same with and without carried parts', () => {
    holdsForAll((observations, watching) => {
      const emitted = (all: readonly ObservedState[]) =>
        detectAll(all, watching, { withoutBefore: true })
          .filter(({ kind }) => /^(seller|stock|rank)/.test(kind))
          .map(({ kind, after, sellerName }) => [kind, after, sellerName]);
      expect(emitted(mergedStates(observations))).toEqual(emitted(observations));
    });
  });

  test('each price event starts from the last notified price', () => {
    holdsForAll((observations, watching) => {
      const emitted = detectAll(observations, watching).filter(
        ({ kind }) => kind === 'price.drop' || kind === 'price.increase',
      );
      for (const [index, { before }] of emitted.slice(1).entries()) {
        expect(before).toEqual(emitted[index]?.after);
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
      const observations = [[0, 0] as const, ...wobbles].map(([part, units], hour): Observation => {
        const priceCents = base + Math.trunc((part * (base - 1)) / 100);
        const position = rank + Math.trunc((part * (rank - 1)) / 10);
        return {
          atSeconds: hour * HOUR_SECONDS,
          buybox: { priceCents, sellerName: 'A' },
          rank: { position, category: 'Kettles' },
          offers: [{ sellerName: 'A', priceCents, shippingCents: 0, unitsInStock: 11 + units }],
          offersComplete: true,
        };
      });
      const watching = { rules: DEFAULT_RULES, watchedSeller: 'W', estimatedUnitsPerDay: null };
      expect(detectAll(observations, watching)).toEqual([]);
    }),
  );
});
