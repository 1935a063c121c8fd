// Which of two products needs attention first.
import { expect, test } from 'vitest';
import { attentionTone, urgencyOf } from './urgency.ts';

test('most urgent first: not collected, not sold, sold by another seller', () => {
  const codes = ['suspended', 'collections_failing', 'no_offers', 'out_of_stock'] as const;
  const urgencies = codes.map((attention_code) => Number(urgencyOf({ attention_code })));
  expect(urgencies).toEqual(urgencies.toSorted((a, b) => a - b));
  expect(urgencyOf({ attention_code: 'buybox_elsewhere' })).toBeGreaterThan(Math.max(...urgencies));
  expect(urgencyOf({ attention_code: null })).toBeNull();
});

test('only failing collections are critical', () => {
  expect(attentionTone({ attention_code: 'collections_failing' })).toBe('critical');
  expect(attentionTone({ attention_code: 'suspended' })).toBe('caution');
});
