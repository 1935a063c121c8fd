// The store of paid responses keeps, limits and forgets.
import { describe, expect, it, vi } from 'vitest';
import { openResponseStore, type ResponseStorage } from './response-store.ts';

function storageOf(charsMax = Number.POSITIVE_INFINITY): ResponseStorage & { clear: () => void } {
  const items = new Map<string, string>();
  const used = () => [...items.values()].reduce((sum, text) => sum + text.length, 0);
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
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
    const store = openResponseStore(storage);
    store.keep('a/fees/1', response(5, { total: 3 }));
    expect(store.read('a/fees/1')).toBe(store.read('a/fees/1'));
    expect(openResponseStore(storage).read('a/fees/1')).toEqual(response(5, { total: 3 }));
    expect(store.read('b/fees/1')).toBeNull();
  });

  it('lists the responses of a prefix, newest first', () => {
    const store = openResponseStore(storageOf());
    store.keep('a/details/1', response(5));
    store.keep('a/details/2', response(9));
    store.keep('a/fees/1', response(7));
    expect(store.list('a/details/').map(({ key }) => key)).toEqual(['a/details/2', 'a/details/1']);
  });

  it('drops the oldest when there are too many', () => {
    const store = openResponseStore(storageOf(), { responsesMax: 2, charsMax: 10_000 });
    store.keep('1', response(10));
    store.keep('2', response(5));
    store.keep('3', response(20));
    expect(store.list('').map(({ key }) => key)).toEqual(['3', '1']);
  });

  it('drops the oldest when they are too large, and when the browser storage is full', () => {
    const long = 'y'.repeat(400);
    const small = openResponseStore(storageOf(), { responsesMax: 9, charsMax: 1_000 });
    const full = openResponseStore(storageOf(1_000));
    for (const store of [small, full]) {
      for (const atMs of [1, 2, 3]) store.keep(String(atMs), response(atMs, long));
      expect(store.list('').map(({ key }) => key)).toEqual(['3', '2']);
    }
  });

  it('keeps a response in memory that does not fit into storage', () => {
    const store = openResponseStore(storageOf(), { responsesMax: 9, charsMax: 100 });
    store.keep('small', response(1));
    store.keep('large', response(2, 'y'.repeat(400)));
    expect(store.read('large')?.atMs).toBe(2);
    expect(store.read('small')?.atMs).toBe(1);
  });

  it('is empty after a sign-out', () => {
    const storage = storageOf();
    const store = openResponseStore(storage, { responsesMax: 9, charsMax: 100 });
    store.keep('a/fees/1', response(5));
    store.keep('too large for the storage', response(6, 'y'.repeat(400)));
    storage.clear();
    store.forget();
    expect(store.list('')).toEqual([]);
  });

  it('drops what is older than a week', () => {
    const storage = storageOf();
    let now = 0;
    const store = openResponseStore(storage, { nowMs: () => now });
    store.keep('old', response(1));
    now = 7 * 86_400_000 + 2;
    store.keep('new', response(now));
    expect(store.read('old')).toBeNull();
    expect(store.list('').map(({ key }) => key)).toEqual(['new']);
    expect(storage.length).toBe(1);
  });

  it('shows a response stored by another tab after its storage event', () => {
    const storage = storageOf();
    const store = openResponseStore(storage);
    const heard = vi.fn();
    store.subscribe(heard);
    openResponseStore(storage).keep('a/fees/1', response(5));
    store.hear('theme');
    expect(heard).not.toHaveBeenCalled();
    store.hear('oversight.paid/a/fees/1');
    expect(heard).toHaveBeenCalledTimes(1);
    expect(store.read('a/fees/1')?.atMs).toBe(5);
  });

  it('notifies its listeners', () => {
    const store = openResponseStore(storageOf());
    const heard = vi.fn();
    const stop = store.subscribe(heard);
    store.keep('1', response(1));
    stop();
    store.keep('2', response(2));
    expect(heard).toHaveBeenCalledTimes(1);
    expect(store.version()).toBe(2);
  });
});
