// Pages of the ledger, joined without gaps or repetitions.
import { expect, test } from 'vitest';
import { type LedgerView, withNewest, withOlder } from './ledger-pages.ts';

const entry = (minute: number) => ({
  id: `id-${minute}`,
  at: `2026-11-14T10:${String(minute).padStart(2, '0')}:00.000Z`,
  kind: 'request' as const,
  credits: -1,
  operation: 'details',
  retailer_product_code: '501447399',
  reference: `r-${minute}`,
});
const view = (minutes: number[], next: string | null): LedgerView => ({
  entries: minutes.map(entry),
  next,
});
const minutesOf = (joined: LedgerView | null) =>
  joined?.entries.map(({ id }) => Number(id.slice(3))) ?? null;

test('new entries come on top and the older pages stay', () => {
  const joined = withNewest(view([5, 4, 3, 2], 'at 2'), view([7, 6, 5], 'at 5'));
  expect(minutesOf(joined)).toEqual([7, 6, 5, 4, 3, 2]);
  expect(joined?.next).toBe('at 2');
});

test('an entry that was booked late takes its place by its time', () => {
  const joined = withNewest(view([9, 5, 4], 'at 4'), view([9, 7, 5], 'at 5'));
  expect(minutesOf(joined)).toEqual([9, 7, 5, 4]);
});

test('pages that do not meet are not joined over the gap', () => {
  expect(withNewest(view([5, 4], 'at 4'), view([9, 8], 'at 8'))).toBeNull();
});

test('a page that is the whole ledger replaces what was known', () => {
  expect(minutesOf(withNewest(view([], null), view([2, 1], null)))).toEqual([2, 1]);
});

test('an older page goes below, each entry once', () => {
  const joined = withOlder(view([5, 4], 'at 4'), view([4, 3, 2], 'at 2'));
  expect(minutesOf(joined)).toEqual([5, 4, 3, 2]);
  expect(joined.next).toBe('at 2');
});
