// What a watcher remembers for conditions, and when a rule matches.
import { expect, test } from 'vitest';
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { type ConditionState, evaluateConditions } from './condition-state.ts';
import type { ObservedState } from './observed-state.ts';

type Seen = { box?: [number, string] | null; stock?: number; atHours: number };

const observed = ({ box, stock, atHours }: Seen): ObservedState => ({
  atSeconds: atHours * HOUR_SECONDS,
  buybox: box && { priceCents: box[0], sellerName: box[1] },
  rank: undefined,
  offers:
    stock === undefined
      ? undefined
      : [{ sellerName: 'A', priceCents: 100, shippingCents: 5, unitsInStock: stock }],
  offersComplete: stock !== undefined,
  soldOut: false,
});

/** The hours at which the condition matched. */
function matches(text: string, seen: readonly Seen[], watchedSeller: string | null = null) {
  let state: ConditionState | null = null;
  return seen.flatMap((one) => {
    const conditions = [
      { id: 'poisoned', name: 'x', text: 'nonsense(' },
      { id: '1', name: 'Mine', text },
    ];
    const observation = observed(one);
    const input = { state, conditions, observation, watchedSeller, estimatedUnitsPerDay: null };
    const result = evaluateConditions(input);
    // Stored as JSON between observations.
    state = JSON.parse(JSON.stringify(result.state));
    return result.matched.map(() => one.atHours);
  });
}
const priced = (cents: readonly number[], everyHours = 1): Seen[] =>
  cents.map((price, index) => ({ box: [price, 'A'], atHours: index * everyHours }));

test('matches each time it becomes true; the first result is the baseline', () => {
  expect(matches('price < 20', priced([1900, 1900, 2100, 1900, 1800, 2000, 1999]))).toEqual([3, 6]);
});

test('what is unknown changes nothing', () => {
  const seen: Seen[] = [
    { stock: 0, atHours: 0 },
    { atHours: 1 },
    { stock: 3, atHours: 2 },
    { atHours: 3 },
    { stock: 2, atHours: 4 },
  ];
  expect(matches('stock > 0', seen)).toEqual([2]);
});

test('the same observation again, or an older one, changes nothing', () => {
  const seen = priced([2100, 1900]);
  expect(matches('price < 20', [...seen, ...seen])).toEqual([1]);
});

test('a changed condition starts over with a baseline', () => {
  const input = { observation: observed({ box: [1900, 'A'], atHours: 2 }) };
  const common = { watchedSeller: null, estimatedUnitsPerDay: null };
  const state: ConditionState = {
    at: 1,
    days: [],
    lostAtSeconds: null,
    results: { 1: ['price < 10', false] },
  };
  const result = evaluateConditions({
    ...input,
    ...common,
    state,
    conditions: [{ id: '1', name: 'x', text: 'price < 20' }],
  });
  expect(result.matched).toEqual([]);
  expect(result.state.results).toEqual({ 1: ['price < 20', true] });
});

test('the watched seller lost the box for more than two hours', () => {
  const holder = (name: string, atHours: number): Seen => ({ box: [100, name], atHours });
  const seen = [holder('B', 0), holder('Me', 1), holder('B', 2), holder('C', 4), holder('B', 5)];
  expect(matches('lost_box_hours > 2', seen, 'Me')).toEqual([5]);
  expect(matches('lost_box_hours > 2', [holder('B', 0), holder('B', 9)], 'Me')).toEqual([]);
  expect(matches('lost_box_hours > 2', seen, null)).toEqual([]);
});

test('the lowest price in observed days; days without an observation do not count', () => {
  const daily = priced([1000, 900, 950, 940, 930, 890], 24);
  expect(matches('lowest_in_days >= 5', daily)).toEqual([120]);
  expect(matches('lowest_in_days >= 3', daily)).toEqual([120]);
  const gap = [...priced([1000, 1000], 24), { box: [900, 'A'] as [number, string], atHours: 240 }];
  expect(matches('lowest_in_days >= 3', gap)).toEqual([]);
  expect(matches('lowest_in_days >= 2', gap)).toEqual([240]);
});

test('changes against the last price of an earlier day; unknown if it was not observed', () => {
  const seen = priced([1000, 1000, 1000, 900], 12);
  expect(matches('price_change_1d <= -10', seen)).toEqual([36]);
  const gap: Seen[] = [...priced([1000, 1000], 24), { box: [500, 'A'], atHours: 72 }];
  expect(matches('price_change_1d <= -10', gap)).toEqual([]);
});

test('remembers 90 days and no more', () => {
  let state: ConditionState | null = null;
  for (let day = 0; day < 200; day++) {
    const observation = observed({ box: [1000 + day, 'A'], atHours: day * 24 });
    const watcher = { conditions: [], watchedSeller: null, estimatedUnitsPerDay: null };
    ({ state } = evaluateConditions({ ...watcher, state, observation }));
  }
  expect(state?.days).toHaveLength(91);
  expect(state?.days[0]?.[0]).toBe((199 * 24 * HOUR_SECONDS) / DAY_SECONDS - 90);
});
