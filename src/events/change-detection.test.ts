// What holds for all kinds: their order, the baseline, and the members of an event.
import { describe, expect, test } from 'vitest';
import {
  emitted,
  eventsOf,
  holders,
  hourly,
  prices,
  ranks,
  type Seen,
  stocks,
} from '../../test/support/change-notices.ts';
import { HOUR_SECONDS } from '../foundation/time.ts';
import type { Observation } from '../history/observation.ts';
import { detectChanges } from './change-detection.ts';
import { DEFAULT_RULES } from './rule.ts';

describe('an observation', () => {
  const before: Seen = { box: [900, 'W'], shelf: { W: [900, 50], Z: [990, 50] }, rank: 500 };
  const after: Seen = { box: [800, 'A'], shelf: { A: [800, 2], W: [700, 3] }, rank: 300 };

  test('emits events in the order of the kinds', () => {
    expect(
      emitted([before, after, { ...after, rank: 900 }, { ...after, rank: 900 }], { watched: 'W' }),
    ).toEqual([
      '1 buybox.lost W → A (outbid)',
      '1 price.drop 900 → 800',
      '1 seller.new null → A',
      '1 seller.price_change 900 → 700',
      '1 stock.low 100 → 5',
      '1 rank.gained 500 → 300',
      '2 seller.removed Z → null',
      '3 rank.lost 300 → 900',
    ]);
  });

  test('sets the baseline of each value without an event', () => {
    expect(emitted([{}, { box: [900, 'A'] }, { rank: 5 }, { shelf: { A: [900, 3] } }])).toEqual([]);
  });

  test('names the rule that fired and both values with their times', () => {
    const events = eventsOf(hourly([...prices(2000, 1990), ...prices(1900)]));
    expect(events).toEqual([
      {
        kind: 'price.drop',
        rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
        reason: null,
        before: { value: 2000, observedAt: 0 },
        after: { value: 1900, observedAt: 2 * HOUR_SECONDS * 1_000 },
        sellerName: null,
        shares: null,
      },
    ]);
  });

  test.each([
    { seen: holders('AAW'), rule: 'any_change', threshold: null, beforeHour: 1 },
    { seen: holders('AAB'), rule: 'rotation', threshold: { count: 3 }, beforeHour: 1 },
    { seen: stocks(40, 30, 9), rule: 'stock_low', threshold: { units: 10 }, beforeHour: 1 },
    { seen: stocks(40, 30, 0), rule: 'any_change', threshold: null, beforeHour: 1 },
    {
      seen: ranks(300, 301, 200),
      rule: 'rank',
      threshold: { percent: 20, places: 5 },
      beforeHour: 0,
    },
    { seen: ranks(110, 111, 99), rule: 'rank_crossing', threshold: { top: 100 }, beforeHour: 0 },
  ])('$rule $threshold against hour $beforeHour', ({ seen, rule, threshold, beforeHour }) => {
    const events = eventsOf(hourly(seen), { watched: 'W' });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      rule: { name: rule, threshold },
      before: { observedAt: beforeHour * HOUR_SECONDS * 1_000 },
      after: { observedAt: 2 * HOUR_SECONDS * 1_000 },
    });
  });

  test('that changes nothing returns the same state object', () => {
    const [first, second] = hourly([before, before]) as [Observation, Observation];
    const rest = { watchedSeller: 'W', rules: DEFAULT_RULES, estimatedUnitsPerDay: 1 };
    const { state } = detectChanges({ state: null, before: null, observation: first, ...rest });
    expect(detectChanges({ state, before: first, observation: second, ...rest }).state).toBe(state);
  });

  test('that is not newer than the state is ignored', () => {
    const [first, second] = hourly([before, after]) as [Observation, Observation];
    const rest = { watchedSeller: 'W', rules: DEFAULT_RULES, estimatedUnitsPerDay: 1 };
    const { state } = detectChanges({ state: null, before: null, observation: second, ...rest });
    expect(detectChanges({ state, before: null, observation: first, ...rest })).toEqual({
      state,
      events: [],
    });
  });
});
