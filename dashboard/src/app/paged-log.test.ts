// The growing log: no duplicates, no stale entries on top, no silent gap.
import { describe, expect, it } from 'vitest';
import { type LogView, withNewest, withOlder } from './paged-log.ts';

type Entry = { id: string; at: string; outcome: string };

const entry = (number: number, outcome = 'success'): Entry => ({
  id: `id-${String(number).padStart(3, '0')}`,
  at: new Date(number * 1000).toISOString(),
  outcome,
});
const page = (numbers: readonly number[], next: string | null): LogView<Entry> => ({
  entries: numbers.map((number) => entry(number)),
  next,
});
const joined = (loaded: LogView<Entry>, newest: LogView<Entry>) =>
  withNewest(loaded, newest, ({ at }) => at);
const numbersIn = (log: LogView<Entry> | null) =>
  log?.entries.map(({ id }) => Number(id.slice(3))) ?? null;

describe('the growing log', () => {
  it('puts new entries on top of the loaded ones and keeps the older cursor', () => {
    const loaded = withOlder(page([9, 8, 7], 'c7'), page([6, 5, 4], 'c4'));
    const grown = joined(loaded, page([11, 10, 9], 'c9'));
    expect(numbersIn(grown)).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
    expect(grown?.next).toBe('c4');
  });

  it('takes the newer state of an attempt that was running', () => {
    const loaded = { entries: [entry(9, 'pending'), entry(8)], next: 'c8' };
    const grown = joined(loaded, page([9, 8], 'c8'));
    expect(grown?.entries[0]?.outcome).toBe('success');
    expect(numbersIn(grown)).toEqual([9, 8]);
  });

  it('sorts an entry that was recorded late by its time', () => {
    expect(numbersIn(joined(page([9, 5, 4], 'c4'), page([9, 7, 5], 'c5')))).toEqual([9, 7, 5, 4]);
  });

  it('does not join pages over a gap', () => {
    expect(joined(page([3, 2, 1], null), page([99, 98, 97], 'c97'))).toBeNull();
  });

  it('drops an entry that the newest page no longer has, such as one that left the filter', () => {
    expect(numbersIn(joined(page([9, 8, 7, 6], null), page([9, 7], 'c7')))).toEqual([9, 7, 6]);
  });

  it('is the newest page alone when there are no others', () => {
    expect(numbersIn(joined(page([5, 4], 'c4'), page([9, 5], null)))).toEqual([9, 5]);
    expect(numbersIn(joined(page([], null), page([2, 1], null)))).toEqual([2, 1]);
    expect(numbersIn(joined(page([2, 1], null), page([], null)))).toEqual([]);
  });

  it('adds no duplicates from an older page', () => {
    const grown = withOlder(page([9, 8], 'c8'), page([8, 7], null));
    expect(numbersIn(grown)).toEqual([9, 8, 7]);
    expect(grown.next).toBeNull();
  });
});
