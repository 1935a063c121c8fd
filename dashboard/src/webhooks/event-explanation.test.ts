// Why an event fired, in words.
import { expect, it } from 'vitest';
import { type EventExplanation, explanationFacts } from './event-explanation.ts';

const OLD: EventExplanation = {
  observations: { before: null, after: null },
  rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
  rules: null,
  rules_version: null,
  detection_version: null,
  guard: null,
  observed: null,
};

it('says the rule with its thresholds, and nothing that was not recorded', () => {
  expect(explanationFacts(OLD)).toEqual([{ name: 'Rule', value: 'price: percent 1, usd 0.05' }]);
});

it('says the condition, the verdict of the guard and the versions', () => {
  const rule = { name: 'condition', threshold: null, condition: 'stock > 3' };
  const guard = { verdict: 'no_loss' as const, meaning: 'Nothing was lost.' };
  const full = { ...OLD, rule, guard, rules_version: 'ab12', detection_version: 1 };
  expect(explanationFacts(full).map(({ value }) => value)).toEqual([
    'stock > 3',
    'Nothing was lost.',
    'detection 1, rules ab12',
  ]);
});
