// The store of paid responses keeps, limits and forgets.
import { describe, expect, it, vi } from 'vitest';
import { openShelf, type ShelfStorage } from './response-store.ts';

function storageOf(charsMax = Number.POSITIVE_INFINITY): ShelfStorage & { clear: () => void } {
  const items = new Map<string, string>();
  const used = () => [...items.values()].reduce((sum, text) => sum + text.length, 0);
  return {
    get length() {
      return items.size;
    },
    key: (place) => [...items.keys()][place] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => {
      if (used() + text.length > charsMax) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, text);
    },
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}

const response = (atMs: number, data: unknown = 'x') => ({ atMs, creditsCharged: 1, data });

describe('the store of paid responses', () => {
  it('returns a stored response, the same object each time, also after a reload', () => {
    const storage = storageOf();
    const shelf = openShelf(storage);
    shelf.keep('a/fees/1', response(5, { total: 3 }));
    expect(shelf.read('a/fees/1')).toBe(shelf.read('a/fees/1'));
    expect(openShelf(storage).read('a/fees/1')).toEqual(response(5, { total: 3 }));
    expect(shelf.read('b/fees/1')).toBeNull();
  });

  it('lists the responses of a prefix, newest first', () => {
    const shelf = openShelf(storageOf());
    shelf.keep('a/details/1', response(5));
    shelf.keep('a/details/2', response(9));
    shelf.keep('a/fees/1', response(7));
    expect(shelf.list('a/details/').map(({ key }) => key)).toEqual(['a/details/2', 'a/details/1']);
  });

  it('drops the oldest when there are too many', () => {
    const shelf = openShelf(storageOf(), { responsesMax: 2, charsMax: 10_000 });
    shelf.keep('1', response(10));
    shelf.keep('2', response(5));
    shelf.keep('3', response(20));
    expect(shelf.list('').map(({ key }) => key)).toEqual(['3', '1']);
  });

  it('drops the oldest when they are too large, and when the browser storage is full', () => {
    const long = 'y'.repeat(400);
    const small = openShelf(storageOf(), { responsesMax: 9, charsMax: 1_000 });
    const full = openShelf(storageOf(1_000));
    for (const shelf of [small, full]) {
      for (const atMs of [1, 2, 3]) shelf.keep(String(atMs), response(atMs, long));
      expect(shelf.list('').map(({ key }) => key)).toEqual(['3', '2']);
    }
  });

  it('keeps a response in memory that does not fit into storage', () => {
    const shelf = openShelf(storageOf(), { responsesMax: 9, charsMax: 100 });
    shelf.keep('small', response(1));
    shelf.keep('large', response(2, 'y'.repeat(400)));
    expect(shelf.read('large')?.atMs).toBe(2);
    expect(shelf.read('small')?.atMs).toBe(1);
  });

  it('is empty after a sign-out', () => {
    const storage = storageOf();
    const shelf = openShelf(storage, { responsesMax: 9, charsMax: 100 });
    shelf.keep('a/fees/1', response(5));
    shelf.keep('too large for the storage', response(6, 'y'.repeat(400)));
    storage.clear();
    shelf.forget();
    expect(shelf.list('')).toEqual([]);
  });

  it('drops what is older than a week', () => {
    const storage = storageOf();
    let now = 0;
    const shelf = openShelf(storage, { nowMs: () => now });
    shelf.keep('old', response(1));
    now = 7 * 86_400_000 + 2;
    shelf.keep('new', response(now));
    expect(shelf.read('old')).toBeNull();
    expect(shelf.list('').map(({ key }) => key)).toEqual(['new']);
    expect(storage.length).toBe(1);
  });

  it('shows a response stored by another tab after its storage event', () => {
    const storage = storageOf();
    const shelf = openShelf(storage);
    const heard = vi.fn();
    shelf.subscribe(heard);
    openShelf(storage).keep('a/fees/1', response(5));
    shelf.hear('theme');
    expect(heard).not.toHaveBeenCalled();
    shelf.hear('oversight.paid/a/fees/1');
    expect(heard).toHaveBeenCalledTimes(1);
    expect(shelf.read('a/fees/1')?.atMs).toBe(5);
  });

  it('tells its listeners', () => {
    const shelf = openShelf(storageOf());
    const heard = vi.fn();
    const stop = shelf.subscribe(heard);
    shelf.keep('1', response(1));
    stop();
    shelf.keep('2', response(2));
    expect(heard).toHaveBeenCalledTimes(1);
    expect(shelf.version()).toBe(2);
  });
});
