// Conversion of rules between form and server, and the comparison of the back-test.
import { describe, expect, test } from 'vitest';
import { compareCounts, draftOf, hasProblem, RULE_GROUPS, ruleProblem, rulesOf } from './rules.ts';

test('the five groups have the defaults of the service', () => {
  const defaults = RULE_GROUPS.map(({ name, members }) => [
    name,
    Object.fromEntries(members.map((member) => [member.name, member.standard])),
  ]);
  expect(Object.fromEntries(defaults)).toEqual({
    price: { percent: 1, usd: 0.05 },
    seller_price: { percent: 1, usd: 0.05 },
    stock_low: { units: 10, days: 7 },
    rank: { percent: 20, places: 5 },
    rotation: { count: 3 },
  });
});

describe('between form and server', () => {
  test('empty fields and empty groups are omitted', () => {
    const draft = draftOf({ price: { percent: 5 }, rank: { places: null }, rotation: null });
    expect(draft.price).toEqual({ percent: 5, usd: null });
    expect(rulesOf(draft)).toEqual({ price: { percent: 5 } });
  });

  test('no rules at all are null', () => {
    expect(rulesOf(draftOf(null))).toBeNull();
    expect(rulesOf(draftOf({}))).toBeNull();
  });

  test('0 is a rule, not an empty field', () => {
    expect(rulesOf(draftOf({ stock_low: { units: 0 } }))).toEqual({ stock_low: { units: 0 } });
  });
});

describe('allowed values of a member', () => {
  const member = (group: string, name: string) => {
    const members = RULE_GROUPS.find((one) => one.name === group)?.members;
    return members?.find((one) => one.name === name) as (typeof RULE_GROUPS)[0]['members'][0];
  };
  test.each([
    ['price', 'usd', 0.07, true],
    ['price', 'usd', 0.075, false],
    ['price', 'percent', 1000, true],
    ['price', 'percent', 1000.01, false],
    ['price', 'percent', -1, false],
    ['stock_low', 'days', 365, true],
    ['stock_low', 'days', 366, false],
    ['stock_low', 'units', 2.5, false],
    ['rotation', 'count', 24, true],
    ['rotation', 'count', 25, false],
  ])('%s.%s = %d: %s', (group, name, value, allowed) => {
    expect(ruleProblem(member(group, name), value) === null).toBe(allowed);
  });

  test('an empty field is always allowed', () => {
    expect(hasProblem(draftOf(null))).toBe(false);
    expect(hasProblem(draftOf({ rotation: { count: 30 } }))).toBe(true);
  });
});

test('the back-test is compared kind by kind, the largest change first, without silent kinds', () => {
  const now = { 'price.drop': 20, 'rank.lost': 11, 'stock.out': 0 };
  const edited = { 'price.drop': 2, 'rank.lost': 10, 'stock.out': 0 };
  expect(compareCounts(now, edited)).toEqual({
    rows: [
      { kind: 'price.drop', edited: 2, now: 20 },
      { kind: 'rank.lost', edited: 10, now: 11 },
    ],
    edited: 12,
    now: 31,
  });
});
