// From the filters of the address to the question to the server.
import { expect, test } from 'vitest';
import { isFiltered, ledgerQuery, NO_FILTER } from './ledger-filter.ts';

test('without filters everything is asked for', () => {
  expect(ledgerQuery(NO_FILTER)).toEqual({});
  expect(isFiltered(ledgerQuery(NO_FILTER))).toBe(false);
});

test('days are whole days of the reader’s zone, the last one included', () => {
  const query = ledgerQuery({ ...NO_FILTER, from: '2026-10-31', to: '2026-10-31' });
  expect(query.from).toBe(new Date(2026, 9, 31).toISOString());
  expect(query.to).toBe(new Date(2026, 10, 1).toISOString());
});

test('kind and operation are passed on', () => {
  const query = ledgerQuery({ ...NO_FILTER, kind: 'tracking', operation: 'tracking tier 2' });
  expect(query).toEqual({ kind: 'tracking', operation: 'tracking tier 2' });
  expect(isFiltered(query)).toBe(true);
});

test('what the address says wrongly is left out rather than refused', () => {
  const wrong = { kind: 'toString', operation: '', from: 'yesterday', to: '0000-01-01' };
  expect(ledgerQuery(wrong)).toEqual({});
});
