// Which of two products needs attention first.
import { expect, test } from 'vitest';
import { urgencyOf } from './urgency.ts';

const WELL = {
  status: 'active',
  consecutive_failures: 0,
  current_price: 10,
  units_in_stock: 5,
} as const;

test('most urgent first: not collected, not sold, sold by another seller', () => {
  const rows = [
    { ...WELL, status: 'suspended' as const },
    { ...WELL, consecutive_failures: 3 },
    { ...WELL, current_price: null },
    { ...WELL, units_in_stock: 0 },
    WELL,
  ];
  expect(rows.map(urgencyOf)).toEqual([0, 1, 2, 3, 4]);
});
