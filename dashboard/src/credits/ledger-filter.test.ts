// From the filters in the URL to the query of the request.
import { expect, test } from 'vitest';
import { isFiltered, ledgerQuery, NO_FILTER } from './ledger-filter.ts';

test('without filters everything is requested', () => {
  expect(ledgerQuery(NO_FILTER)).toEqual({});
  expect(isFiltered(ledgerQuery(NO_FILTER))).toBe(false);
});

test('days are whole days of the reader’s time zone, the last one included', () => {
  const query = ledgerQuery({ ...NO_FILTER, from: '2026-10-31', to: '2026-10-31' });
  expect(query.from).toBe(new Date(2026, 9, 31).toISOString());
  expect(query.to).toBe(new Date(2026, 10, 1).toISOString());
});

test('kind and operation are passed on', () => {
  const query = ledgerQuery({ ...NO_FILTER, kind: 'tracking', operation: 'tracking tier 2' });
  expect(query).toEqual({ kind: 'tracking', operation: 'tracking tier 2' });
  expect(isFiltered(query)).toBe(true);
});

test('invalid filters of the URL are ignored', () => {
  const wrong = { kind: 'toString', operation: '', from: 'yesterday', to: '0000-01-01' };
  expect(ledgerQuery(wrong)).toEqual({});
});
