import { expect, test } from 'vitest';
import { runningBalances } from './running-balance.ts';

const entry = (kind: 'request' | 'refresh' | 'refund', credits: number, after?: number) => ({
  kind,
  credits,
  balance_after: after ?? null,
});

test('older entries follow from the newest page, back to the start of the period', () => {
  const entries = [
    entry('request', -15, 985),
    entry('refund', 5),
    entry('request', -5),
    entry('refresh', 1_000),
    entry('request', -3),
  ];
  expect(runningBalances(entries)).toEqual([985, 1_000, 995, 1_000, null]);
});

test('a filtered list has no balances', () => {
  expect(runningBalances([entry('request', -1), entry('request', -1)])).toEqual([null, null]);
});
