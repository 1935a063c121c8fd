// The texts of the ledger.
import { expect, test } from 'vitest';
import { entryText, OPERATIONS, operationText, signedText } from './ledger-words.ts';

test.each([
  ['request', 'price-history', 'Price history'],
  ['tracking', 'tracking tier 2', 'Tracking, tier 2'],
  [
    'refund',
    'fewer than half of the day’s collections were made',
    'Fewer than half of the day’s collections were made',
  ],
  ['grant', 'goodwill', 'Goodwill'],
  ['refresh', null, 'Credits of a new period'],
  ['grant', null, 'Granted'],
] as const)('a %s of %s reads well', (kind, operation, text) => {
  expect(entryText({ kind, operation })).toBe(text);
});

test('every operation in the filter has a text of its own', () => {
  for (const operation of OPERATIONS) expect(operationText(operation)).not.toContain('-');
});

test.each([
  [-15, '−15'],
  [30_000, '+30,000'],
  [-1234, '−1,234'],
  [0, '0'],
])('%d credits are written %s', (credits, text) => {
  expect(signedText(credits)).toBe(text);
});
