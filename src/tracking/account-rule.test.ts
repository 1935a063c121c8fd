// Which of several rules applies to a product.
import { expect, test } from 'vitest';
import { type AccountRule, appliesTo, effectiveRules } from './account-rule.ts';

const rule = (createdAtMs: number, tags: string[] | null, rules: object): AccountRule => ({
  accountId: 'a',
  ruleId: String(createdAtMs),
  createdAtMs,
  name: 'x',
  tags,
  rules: rules as AccountRule['rules'],
  condition: null,
});
const product = { tags: ['toys', 'slow'], rules: null };

test('a rule applies to products with one of its tags, without tags to all', () => {
  expect(appliesTo(rule(1, ['toys', 'x'], {}), product)).toBe(true);
  expect(appliesTo(rule(1, ['x'], {}), product)).toBe(false);
  expect(appliesTo(rule(1, null, {}), { tags: [] })).toBe(true);
});

test('product, then tag, then all products, then default; the newest first, part by part', () => {
  const rules = [
    rule(1, ['toys'], { price: { percent: 1 }, rotation: { count: 1 } }),
    rule(2, ['slow'], { price: { percent: 2 } }),
    rule(3, null, { price: { percent: 3, usd: 3 }, rank: { places: 3 } }),
    rule(4, ['other'], { price: { percent: 4 } }),
  ];
  expect(effectiveRules(product, rules)).toEqual({
    price: { percent: 2, usd: 3 },
    rotation: { count: 1 },
    rank: { places: 3 },
  });
  const withRules = { ...product, rules: { price: { percent: 5, usd: null }, rank: null } };
  const expected = { price: { percent: 5 }, rotation: { count: 1 } };
  expect(effectiveRules(withRules, rules)).toEqual(expected);
});

test('without rules for many products, a product’s own rules stay as they were sent', () => {
  const rules = { price: { usd: null } };
  expect(effectiveRules({ ...product, rules }, [])).toBe(rules);
  expect(effectiveRules(product, [rule(1, ['x'], { rank: { places: 1 } })])).toBeNull();
});
