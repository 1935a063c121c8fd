import { expect, test } from 'vitest';
import type { Balance, LedgerEntry } from '../../credits/settlement.ts';
import { balancesAfter } from './running-balance.ts';

const balance = { allocation: 1_000, granted: 50, used: 25 } as Balance;
const entry = (kind: LedgerEntry['kind'], credits: number) => ({ kind, credits }) as LedgerEntry;

test('each entry shows what was left after it, back to the start of the period', () => {
  const entries = [
    entry('request', -15),
    entry('refund', 10),
    entry('tracking', -20),
    entry('grant', 50),
    entry('refresh', 1_000),
    entry('request', -5),
  ];
  expect(balancesAfter(entries, balance)).toEqual([1_025, 1_040, 1_030, 1_050, 1_000, null]);
});
